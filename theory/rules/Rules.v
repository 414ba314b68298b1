(** docs/prove.md, section 6: the backward rules, from a fact about the records after a requirement to facts about the
    records before it. A history L has both; [Histories] gives one for every requirement. Each rule is named after the
    function in src/acompass/prove/rules/backward_rules.py that uses it, without the underscore. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Laws Histories.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (care : record -> Prop) (W : record -> bool) (G : list attribute) (U : record -> value -> Prop).
Implicit Types (L : history).

(** The aggregated column has the same value before and after. *)
Definition aggregates_the_same f (p : record * record) : Prop :=
  match f with
  | Count => True
  | Sum B | Min B | Max B | CountDistinct B | ShareOfLargest _ B | ShareOfMode B => value_at (snd p) B = value_at (fst p) B
  | InReference _ _ _ => snd p = fst p                       (* [Shares.reference_fact] is the rule for reference tables *)
  end.

Lemma aggregated_before f L : (forall p, In p L -> aggregates_the_same f p) ->
  aggregated f (map snd L) = aggregated f (map fst L).
Proof.
  intro H. assert (C : forall B, (forall p, In p L -> value_at (snd p) B = value_at (fst p) B) ->
    column B (map snd L) = column B (map fst L)).
  { intros B E. unfold column. rewrite !map_map. now apply map_ext_in. }
  destruct f; simpl in *; try (now rewrite C by exact H).
  - now rewrite !map_length.
  - now rewrite (map_ext_in snd fst L H).
Qed.

Lemma class_after G W L r : class G (filter W (map snd L)) r =
  map snd (filter (fun p => W (snd p) && has_key G (key G r) (snd p)) L).
Proof. unfold class, group. now rewrite !filter_map, filter_filter. Qed.

Lemma class_before G W L r : class G (filter W (map fst L)) r =
  map fst (filter (fun p => W (fst p) && has_key G (key G r) (fst p)) L).
Proof. unfold class, group. now rewrite !filter_map, filter_filter. Qed.

(** * Rules of the WHERE and of the merge

    W' selects a record before if W selects it after. Classes by G₁ go to one class by G, as a whole: G₁ has the columns
    of G, and those that decide which records are rewritten. *)

Section Merge.
  Variables (f : aggregate) (L : history) (W W' : record -> bool) (G G1 : list attribute).
  Variables (U U' : record -> value -> Prop).
  Hypothesis selected : forall p, In p L -> W (snd p) = W' (fst p).
  Hypothesis same : forall p, In p L -> W (snd p) = true -> aggregates_the_same f p.
  Hypothesis as_a_whole : forall p q, In p L -> In q L -> W' (fst p) = true -> W' (fst q) = true ->
    key G1 (fst p) = key G1 (fst q) -> key G (snd p) = key G (snd q).
  Hypothesis allowed : forall p v, In p L -> W' (fst p) = true -> U' (fst p) v -> U (snd p) v.
  Hypothesis before : fact f W' G1 U' (map fst L).

  Definition members (r : record) : history := filter (fun p => W (snd p) && has_key G (key G r) (snd p)) L.

  Lemma in_members r p : In p (members r) <-> In p L /\ W (snd p) = true /\ key G (snd p) = key G r.
  Proof. unfold members. rewrite filter_In, andb_true_iff, has_key_true. tauto. Qed.

  Lemma members_before r : aggregated f (map snd (members r)) = aggregated f (map fst (members r)).
  Proof. apply aggregated_before. intros p I. apply in_members in I as (I & HW & _). now apply same. Qed.

  (** A class before that meets a class after is part of it. *)
  Lemma class_of_members r p : In p (members r) ->
    class G1 (map fst (members r)) (fst p) = class G1 (filter W' (map fst L)) (fst p).
  Proof.
    intro I. apply in_members in I as (I & HW & K). rewrite class_before. unfold class, group, members.
    rewrite filter_map, filter_filter. f_equal. apply filter_ext_in. intros q J.
    destruct (has_key G1 (key G1 (fst p)) (fst q)) eqn:E; [|now rewrite !andb_false_r]. rewrite !andb_true_r.
    apply has_key_true in E. rewrite (selected q J). destruct (W' (fst q)) eqn:F; auto.
    apply has_key_true. rewrite <- K. apply as_a_whole; auto. now rewrite <- selected.
  Qed.

  Theorem regrouped : reads_key G U -> kept_by_merging f U -> summable f (map snd L) -> fact f W G U (map snd L).
  Proof.
    intros HU K E r I HW. rewrite class_after. fold (members r). rewrite members_before.
    apply (kept_by_union f U r (fun T => U r (aggregated f T))); auto.
    - apply union_by_classes with G1.
      + apply in_map_iff in I as (p & <- & I). intro N. apply map_eq_nil in N.
        assert (J : In p (members (snd p))) by now apply in_members. now rewrite N in J.
      + intros s J. apply in_map_iff in J as (p & <- & J). rewrite class_of_members by exact J.
        apply in_members in J as (J & WP & KP). apply (HU (snd p) r); auto.
        apply allowed; [auto|now rewrite <- selected|]. apply before; [now apply in_map|now rewrite <- selected].
    - destruct f; simpl in *; auto. intros v J. apply E. unfold column in *. rewrite map_map in *.
      apply in_map_iff in J as (p & <- & J). apply in_members in J as (J & WP & _). apply in_map_iff.
      exists p. split; auto.
  Qed.

  (** If no classes join, unions need not keep the fact. *)
  Theorem carried_back : reads_key G U ->
    (forall p q, In p L -> In q L -> W' (fst p) = true -> W' (fst q) = true ->
       key G (snd p) = key G (snd q) -> key G1 (fst p) = key G1 (fst q)) -> fact f W G U (map snd L).
  Proof.
    intros HU apart r I HW. apply in_map_iff in I as (p & <- & I). rewrite class_after. fold (members (snd p)).
    rewrite members_before. assert (J : In p (members (snd p))) by now apply in_members.
    assert (E : map fst (members (snd p)) = class G1 (map fst (members (snd p))) (fst p)).
    { symmetry. apply filter_all. intros s H. apply in_map_iff in H as (q & <- & H). apply has_key_true.
      apply in_members in H as (H & WQ & KQ). apply apart; auto; now rewrite <- selected. }
    rewrite E, class_of_members by exact J. apply allowed; [auto|now rewrite <- selected|].
    apply before; [now apply in_map|now rewrite <- selected].
  Qed.
End Merge.

(** * Rule of REJECT (`_before_action`): W loses the affected records *)

Theorem before_reject f W G U affected R :
  fact f (fun r => negb (affected r) && W r) G U R -> fact f W G U (filter (fun r => negb (affected r)) R).
Proof.
  intros H r I HW. apply filter_In in I as [I N]. rewrite filter_filter. apply H; auto. now rewrite N.
Qed.

Definition pair_eq_dec : forall p q : record * record, {p = q} + {p <> q}.
Proof. decide equality; apply record_eq_dec. Defined.
