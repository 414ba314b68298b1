(** The tests of BranchTests.v are sound: a fact after a requirement follows from facts before it. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Histories Rules Conversions Satisfiability Entailment ClassFacts Outcomes Typing Tracing Situations BranchTests.
Import ListNotations.
Open Scope nat_scope.

Section Tests.
  (** [is_alike]: the map, if there is one, is known to give equal values equal labels. *)
  Variables (before after : types) (req : requirement) (is_alike : bool).

  (** Records with the same key by these columns are in the same branch. *)
  Variable together_by : list attribute.

  Local Notation ks := (BranchTests.ks before).
  Local Notation target := (BranchTests.target req).
  Local Notation is_written := (BranchTests.is_written req).
  Local Notation type_before := (BranchTests.type_before before req).
  Local Notation is_converted := (BranchTests.is_converted before req).
  Local Notation kept_cell := (BranchTests.kept_cell before req).
  Local Notation written_cell := (BranchTests.written_cell req).
  Local Notation written_value := (BranchTests.written_value req).
  Local Notation cases := (BranchTests.cases before req).
  Local Notation is_never_in := (BranchTests.is_never_in before after req).
  Local Notation is_left := (BranchTests.is_left req).
  Local Notation is_readable := (BranchTests.is_readable req).
  Local Notation is_readable_fact := (BranchTests.is_readable_fact req).
  Local Notation is_void := (BranchTests.is_void before after req).
  Local Notation selects_all := (BranchTests.selects_all before after req).
  Local Notation is_function_of := (BranchTests.is_function_of before req is_alike).
  Local Notation keeps_classes := (BranchTests.keeps_classes before req is_alike).
  Local Notation splits_nothing := (BranchTests.splits_nothing req).
  Local Notation leads_to := (BranchTests.leads_to before after req is_alike together_by).
  Local Notation values_written := (BranchTests.values_written req).
  Local Notation is_fresh := (BranchTests.is_fresh before after req together_by).

  Variables (R : bag) (L : list (record * outcome)).
  Hypothesis well_formed : is_well_formed req = true.
  Hypothesis fits_types : types_fit req before after = true.
  Hypothesis in_schema : forall A, written req = Some A -> A < length before.
  Hypothesis typed_before : forall r, In r R -> is_typed before r.
  Hypothesis texts : forall x, acts req = Some x -> labels_are_texts (plain_of x).
  Hypothesis alike : is_alike = true -> forall x A g, acts req = Some x -> plain_of x = Generalize A g -> labels_alike g.
  Hypothesis from_R : forall r o, In (r, o) L -> In r R /\ is_possible req (is_affected (asserts req) R r) r o.

  Notation left := (what_is_left req R).

  Lemma left_elsewhere r o r' B : left (r, o) = Some r' -> is_written B = false -> is_left B = true ->
    value_at r' B = value_at r B.
  Proof.
    unfold BranchTests.is_written, BranchTests.is_left. intros E NW ND. apply negb_true_iff in ND. rewrite !value_at_get. f_equal.
    assert (N : written req <> Some B) by (intro Z; rewrite Z, Nat.eqb_refl in NW; discriminate).
    unfold what_is_left in E. simpl in E. destruct o; [injection E as <-; now apply get_kept| |discriminate].
    destruct (written req) as [A|] eqn:HA; [|discriminate]. injection E as <-.
    rewrite get_update_other by congruence. apply get_kept; auto. now rewrite HA.
  Qed.

  Lemma left_typed r o r' : In (r, o) L -> left (r, o) = Some r' -> is_typed after r'.
  Proof. intros I E. destruct (from_R r o I) as [J P]. eapply types_fit_sound; eauto. Qed.

  Lemma kept_value r B : In r R -> is_written B = true -> is_converted = false ->
    value_at (prepared req R r) B = value_at r B.
  Proof.
    intros I HB NC. apply is_written_column in HB as [HA HC]. unfold BranchTests.is_converted in NC. rewrite HA in NC.
    apply negb_false_iff in NC. destruct (typed_before r I) as [Len T]. pose proof (in_schema B HA) as Less.
    rewrite !value_at_get, prepared_converts by (auto; lia). apply keeps_value_sound with (before := type_before); auto.
    unfold BranchTests.type_before. rewrite HC. apply T.
  Qed.

  (** A record that is left is in one of the cases. *)
  Lemma case_of b r o r' : In (r, o) L -> left (r, o) = Some r' -> in_branch b r o ->
    exists one, In one (cases b) /\ forall s e, e 2 = value_at r' target ->
      true_in (scene r s e) (fst one) = true /\
      forall B, is_left B = true -> scene r s e (snd one B) = value_at r' B.
  Proof.
    intros I E [_ HB]. destruct (from_R r o I) as [J P]. destruct o as [|a|]; [| |discriminate].
    - exists (renamed here (kept_of b), kept_cell). split; [now left|]. intros s e He. cbn [fst snd].
      split; [now rewrite renamed_here|]. intros B ND. unfold BranchTests.kept_cell. destruct (is_written B) eqn:W.
      + destruct is_converted eqn:C; simpl.
        * rewrite scene_extra, He. apply is_written_column in W as [_ ->]. reflexivity.
        * rewrite scene_here. injection E as <-. symmetry. now apply kept_value.
      + rewrite andb_false_r, scene_here. symmetry. now apply (left_elsewhere r Kept r').
    - exists (And (renamed here (rewritten_of b)) written_value, written_cell). split; [right; now left|].
      intros s e He. cbn [fst snd true_in]. rewrite renamed_here, HB. simpl.
      assert (exists A, written req = Some A) as (A & HA).
      { unfold what_is_left in E. simpl in E. destruct (written req); [eauto|discriminate]. }
      unfold what_is_left in E. simpl in E. rewrite HA in E. injection E as <-.
      assert (HC : target = A) by (unfold BranchTests.target; now rewrite HA). destruct (typed_before r J) as [Len _].
      pose proof (in_schema A HA) as Less.
      rewrite HC, value_at_update in He by (rewrite length_prepared; lia). split.
      + unfold BranchTests.written_value, is_possible in *. destruct (acts req) as [x|]; [|easy].
        assert (W : writes (plain_of x) A (retype (retypes req) r) a).
        { destruct x as [[]|]; destruct P as [_ (B & HB' & P)]; congruence. }
        destruct (plain_of x); try easy; simpl in W.
        * destruct W as [_ ->]. cbn [true_in]. rewrite scene_extra, He. apply compares_eq.
        * destruct W as [_ (z & Z & ->)].
          assert (Bounds : e 2 = exact (integer z) -> true_in (scene r s e)
            (And (Compare (extra 2) GE (exact (integer l))) (Compare (extra 2) LE (exact (integer u)))) = true).
          { intro V. cbn [true_in]. rewrite !scene_extra, V. unfold compares. rewrite !compare_integers.
            destruct (Z.compare_spec z l), (Z.compare_spec z u); auto; lia. }
          assert (Exact : is_exact (Integer z)) by (left; eauto).
          destruct t; try easy; apply Bounds; rewrite He; [| |reflexivity]; apply (exact_stays_exact _ (Integer z)); eauto.
        * destruct W as [_ W]. rewrite true_in_any_of. apply existsb_exists. apply in_map_iff in W as (ball & <- & W).
          eexists. split; [apply in_map_iff; exists ball; split; [reflexivity|exact W]|]. cbn [true_in].
          rewrite scene_extra, He. apply compares_eq.
      + intros B ND. unfold BranchTests.written_cell. destruct (is_written B) eqn:W.
        * rewrite scene_extra, He. apply is_written_column in W as [W _]. rewrite HA in W. injection W as <-.
          symmetry. apply value_at_update. rewrite length_prepared. lia.
        * rewrite scene_here. symmetry. apply (left_elsewhere r (Rewritten a)); auto.
          unfold what_is_left. simpl. now rewrite HA.
  Qed.

  (** What no record satisfies before and after, none does. *)
  Lemma never_in b f phi r o r' : is_never_in b f phi = true -> In (r, o) L -> left (r, o) = Some r' -> in_branch b r o ->
    exists cell e, (forall B, is_left B = true -> scene r r e (cell B) = value_at r' B) /\
      true_in (scene r r e) (phi cell) = false.
  Proof.
    unfold BranchTests.is_never_in. rewrite forallb_forall. intros H I E HB. destruct (case_of b r o r' I E HB) as (one & J & K).
    destruct (from_R r o I) as [JR _]. exists (snd one), (three (aggregated f []) (aggregated f []) (value_at r' target)).
    destruct (K r (three (aggregated f []) (aggregated f []) (value_at r' target)) eq_refl) as [KC KB]. split; auto.
    specialize (H one J). pose proof (is_typed_is_of _ _ (typed_before r JR)) as KR.
    apply (never_sound _ _ _ r r (three (aggregated f []) (aggregated f []) (value_at r' target))) in H; auto;
      [|apply kinds_of_three; now apply (left_typed r o)].
    cbn [true_in] in H. rewrite KC in H. exact H.
  Qed.

  Lemma never_here part W r : never ks [] (And (renamed here part) (renamed here W)) = true -> In r R ->
    holds_of part r = true -> holds_of W r = true -> False.
  Proof.
    intros H I P HW. apply (never_sound _ _ _ r r (fun _ => nothing)) in H;
      try (now apply is_typed_is_of, typed_before); [|intros [|j]; exact Logic.I].
    cbn [true_in] in H. now rewrite !renamed_here, P, HW in H.
  Qed.
  (** * The classes of a branch *)

  Variables (b : branch) (mark : record -> bool) (violating : bool).
  Hypothesis marked_together : forall r s, key together_by r = key together_by s -> mark r = mark s.
  Hypothesis in_the_branch : forall r o, In (r, o) L -> mark r = violating -> in_branch b r o.

  Variable F : class_fact.
  Hypothesis readable : is_readable_fact F = true.

  Lemma readable_selection : is_readable (selection F) = true.
  Proof. unfold BranchTests.is_readable_fact in readable. rewrite !andb_true_iff in readable. tauto. Qed.

  Lemma readable_group B : In B (groups F) -> is_left B = true.
  Proof.
    unfold BranchTests.is_readable_fact in readable. rewrite !andb_true_iff in readable. destruct readable as [[[_ H] _] _].
    rewrite forallb_forall in H. auto.
  Qed.

  Lemma allows_in_cell cell r' v s e r : (forall B, is_left B = true -> scene r s e (cell B) = value_at r' B) ->
    true_in (with_count v (fun B => scene r s e (cell B))) (allowed F) = true_in (with_count v (value_at r')) (allowed F).
  Proof.
    unfold BranchTests.is_readable_fact in readable. rewrite !andb_true_iff in readable. destruct readable as [[_ H] _].
    rewrite forallb_forall in H. intro E. apply true_in_agree. intros [|B] I; simpl; auto. apply E. exact (H _ I).
  Qed.

  Lemma is_void_sound r o r' : is_void b F = true -> In (r, o) L -> mark r = violating ->
    left (r, o) = Some r' -> holds_of (selection F) r' = false.
  Proof.
    intros H I V E. destruct (never_in b _ _ r o r' H I E (in_the_branch r o I V)) as (cell & e & K & N).
    rewrite <- N. symmetry. now apply (holds_in_cell req); [apply readable_selection|].
  Qed.

  Section Leads.
    Variable K : class_fact.
    Hypothesis leads : leads_to b K F = true.
    Hypothesis known : true_of K (filter (fun r => Bool.eqb (mark r) violating) (map fst L)).

    Let mine (r : record) : bool := Bool.eqb (mark r) violating && holds_of (selection K) r.

    Lemma known_of_mine : fact (function F) mine (groups K) (allows (allowed K)) (map fst L).
    Proof.
      unfold BranchTests.leads_to in leads. rewrite !andb_true_iff in leads. destruct leads as [[[[[[_ E] _] _] _] _] _].
      destruct (aggregate_eq_dec (function K) (function F)) as [<-|]; [|discriminate]. intros r I M. unfold mine in M.
      apply andb_true_iff in M as [MV MW]. specialize (known r). rewrite filter_In in known. specialize (known (conj I MV) MW).
      unfold mine. now rewrite filter_filter in known.
    Qed.

    Lemma covered r o r' : In (r, o) L -> mark r = violating -> left (r, o) = Some r' ->
      holds_of (selection F) r' = true -> holds_of (selection K) r = true.
    Proof.
      intros I V E W. unfold BranchTests.leads_to in leads. rewrite !andb_true_iff in leads. destruct leads as [[[_ C] _] _].
      destruct (never_in b _ _ r o r' C I E (in_the_branch r o I V)) as (cell & e & KC & N). cbn [true_in] in N.
      rewrite renamed_here, (holds_in_cell req _ cell r') in N; auto using readable_selection. rewrite W, andb_true_r in N.
      now apply negb_false_iff in N.
    Qed.

    Lemma selected q oq : selects_all b K F = true -> In (q, oq) L -> mark q = violating ->
      holds_of (selection K) q = true -> exists s, left (q, oq) = Some s /\ holds_of (selection F) s = true.
    Proof.
      unfold BranchTests.selects_all. intros S I V W. apply andb_true_iff in S as [S1 S2]. destruct (from_R q oq I) as [J P].
      assert (HB := in_the_branch q oq I V). destruct (left (q, oq)) as [s|] eqn:E.
      - exists s. split; auto. destruct (never_in b _ _ q oq s S2 I E HB) as (cell & e & KC & N). cbn [true_in] in N.
        rewrite renamed_here, (holds_in_cell req _ cell s), W in N; auto using readable_selection. now apply negb_false_iff in N.
      - exfalso. unfold what_is_left in E. simpl in E. destruct oq; [discriminate| |].
        + destruct (written req) eqn:HA; [discriminate|]. unfold is_possible in P.
          destruct (acts req) as [x|]; [|easy]. destruct x as [[]|]; destruct P as [_ (C & HC & _)]; congruence.
        + destruct HB as [_ HB]. now apply (never_here _ _ q S1).
    Qed.

    Lemma same_counted q oq s : In (q, oq) L -> mark q = violating ->
      holds_of (selection K) q = true -> left (q, oq) = Some s -> aggregates_the_same (function F) (q, s).
    Proof.
      intros I V W E. unfold BranchTests.leads_to in leads. rewrite !andb_true_iff in leads. destruct leads as [[[[[[C _] _] _] _] KC] _].
      destruct (from_R q oq I) as [J P]. unfold BranchTests.keeps_counted in KC.
      destruct (function F) eqn:HF; try discriminate; simpl; auto.
      assert (LB : is_left B = true). { unfold BranchTests.is_readable_fact in readable. rewrite HF, !andb_true_iff in readable. tauto. }
      destruct (is_written B) eqn:WB; [|now apply (left_elsewhere q oq)]. simpl in KC. apply andb_true_iff in KC as [NC NR].
      apply negb_true_iff in NC. destruct oq as [|a|]; [| |discriminate].
      - injection E as <-. now apply kept_value.
      - exfalso. destruct (in_the_branch q (Rewritten a) I V) as [_ HR]. now apply (never_here _ _ q NR).
    Qed.

    Lemma rewritten_alike p q a a' : is_function_of (groups K) = true -> In (p, Rewritten a) L -> In (q, Rewritten a') L ->
      key (groups K) p = key (groups K) q -> value_of a = value_of a'.
    Proof.
      intros FU I J E. destruct (from_R _ _ I) as [IR P]. destruct (from_R _ _ J) as [JR Q].
      unfold BranchTests.is_function_of, is_possible in *. destruct (acts req) as [x|] eqn:HX; [|discriminate].
      assert (WP : exists A, written req = Some A /\ writes (plain_of x) A (retype (retypes req) p) a).
      { destruct x as [[]|]; destruct P as [_ P]; exact P. }
      assert (WQ : exists A, written req = Some A /\ writes (plain_of x) A (retype (retypes req) q) a').
      { destruct x as [[]|]; destruct Q as [_ Q]; exact Q. }
      destruct WP as (A & HA & WP), WQ as (A' & HA' & WQ). assert (A' = A) by congruence. subst A'.
      destruct (plain_of x) eqn:HP; try discriminate; simpl in WP, WQ.
      - destruct WP as [_ ->], WQ as [_ ->]. reflexivity.
      - apply Z.eqb_eq in FU. destruct WP as [_ (y & Y & ->)], WQ as [_ (z & Z & ->)]. now replace y with z by lia.
      - destruct balls as [|ball [|]]; try discriminate. destruct WP as [_ [<-|[]]], WQ as [_ [<-|[]]]. reflexivity.
      - destruct WP as [<- ->], WQ as [_ ->]. apply andb_true_iff in FU as [M FU].
        assert (HT : target = A) by (unfold BranchTests.target; now rewrite HA). rewrite HT in M. apply mem_in in M.
        assert (V : value_at p A = value_at q A) by now apply (key_at (groups K)).
        destruct (typed_before p IR) as [LP TP], (typed_before q JR) as [LQ TQ]. pose proof (in_schema A HA) as Less.
        assert (PR : forall r, prepared req R r = retype (retypes req) r).
        { intro r. unfold prepared. rewrite HX. destruct x as [[]|]; auto. discriminate HP. }
        rewrite <- !PR, !prepared_converts by (auto; lia). do 2 f_equal. rewrite !value_at_get in V.
        unfold BranchTests.has_one_text, BranchTests.type_before in FU. rewrite HT in FU. specialize (TP A). specialize (TQ A).
        destruct (type_at before A) as [k| |] eqn:TA; simpl in FU.
        + destruct TP as [SP _], TQ as [SQ _]. now rewrite (one_text k _ _ SP SQ V).
        + apply andb_true_iff in FU as [FA FC]. assert (Q' := alike FA x A g eq_refl HP).
          assert (T : forall f, text_of (convert (conversion req) f) = text_of f) by (intro f; destruct (conversion req), f; try easy).
          rewrite !T. now apply Q'.
        + apply andb_true_iff in FU as [FA FC]. assert (Q' := alike FA x A g eq_refl HP).
          assert (T : forall f, text_of (convert (conversion req) f) = text_of f) by (intro f; destruct (conversion req), f; try easy).
          rewrite !T. now apply Q'.
    Qed.

    Lemma same_key p op r' q oq s : keeps_classes b K F = true -> In (p, op) L -> In (q, oq) L ->
      mark p = violating -> mark q = violating ->
      holds_of (selection K) p = true -> holds_of (selection K) q = true -> key (groups K) q = key (groups K) p ->
      left (p, op) = Some r' -> left (q, oq) = Some s -> key (groups F) s = key (groups F) r'.
    Proof.
      unfold BranchTests.keeps_classes. intros H I J VP VQ WP WQ E LP LQ. apply andb_true_iff in H as [H1 H2]. apply key_ext.
      intros B HB. assert (LB := readable_group B HB). destruct (is_written B) eqn:WB.
      2:{ rewrite (left_elsewhere q oq s), (left_elsewhere p op r') by auto. apply (key_at (groups K)); auto.
          apply (all_in_incl _ _ H1). apply filter_In. now rewrite WB. }
      assert (EX : existsb is_written (groups F) = true) by (apply existsb_exists; eauto). rewrite EX in H2. simpl in H2.
      rewrite !andb_true_iff in H2. destruct H2 as [[HK HR] HM]. rewrite !orb_true_iff in *.
      destruct (from_R p op I) as [IP PP]. destruct (from_R q oq J) as [IQ PQ].
      destruct (in_the_branch p op I VP) as [CP BP]. destruct (in_the_branch q oq J VQ) as [CQ BQ].
      destruct (is_written_column B WB) as [HA HT].
      assert (Mixed : forall t u at_, In (t, Kept) L -> In (u, Rewritten at_) L ->
        mark t = violating -> mark u = violating ->
        holds_of (selection K) t = true -> holds_of (selection K) u = true -> key (groups K) t = key (groups K) u -> False).
      { intros t u at_ It Iu Vt Vu Wt Wu Et. destruct (in_the_branch t Kept It Vt) as [Ct Bt].
        destruct (in_the_branch u _ Iu Vu) as [Cu Bu]. destruct (from_R _ _ It) as [Rt _]. destruct (from_R _ _ Iu) as [Ru _].
        destruct HM as [[HM|HM]|HM].
        - now apply (never_here _ _ t HM).
        - now apply (never_here _ _ u HM).
        - apply andb_true_iff in HM as [HD HN].
          change (never ks [] (And (renamed here (And (kept_of b) (rewritten_of b))) (renamed here (selection K))) = true) in HN.
          apply (never_here _ _ t HN); auto. rewrite holds_of_and, Bt. simpl.
          rewrite <- Bu. apply (is_decided_sound _ _ _ _ t u HD); auto; try (now apply is_typed_is_of, typed_before);
            rewrite holds_of_and; [now rewrite Ct, Wt|now rewrite Cu, Wu]. }
      destruct op as [|a|]; [| |discriminate]; destruct oq as [|a'|]; try discriminate.
      - destruct HK as [HK|HK]; [exfalso; now apply (never_here _ _ p HK)|]. apply andb_true_iff in HK as [HG HC].
        rewrite HT in HG. apply mem_in in HG. assert (V := key_at (groups K) q p E B HG).
        injection LP as <-. injection LQ as <-. apply orb_true_iff in HC as [HC|HC].
        + apply negb_true_iff in HC. now rewrite !kept_value.
        + destruct (typed_before p IP) as [LenP TP], (typed_before q IQ) as [LenQ TQ]. pose proof (in_schema B HA) as Less.
          rewrite !value_at_get, !prepared_converts by (auto; lia). rewrite !value_at_get in V.
          unfold BranchTests.has_one_text, BranchTests.type_before in HC. rewrite HT in HC. specialize (TP B). specialize (TQ B).
          destruct (type_at before B) as [k| |]; try discriminate. destruct TP as [SP _], TQ as [SQ _].
          now rewrite (one_text k _ _ SQ SP V).
      - exfalso. now apply (Mixed p q a' I J).
      - exfalso. now apply (Mixed q p a J I).
      - destruct HR as [HR|HR]; [exfalso; now apply (never_here _ _ p HR)|].
        unfold what_is_left in LP, LQ. simpl in LP, LQ. rewrite HA in LP, LQ. injection LP as <-. injection LQ as <-.
        destruct (typed_before p IP) as [LenP _], (typed_before q IQ) as [LenQ _]. pose proof (in_schema B HA) as Less.
        rewrite !value_at_update by (rewrite length_prepared; lia).
        apply (rewritten_alike q p a' a HR J I E).
    Qed.

    Lemma same_key_before p op r' q oq s : splits_nothing K F = true -> left (p, op) = Some r' -> left (q, oq) = Some s ->
      key (groups F) s = key (groups F) r' -> key (groups K) q = key (groups K) p.
    Proof.
      unfold BranchTests.splits_nothing. intros H LP LQ E. apply andb_true_iff in H as [HI HN]. apply negb_true_iff in HN. apply key_ext.
      intros B HB. assert (HB' : In B (groups F)) by now apply (all_in_incl _ _ HI). assert (LB := readable_group B HB').
      assert (WB : is_written B = false).
      { destruct (is_written B) eqn:WB; auto. rewrite <- HN. symmetry. apply existsb_exists. eauto. }
      rewrite <- (left_elsewhere q oq s), <- (left_elsewhere p op r') by auto. now apply (key_at (groups F)).
    Qed.

    Theorem leads_to_sound r o r' : In (r, o) L -> mark r = violating -> left (r, o) = Some r' ->
      holds_of (selection F) r' = true ->
      allows (allowed F) r' (aggregated (function F) (class (groups F) (filter (holds_of (selection F)) (picked left L)) r')).
    Proof.
      intros I V E W. assert (HL := leads). unfold BranchTests.leads_to in HL. rewrite !andb_true_iff in HL.
      destruct HL as [[[[[[C _] _] HT] _] _] HA].
      destruct (relation_of_classes _ _) as [how|] eqn:RC; [|discriminate].
      assert (Union : how <> AtMost -> selects_all b K F = true /\ keeps_classes b K F = true).
      { intro N. apply andb_true_iff. destruct (selects_all b K F && keeps_classes b K F); auto.
        destruct (splits_nothing K F); simpl in RC; [|discriminate]. now injection RC as <-. }
      assert (Part : how <> AtLeast -> splits_nothing K F = true).
      { intro N. destruct (splits_nothing K F); auto. destruct (selects_all b K F && keeps_classes b K F); simpl in RC;
          [now injection RC as <-|discriminate]. }
      assert (WK := covered r o r' I V E W). destruct (from_R r o I) as [IR P].
      apply (traced L fst left (function F) (holds_of (selection F)) (groups F) (groups K) (allows (allowed F)) mine
               (allows (allowed K)) C how (r, o) r'); auto.
      - unfold mine. simpl. now rewrite V, Bool.eqb_reflx, WK.
      - exact known_of_mine.
      - intros N [q oq] J M KQ. unfold mine in M. simpl in *. apply andb_true_iff in M as [MV MW].
        apply Bool.eqb_prop in MV. destruct (Union N) as [U1 U2]. destruct (selected q oq U1 J MV MW) as (s & LS & WS).
        exists s. split; [|split; [|split]]; auto; [now apply (same_key r o r' q oq s)|now apply (same_counted q oq)].
      - intros N [q oq] s J LS WS KS. simpl in *. assert (KQ := same_key_before r o r' q oq s (Part N) E LS KS).
        assert (VQ : mark q = violating).
        { rewrite <- V. apply marked_together. now apply (key_incl (groups K)); [apply all_in_incl|]. }
        assert (WQ := covered q oq s J VQ LS WS). split; [|split]; auto; [|now apply (same_counted q oq)].
        unfold mine. now rewrite VQ, Bool.eqb_reflx, WQ.
      - intros v w (S & NS & ->) (T & NT & ->) Rel U1. simpl in U1. unfold BranchTests.allows_after in HA. rewrite forallb_forall in HA.
        destruct (case_of b r o r' I E (in_the_branch r o I V)) as (one & JO & HO). specialize (HA one JO).
        set (e := three (aggregated (function F) S) (aggregated (function F) T) (value_at r' target)).
        destruct (HO r e eq_refl) as [HC HB]. unfold allows.
        rewrite <- (allows_in_cell (snd one) r' _ r e r HB).
        apply (allowed_follows_sound _ _ _ _ _ _ _ r r e HA); auto; try (now apply is_typed_is_of, typed_before).
        + apply kinds_of_three. now apply (left_typed r o).
        + rewrite true_in_all_of. cbn [forallb]. rewrite HC, renamed_here, WK.
          now rewrite (positive_true _ 0 r r e S), (positive_true _ 1 r r e T).
    Qed.
  End Leads.

  Theorem is_fresh_sound r o r' : is_fresh b F = true -> In (r, o) L -> mark r = violating ->
    left (r, o) = Some r' -> holds_of (selection F) r' = true ->
    allows (allowed F) r' (aggregated (function F) (class (groups F) (filter (holds_of (selection F)) (picked left L)) r')).
  Proof.
    unfold BranchTests.is_fresh. destruct (function F) as [| | | |B| | |] eqn:HF; try discriminate.
    destruct values_written as [vs|] eqn:HV; [|discriminate]. rewrite !andb_true_iff.
    intros [[[[WB _] SN] NK] NR] I V E W. destruct (is_written_column B WB) as [HA HT].
    set (S := class (groups F) (filter (holds_of (selection F)) (picked left L)) r').
    assert (J : In r' (picked left L)) by (apply in_picked; eauto).
    assert (NS : S <> []) by (apply class_nonempty, filter_In; auto).
    assert (Hit : forall q oq s, In (q, oq) L -> mark q = violating -> left (q, oq) = Some s ->
      holds_of (selection F) s = true -> exists a, oq = Rewritten a).
    { intros q oq s JQ VQ LQ WQ. destruct oq as [|a|]; [|eauto|discriminate]. exfalso.
      destruct (from_R _ _ JQ) as [IQ _]. destruct (in_the_branch q Kept JQ VQ) as [_ BQ].
      destruct (case_of {| care_of := care_of b; kept_of := kept_of b; rewritten_of := Never; removed_of := Never |} q Kept s JQ LQ)
        as (one & IO & HO).
      { split; [exact (proj1 (in_the_branch q Kept JQ VQ))|exact BQ]. }
      set (e := three (aggregated (CountDistinct B) []) (aggregated (CountDistinct B) []) (value_at s target)).
      destruct (HO q e eq_refl) as [HC HB]. destruct IO as [<-|[<-|[]]]; [|now cbn in HC].
      apply (never_sound _ _ _ q q e) in NK; try (now apply is_typed_is_of, typed_before);
        [|apply kinds_of_three; now apply (left_typed q Kept)].
      cbn [fst snd true_in kept_of] in *. rewrite HC, (holds_in_cell req _ kept_cell s), WQ in NK; auto using readable_selection. discriminate. }
    assert (Few : below (aggregated (CountDistinct B) S) (number_of_records (length vs))).
    { apply of_values_count_distinct_at_most. intros s JS. unfold S in JS. apply in_class in JS as [JS KS].
      apply filter_In in JS as [JS WS]. apply in_picked in JS as ([q oq] & JQ & LQ).
      assert (VQ : mark q = violating).
      { rewrite <- V. apply marked_together.
        exact (same_key_before {| function := Count; selection := Never; groups := together_by; allowed := Never |}
                 r o r' q oq s SN E LQ KS). }
      destruct (Hit q oq s JQ VQ LQ WS) as (a & ->). destruct (from_R _ _ JQ) as [IQ PQ].
      assert (LQ' := LQ). unfold what_is_left in LQ'. simpl in LQ'. rewrite HA in LQ'. injection LQ' as <-.
      destruct (typed_before q IQ) as [Len _]. pose proof (in_schema B HA).
      rewrite value_at_update by (rewrite length_prepared; lia).
      unfold BranchTests.values_written, is_possible in *. destruct (acts req) as [x|]; [|discriminate].
      assert (WQ : exists A, written req = Some A /\ writes (plain_of x) A (retype (retypes req) q) a).
      { destruct x as [[]|]; destruct PQ as [_ PQ]; exact PQ. }
      destruct WQ as (A & _ & WQ). destruct (plain_of x); try discriminate; injection HV as <-; simpl in WQ.
      - destruct WQ as [_ ->]. now left.
      - destruct WQ as [_ WQ]. apply in_map_iff in WQ as (ball & <- & WQ). apply in_map_iff. eauto. }
    destruct (Hit r o r' I V E W) as (a & ->). destruct (in_the_branch r _ I V) as [_ BR].
    destruct (case_of {| care_of := care_of b; kept_of := Never; rewritten_of := rewritten_of b; removed_of := Never |}
                r (Rewritten a) r' I E) as (one & IO & HO).
    { split; [exact (proj1 (in_the_branch r _ I V))|exact BR]. }
    set (e := three (aggregated (CountDistinct B) S) (aggregated (CountDistinct B) S) (value_at r' target)).
    destruct (HO r e eq_refl) as [HC HB]. destruct IO as [<-|[<-|[]]]; [now cbn in HC|].
    destruct (from_R _ _ I) as [IR _].
    apply (never_sound _ _ _ r r e) in NR; try (now apply is_typed_is_of, typed_before);
      [|apply kinds_of_three; now apply (left_typed r (Rewritten a))].
    rewrite true_in_all_of in NR. cbn [forallb fst snd true_in rewritten_of] in *. apply andb_true_iff in HC as [HC1 HC2].
    rewrite HC1, HC2, (holds_in_cell req _ written_cell r'), W in NR; auto using readable_selection.
    rewrite (positive_true (CountDistinct B) 0 r r e S), scene_extra in NR by auto. cbn [e three] in NR.
    rewrite (compares_le _ _ Few), renamed_at_count in NR. cbn [e three] in NR.
    rewrite (allows_in_cell written_cell r' _ r e r HB) in NR. simpl in NR. rewrite andb_true_r in NR.
    now apply negb_false_iff in NR.
  Qed.
End Tests.
