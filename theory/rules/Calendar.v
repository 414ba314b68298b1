(** Which numbers are dates and timestamps. docs/theory.md explains how these are written as numbers. *)
From Coq Require Import ZArith Bool Lia.
Open Scope Z_scope.

(** * Dates *)

Definition is_leap (year : Z) : bool :=
  (year mod 4 =? 0) && (negb (year mod 100 =? 0) || (year mod 400 =? 0)).
Definition days (year month : Z) : Z :=
  if month =? 2 then (if is_leap year then 29 else 28)
  else if (month =? 4) || (month =? 6) || (month =? 9) || (month =? 11) then 30 else 31.

(** The least number from n on that can be a date, but for fields that come after the one that is wrong. *)
Definition next_date (n : Z) : Z :=
  let year := n / 10000 in
  let month := n / 100 mod 100 in
  if month =? 0 then year * 10000 + 101
  else if 12 <? month then (year + 1) * 10000 + 101
  else if n mod 100 =? 0 then n + 1
  else if days year month <? n mod 100 then (n / 100 + 1) * 100 + 1
  else n.

Definition is_date (n : Z) : bool := next_date n =? n.

Lemma next_date_least n m : is_date m = true -> n <= m -> next_date n <= m.
Proof.
  unfold is_date. rewrite Z.eqb_eq. unfold next_date. intros D H.
  destruct (m / 100 mod 100 =? 0) eqn:M1; [rewrite Z.eqb_eq in M1; Z.to_euclidean_division_equations; lia|].
  destruct (12 <? m / 100 mod 100) eqn:M2; [rewrite Z.ltb_lt in M2; Z.to_euclidean_division_equations; lia|].
  destruct (m mod 100 =? 0) eqn:M3; [lia|].
  rewrite Z.eqb_neq in M1, M3. rewrite Z.ltb_ge in M2.
  destruct (days (m / 10000) (m / 100 mod 100) <? m mod 100) eqn:M4;
    [rewrite Z.ltb_lt in M4; Z.to_euclidean_division_equations; lia|]. clear D. rewrite Z.ltb_ge in M4.
  destruct (n / 100 mod 100 =? 0) eqn:N1; [rewrite Z.eqb_eq in N1; Z.to_euclidean_division_equations; lia|].
  destruct (12 <? n / 100 mod 100) eqn:N2; [rewrite Z.ltb_lt in N2; Z.to_euclidean_division_equations; lia|].
  destruct (n mod 100 =? 0) eqn:N3; [rewrite Z.eqb_eq in N3; Z.to_euclidean_division_equations; lia|].
  destruct (days (n / 10000) (n / 100 mod 100) <? n mod 100) eqn:N4; [|lia]. rewrite Z.ltb_lt in N4.
  assert (E : n / 100 < m / 100 \/ n / 100 = m / 100) by (pose proof (Z.div_le_mono n m 100); lia).
  destruct E as [E|E].
  - Z.to_euclidean_division_equations; lia.
  - assert (F : n / 10000 = m / 10000).
    { change 10000 with (100 * 100). rewrite <- !Z.div_div by lia. now rewrite E. }
    rewrite E, F in N4. Z.to_euclidean_division_equations; lia.
Qed.

(** * Timestamps: the date, and two digits each for hour, minute and second, before the microseconds *)

Definition next_timestamp (n : Z) : Z :=
  if negb (is_date (n / 1000000000000)) then next_date (n / 1000000000000) * 1000000000000
  else if 24 <=? n / 10000000000 mod 100 then (n / 1000000000000 + 1) * 1000000000000
  else if 60 <=? n / 100000000 mod 100 then (n / 10000000000 + 1) * 10000000000
  else if 60 <=? n / 1000000 mod 100 then (n / 100000000 + 1) * 100000000
  else n.

Definition is_timestamp (n : Z) : bool := next_timestamp n =? n.

Lemma next_date_at_least n : n <= next_date n.
Proof.
  unfold next_date. assert (Y : n / 10000 = n / 100 / 100) by (rewrite Z.div_div by lia; reflexivity). rewrite Y.
  destruct (_ =? _) eqn:A; [rewrite Z.eqb_eq in A; clear Y; Z.to_euclidean_division_equations; lia|].
  destruct (12 <? _); [clear; Z.to_euclidean_division_equations; lia|].
  destruct (n mod 100 =? 0); [lia|]. destruct (_ <? _); clear; Z.to_euclidean_division_equations; lia.
