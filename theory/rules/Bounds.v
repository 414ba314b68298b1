(** docs/prove.md, sections 3 and 4: sums of n numbers, addends, moved values, and the record that has the maximum. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Determinism Anonymity Aggregates Facts Laws Histories.
From Acompass Require Import Rules.
Import ListNotations.
Open Scope nat_scope.

(** * Lemma of so many values (`Aggregates.sums`) *)

(** n · m *)
Fixpoint times (n : nat) (m : Qc) : Qc := match n with 0 => 0%Qc | S n => (m + times n m)%Qc end.

Theorem sums_at_least m vs : (forall v, In v vs -> (m <= number_of v)%Qc) -> (times (length vs) m <= sum vs)%Qc.
Proof.
  unfold sum. induction vs as [|v vs IH]; simpl; intro H; [apply Qcle_refl|].
  apply Qcplus_le_compat; [apply H; now left|apply IH]. intros w I. apply H. now right.
Qed.

Theorem sums_at_most m vs : (forall v, In v vs -> (number_of v <= m)%Qc) -> (sum vs <= times (length vs) m)%Qc.
Proof.
  unfold sum. induction vs as [|v vs IH]; simpl; intro H; [apply Qcle_refl|].
  apply Qcplus_le_compat; [apply H; now left|apply IH]. intros w I. apply H. now right.
Qed.

(** Few numbers make the least sum if none is negative, many if some may be. *)
Theorem times_of_few k n m : (0 <= m)%Qc -> k <= n -> (times k m <= times n m)%Qc.
Proof.
  intros H L. induction L as [|n L IH]; [apply Qcle_refl|]. apply Qcle_trans with (1 := IH). simpl. now apply add_nonnegative.
Qed.

Theorem times_of_many k n m : (m <= 0)%Qc -> k <= n -> (times n m <= times k m)%Qc.
Proof.
  intros H L. induction L as [|n L IH]; [apply Qcle_refl|]. apply Qcle_trans with (2 := IH). simpl. now apply add_nonpositive.
Qed.

(** * Laws of the sum by its count and of the count by a sum (`counts_for`, `sums_for`)

    What a function g is over a class of records in care ∩ W says what f is. *)
Theorem counts_for f g (care : record -> Prop) W G (U1 U : record -> value -> Prop) R : within care R ->
  (forall r S, S <> [] -> (forall s, In s S -> care s /\ W s = true /\ key G s = key G r) ->
     U1 r (aggregated g S) -> U r (aggregated f S)) ->
  fact g W G U1 R -> fact f W G U R.
Proof.
  intros C H K r I HW. apply H; [apply class_nonempty; now apply filter_In| |now apply K].
  intros s J. apply in_class in J as [J E]. apply filter_In in J as [J HS]. auto.
Qed.

(** * Lemma of moved values (`Aggregates.is_monotonic`) *)

Section Moved.
  Variables (B : attribute) (L : history).
  Hypothesis lower : forall p, In p L -> below (value_at (snd p) B) (value_at (fst p) B).
  Hypothesis some_record : L <> [].

  Lemma moved_pair v (side : record * record -> record) : In v (column B (map side L)) ->
    exists p, In p L /\ v = value_at (side p) B.
  Proof. unfold column. rewrite map_map. intro I. apply in_map_iff in I as (p & <- & I). now exists p. Qed.

  Lemma moved_in (side : record * record -> record) p : In p L -> In (value_at (side p) B) (column B (map side L)).
  Proof. intro I. unfold column. rewrite map_map. now apply in_map with (f := fun p => value_at (side p) B). Qed.

  Lemma moved_nonempty (side : record * record -> record) : map side L <> [].
  Proof. now destruct L. Qed.

  Theorem moved_min : below (aggregated (Min B) (map snd L)) (aggregated (Min B) (map fst L)).
  Proof.
    destruct (moved_pair _ fst (of_values_min B _ (moved_nonempty fst))) as (p & I & ->).
    apply below_trans with (value_at (snd p) B); [apply minimum_below; now apply moved_in|now apply lower].
  Qed.

  Theorem moved_max : below (aggregated (Max B) (map snd L)) (aggregated (Max B) (map fst L)).
  Proof.
    destruct (moved_pair _ snd (of_values_max B _ (moved_nonempty snd))) as (p & I & ->).
    apply below_trans with (value_at (fst p) B); [now apply lower|apply maximum_above; now apply moved_in].
  Qed.
End Moved.

Theorem moved_sum B (L : history) : are_exact (column B (map fst L)) -> are_exact (column B (map snd L)) ->
  (forall p, In p L -> below (value_at (snd p) B) (value_at (fst p) B)) ->
  below (aggregated (Sum B) (map snd L)) (aggregated (Sum B) (map fst L)).
Proof.
  intros E F H. simpl. rewrite !total_exact by auto. apply below_exact.
  unfold column, sum in *. rewrite !map_map in *. induction L as [|p L IH]; simpl in *; [apply Qcle_refl|].
  apply Qcplus_le_compat.
  - specialize (H p (or_introl eq_refl)). destruct (E _ (or_introl eq_refl)) as (x & X).
    destruct (F _ (or_introl eq_refl)) as (y & Y). rewrite X, Y in *. now apply below_exact.
  - apply IH; auto; intros v I; [apply E|apply F]; now right.
Qed.

(** * Rule of the moved value (`_moved`)

    The records of a class stay together, and their aggregate does not rise. *)
Theorem moved f L W W' G (U : record -> value -> Prop) :
  (forall p, In p L -> W (snd p) = W' (fst p)) -> (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall M, M <> [] -> (forall p, In p M -> In p L) ->
     below (aggregated f (map snd M)) (aggregated f (map fst M))) ->
  reads_key G U -> downward U -> fact f W' G U (map fst L) -> fact f W G U (map snd L).
Proof.
  intros HW HK lower HU D F r I WR. apply in_map_iff in I as (p & <- & I). rewrite class_after.
  apply D with (aggregated f (class G (filter W' (map fst L)) (fst p))).
  - rewrite class_before.
    rewrite (filter_ext_in (fun q => W' (fst q) && has_key G (key G (fst p)) (fst q))
      (fun q => W (snd q) && has_key G (key G (snd p)) (snd q))).
    + apply lower.
      * intro N. assert (J : In p (filter (fun q => W (snd q) && has_key G (key G (snd p)) (snd q)) L)).
        { apply filter_In. split; auto. rewrite WR. now apply has_key_true. }
        now rewrite N in J.
      * intros q J. now apply filter_In in J as [J _].
    + intros q Q. unfold has_key. now rewrite (HW q Q), !HK.
  - apply (HU (fst p)); [now rewrite HK|]. apply F; [now apply in_map|now rewrite <- HW].
Qed.

(** * The record that has the maximum stays (`is_kept_without`) *)

Theorem attained_max B S T : S <> [] -> subset S T -> In (aggregated (Max B) T) (column B S) ->
  aggregated (Max B) S = aggregated (Max B) T.
Proof. intros N H I. apply below_antisym; [now apply of_part_max|]. now apply maximum_above. Qed.

Theorem attained_min B S T : S <> [] -> subset S T -> In (aggregated (Min B) T) (column B S) ->
  aggregated (Min B) S = aggregated (Min B) T.
Proof. intros N H I. apply below_antisym; [now apply minimum_below|]. now apply of_part_min. Qed.
