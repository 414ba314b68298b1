(** Section 4.1: records, relations, Definition 3 (record update), Definition 5 (canonical order), Definition 6
    (environment). Attributes are positions in the schema. *)
From Coq Require Import List ZArith Permutation Lia.
From Acompass Require Import Order Bags Values.
Import ListNotations.
Open Scope nat_scope.

Definition attribute : Type := nat.
Definition record : Type := list field.
Definition bag : Type := list record.

Definition record_eq_dec : forall r s : record, {r = s} + {r <> s} := list_eq_dec field_eq_dec.

Definition get (r : record) (A : attribute) : field := nth A r Missing.

(** Definition 3, record update: r[A → a]. *)
Fixpoint update (r : record) (A : attribute) (a : field) : record :=
  match r, A with
  | [], _ => []
  | _ :: r', O => a :: r'
  | b :: r', S A' => b :: update r' A' a
  end.

(** A tuple is a record as conditions see it, or a record of a result. *)
Definition tuple : Type := list value.
Definition values (r : record) : tuple := map value_of r.
Definition tuple_eq_dec : forall t u : tuple, {t = u} + {t <> u} := list_eq_dec value_eq_dec.

(** Definition 6, environment: η(A). *)
Definition environment (t : tuple) (A : attribute) : value := nth A t nothing.

(** ⟦A⟧ and ⟦G⟧ of a record *)
Definition value_at (r : record) (A : attribute) : value := environment (values r) A.
Definition key (G : list attribute) (r : record) : tuple := map (value_at r) G.

(** Definition 5, canonical ordering: records column by column, in schema order (D18). *)
Definition compare_record : record -> record -> comparison := compare_list (cx := compare_field).
Definition order (R : bag) : bag := sort compare_record R.

Lemma order_record : total_order compare_record.
Proof. apply order_list, order_field. Qed.

(** order(R) has the records of R, each as often as R has it, in non-decreasing order. *)
Theorem order_is_canonical R : Permutation (order R) R /\ sorted compare_record (order R).
Proof. split; [apply sort_permutation|apply sort_sorted, order_record]. Qed.

(** order(R) depends on the bag alone. *)
Theorem order_of_bag R R' : Permutation R R' -> order R = order R'.
Proof. apply sort_of_bag, order_record. Qed.

(** * Bags of records *)

Definition subset (S R : bag) : Prop := sub_bag record_eq_dec S R.
Definition minus (R V : bag) : bag := difference record_eq_dec R V.

(** All records have a field for each of n attributes. *)
Definition on_schema (n : nat) (R : bag) : Prop := forall r, In r R -> length r = n.

(** * Fields and values *)

Lemma value_at_get r A : value_at r A = value_of (get r A).
Proof. unfold value_at, environment, get, values. exact (map_nth value_of r Missing A). Qed.

Lemma get_update r A a : A < length r -> get (update r A a) A = a.
Proof. revert A. induction r; intros [|A]; simpl; intro; try lia; auto. apply IHr. lia. Qed.

Lemma get_update_other r A B a : A <> B -> get (update r A a) B = get r B.
Proof.
  revert A B. induction r; intros [|A] [|B]; simpl; intro; auto; [easy|]. apply IHr. congruence.
Qed.

Lemma length_update r A a : length (update r A a) = length r.
Proof. revert A. induction r; intros [|A]; simpl; auto. Qed.

Lemma update_outside r A a : length r <= A -> update r A a = r.
Proof. revert A. induction r; intros [|A]; simpl; intro; try lia; auto. f_equal. apply IHr. lia. Qed.

Lemma value_at_update r A a : A < length r -> value_at (update r A a) A = value_of a.
Proof. intro. now rewrite value_at_get, get_update. Qed.

Lemma value_at_update_other r A B a : A <> B -> value_at (update r A a) B = value_at r B.
Proof. intro. now rewrite !value_at_get, get_update_other. Qed.

Lemma key_at G r s : key G r = key G s -> forall A, In A G -> value_at r A = value_at s A.
Proof. unfold key. induction G; simpl; [easy|]. intros [= H K] A [<-|I]; auto. Qed.

Lemma key_ext G r s : (forall A, In A G -> value_at r A = value_at s A) -> key G r = key G s.
Proof. intro. now apply map_ext_in. Qed.

Lemma key_incl G H r s : incl H G -> key G r = key G s -> key H r = key H s.
Proof. intros I E. apply key_ext. intros A HA. apply (key_at G); auto. Qed.
