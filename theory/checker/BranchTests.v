(** Tests that a fact after a requirement follows from facts before it: docs/prove.md, section 6. Backward.v has their soundness. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Histories Rules Conversions Satisfiability Entailment ClassFacts Outcomes Typing Tracing Situations.
Import ListNotations.
Open Scope nat_scope.

(** A map that gives equal values equal labels, whatever their texts. *)
Definition labels_alike (g : text -> text) : Prop :=
  forall f f', value_of f = value_of f' -> g (text_of f) = g (text_of f').

Section Tests.
  (** [is_alike]: the map, if there is one, is known to give equal values equal labels. *)
  Variables (before after : types) (req : requirement) (is_alike : bool).

  (** Records with the same key by these columns are in the same branch. *)
  Variable together_by : list attribute.

  Definition ks : kinds := kinds_of before.
  Definition target : attribute := match written req with Some A => A | None => 0 end.
  Definition is_written (B : attribute) : bool := match written req with Some A => B =? A | None => false end.
  Definition type_before : column_type := type_at before target.
  Definition is_converted : bool :=
    match written req with Some _ => negb (keeps_value (conversion req) type_before) | None => false end.

  (** Where a condition on the record after finds its columns: the written value is the further value 2. *)
  Definition kept_cell (B : attribute) : attribute := if is_converted && is_written B then extra 2 else here B.
  Definition written_cell (B : attribute) : attribute := if is_written B then extra 2 else here B.

  Definition written_value : condition :=
    match acts req with
    | Some x =>
        match plain_of x with
        | Replace _ a => Compare (extra 2) EQ (value_of a)
        | RandomFrom _ balls => any_of (map (fun ball => Compare (extra 2) EQ (value_of (snd ball))) balls)
        | Random _ (Unchanged | AsDecimal _ | AsSpelled) l u => And (Compare (extra 2) GE (exact (integer l))) (Compare (extra 2) LE (exact (integer u)))
        | _ => anything
        end
    | None => anything
    end.

  Definition further (f : aggregate) : kinds := [kind_of_aggregate f; kind_of_aggregate f; kind_of_type (type_at after target)].

  (** What is left of a record: the record as it was, or rewritten. *)
  Definition cases (b : branch) : list (condition * (attribute -> attribute)) :=
    [(renamed here (kept_of b), kept_cell); (And (renamed here (rewritten_of b)) written_value, written_cell)].

  Definition is_never_in (b : branch) (f : aggregate) (phi : (attribute -> attribute) -> condition) : bool :=
    forallb (fun one => never ks (further f) (And (fst one) (phi (snd one)))) (cases b).

  Definition is_left (B : attribute) : bool := negb (mem B (dropped req)).
  Definition is_readable (phi : condition) : bool := forallb is_left (columns phi).
  Definition is_readable_fact (F : class_fact) : bool :=
    is_readable (selection F) && forallb is_left (groups F) &&
    forallb (fun p => match p with 0 => true | S B => is_left B end) (columns (allowed F)) &&
    match function F with CountDistinct B => is_left B | _ => true end.

  (** No record that is selected after the requirement is left by it. *)
  Definition is_void (b : branch) (F : class_fact) : bool :=
    is_never_in b (function F) (fun cell => renamed cell (selection F)).

  Definition covers (b : branch) (K F : class_fact) : bool :=
    is_never_in b (function F) (fun cell => And (Not (renamed here (selection K))) (renamed cell (selection F))).

  Definition selects_all (b : branch) (K F : class_fact) : bool :=
    never ks [] (And (renamed here (removed_of b)) (renamed here (selection K))) &&
    is_never_in b (function F) (fun cell => And (renamed here (selection K)) (Not (renamed cell (selection F)))).

  Definition has_one_text : bool := match type_before with OneText _ => true | _ => false end.

  (** The written value depends on the key alone. *)
  Definition is_function_of (G : list attribute) : bool :=
    match acts req with
    | Some x => match plain_of x with
                | Replace _ _ => true
                | RandomFrom _ balls => match balls with [_] => true | _ => false end
                | Random _ _ l u => (l =? u)%Z
                | Generalize _ _ => mem target G && (has_one_text ||
                    is_alike && match conversion req with AsText | Unchanged => true | _ => false end)
                | _ => false
                end
    | None => false
    end.

  (** Records of a class before get the same key. *)
  Definition keeps_classes (b : branch) (K F : class_fact) : bool :=
    let none part := never ks [] (And (renamed here part) (renamed here (selection K))) in
    all_in (filter (fun B => negb (is_written B)) (groups F)) (groups K) &&
    (negb (existsb is_written (groups F)) ||
     ((none (kept_of b) || (mem target (groups K) && (negb is_converted || has_one_text))) &&
      (none (rewritten_of b) || is_function_of (groups K)) &&
      (none (kept_of b) || none (rewritten_of b) ||
       (is_decided ks (groups K) (And (care_of b) (selection K)) (rewritten_of b) &&
        none (And (kept_of b) (rewritten_of b)))))).

  (** Records of a class after had the same key. *)
  Definition splits_nothing (K F : class_fact) : bool :=
    all_in (groups K) (groups F) && negb (existsb is_written (groups K)).

  (** The counted column is not written. *)
  Definition keeps_counted (b : branch) (K F : class_fact) : bool :=
    match function F with
    | CountDistinct B =>
        negb (is_written B) ||
        (negb is_converted && never ks [] (And (renamed here (rewritten_of b)) (renamed here (selection K))))
    | _ => true
    end.

  Definition allows_after (how : relation) (b : branch) (K F : class_fact) : bool :=
    forallb (fun one => allowed_follows how ks (further (function F))
               (all_of [fst one; renamed here (selection K); positive (function F) 0; positive (function F) 1])
               (snd one) (allowed K) (allowed F)) (cases b).

  (** The fact K about the classes of a branch implies F for them. *)
  Definition leads_to (b : branch) (K F : class_fact) : bool :=
    is_count (function F) && (if aggregate_eq_dec (function K) (function F) then true else false) &&
    is_readable_fact F && all_in (together_by) (groups K) && covers b K F && keeps_counted b K F &&
    match relation_of_classes (selects_all b K F && keeps_classes b K F) (splits_nothing K F) with
    | Some how => allows_after how b K F
    | None => false
    end.

  (** Every selected record of the branch is rewritten in the counted column, which then has few values. *)
  Definition values_written : option (list value) :=
    match acts req with
    | Some x => match plain_of x with
                | Replace _ a => Some [value_of a]
                | RandomFrom _ balls => Some (map (fun ball => value_of (snd ball)) balls)
                | _ => None
                end
    | None => None
    end.

  Definition is_fresh (b : branch) (F : class_fact) : bool :=
    match function F, values_written with
    | CountDistinct B, Some vs =>
        is_written B && is_readable_fact F && splits_nothing {| function := Count; selection := Never;
          groups := together_by; allowed := Never |} F &&
        never ks (further (function F)) (And (renamed here (kept_of b)) (renamed kept_cell (selection F))) &&
        never ks (further (function F))
          (all_of [renamed here (rewritten_of b); written_value; renamed written_cell (selection F);
                   positive (function F) 0; Compare (extra 0) LE (number_of_records (length vs));
                   Not (renamed (at_count 0 written_cell) (allowed F))])
    | _, _ => false
    end.

  Lemma is_written_column B : is_written B = true -> written req = Some B /\ target = B.
  Proof.
    unfold is_written, target. destruct (written req) as [A|]; [|discriminate]. intro E. apply Nat.eqb_eq in E. now subst.
  Qed.

  Lemma holds_in_cell phi cell r' s e r : is_readable phi = true ->
    (forall B, is_left B = true -> scene r s e (cell B) = value_at r' B) ->
    true_in (scene r s e) (renamed cell phi) = holds_of phi r'.
  Proof.
    unfold is_readable. rewrite forallb_forall. intros H E. rewrite true_in_renamed, holds_of_true_in.
    apply true_in_agree. auto.
  Qed.

  Definition three (v w x : value) (j : nat) : value := match j with 0 => v | 1 => w | 2 => x | _ => nothing end.

  Lemma kinds_of_three f S T r' : is_typed after r' ->
    forall j, is_of_kind (kind_at (further f) j) (three (aggregated f S) (aggregated f T) (value_at r' target) j).
  Proof.
    intros [_ H] [|[|[|j]]]; unfold kind_at; simpl; try apply kind_of_aggregated; [|now destruct j].
    rewrite value_at_get. apply has_type_kind, H.
  Qed.
End Tests.

Arguments is_written_column {req}.
Arguments kinds_of_three {after req}.
