(** docs/prove.md, section 4: conditions on several aggregates of the same classes. Each law is named after the function
    in src/acompass/prove that uses it. *)
From Coq Require Import List Bool Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates Facts.
From Acompass Require Import Laws Histories Rules Reachability.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f g : aggregate) (U V : record -> value -> Prop) (care : record -> Prop) (W : record -> bool).

(** Aggregates with the same function and column are equal, whatever their names. *)
Theorem equal_aggregates fs i j f G r S : nth_error fs i = Some f -> nth_error fs j = Some f ->
  nth_error (class_record fs G r S) (length G + i) = nth_error (class_record fs G r S) (length G + j).
Proof.
  intros I J. unfold class_record. rewrite !nth_error_app2; rewrite length_key; try lia.
  replace (length G + i - length G) with i by lia. replace (length G + j - length G) with j by lia.
  now rewrite (map_nth_error _ _ _ I), (map_nth_error _ _ _ J).
Qed.

(** * Law of the related aggregates (`in_one_class`) *)

(** A class that is allowed by two facts is allowed by what the one says of the other's aggregate. *)
Theorem in_one_class f g U U' V r S : S <> [] ->
  (forall T, T <> [] -> V r (aggregated g T) -> U' r (aggregated f T)) ->
  U r (aggregated f S) -> V r (aggregated g S) -> U r (aggregated f S) /\ U' r (aggregated f S).
Proof. intros N H HU HV. split; auto. Qed.

(** More distinct values than records, for example. *)
Theorem too_many_values B n d S : n < d -> below (aggregated Count S) (number_of_records n) ->
  below (number_of_records d) (aggregated (CountDistinct B) S) -> False.
Proof.
  intros L HN HD. assert (K : below (number_of_records d) (number_of_records n)).
  { apply below_trans with (2 := HN). apply below_trans with (1 := HD). apply in_terms_of_count. }
  apply below_counts in K. lia.
Qed.

(** * Alternatives (`_attempt_together`, `Laws.kept`) *)

(** Every class satisfies one of two facts if no class of possible records can violate both. *)
Theorem attempt_together f g U V care W G R : within care R -> (forall r v, U r v \/ ~ U r v) ->
  (forall r v, V r v \/ ~ V r v) ->
  (forall r S, S <> [] -> (forall s, In s S -> care s /\ W s = true) ->
     ~ U r (aggregated f S) -> ~ V r (aggregated g S) -> False) ->
  forall r, In r R -> W r = true ->
    U r (aggregated f (class G (filter W R) r)) \/ V r (aggregated g (class G (filter W R) r)).
Proof.
  intros C DU DV H r I HW. destruct (DU r (aggregated f (class G (filter W R) r))) as [|NU]; auto.
  destruct (DV r (aggregated g (class G (filter W R) r))) as [|NV]; auto. exfalso.
  apply (H r (class G (filter W R) r)); auto; [apply class_nonempty; now apply filter_In|].
  intros s J. apply in_class in J as [J _]. apply filter_In in J as [J K]. auto.
Qed.

(** Classes that satisfy one of two facts satisfy the first if no class of possible records can satisfy the second. *)
Theorem only_alternative f g U V care W G R r : within care R -> In r R -> W r = true ->
  (forall S, S <> [] -> (forall s, In s S -> care s /\ W s = true) -> ~ V r (aggregated g S)) ->
  U r (aggregated f (class G (filter W R) r)) \/ V r (aggregated g (class G (filter W R) r)) ->
  U r (aggregated f (class G (filter W R) r)).
Proof.
  intros C I HW H [HU|HV]; auto. exfalso. apply (H (class G (filter W R) r)); auto.
  - apply class_nonempty. now apply filter_In.
  - intros s J. apply in_class in J as [J _]. apply filter_In in J as [J K]. auto.
Qed.
