(** Theorem 5, generalization soundness, with a corrected induction hypothesis. *)
From Coq Require Import List Bool ZArith QArith Qcanon Permutation Lia.
From Acompass Require Import Bags Values Tables Syntax Results Assertions Actions Determinism.
Import ListNotations.
Open Scope nat_scope.

(** g: EACH RESULT : φ : REPLACE Q WITH q, and its affected bag in R. *)
Definition generalization_of (Q : attribute) (g : condition * field) : requirement :=
  {| asserts := Each Result (fst g); retypes := []; acts := Some (Certain (Replace Q (snd g))) |}.
Definition affected_by (g : condition * field) (R : bag) : bag := AFF R (Each Result (fst g)).
Definition values_of (gs : list (condition * field)) : list value := map (fun g => value_of (snd g)) gs.

(** R_i, after the first requirements *)
Definition after (Q : attribute) (gs : list (condition * field)) (R : bag) (rho : trace) : bag :=
  fst (run (map (generalization_of Q) gs) (R, rho)).

(** Hypothesis i of the paper always holds. *)
Lemma hypothesis_i g R : subset (affected_by g R) R.
Proof. apply AFF_subset. Qed.

(** Hypothesis iii follows from iv: V_i and V_j are disjoint, because each has all copies of a record or none. *)
Lemma hypothesis_iii R gs : Permutation R (flat_map (fun g => affected_by g R) gs) ->
  forall before g between h rest, gs = before ++ g :: between ++ h :: rest ->
  forall r, In r (affected_by g R) -> ~ In r (affected_by h R).
Proof.
  intros P before g between h rest -> r I J.
  apply (bag_equality record_eq_dec) with (r := r) in P. revert P.
  rewrite flat_map_app. simpl. rewrite flat_map_app. simpl. rewrite !multiplicity_union.
  assert (K : forall g, In r (affected_by g R) ->
    multiplicity record_eq_dec r (affected_by g R) = multiplicity record_eq_dec r R).
  { intros f H. unfold affected_by, AFF in *. rewrite multiplicity_filter. now apply filter_In in H as [_ ->]. }
  rewrite (K g I), (K h J). apply filter_In in I as [I _]. apply (in_multiplicity record_eq_dec) in I. lia.
Qed.

Lemma retype_nothing R : map (retype []) R = R.
Proof. apply map_id. Qed.

Lemma generalized Q g R rho : Permutation (fst (step (generalization_of Q g) (R, rho)))
  (minus R (affected_by g R) ++ map (fun r => update r Q (snd g)) (affected_by g R)).
Proof.
  unfold step, generalization_of; cbn [acts asserts retypes]. rewrite !retype_nothing.
  destruct (holds (Each Result (fst g)) R) eqn:H; [|reflexivity].
  assert (E : affected_by g R = []); [|rewrite E; simpl; now rewrite app_nil_r].
  apply filter_none. intros r I. simpl in *. rewrite forallb_forall in H.
  unfold affected_by_result, holds_of. rewrite H; auto. now apply in_map.
Qed.

(** The corrected induction hypothesis: after the first requirements, the relation consists of records whose Q is one of
    the values so far, and of the affected bags of the requirements that are left, untouched. *)
Definition invariant (Q : attribute) (R : bag) (done left : list (condition * field)) (R_k : bag) : Prop :=
  exists D, Permutation R_k (D ++ flat_map (fun g => affected_by g R) left) /\
            forall r, In r D -> In (value_at r Q) (values_of done).

Lemma invariant_step Q n R rho done g left : on_schema n R -> Q < n ->
  Permutation (affected_by g (after Q done R rho)) (affected_by g R) ->
  invariant Q R done (g :: left) (after Q done R rho) ->
  invariant Q R (done ++ [g]) left (after Q (done ++ [g]) R rho).
Proof.
  intros S HQ same (D & P & H). exists (D ++ map (fun r => update r Q (snd g)) (affected_by g R)). split.
  - unfold after in *. rewrite map_app, run_app. simpl. destruct (run _ (R, rho)) as [R_k rho_k]. simpl in *.
    apply perm_trans with (1 := generalized Q g R_k rho_k).
    assert (M : Permutation (minus R_k (affected_by g R_k)) (D ++ flat_map (fun g => affected_by g R) left)).
    { apply union_difference. apply perm_trans with (1 := P). rewrite <- app_assoc. apply Permutation_app_head.
      apply perm_trans with (1 := Permutation_app_comm _ _). apply Permutation_app_head. now apply Permutation_sym. }
    apply perm_trans with (1 := Permutation_app M (Permutation_map _ same)).
    rewrite <- !app_assoc. apply Permutation_app_head, Permutation_app_comm.
  - intros r I. unfold values_of. rewrite map_app. apply in_or_app.
    apply in_app_or in I as [I|I]; [left; now apply H|right]. apply in_map_iff in I as (s & <- & I).
    left. symmetry. apply value_at_update. apply filter_In in I as [I _]. now rewrite (S s I).
Qed.

(** Theorem 5, generalization soundness. ii: the affected bags are those of R; iv: their union is R. *)
Theorem generalization_soundness Q n gs R rho : on_schema n R -> Q < n ->
  (forall before g rest, gs = before ++ g :: rest ->
     Permutation (affected_by g (after Q before R rho)) (affected_by g R)) ->
  Permutation R (flat_map (fun g => affected_by g R) gs) ->
  forall r, In r (after Q gs R rho) -> In (value_at r Q) (values_of gs).
Proof.
  intros S HQ ii iv.
  assert (K : forall left done, gs = done ++ left -> invariant Q R done left (after Q done R rho) ->
    invariant Q R gs [] (after Q gs R rho)).
  { induction left as [|g left IH]; intros done E H; [rewrite app_nil_r in E; now subst|].
    apply IH with (done ++ [g]); [now rewrite <- app_assoc|]. apply (invariant_step Q n); auto. now apply ii with left. }
  destruct (K gs [] eq_refl) as (D & P & H); [exists []; split; [exact iv|intros r []]|].
  intros r I. apply H. apply (Permutation_in _ P) in I. now rewrite app_nil_r in I.
Qed.

(** The paper's hypothesis is false before the last requirement: 1 becomes 10, and 2 is still there. *)
Example the_papers_hypothesis_is_false :
  let not_one := (Not (Compare 0 EQ (exact (integer 1))), Integer 10) in
  let not_two := (Not (Compare 0 EQ (exact (integer 2))), Integer 20) in
  let gs := [not_one; not_two] in
  let R := [[Integer 1]; [Integer 2]] in
  let rho := fun _ => 0%Q in
  Permutation R (flat_map (fun g => affected_by g R) gs) /\
  (forall before g rest, gs = before ++ g :: rest ->
     Permutation (affected_by g (after 0 before R rho)) (affected_by g R)) /\
  ~ forall r, In r (after 0 [not_one] R rho) -> In (value_at r 0) (values_of [not_one]).
Proof.
  cbv zeta. repeat split.
  - vm_compute. reflexivity.
  - intros before g rest E. destruct before as [|b before]; injection E as <- E; [reflexivity|].
    destruct before as [|c before]; injection E as <- E; [vm_compute; reflexivity|now destruct before].
  - intro H. specialize (H [Integer 2]). assert (I : In [Integer 2] [[Integer 2]; [Integer 10]]) by now left.
    apply H in I as [I|[]]. discriminate.
Qed.
