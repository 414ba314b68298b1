(** Definition 12, Theorem 3 (suppression soundness) and Theorem 4 (REPLACE enforces indistinguishability). *)
From Coq Require Import List Bool Permutation Lia.
From Acompass Require Import Bags Values Tables Syntax Results Assertions Actions.
Import ListNotations.

(** Definition 12, indistinguishability with respect to several attributes. *)
Definition indistinguishable (S : list attribute) (r s : record) : Prop := key S r = key S s.

(** [r]_{A=a,R}: the records of R whose A is a (docs/paper.md, 32). *)
Definition has_value (A : attribute) (a : value) (r : record) : bool :=
  if value_eq_dec (value_at r A) a then true else false.
Definition class_of_value (A : attribute) (a : value) (R : bag) : bag := filter (has_value A a) R.

Lemma has_value_true A a r : has_value A a r = true <-> value_at r A = a.
Proof. unfold has_value. destruct value_eq_dec; split; congruence. Qed.

Section Replace.
  Variables (n : nat) (R V : bag) (A : attribute) (a : field) (rho : trace).
  Hypotheses (schema : on_schema n R) (inside : A < n) (affected : subset V R).

  (** V is the affected bag for a certain assertion; any sub-bag of R will do. *)
  Definition replaced : bag := fst (replace A a R rho V).

  Lemma affected_on_schema r : In r V -> length r = n.
  Proof. intro I. apply schema. now apply (sub_bag_in record_eq_dec V R). Qed.

  Lemma replaced_value r : In r V -> value_at (update r A a) A = value_of a.
  Proof. intro I. apply value_at_update. now rewrite affected_on_schema. Qed.

  (** Theorem 3, suppression soundness. *)
  Theorem suppression_soundness r1 r2 : In r1 V -> In r2 V ->
    In (update r1 A a) (class_of_value A (value_of a) replaced) /\
    In (update r2 A a) (class_of_value A (value_of a) replaced) /\
    indistinguishable [A] (update r1 A a) (update r2 A a).
  Proof.
    intros I1 I2. assert (K : forall r, In r V -> In (update r A a) (class_of_value A (value_of a) replaced)).
    { intros r I. apply filter_In. split; [|now apply has_value_true, replaced_value].
      apply in_or_app. right. now apply in_map with (f := fun r => update r A a). }
    repeat split; auto. unfold indistinguishable, key. simpl. now rewrite !replaced_value.
  Qed.

  (** The paper's computation: |[r]_{A=a,R'}| = |[r]_{A=a,R}| − |[r]_{A=a,V}| + |V|. *)
  Lemma class_size :
    length (class_of_value A (value_of a) replaced) + length (class_of_value A (value_of a) V) =
    length (class_of_value A (value_of a) R) + length V.
  Proof.
    unfold replaced, class_of_value; simpl. rewrite filter_app, app_length.
    rewrite (filter_all _ (map _ V)).
    - pose proof (Permutation_length (filter_permutation (has_value A (value_of a)) _ _
        (difference_union record_eq_dec R V affected))) as L.
      rewrite filter_app, app_length in L. rewrite map_length. unfold minus. lia.
    - intros s I. apply in_map_iff in I as (r & <- & I). now apply has_value_true, replaced_value.
  Qed.

  (** Theorem 4, REPLACE enforces indistinguishability. *)
  Theorem replace_indistinguishability :
    length (class_of_value A (value_of a) R) <= length (class_of_value A (value_of a) replaced).
  Proof.
    pose proof class_size. enough (length (class_of_value A (value_of a) V) <= length V) by lia.
    apply (sub_bag_length record_eq_dec), sub_bag_filter.
  Qed.
End Replace.
