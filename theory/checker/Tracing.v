(** Tracing a fact back through a requirement: the class of a record after it, and the class of the same record before. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions Determinism Anonymity.
From Acompass Require Import Aggregates Facts Histories Rules Satisfiability Entailment ClassFacts Outcomes.
Import ListNotations.
Open Scope nat_scope.

Section Traced.
  Context {X : Type} (L : list X) (before : X -> record) (after : X -> option record).
  Variables (f : aggregate) (W : record -> bool) (G G1 : list attribute) (U : record -> value -> Prop).
  Variables (W1 : record -> bool) (U1 : record -> value -> Prop).
  Hypothesis counted : is_count f = true.

  Definition member_after (g : tuple) (x : X) : bool :=
    match after x with Some r => W r && has_key G g r | None => false end.
  Definition member_before (g : tuple) (x : X) : bool := W1 (before x) && has_key G1 g (before x).

  Lemma class_picked_after r : class G (filter W (picked after L)) r = picked after (filter (member_after (key G r)) L).
  Proof.
    unfold class, group, picked. induction L as [|x M IH]; simpl; auto. rewrite !filter_app, IH. unfold member_after at 2.
    destruct (after x) as [s|] eqn:E; simpl; auto. destruct (W s); simpl; auto.
    destruct (has_key G (key G r) s); simpl; rewrite ?E; auto.
  Qed.

  Lemma class_picked_before r : class G1 (filter W1 (map before L)) r =
    picked (fun x => Some (before x)) (filter (member_before (key G1 r)) L).
  Proof.
    unfold class, group, picked, member_before. induction L as [|x M IH]; simpl; auto.
    destruct (W1 (before x)); simpl; auto. destruct (has_key G1 (key G1 r) (before x)); simpl; now rewrite IH.
  Qed.

  (** The class before is part of the class after, or the other way round, as [how] needs. *)
  Theorem traced how x r' : In x L -> after x = Some r' -> W r' = true -> W1 (before x) = true ->
    fact f W1 G1 U1 (map before L) ->
    (how <> AtMost -> forall y, In y L -> W1 (before y) = true -> key G1 (before y) = key G1 (before x) ->
       exists s, after y = Some s /\ W s = true /\ key G s = key G r' /\ aggregates_the_same f (before y, s)) ->
    (how <> AtLeast -> forall y s, In y L -> after y = Some s -> W s = true -> key G s = key G r' ->
       W1 (before y) = true /\ key G1 (before y) = key G1 (before x) /\ aggregates_the_same f (before y, s)) ->
    (forall v w, (exists S, S <> [] /\ v = aggregated f S) -> (exists S, S <> [] /\ w = aggregated f S) ->
       related how v w -> U1 (before x) v -> U r' w) ->
    U r' (aggregated f (class G (filter W (picked after L)) r')).
  Proof.
    intros I E HW HW1 known union part allowed.
    assert (B : In (before x) (map before L)) by now apply in_map.
    apply allowed with (aggregated f (class G1 (filter W1 (map before L)) (before x))).
    - eexists. split; [|reflexivity]. apply class_nonempty. now apply filter_In.
    - eexists. split; [|reflexivity]. apply class_nonempty. apply filter_In. split; auto. apply in_picked. eauto.
    - rewrite class_picked_after, class_picked_before.
      assert (Up : how <> AtMost -> below (aggregated f (picked (fun x => Some (before x)) (filter (member_before (key G1 (before x))) L)))
        (aggregated f (picked after (filter (member_after (key G r')) L)))).
      { intro N. apply fewer_picked; auto. intros y r J M [= <-]. apply andb_true_iff in M as [M K]. apply has_key_true in K.
        destruct (union N y J M K) as (s & E' & WS & KS & Same). unfold member_after. rewrite E', WS.
        split; [now apply has_key_true|]. eauto. }
      assert (Down : how <> AtLeast -> below (aggregated f (picked after (filter (member_after (key G r')) L)))
        (aggregated f (picked (fun x => Some (before x)) (filter (member_before (key G1 (before x))) L)))).
      { intro N. apply fewer_picked; auto. intros y s J M A. unfold member_after in M. rewrite A in M.
        apply andb_true_iff in M as [M K]. apply has_key_true in K. destruct (part N y s J A M K) as (WS & KS & Same).
        unfold member_before. rewrite WS. split; [now apply has_key_true|]. eexists. split; eauto.
        clear - Same. destruct f; simpl in *; auto. }
      destruct how; simpl; [apply below_antisym| |]; auto; try (apply Up; discriminate); apply Down; discriminate.
    - now apply known.
  Qed.
End Traced.
