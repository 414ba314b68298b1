(** The certificate checker is sound: what it accepts holds for every table that a run of the policy writes. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Histories Reachability Satisfiability Entailment ClassFacts Outcomes Typing Situations BranchTests Backward.
From Acompass Require Import Certificates.
Import ListNotations.
Open Scope nat_scope.

(** What the annotation of a step says of a table *)
Definition is_true (a : annotation) (R : bag) : Prop :=
  (forall r, In r R -> is_typed (column_types a) r) /\ (forall r, In r R -> holds_of (invariant a) r = true) /\
  (forall F, In F (facts_of a) -> true_of F R).

Definition in_branch_of (a : assertion) (R : bag) (violating : bool) : bag :=
  filter (fun r => Bool.eqb (is_violating a R r) violating) R.

Lemma true_of_permutation F R R' : Permutation R R' -> true_of F R -> true_of F R'.
Proof. apply fact_permutation. Qed.

Lemma true_of_branch a F R violating : all_in (together a) (groups F) = true -> true_of F R ->
  true_of F (in_branch_of a R violating).
Proof.
  intros H T r I W. apply filter_In in I as [I V]. unfold in_branch_of. rewrite filter_comm.
  assert (E : class (groups F) (filter (fun r => Bool.eqb (is_violating a R r) violating) (filter (holds_of (selection F)) R)) r =
              class (groups F) (filter (holds_of (selection F)) R) r); [|rewrite E; now apply T].
  unfold class, group. rewrite (filter_filter (has_key (groups F) (key (groups F) r))). apply filter_ext. intro s.
  destruct (has_key (groups F) (key (groups F) r) s) eqn:K; [|now rewrite andb_false_r]. apply has_key_true in K.
  rewrite andb_true_r. apply Bool.eqb_prop in V. rewrite <- V, (violating_together a R s r); [apply Bool.eqb_reflx|].
  now apply (key_incl (groups F)); [apply all_in_incl|].
Qed.

(** The classes that a requirement leaves alone satisfy its assertion. *)
Lemma own_fact_holds ks inv a j U F R : in_care ks inv R -> own_says ks inv a j U = true -> own_fact a j U = Some F ->
  true_of F (in_branch_of a R false).
Proof.
  intros C S E. destruct a as [[| |fs psi G] phi|]; try discriminate. cbn [own_fact] in E.
  destruct (nth_error fs j) as [f|] eqn:N; [|discriminate]. injection E as <-. cbn [own_says] in S.
  intros r I W. cbn [selection function groups allowed] in *. apply filter_In in I as [I V]. apply Bool.eqb_prop in V.
  assert (W' := W). rewrite where_condition_holds in W'. set (T := class G (where_filtered psi R) r).
  assert (Same : class G (filter (holds_of (where_condition psi)) (in_branch_of (Each (Process fs psi G) phi) R false)) r = T).
  { unfold in_branch_of. rewrite filter_comm. unfold T, class, group. rewrite filter_filter.
    rewrite (filter_ext (holds_of (where_condition psi)) (where_holds psi)) by apply where_condition_holds.
    apply filter_ext. intro s. destruct (has_key G (key G r) s) eqn:K; [|now rewrite andb_false_r]. apply has_key_true in K.
    rewrite (violating_together (Each (Process fs psi G) phi) R s r), V by exact K. reflexivity. }
  rewrite Same. assert (NT : T <> []) by (apply class_nonempty; now apply filter_In). destruct (C r I) as [KR CR].
  apply (never_sound _ _ _ r r (aggregates_of fs T)) in S; auto using kinds_of_aggregates_hold.
  rewrite true_in_all_of, forallb_app, (bounds_hold r r G (where_filtered psi R) r) in S by (auto; now apply filter_In). cbn [forallb true_in] in S.
  rewrite renamed_here, holds_of_and, CR, W, <- true_in_lifted, allowed_here in S.
  cbn [is_violating] in V. apply negb_false_iff in V. unfold aggregate_record in V.
  change (group G (where_filtered psi R) (key G r)) with T in V. rewrite V in S.
  unfold aggregates_of in S at 1. rewrite (nth_error_nth _ j _ (map_nth_error (fun f => aggregated f T) j fs N)) in S.
  simpl in S. rewrite !andb_true_r in S. now apply negb_false_iff in S.
Qed.

Theorem is_justified_sound ks inv care a violating own facts K why R :
  is_justified ks inv care (together a) own facts K why = true -> in_care ks inv R ->
  in_care ks care (in_branch_of a R violating) -> (forall F, In F facts -> true_of F R) ->
  (forall a', own = Some a' -> a' = a /\ violating = false) -> true_of K (in_branch_of a R violating).
Proof.
  intros J CI CC T O. destruct why as [among|i singles|j U singles]; cbn [is_justified] in J.
  - now apply (by_values_sound ks care among).
  - destruct (nth_error facts i) as [K0|] eqn:N; [|discriminate]. apply nth_error_In in N. specialize (T K0 N).
    apply orb_true_iff in J as [J|J]; apply andb_true_iff in J as [JH J].
    + apply (implied_sound ks care singles K0); auto. now apply true_of_branch.
    + apply true_of_branch; auto. now apply (implied_sound ks inv singles K0).
  - destruct own as [a'|]; [|discriminate]. destruct (O a' eq_refl) as [-> ->].
    destruct (own_fact a j U) as [K0|] eqn:E; [|discriminate]. apply andb_true_iff in J as [JS J].
    apply (implied_sound ks care singles K0); auto. now apply (own_fact_holds ks inv a j U).
Qed.

(** A table as it is: the only branch of ALWAYS. *)
Lemma whole_table R : in_branch_of Always R true = R.
Proof. unfold in_branch_of. now apply filter_all. Qed.

Corollary is_justified_here ks inv facts K why R : is_justified ks inv inv [] None facts K why = true -> in_care ks inv R ->
  (forall F, In F facts -> true_of F R) -> true_of K R.
Proof.
  intros J C T. rewrite <- (whole_table R). apply (is_justified_sound ks inv inv Always true None facts K why R); auto.
  - now rewrite whole_table.
  - discriminate.
Qed.

(** * Steps *)

Section Step.
  Variables (known is_alike : bool) (req : requirement) (a a' : annotation) (R : bag) (rho : trace).
  Hypothesis accepted : is_step known is_alike req a a' = true.
  Hypothesis unit : in_unit_interval rho.
  Hypothesis true_before : is_true a R.
  Hypothesis passes : known = true -> acts req = None -> holds (asserts req) R = true.
  Hypothesis texts : forall x, acts req = Some x -> labels_are_texts (plain_of x).
  Hypothesis alike : is_alike = true -> forall x A g, acts req = Some x -> plain_of x = Generalize A g -> labels_alike g.

  Lemma cared_before : in_care (kinds_here a) (invariant a) R.
  Proof. destruct true_before as (T & I & _). intros r J. split; [now apply is_typed_is_of, T|auto]. Qed.

  Theorem is_step_sound : is_true a' (fst (step req (R, rho))).
  Proof.
    assert (HS := accepted). unfold is_step in HS. rewrite !andb_true_iff in HS.
    destruct HS as [[[[[[[[WF IS] TF] MAY] MUST] RI] KL] KH] LS].
    destruct (outcomes req R rho WF unit) as (L & P & F & H).
    assert (FR : forall r o, In (r, o) L -> In r R /\ is_possible req (is_affected (asserts req) R r) r o).
    { intros r o I. split; [|now apply H]. apply (Permutation_in _ F). now apply (in_map fst) in I. }
    assert (SC : forall A, written req = Some A -> A < length (column_types a)).
    { intros A HA. rewrite HA in IS. now apply Nat.ltb_lt. }
    assert (TB := proj1 true_before).
    assert (Branch : forall violating r o, In (r, o) L -> is_violating (asserts req) R r = violating ->
      in_branch (branch_for known req a violating) r o).
    { intros violating r o I <-. destruct (FR r o I) as [IR PR]. unfold branch_for.
      apply (branches known req _ _ _ (kinds_here a) R); auto using cared_before. }
    assert (Has : forall r o, In (r, o) L -> has_branch req (is_violating (asserts req) R r) = true).
    { intros r o I. unfold has_branch. now destruct (asserts req) as [[]|]; rewrite ?orb_true_r. }
    assert (After : forall r o r', In (r, o) L -> what_is_left req R (r, o) = Some r' -> is_typed (column_types a') r').
    { intros r o r' I E. destruct (FR r o I) as [IR PR].
      apply (types_fit_sound req R (column_types a) (column_types a') r o r' TF WF texts (TB r IR) PR E). }
    set (R' := fst (step req (R, rho))).
    assert (From : forall r', In r' R' -> exists r o, In (r, o) L /\ what_is_left req R (r, o) = Some r').
    { intros r' I. apply (Permutation_in _ P), in_picked in I as ([r o] & I & E). eauto. }
    assert (Typed : forall r', In r' R' -> is_typed (column_types a') r').
    { intros r' I. destruct (From r' I) as (r & o & J & E). now apply (After r o r'). }
    assert (Inv : forall r', In r' R' -> holds_of (invariant a') r' = true).
    { intros r' I. destruct (From r' I) as (r & o & J & E). pose proof (Has r o J) as HB.
      assert (KI : is_never_in (column_types a) (column_types a') req (branch_for known req a (is_violating (asserts req) R r))
        Count (fun cell => Not (renamed cell (invariant a'))) = true).
      { unfold keeps_invariant in KL, KH. destruct (is_violating (asserts req) R r); [rewrite HB in KH|rewrite HB in KL]; auto. }
      destruct (never_in (column_types a) (column_types a') req is_alike R L WF TF SC TB texts alike FR _ _ _ r o r' KI J E (Branch _ r o J eq_refl))
        as (cell & e & HC & N). cbn [true_in] in N.
      rewrite (holds_in_cell req (invariant a') cell r' r e r RI HC) in N. now apply negb_false_iff in N. }
    assert (Care' : in_care (kinds_here a') (invariant a') R').
    { intros r' I. split; [now apply is_typed_is_of, Typed|now apply Inv]. }
    assert (Premise : forall b H own mark violating K p, is_premise is_alike req a (column_types a') b H own K p = true ->
      (forall r s, key H r = key H s -> mark r = mark s) ->
      (forall r o, In (r, o) L -> mark r = violating -> in_branch b r o) ->
      (forall K why, is_justified (kinds_here a) (invariant a) (care_of b) H own (facts_of a) K why = true ->
         true_of K (filter (fun r => Bool.eqb (mark r) violating) R)) ->
      forall r o r', In (r, o) L -> mark r = violating -> what_is_left req R (r, o) = Some r' ->
      holds_of (selection K) r' = true ->
      allows (allowed K) r' (aggregated (function K)
        (class (groups K) (filter (holds_of (selection K)) (picked (what_is_left req R) L)) r'))).
    { intros b H' own mark violating K p HP Mark HB HJ r o r' I V E W. destruct p as [| |K0 why]; cbn [is_premise] in HP.
      - apply andb_true_iff in HP as [RD HV]. exfalso.
        assert (Z := is_void_sound (column_types a) (column_types a') req is_alike R L WF TF SC TB texts alike FR b mark violating
          HB K RD r o r' HV I V E). congruence.
      - assert (RD : is_readable_fact req K = true).
        { unfold is_fresh in HP. destruct (function K); try discriminate. destruct (values_written req); [|discriminate].
          rewrite !andb_true_iff in HP. tauto. }
        apply (is_fresh_sound (column_types a) (column_types a') req is_alike H' R L WF TF SC TB texts alike FR b mark violating
          Mark HB K RD r o r' HP I V E W).
      - apply andb_true_iff in HP as [HL HW].
        assert (RD : is_readable_fact req K = true) by (unfold leads_to in HL; rewrite !andb_true_iff in HL; tauto).
        apply (leads_to_sound (column_types a) (column_types a') req is_alike H' R L WF TF SC TB texts alike FR b mark violating
          Mark HB K RD K0 HL) with r o; auto.
        apply (true_of_permutation K0 (filter (fun r => Bool.eqb (mark r) violating) R));
          [apply filter_permutation; now apply Permutation_sym|]. now apply (HJ K0 why). }
    assert (Branches : forall violating own, (forall a0, own = Some a0 -> a0 = asserts req /\ violating = false) ->
      forall K why, is_justified (kinds_here a) (invariant a) (care_of (branch_for known req a violating))
        (together (asserts req)) own (facts_of a) K why = true -> true_of K (in_branch_of (asserts req) R violating)).
    { intros violating own HO K why HJ.
      assert (In_branch : in_care (kinds_here a) (care_of (branch_for known req a violating)) (in_branch_of (asserts req) R violating)).
      { intros s J. apply filter_In in J as [J V']. apply Bool.eqb_prop in V'. split; [now apply cared_before|].
        apply Permutation_sym, Permutation_in with (x := s) in F; auto. apply in_map_iff in F as ([s0 so] & Es & Is).
        simpl in Es. subst s0. exact (proj1 (Branch violating s so Is V')). }
      apply (is_justified_sound (kinds_here a) (invariant a) (care_of (branch_for known req a violating)) (asserts req)
        violating own (facts_of a) K why R HJ); auto using cared_before. apply true_before. }
    assert (Line : forall earlier line, is_line known is_alike req a (column_types a') earlier (kinds_here a') (invariant a') line = true ->
      (forall K, In K earlier -> true_of K R') -> true_of (fst line) R').
    { intros earlier [K [why|spared hit|p]] HL HE; cbn [is_line fst snd] in HL.
      - now apply (is_justified_here (kinds_here a') (invariant a') earlier K why R').
      - apply andb_true_iff in HL as [HF HT]. cbn [fst].
        apply (true_of_permutation K (picked (what_is_left req R) L)); [now apply Permutation_sym|]. intros r' I W.
        apply in_picked in I as ([r o] & I & E). destruct (is_violating (asserts req) R r) eqn:V.
        + apply (Premise _ _ _ (is_violating (asserts req) R) true K hit HT (violating_together (asserts req) R) (Branch true)) with r o; auto.
          apply (Branches true None). discriminate.
        + pose proof (Has r o I) as HB. rewrite V in HB. rewrite HB in HF. simpl in HF.
          apply (Premise _ _ _ (is_violating (asserts req) R) false K spared HF (violating_together (asserts req) R) (Branch false)) with r o; auto.
          apply (Branches false (Some (asserts req))). now intros a0 [= <-].
      - cbn [fst]. apply (true_of_permutation K (picked (what_is_left req R) L)); [now apply Permutation_sym|]. intros r' I W.
        apply in_picked in I as ([r o] & I & E).
        apply (Premise _ _ _ (fun _ => true) true K p HL) with r o; auto.
        + intros s so J _. destruct (FR s so J) as [JR JP].
          apply (without_branches known req _ _ _ (kinds_here a) R); auto using cared_before.
        + intros K0 why HJ. rewrite filter_all by auto.
          apply (is_justified_here (kinds_here a) (invariant a) (facts_of a) K0 why R HJ cared_before). apply true_before. }
    split; [exact Typed|split; [exact Inv|]].
    assert (All : forall ls earlier, are_lines known is_alike req a (column_types a') earlier (kinds_here a') (invariant a') ls = true ->
      (forall K, In K earlier -> true_of K R') -> forall K, In K (map fst ls) -> true_of K R').
    { induction ls as [|line ls IH]; intros earlier HL HE K I; [easy|]. cbn [are_lines] in HL.
      apply andb_true_iff in HL as [H1 H2]. assert (T1 := Line earlier line H1 HE). destruct I as [<-|I]; auto.
      apply (IH (earlier ++ [fst line]) H2); auto. intros K' J. apply in_app_or in J as [J|[<-|[]]]; auto. }
    intros K I. apply (All (lines a') [] LS); [intros K' []|exact I].
  Qed.
End Step.

(** * Policies *)

(** The checks at the known steps hold where they stand; otherwise a run writes nothing (D22). *)
Fixpoint checks_hold (known : list nat) (i : nat) (p : program) (s : state) : Prop :=
  match p with
  | [] => True
  | req :: p' => (mem i known = true -> acts req = None -> holds (asserts req) (fst s) = true) /\
                 checks_hold known (S i) p' (step req s)
  end.

(** Labels are texts, and the maps at the steps [alike] give equal values equal labels. *)
Fixpoint maps_are_as_said (alike : list nat) (i : nat) (p : program) : Prop :=
  match p with
  | [] => True
  | req :: p' => (forall x, acts req = Some x -> labels_are_texts (plain_of x)) /\
                 (mem i alike = true -> forall x A g, acts req = Some x -> plain_of x = Generalize A g -> labels_alike g) /\
                 maps_are_as_said alike (S i) p'
  end.

Theorem are_steps_sound known alike p : forall i a rest last R rho, are_steps known alike i p a rest = Some last ->
  in_unit_interval rho -> is_true a R -> checks_hold known i p (R, rho) -> maps_are_as_said alike i p ->
  is_true last (fst (run p (R, rho))).
Proof.
  induction p as [|req p IH]; intros i a rest last R rho H U T C M; cbn [are_steps] in H.
  - destruct rest; [|discriminate]. now injection H as <-.
  - destruct rest as [|a' rest]; [discriminate|].
    destruct (is_step (mem i known) (mem i alike) req a a') eqn:S; [|discriminate].
    destruct C as [CH C], M as (MT & MA & M). assert (T' := is_step_sound _ _ req a a' R rho S U T CH MT MA).
    change (run (req :: p) (R, rho)) with (run p (step req (R, rho))).
    pose proof (trace_in_unit_interval req R rho U) as U'. destruct (step req (R, rho)) as [R' rho'].
    now apply (IH (Datatypes.S i) a' rest).
Qed.

Theorem is_claim_sound a claim ps R : is_claim a claim ps = true -> is_true a R -> holds claim R = true.
Proof.
  intros H (T & I & FA). assert (C : in_care (kinds_here a) (invariant a) R).
  { intros r J. split; [now apply is_typed_is_of, T|auto]. }
  destruct claim as [[|psi|fs psi G] phi|]; cbn [is_claim] in H; try discriminate.
  - simpl. rewrite forallb_forall. intros t J. apply in_map_iff in J as (r & <- & J). destruct (C r J) as [K CR].
    now apply (implies_in_sound _ _ _ r H).
  - apply (record_claim psi phi (fun r => In r R)); [now intros r J|]. intros r J P. destruct (C r J) as [K CR].
    apply (implies_in_sound _ _ _ r H); auto. now rewrite holds_of_and, CR, P.
  - apply andb_true_iff in H as [HP HN]. apply holds_each_process. intros r J W.
    set (S := class G (where_filtered psi R) r). assert (NS : S <> []) by (apply class_nonempty; now apply filter_In).
    destruct (C r J) as [K CR]. apply (never_sound _ _ _ r r (aggregates_of fs S)) in HN; auto using kinds_of_aggregates_hold.
    rewrite true_in_all_of, !forallb_app, (bounds_hold r r G (where_filtered psi R) r) in HN by (auto; now apply filter_In). cbn [forallb true_in] in HN.
    assert (Parts : forallb (true_in (scene r r (aggregates_of fs S))) (map (fun '(j, U, _) => renamed (at_count j here) U) ps) = true).
    { rewrite forallb_forall. intros phi' Q. apply in_map_iff in Q as ([[j U] why] & <- & Q). rewrite allowed_here.
      rewrite forallb_forall in HP. specialize (HP _ Q). cbn beta iota in HP.
      destruct (own_fact (Each (Process fs psi G) phi) j U) as [F|] eqn:E; [|discriminate].
      assert (TF := is_justified_here _ _ _ F why R HP C FA). cbn [own_fact] in E.
      destruct (nth_error fs j) as [f|] eqn:N; [|discriminate]. injection E as <-.
      unfold aggregates_of. rewrite (nth_error_nth _ j _ (map_nth_error (fun f => aggregated f S) j fs N)).
      specialize (TF r J). cbn [selection function groups allowed] in TF. rewrite where_condition_holds in TF.
      specialize (TF W). unfold allows, S in *. unfold where_filtered.
      now rewrite <- (filter_ext (holds_of (where_condition psi)) (where_holds psi)) by apply where_condition_holds. }
    rewrite Parts, renamed_here, holds_of_and, CR, where_condition_holds, W, <- true_in_lifted in HN. simpl in HN.
    rewrite !andb_true_r in HN. apply negb_false_iff in HN. exact HN.
Qed.

(** What [check] accepts is a proof: the claim holds of the table that is left, for every table of these types and every
    trace, if the known checks hold where they stand. *)
Theorem check_sound known alike ts p claim c : check known alike ts p claim c = true -> maps_are_as_said alike 0 p ->
  forall R rho, in_unit_interval rho -> (forall r, In r R -> is_typed ts r) -> checks_hold known 0 p (R, rho) ->
  holds claim (fst (run p (R, rho))) = true.
Proof.
  unfold check, is_start. intros H M R rho U T C. rewrite !andb_true_iff in H. destruct H as [[[HT HI] HL] H].
  destruct (list_eq_dec column_type_eq_dec (column_types (start c)) ts) as [<-|]; [|discriminate].
  destruct (are_steps known alike 0 p (start c) (steps c)) as [last|] eqn:S; [|discriminate].
  apply (is_claim_sound last claim (grounds c)); auto. apply (are_steps_sound known alike p 0 (start c) (steps c)); auto.
  split; [exact T|split].
  - intros r I. apply (implies_in_sound _ _ _ r HI); auto. now apply is_typed_is_of, T.
  - unfold facts_of. now destruct (lines (start c)).
Qed.

(** * Maps *)

(** The same program with the identity in place of every map. The checker in OCaml passes such a program, because a
    certificate does not contain the maps. *)
Definition without_map (x : plain) : plain := match x with Generalize A _ => Generalize A (fun t => t) | _ => x end.

Definition without_map_in (x : action) : action :=
  match x with
  | Certain x => Certain (without_map x)
  | WithProbability q x => WithProbability q (without_map x)
  end.

Definition without_maps (p : program) : program :=
  map (fun req => {| asserts := asserts req; retypes := retypes req; acts := option_map without_map_in (acts req) |}) p.

Lemma is_step_map_independent known is_alike req a a' :
  is_step known is_alike {| asserts := asserts req; retypes := retypes req; acts := option_map without_map_in (acts req) |} a a' =
  is_step known is_alike req a a'.
Proof. destruct req as [claim ts [[[]|q []]|]]; reflexivity. Qed.

Lemma are_steps_map_independent known alike p : forall i a rest,
  are_steps known alike i (without_maps p) a rest = are_steps known alike i p a rest.
Proof.
  induction p as [|req p IH]; intros i a [|a' rest]; try reflexivity. cbn [without_maps map are_steps].
  rewrite is_step_map_independent. now destruct (is_step _ _ req a a'); [apply IH|].
Qed.

(** [check] asks no map for a label. *)
Theorem check_map_independent known alike ts p claim c :
  check known alike ts (without_maps p) claim c = check known alike ts p claim c.
Proof. unfold check. now rewrite are_steps_map_independent. Qed.

(** What [check] accepts for a program [q], whatever its maps are, holds for every program [p] that differs from [q] only in
    its maps, if these are as said. *)
Corollary check_sound_for_all_maps known alike ts q p claim c : check known alike ts q claim c = true ->
  without_maps p = without_maps q -> maps_are_as_said alike 0 p ->
  forall R rho, in_unit_interval rho -> (forall r, In r R -> is_typed ts r) -> checks_hold known 0 p (R, rho) ->
  holds claim (fst (run p (R, rho))) = true.
Proof.
  intros H E. apply (check_sound known alike ts p claim c).
  now rewrite <- check_map_independent, E, check_map_independent.
Qed.
