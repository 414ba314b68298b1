(** docs/prove.md, section 1: which intervals of text the texts of numbers fall into (`reaches_between`).

    Numbers with the same sign and the same number of digits before the point form a run, whose texts ascend. One search in
    each run is enough, and so are the runs that are not longer than the bounds. *)
From Coq Require Import Decimal DecimalFacts DecimalN DecimalZ List ZArith NArith Bool Lia.
From Acompass Require Import Order Texts Values Conversions TextOrder.
Import ListNotations.
Open Scope Z_scope.

(** * Integers are decimals of scale 0, and a sign in front keeps the order of magnitudes *)

Lemma digits_nonempty n : digits n <> [].
Proof.
  unfold digits. destruct n as [|p]; [discriminate|]. simpl. pose proof (DecimalPos.Unsigned.to_uint_nonnil p).
  now destruct (Pos.to_uint p).
Qed.

Lemma padded_one n : padded 1 n = digits n.
Proof. unfold padded. pose proof (digits_nonempty n). destruct (digits n); [easy|reflexivity]. Qed.

Theorem integers_are_decimals n : text_of_integer n = text_of_decimal (n <? 0) (Z.abs_N n) 0.
Proof.
  unfold text_of_decimal. rewrite padded_one, Nat.sub_0_r, firstn_all, app_nil_r. now destruct n.
Qed.

Theorem signed_in_order negative n m scale : length (padded (S scale) n) = length (padded (S scale) m) ->
  compare_text (text_of_decimal negative n scale) (text_of_decimal negative m scale) = (Z.of_N n ?= Z.of_N m).
Proof.
  intro L. rewrite signed_text, (signed_text _ m). destruct negative; simpl; rewrite ?compare_same; now apply
    decimals_in_order.
Qed.

(** * The numbers of a run (`_runs`) *)

Lemma digits_first n : n <> 0%N -> exists c t, digits n = c :: t /\ 49 <= c <= 57 /\ Forall is_digit t.
Proof.
  intro NZ. assert (U : N.to_uint n = unorm (N.to_uint n)).
  { rewrite <- (DecimalN.Unsigned.of_to n) at 1. apply DecimalN.Unsigned.to_of. }
  unfold digits. rewrite U. unfold unorm. destruct (nzhead (N.to_uint n)) eqn:E;
    try (eexists; eexists; split; [reflexivity|]; split; [lia|apply digits_are_digits]).
  - elim NZ. unfold unorm in U. rewrite E in U. rewrite <- (DecimalN.Unsigned.of_to n), U. reflexivity.
  - now apply nzhead_nonzero in E.
Qed.

Lemma digits_length n k : (0 < k)%nat -> Z.of_N n < 10 ^ Z.of_nat k -> (length (digits n) <= k)%nat.
Proof.
  intros K H. destruct (N.eq_dec n 0) as [->|NZ]; [exact K|]. destruct (digits_first n NZ) as (c & t & E & C & F).
  pose proof (read_padded 1 n) as R. rewrite padded_one, E in R. unfold read in R. cbn [fold_left] in R.
  rewrite read_from in R.
  pose proof (read_below t F). rewrite E. cbn [length]. unfold read_digit in R.
  destruct (Nat.le_gt_cases (S (length t)) k) as [|L]; auto. exfalso.
  assert (10 ^ Z.of_nat k <= 10 ^ Z.of_nat (length t)) by (apply Z.pow_le_mono_r; lia). nia.
Qed.

Lemma padded_at_least w n : Z.of_N n < 10 ^ Z.of_nat (length (padded w n)).
Proof. rewrite <- (read_padded w n) at 1. apply read_below, padded_digits. Qed.

Lemma padded_at_most w n k : (w <= k)%nat -> (0 < k)%nat -> Z.of_N n < 10 ^ Z.of_nat k -> (length (padded w n) <= k)%nat.
Proof.
  intros W K H. pose proof (digits_length n k K H). unfold padded. rewrite app_length, repeat_length. lia.
Qed.

(** All numbers of a run have texts of one length. *)
Theorem run_has_one_length digits scale n : (1 <= digits)%nat ->
  (digits = 1%nat \/ 10 ^ Z.of_nat (digits - 1 + scale) <= Z.of_N n) -> Z.of_N n < 10 ^ Z.of_nat (digits + scale) ->
  length (padded (S scale) n) = (digits + scale)%nat.
