(** docs/prove.md, section 2: facts that hold for every table at a step, and what they exclude. *)
From Coq Require Import List Bool.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates Facts.
From Acompass Require Import Laws.
Import ListNotations.
Implicit Types (f : aggregate) (care : record -> Prop) (W : record -> bool) (G : list attribute).
Implicit Types (U V : record -> value -> Prop).

(** A class with an aggregate that a standing fact allows violates a condition that allows none of these. *)
Theorem satisfiable f W G U V R r : fact f W G U R -> (forall v, U r v -> ~ V r v) -> In r R -> W r = true ->
  ~ V r (aggregated f (class G (filter W R) r)).
Proof. intros F H I HW. apply H. now apply F. Qed.

(** What a REJECT leaves of a table keeps every fact that parts keep. *)
Theorem left_by_reject f care W G U R p : kept_by_parts f care U -> within care R ->
  fact f W G U R -> fact f W G U (filter p R).
Proof.
  intros K C F r I HW. apply filter_In in I as [I P].
  apply (K r (class G (filter W (filter p R)) r) (class G (filter W R) r)).
  - apply class_nonempty. apply filter_In. split; auto. now apply filter_In.
  - unfold class, group. apply sub_bag_filters, sub_bag_filters, sub_bag_filter.
  - intros t J. apply in_class in J as [J _]. apply filter_In in J as [J _]. now apply C.
  - now apply F.
Qed.
