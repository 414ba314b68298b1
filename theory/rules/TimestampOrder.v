(** The texts of timestamps sort by time, although only some of them have a fraction of a second. *)
From Coq Require Import List ZArith NArith Bool Lia.
From Acompass Require Import Order Texts Values Conversions TextOrder.
Import ListNotations.
Open Scope Z_scope.

(** A point and six digits, unless all of them are 0. *)
Definition fraction (t : text) : text := if read t =? 0 then [] else point :: t.

Lemma fractions_in_order t u : Forall is_digit t -> Forall is_digit u -> length t = length u ->
  compare_text (fraction t) (fraction u) = compare_text t u.
Proof.
  intros T U L. pose proof (read_below t T) as [T' _]. pose proof (read_below u U) as [U' _].
  rewrite (digits_in_order t u) by auto. unfold fraction.
  destruct (Z.eqb_spec (read t) 0) as [E|E], (Z.eqb_spec (read u) 0) as [F|F].
  - now rewrite E, F.
  - symmetry. apply Z.compare_lt_iff. lia.
  - symmetry. apply Z.compare_gt_iff. lia.
  - rewrite compare_same. now apply digits_in_order.
Qed.

Lemma text_of_timestamp_fraction n : length (padded 20 n) = 20%nat -> let d := padded 20 n in
  text_of_timestamp n = iso_date d ++ [letter_T] ++
    (part 8 10 d ++ [colon] ++ part 10 12 d ++ [colon] ++ part 12 14 d) ++ fraction (skipn 14 d).
Proof.
  intros L d. unfold text_of_timestamp. fold d. do 3 f_equal. unfold fraction.
  assert (S : d = firstn 14 d ++ skipn 14 d) by now rewrite firstn_skipn.
  assert (LS : length (skipn 14 d) = 6%nat) by (rewrite skipn_length; unfold d; lia).
  assert (E : Z.of_N n = read (firstn 14 d) * 1000000 + read (skipn 14 d)).
  { rewrite <- (read_padded 20 n). fold d. rewrite S at 1. now rewrite read_app, LS. }
  assert (B : 0 <= read (skipn 14 d) < 1000000).
  { pose proof (read_below (skipn 14 d)) as R. rewrite LS in R. apply R.
    pose proof (padded_digits 20 n) as D. fold d in D. rewrite <- (firstn_skipn 14 d) in D. now apply Forall_app in D. }
  assert (Z : (n mod 1000000 =? 0)%N = (read (skipn 14 d) =? 0)).
  { apply eq_true_iff_eq. rewrite N.eqb_eq, Z.eqb_eq.
    assert (M : Z.of_N (n mod 1000000) = read (skipn 14 d)).
    { rewrite N2Z.inj_mod, E. change (Z.of_N 1000000) with 1000000.
      rewrite Z.add_comm, Z.mod_add by lia. now apply Z.mod_small. }
    lia. }
  rewrite Z. destruct (_ =? 0); auto. f_equal. unfold part. apply firstn_all2. lia.
Qed.

Theorem timestamps_in_order n m : length (padded 20 n) = 20%nat -> length (padded 20 m) = 20%nat ->
  compare_text (text_of_timestamp n) (text_of_timestamp m) = (Z.of_N n ?= Z.of_N m).
Proof.
  intros Ln Lm. rewrite <- (padded_in_order 20) by congruence. rewrite !text_of_timestamp_fraction by auto.
  pose proof (padded_digits 20 n) as Dn. pose proof (padded_digits 20 m) as Dm.
  set (d := padded 20 n) in *. set (e := padded 20 m) in *. clearbody d e.
  rewrite <- (firstn_skipn 14 d) in Dn. rewrite <- (firstn_skipn 14 e) in Dm.
  apply Forall_app in Dn as [_ Dn]. apply Forall_app in Dm as [_ Dm].
  pose proof (fractions_in_order (skipn 14 d) (skipn 14 e) Dn Dm) as F.
  do 14 (destruct d as [|? d]; [discriminate Ln|]; destruct e as [|? e]; [discriminate Lm|]).
  cbn [skipn] in F |- *. injection Ln as Ln. injection Lm as Lm. specialize (F ltac:(congruence)).
  unfold iso_date, part. cbn [firstn skipn app Nat.sub]. unfold compare_text in *.
  repeat (cbn [compare_list]; rewrite ?Z.compare_refl; cbn [first_difference];
          match goal with |- first_difference (?x ?= ?y) _ = _ => destruct (x ?= y); cbn [first_difference]; auto end).
Qed.

(** So timestamps have different texts (docs/prove.md, section 6: `refuse_conversion`). *)
Definition is_timestamp (f : field) : Prop := exists n, f = Timestamp n /\ length (padded 20 n) = 20%nat.

Theorem timestamps_as_text : injective AsText is_timestamp.
Proof.
  intros f g (n & -> & Ln) (m & -> & Lm). simpl. split; intro H.
  - apply text_value_injective, (compare_eq order_text) in H. rewrite timestamps_in_order in H by auto.
    apply Z.compare_eq_iff, N2Z.inj in H. now subst.
  - apply (f_equal number_of), integer_injective, N2Z.inj in H. now subst.
Qed.
