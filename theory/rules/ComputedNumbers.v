(** The numbers that ADD RANDOM (X17) and MICROAGGREGATE (X18) write: sums, and means that lie between the values. *)
From Coq Require Import List ZArith QArith Bool Lqa Lia.
From Acompass Require Import Floats Values Numbers Multiples.
Import ListNotations.
Open Scope Q_scope.

(** ADD RANDOM writes the exact sum of an integer or a decimal. *)
Theorem plus_is_sum z f q : match f with Integer _ | Decimal _ _ _ => True | _ => False end -> exact_number f = Some q ->
  exists p, exact_number (plus z f) = Some p /\ p == q + inject_Z z.
Proof.
  destruct f; try easy; intros _ [= <-]; cbn [plus exact_number decimal_field]; eexists; (split; [reflexivity|]).
  - now rewrite inject_Z_plus.
  - set (k := power_of_ten scale). set (n := (signed_number negative digits + z * Zpos k)%Z).
    assert (E : signed_number (n <? 0)%Z (Z.abs_N n) = n).
    { unfold signed_number. destruct (Z.ltb_spec n 0); rewrite N2Z.inj_abs_N; lia. }
    rewrite E. unfold n, Qeq, Qplus, inject_Z. cbn [Qnum Qden]. rewrite Pos.mul_1_r. lia.
Qed.

(** * Means *)

Definition between (l u : Q) (qs : list Q) : Prop := forall q, In q qs -> l <= q /\ q <= u.

Lemma sum_between l u qs : between l u qs ->
  inject_Z (Z.of_nat (length qs)) * l <= sum_of_numbers qs /\ sum_of_numbers qs <= inject_Z (Z.of_nat (length qs)) * u.
Proof.
  induction qs as [|q qs IH]; intro H; [change (0 * l <= 0 /\ 0 <= 0 * u); split; lra|]. destruct (IH (fun p I => H p (or_intror I))) as [L U].
  destruct (H q (or_introl eq_refl)) as [LQ UQ]. cbn [length sum_of_numbers fold_right]. fold (sum_of_numbers qs).
  rewrite Qred_correct, Nat2Z.inj_succ. unfold Z.succ. rewrite inject_Z_plus. change (inject_Z 1) with 1.
  split; lra.
Qed.

Lemma mean_between l u qs : qs <> [] -> between l u qs ->
  l <= sum_of_numbers qs / inject_Z (Z.of_nat (length qs)) /\ sum_of_numbers qs / inject_Z (Z.of_nat (length qs)) <= u.
Proof.
  intros N H. destruct (sum_between l u qs H) as [L U]. assert (P : 0 < inject_Z (Z.of_nat (length qs))).
  { destruct qs; [easy|]. unfold Qlt, inject_Z. simpl. lia. }
  split; [apply Qle_shift_div_l|apply Qle_shift_div_r]; auto; lra.
Qed.

Lemma half_away_in_order p q : p <= q -> (half_away p <= half_away q)%Z.
Proof.
  intro H. pose proof (nearest_in_order 1 p q eq_refl H) as K. unfold nearest_multiple in K.
  rewrite (half_away_equal (p / 1) p), (half_away_equal (q / 1) q) in K by field. rewrite Zle_Qle. lra.
Qed.

Lemma half_away_integer z : half_away (inject_Z z) = z.
Proof. unfold inject_Z. rewrite half_away_rounded. destruct (rounded_is_nearest z 1 eq_refl) as [H _]. lia. Qed.

(** The mean of numbers of a scale, rounded to it, is between the least and the greatest: l and u are the two, in units of
    the last digit. *)
Theorem rounded_mean_between k l u qs : qs <> [] ->
  between (l # k) (u # k) qs ->
  (l <= half_away (sum_of_numbers qs / inject_Z (Z.of_nat (length qs)) * inject_Z (Zpos k)) <= u)%Z.
Proof.
  intros N H. destruct (mean_between _ _ qs N H) as [L U]. set (m := sum_of_numbers qs / inject_Z (Z.of_nat (length qs))) in *.
  assert (P : 0 <= inject_Z (Zpos k)) by (unfold Qle, inject_Z; simpl; lia).
  assert (E : forall z, (z # k) * inject_Z (Zpos k) == inject_Z z).
  { intro z. unfold Qeq, Qmult, inject_Z. cbn [Qnum Qden]. rewrite Pos.mul_1_r. lia. }
  split.
  - rewrite <- (half_away_integer l). apply half_away_in_order. rewrite <- (E l). now apply Qmult_le_compat_r.
  - rewrite <- (half_away_integer u). apply half_away_in_order. rewrite <- (E u). now apply Qmult_le_compat_r.
Qed.