Proof.
  intros D L U. assert (A : (length (padded (S scale) n) <= digits + scale)%nat) by (apply padded_at_most; lia).
  destruct L as [->|L]; [pose proof (padded_length (S scale) n); lia|].
  pose proof (padded_at_least (S scale) n) as B.
  destruct (Nat.le_gt_cases (digits + scale) (length (padded (S scale) n))) as [|G]; [lia|]. exfalso.
  assert (10 ^ Z.of_nat (length (padded (S scale) n)) <= 10 ^ Z.of_nat (digits - 1 + scale))
    by (apply Z.pow_le_mono_r; lia). lia.
Qed.

Corollary runs_ascend digits scale negative n m : (1 <= digits)%nat ->
  (forall k, k = n \/ k = m ->
     (digits = 1%nat \/ 10 ^ Z.of_nat (digits - 1 + scale) <= Z.of_N k) /\ Z.of_N k < 10 ^ Z.of_nat (digits + scale)) ->
  compare_text (text_of_decimal negative n scale) (text_of_decimal negative m scale) = (Z.of_N n ?= Z.of_N m).
Proof.
  intros D H. apply signed_in_order. destruct (H n (or_introl eq_refl)), (H m (or_intror eq_refl)).
  now rewrite !(run_has_one_length digits).
Qed.

(** * The search in a run (`_first_above`, `_is_rounded_into`) *)

Fixpoint first_where (p : Z -> bool) (fuel : nat) (start stop : Z) : Z :=
  match fuel with
  | O => start
  | S fuel' =>
      if start <? stop then
        let middle := (start + stop) / 2 in
        if p middle then first_where p fuel' start middle else first_where p fuel' (middle + 1) stop
      else start
  end.

(** The first number from which on p holds, or the end. *)
Theorem binary_search p fuel start stop : start <= stop -> stop - start <= Z.of_nat fuel ->
  (forall n m, start <= n -> n <= m -> m < stop -> p n = true -> p m = true) ->
  let found := first_where p fuel start stop in
  start <= found <= stop /\ (forall n, start <= n < found -> p n = false) /\
  (forall n, found <= n < stop -> p n = true).
Proof.
  revert start stop. induction fuel as [|fuel IH]; intros start stop L F M; simpl; [repeat split; intros; lia|].
  destruct (Z.ltb_spec start stop) as [G|G]; [|repeat split; intros; lia].
  set (middle := (start + stop) / 2). assert (B : start <= middle < stop) by (unfold middle;
    Z.to_euclidean_division_equations; lia).
  destruct (p middle) eqn:P.
  - destruct (IH start middle) as (A & H & K); [lia|lia|intros n m N O Q; apply M; lia|].
    repeat split; try lia; auto. intros n N. destruct (Z.lt_ge_cases n middle); [apply K; lia|].
    apply (M middle n); auto; lia.
  - destruct (IH (middle + 1) stop) as (A & H & K); [lia|lia|intros n m N O Q; apply M; lia|].
    repeat split; try lia; auto. intros n N. destruct (Z.le_gt_cases n middle) as [E|]; [|apply H; lia].
    apply not_true_iff_false. intro T. now rewrite (M n middle) in P by (auto; lia).
Qed.

(** A run reaches an interval exactly if its first text above the lower bound is below the upper one. *)
Theorem run_reaches (t : Z -> text) low high start stop found : start <= found ->
  (forall n m, start <= n -> n < m -> m < stop -> compare_text (t n) (t m) = Lt) ->
  (forall n, start <= n < found -> compare_text low (t n) <> Lt) ->
  (forall n, found <= n < stop -> compare_text low (t n) = Lt) ->
  ((exists n, start <= n < stop /\ compare_text low (t n) = Lt /\ compare_text (t n) high = Lt) <->
   found < stop /\ compare_text (t found) high = Lt).
Proof.
  intros S A B C. split.
  - intros (n & N & L & H). destruct (Z.lt_trichotomy n found) as [G|[->|G]]; [|split; auto; lia|].
    + elim (B n); auto; lia.
    + split; [lia|]. apply (compare_trans order_text) with (t n); auto. apply A; lia.
  - intros [F H]. exists found. split; [lia|]. split; auto. apply C. lia.
Qed.

(** * Longer numbers reach no further interval *)

(** Texts with a common beginning that is longer than the bounds are between them, or neither is. *)
Lemma decided_by_beginning k t u bound : firstn k t = firstn k u -> (k <= length t)%nat -> (k <= length u)%nat ->
  (length bound < k)%nat -> compare_text t bound = compare_text u bound.
Proof.
  revert k u bound. induction t as [|c t IH]; intros [|k] u bound E T U B; simpl in *; try lia.
  destruct u as [|d u]; simpl in *; [lia|]. injection E as <- E. destruct bound as [|b bound]; auto.
  unfold compare_text. simpl. destruct (Z.compare c b); auto. simpl. apply (IH k); auto; simpl in *; lia.