Qed.

(** A part of a number that is too large stays too large until the part before it grows. *)
Lemma next_part n m large small most : 0 < small -> large = small * 100 -> n <= m ->
  most <= n / small mod 100 -> m / small mod 100 < most -> (n / large + 1) * large <= m.
Proof.
  intros P -> H N M. assert (L : n / small <= m / small) by (apply Z.div_le_mono; lia).
  rewrite <- Z.div_div by lia. set (a := n / small) in *. set (b := m / small) in *.
  assert (B : a / 100 + 1 <= b / 100).
  { clearbody a b. clear H. pose proof (Z.div_mod a 100). pose proof (Z.div_mod b 100).
    pose proof (Z.div_le_mono a b 100). lia. }
  apply Z.le_trans with (b / 100 * (small * 100)); [apply Z.mul_le_mono_nonneg_r; lia|].
  unfold b. rewrite Z.div_div by lia. rewrite Z.mul_comm. apply Z.mul_div_le. lia.
Qed.

Lemma next_timestamp_least n m : is_timestamp m = true -> n <= m -> next_timestamp n <= m.
Proof.
  unfold is_timestamp. rewrite Z.eqb_eq. unfold next_timestamp. intros D H.
  assert (DM : is_date (m / 1000000000000) = true).
  { destruct (is_date (m / 1000000000000)) eqn:E; auto. simpl in D. unfold is_date in E. rewrite Z.eqb_neq in E.
    pose proof (next_date_at_least (m / 1000000000000)). exfalso.
    assert (m / 1000000000000 + 1 <= next_date (m / 1000000000000)) by lia.
    pose proof (Z.mul_succ_div_gt m (1000000000000) eq_refl). unfold Z.succ in *. lia. }
  rewrite DM in D. simpl in D.
  assert (HM : m / 10000000000 mod 100 < 24).
  { destruct (24 <=? m / 10000000000 mod 100) eqn:E; [|apply Z.leb_gt in E; lia].
    pose proof (Z.mul_succ_div_gt m (1000000000000) eq_refl). unfold Z.succ in *. lia. }
  assert (MM : m / 100000000 mod 100 < 60).
  { destruct (60 <=? m / 100000000 mod 100) eqn:E; [|apply Z.leb_gt in E; lia].
    pose proof (Z.mul_succ_div_gt m (10000000000) eq_refl). unfold Z.succ in *.
    destruct (24 <=? m / 10000000000 mod 100) eqn:E'; [apply Z.leb_le in E'; lia|]. lia. }
  assert (SM : m / 1000000 mod 100 < 60).
  { destruct (60 <=? m / 1000000 mod 100) eqn:E; [|apply Z.leb_gt in E; lia].
    pose proof (Z.mul_succ_div_gt m (100000000) eq_refl). unfold Z.succ in *.
    destruct (24 <=? m / 10000000000 mod 100) eqn:E'; [apply Z.leb_le in E'; lia|].
    destruct (60 <=? m / 100000000 mod 100) eqn:E''; [apply Z.leb_le in E''; lia|]. lia. }
  clear D. destruct (negb (is_date (n / 1000000000000))).
  { assert (next_date (n / 1000000000000) <= m / 1000000000000)
      by (apply next_date_least; auto; apply Z.div_le_mono; lia).
    pose proof (Z.mul_div_le m (1000000000000) eq_refl). lia. }
  destruct (24 <=? n / 10000000000 mod 100) eqn:A; [apply Z.leb_le in A|].
  { apply (next_part n m _ (10000000000) 24); auto; lia. }
  destruct (60 <=? n / 100000000 mod 100) eqn:B; [apply Z.leb_le in B|].
  { apply (next_part n m _ (100000000) 60); auto; lia. }
  destruct (60 <=? n / 1000000 mod 100) eqn:C; [apply Z.leb_le in C|lia].
  apply (next_part n m _ (1000000) 60); auto; lia.
Qed.
