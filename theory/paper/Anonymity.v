(** Definitions 13 to 15, Theorem 7 (k-anonymity) and Theorem 8 (l-diversity): soundness and completeness. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions Generalization.
Import ListNotations.
Open Scope nat_scope.

(** Definition 13, equivalence class [r]_{QI,R}. *)
Definition class (QI : list attribute) (R : bag) (r : record) : bag := group QI R (key QI r).

(** Definition 14, k-anonymity. *)
Definition k_anonymous (QI : list attribute) (k : Z) (R : bag) : Prop :=
  forall r, In r R -> (k <= Z.of_nat (length (class QI R r)))%Z.

(** Definition 15, l-diversity. *)
Definition l_diverse (QI : list attribute) (A : attribute) (l : Z) (R : bag) : Prop :=
  forall r, In r R -> (l <= Z.of_nat (length (distinct (column A (class QI R r)))))%Z.

(** EACH PROCESS f AS C GROUP BY QI : C ≥ c : REJECT *)
Definition at_least (f : aggregate) (QI : list attribute) (c : Z) : assertion :=
  Each (Process [f] None QI) (Compare (length QI) GE (exact (integer c))).
Definition reject_below (f : aggregate) (QI : list attribute) (c : Z) : requirement :=
  {| asserts := at_least f QI c; retypes := []; acts := Some (Certain Reject) |}.
Definition rejected (f : aggregate) (QI : list attribute) (c : Z) (R : bag) (rho : trace) : bag :=
  fst (step (reject_below f QI c) (R, rho)).

(** * Classes *)

Lemma has_key_true G g r : has_key G g r = true <-> key G r = g.
Proof. unfold has_key. destruct tuple_eq_dec; split; congruence. Qed.

Lemma class_same G R r s : key G r = key G s -> class G R r = class G R s.
Proof. unfold class. now intros ->. Qed.

Lemma in_class G R r s : In s (class G R r) <-> In s R /\ key G s = key G r.
Proof. unfold class, group. now rewrite filter_In, has_key_true. Qed.

Lemma in_own_class G R r : In r R -> In r (class G R r).
Proof. now rewrite in_class. Qed.

Lemma length_key G r : length (key G r) = length G.
Proof. apply map_length. Qed.

(** * The condition C ≥ c *)

Lemma compare_integers n m : compare_value (exact (integer n)) (exact (integer m)) = (n ?= m)%Z.
Proof.
  unfold compare_value, compare_pair, exact. simpl.
  assert (E : Qccompare (integer n) (integer m) = (n ?= m)%Z).
  { unfold Qccompare, integer. simpl. rewrite (Qred_correct (inject_Z n)), (Qred_correct (inject_Z m)).
    unfold Qcompare; simpl. now rewrite !Z.mul_1_r. }
  rewrite E. now destruct (n ?= m)%Z.
Qed.

Lemma satisfies_at_least f G R c r n : aggregated f (class G R r) = number_of_records n ->
  satisfies (Compare (length G) GE (exact (integer c))) (aggregate_record [f] G R (key G r)) = (c <=? Z.of_nat n)%Z.
Proof.
  intro E. unfold aggregate_record. cbn [satisfies map]. unfold environment.
  rewrite app_nth2, length_key, Nat.sub_diag by (rewrite length_key; lia). cbn [nth]. fold (class G R r). rewrite E.
  unfold compares, number_of_records. rewrite compare_integers, Z.leb_compare, (Z.compare_antisym c).
  now destruct (c ?= Z.of_nat n)%Z.
Qed.

Section Counting.
  (** COUNT and COUNT DISTINCT: aggregates that are natural numbers. *)
  Variables (f : aggregate) (count : bag -> nat).
  Hypothesis counts : forall R, aggregated f R = number_of_records (count R).
  Hypothesis count_sub : forall S R, subset S R -> count S <= count R.
  Variables (QI : list attribute) (c : Z) (R : bag) (rho : trace).

  Lemma affected_below r : In r R ->
    is_affected (at_least f QI c) R r = (Z.of_nat (count (class QI R r)) <? c)%Z.
  Proof.
    intro I. unfold is_affected, at_least. rewrite affected_by_process_own; auto. unfold where_filtered.
    rewrite (filter_all (where_holds None)) by reflexivity. cbn [where_holds andb].
    rewrite (satisfies_at_least f QI R c r (count (class QI R r))) by apply counts.
    now rewrite Z.ltb_antisym.
  Qed.

  (** REJECT leaves the records that are not affected, also where the assertion holds. *)
  Lemma rejected_is_filter : Permutation (rejected f QI c R rho)
    (filter (fun r => negb (is_affected (at_least f QI c) R r)) R).
  Proof.
    unfold rejected, step, reject_below; cbn [acts asserts retypes]. rewrite !retype_nothing.
    destruct (holds (at_least f QI c) R) eqn:H; [|apply difference_filter].
    simpl fst. rewrite filter_all; auto. intros r I. apply negb_true_iff. unfold is_affected, at_least.
    rewrite affected_by_process_own; auto. unfold where_filtered in *. unfold holds, at_least, result_of, process in H.
    unfold where_filtered in H. rewrite (filter_all (where_holds None)) in * by reflexivity. cbn [where_holds andb].
    rewrite forallb_forall in H. rewrite H; auto.
    apply in_map with (f := aggregate_record [f] QI R). apply nodup_In. now apply in_map.
  Qed.

  Lemma in_rejected r : In r (rejected f QI c R rho) <-> In r R /\ (c <= Z.of_nat (count (class QI R r)))%Z.
  Proof.
    split.
    - intro I. apply (Permutation_in _ rejected_is_filter), filter_In in I as [I N].
      rewrite affected_below in N; auto. split; auto. apply negb_true_iff, Z.ltb_ge in N. lia.
    - intros [I N]. apply (Permutation_in _ (Permutation_sym rejected_is_filter)), filter_In. split; auto.
      rewrite affected_below; auto. apply negb_true_iff, Z.ltb_ge. lia.
  Qed.

  (** A class that is left is left as a whole: [r]_{QI,R} = [r]_{QI,R'}. *)
  Lemma rejected_class r : In r (rejected f QI c R rho) ->
    Permutation (class QI (rejected f QI c R rho) r) (class QI R r).
  Proof.
    intro I. apply in_rejected in I as [I N]. unfold class, group.
    apply perm_trans with (1 := filter_permutation _ _ _ rejected_is_filter). rewrite filter_comm.
    rewrite filter_all; auto. intros s J. apply in_class in J as [J K].
    rewrite affected_below; auto. apply negb_true_iff, Z.ltb_ge. now rewrite (class_same QI R s r).
  Qed.

  Lemma reject_sound r : In r (rejected f QI c R rho) ->
    (c <= Z.of_nat (count (class QI (rejected f QI c R rho) r)))%Z.
  Proof.
    intro I. apply in_rejected in I as H. destruct H as [_ N].
    enough (count (class QI R r) <= count (class QI (rejected f QI c R rho) r)) by lia.
    apply count_sub. intro s. apply Nat.eq_le_incl. symmetry. now apply bag_equality, rejected_class.
  Qed.

  Lemma reject_complete S : subset S R ->
    (forall r, In r S -> (c <= Z.of_nat (count (class QI S r)))%Z) -> subset S (rejected f QI c R rho).
  Proof.
    intros HS H r. rewrite (proj1 (bag_equality record_eq_dec _ _) rejected_is_filter), multiplicity_filter.
    destruct (in_dec record_eq_dec r S) as [I|I].
    - rewrite affected_below by now apply (sub_bag_in record_eq_dec S R).
      replace (_ <? c)%Z with false; [apply HS|]. symmetry. apply Z.ltb_ge. specialize (H r I).
      enough (count (class QI S r) <= count (class QI R r)) by lia. now apply count_sub, sub_bag_filters.
    - unfold multiplicity at 1. rewrite (proj1 (count_occ_not_In record_eq_dec S r) I). lia.
  Qed.
End Counting.

Lemma count_sub S R : subset S R -> length S <= length R.
Proof. apply sub_bag_length. Qed.

Lemma distinct_sub A S R : subset S R -> length (distinct (column A S)) <= length (distinct (column A R)).
Proof.
  intro H. apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I. unfold distinct in *. rewrite nodup_In in *.
  unfold column in *. apply in_map_iff in I as (r & <- & I). apply in_map with (f := fun r => value_at r A).
  now apply (sub_bag_in record_eq_dec S R).
Qed.

(** * Theorem 7, k-anonymity *)

Theorem k_anonymity_soundness QI k R rho : k_anonymous QI k (rejected Count QI k R rho).
Proof. intros r I. apply (reject_sound Count (@length record)); auto using count_sub. Qed.

Theorem k_anonymity_completeness QI k R rho S :
  subset S R -> k_anonymous QI k S -> subset S (rejected Count QI k R rho).
Proof. apply (reject_complete Count (@length record)); auto using count_sub. Qed.

(** * Theorem 8, l-diversity *)

Theorem l_diversity_soundness QI A l R rho : l_diverse QI A l (rejected (CountDistinct A) QI l R rho).
Proof.
  intros r I. apply (reject_sound (CountDistinct A) (fun R => length (distinct (column A R)))); auto using distinct_sub.
Qed.

Theorem l_diversity_completeness QI A l R rho S :
  subset S R -> l_diverse QI A l S -> subset S (rejected (CountDistinct A) QI l R rho).
Proof. apply (reject_complete (CountDistinct A) (fun R => length (distinct (column A R)))); auto using distinct_sub. Qed.