Qed.

Theorem longer_reach_no_further k t u low high : firstn k t = firstn k u -> (k <= length t)%nat -> (k <= length u)%nat ->
  (length low < k)%nat -> (length high < k)%nat ->
  compare_text low t = Lt /\ compare_text t high = Lt -> compare_text low u = Lt /\ compare_text u high = Lt.
Proof.
  intros E T U L H [A B]. rewrite (compare_opp order_text) in A |- *.
  now rewrite <- (decided_by_beginning k t u low), <- (decided_by_beginning k t u high).
Qed.

(** A number with more digits than k before the point has the first k of a number with k of them. *)
Lemma first_digits n k b : n <> 0%N -> length (digits n) = (k + b)%nat -> (0 < k)%nat ->
  digits (n / 10 ^ N.of_nat b) = firstn k (digits n) /\ length (digits (n / 10 ^ N.of_nat b)) = k.
Proof.
  intros NZ L K. assert (D : Forall is_digit (digits n)) by apply digits_are_digits.
  assert (R : read (digits n) = Z.of_N n) by (rewrite <- padded_one; apply read_padded).
  rewrite <- (firstn_skipn k (digits n)) in R, D. apply Forall_app in D as [D D']. rewrite read_app in R.
  assert (LF : length (firstn k (digits n)) = k) by (rewrite firstn_length; lia).
  assert (LS : length (skipn k (digits n)) = b) by (rewrite skipn_length; lia).
  pose proof (read_below _ D') as B. rewrite LS in *.
  assert (Q : Z.of_N (n / 10 ^ N.of_nat b) = read (firstn k (digits n))).
  { rewrite N2Z.inj_div, <- R, N2Z.inj_pow, nat_N_Z. simpl (Z.of_N 10).
    rewrite Z.div_add_l, Z.div_small; lia. }
  destruct (digits_first n NZ) as (c & t & E & C & _).
  assert (F : exists t', firstn k (digits n) = c :: t') by (rewrite E; destruct k; [lia|now exists (firstn k t)]).
  destruct F as (t' & F).
  assert (Low : 10 ^ Z.of_nat (k - 1) <= read (firstn k (digits n))).
  { rewrite F in D, LF |- *. assert (Dt : Forall is_digit t') by now inversion D. pose proof (read_below t' Dt).
    unfold read. cbn [fold_left]. rewrite read_from. cbn [length] in LF. replace (k - 1)%nat with (length t') by lia.
    unfold read_digit. nia. }
  pose proof (read_below _ D) as High. rewrite LF in High.
  assert (Len : length (digits (n / 10 ^ N.of_nat b)) = k).
  { rewrite <- padded_one. replace k with (k + 0)%nat by lia. apply run_has_one_length; [lia| |].
    - right. rewrite Q. now replace (k - 1 + 0)%nat with (k - 1)%nat by lia.
    - rewrite Q. now replace (k + 0)%nat with k by lia. }
  split; auto. apply (compare_eq order_text). rewrite digits_in_order; auto.
  - apply Z.compare_eq_iff. rewrite <- Q. rewrite <- (padded_one (n / _)). apply read_padded.
  - apply digits_are_digits.
  - congruence.
Qed.

Theorem shorter_number scale n k b : (0 < k)%nat -> length (digits n) = (k + b + scale)%nat -> (0 < b)%nat ->
  let m := (n / 10 ^ N.of_nat b)%N in
  length (digits m) = (k + scale)%nat /\
  firstn k (text_of_decimal false n scale) = firstn k (text_of_decimal false m scale).
Proof.
  intros K L B m. assert (NZ : n <> 0%N) by (intros ->; simpl in L; lia).
  destruct (first_digits n (k + scale) b NZ) as [E Len]; [lia|lia|]. fold m in E, Len. split; auto.
  assert (P : forall j, (S scale <= length (digits j))%nat -> padded (S scale) j = digits j).
  { intros j J. unfold padded. now replace (S scale - length (digits j))%nat with O by lia. }
  unfold text_of_decimal, signed. rewrite !P by lia. rewrite Len, L, E.
  rewrite !firstn_app, !firstn_length, !firstn_firstn, L.
  replace (k - Nat.min (k + b + scale - scale) (k + b + scale))%nat with O by lia.
  replace (k - Nat.min (k + scale - scale) (Nat.min (k + scale) (k + b + scale)))%nat with O by lia.
  cbn [firstn]. rewrite !app_nil_r. f_equal. lia.
Qed.
