(** What a requirement may do to a record, as conditions: docs/prove.md, sections 2 and 5.

    A requirement about classes affects all records of a class that are in its scope, or none. So there are two branches: the
    classes that satisfy its assertion, and those that do not. *)
From Coq Require Import List ZArith QArith Bool PeanoNat Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions Anonymity Aggregates Facts Histories.
From Acompass Require Import Satisfiability Entailment ClassFacts Outcomes.
Import ListNotations.
Open Scope nat_scope.

Definition where_condition (psi : option condition) : condition := match psi with None => anything | Some psi => psi end.

Lemma where_condition_holds psi r : holds_of (where_condition psi) r = where_holds psi r.
Proof. now destruct psi. Qed.

Definition scope (a : assertion) : condition :=
  match a with
  | Each Result phi => Not phi
  | Each (Filter psi) phi => And psi (Not phi)
  | Each (Process _ psi _) _ => where_condition psi
  | Some_ _ _ => anything
  end.

(** Records with the same key are in the same branch. *)
Definition together (a : assertion) : list attribute := match a with Each (Process _ _ G) _ => G | _ => [] end.

Definition is_violating (a : assertion) (R : bag) (r : record) : bool :=
  match a with
  | Each (Process f psi G) phi => negb (satisfies phi (aggregate_record f G (where_filtered psi R) (key G r)))
  | Some_ _ _ => negb (holds a R)
  | _ => true
  end.

Lemma violating_together a R r s : key (together a) r = key (together a) s -> is_violating a R r = is_violating a R s.
Proof. destruct a as [[]|]; simpl; auto. now intros ->. Qed.

Lemma affected_by_branch a R r : In r R -> is_affected a R r = is_violating a R r && holds_of (scope a) r.
Proof.
  intro I. destruct a as [[]|]; simpl.
  - reflexivity.
  - unfold affected_by_filter. now rewrite holds_of_and.
  - rewrite affected_by_process_own, where_condition_holds by auto. apply andb_comm.
  - now rewrite andb_true_r.
Qed.

(** * Conditions on the key and the aggregates of a class, in a scene *)

Definition lifted (G : list attribute) (p : attribute) : attribute :=
  match nth_error G p with Some A => here A | None => extra (p - length G) end.

Definition aggregates_of (fs : list aggregate) (S : bag) (j : nat) : value := nth j (map (fun f => aggregated f S) fs) nothing.

Lemma true_in_lifted phi fs G S r : satisfies phi (key G r ++ map (fun f => aggregated f S) fs) =
  true_in (scene r r (aggregates_of fs S)) (renamed (lifted G) phi).
Proof.
  rewrite satisfies_true_in, true_in_renamed. apply true_in_agree. intros p _. unfold environment, lifted.
  destruct (nth_error G p) as [A|] eqn:N.
  - rewrite scene_here, app_nth1 by (rewrite length_key; apply nth_error_Some; congruence).
    unfold key. apply nth_error_nth. now rewrite (map_nth_error _ _ _ N).
  - rewrite scene_extra. apply nth_error_None in N. rewrite app_nth2; rewrite length_key; auto.
Qed.

Definition kinds_of_aggregates (fs : list aggregate) : kinds := map kind_of_aggregate fs.

(** What is known of the aggregates of every class by G: a count is at least 1, and 1 if a column of G is counted. *)
Definition bound (G : list attribute) (f : aggregate) (j : nat) : condition :=
  match f with
  | CountDistinct B => if mem B G then Compare (extra j) EQ one else positive f j
  | _ => positive f j
  end.
Fixpoint bounds (G : list attribute) (j : nat) (fs : list aggregate) : list condition :=
  match fs with [] => [] | f :: fs' => bound G f j :: bounds G (S j) fs' end.

Lemma kinds_of_aggregates_hold fs S j : is_of_kind (kind_at (kinds_of_aggregates fs) j) (aggregates_of fs S j).
Proof.
  unfold kind_at, kinds_of_aggregates, aggregates_of. revert j.
  induction fs as [|f fs IH]; intros [|j]; simpl; auto. apply kind_of_aggregated.
Qed.

Lemma bound_true G f j r s e R t : In t R -> e j = aggregated f (class G R t) -> true_in (scene r s e) (bound G f j) = true.
Proof.
  intros I E. assert (P : true_in (scene r s e) (positive f j) = true).
  { apply positive_true with (class G R t); auto. now apply class_nonempty. }
  unfold bound. destruct f; auto. destruct (mem B G) eqn:M; auto. cbn [true_in]. rewrite scene_extra, E.
  apply mem_in in M. rewrite of_values_count_distinct_grouped by auto. apply compares_eq.
Qed.

Lemma bounds_hold r s G R t : In t R -> forall fs j e, (forall i, e (j + i) = aggregates_of fs (class G R t) i) ->
  forallb (true_in (scene r s e)) (bounds G j fs) = true.
Proof.
  intros I. induction fs as [|f fs IH]; intros j e E; auto. simpl. rewrite (bound_true G f j r s e R t), IH; auto.
  - intro i. transitivity (e (j + Datatypes.S i)); [f_equal; lia|apply (E (Datatypes.S i))].
  - rewrite <- (Nat.add_0_r j). apply (E 0).
Qed.

(** * May and must *)

(** [may] has every record of the scope that is affected in some table. *)
Definition may_is_sound (ks : kinds) (inv : condition) (a : assertion) (may : condition) : bool :=
  implies_in ks (And inv (scope a)) may ||
  match a with
  | Each (Process fs psi G) phi =>
      never ks (kinds_of_aggregates fs)
        (all_of ([renamed here (And inv (where_condition psi)); Not (renamed (lifted G) phi); Not (renamed here may)]
                 ++ bounds G 0 fs))
  | Each _ _ => false
  | Some_ Result phi => implies_in ks (And inv (Not phi)) may
  | Some_ (Filter psi) phi => implies_in ks (And inv (Not (And psi phi))) may
  | Some_ (Process _ _ _) _ => false
  end.

(** [must] has only records that are affected in every table. *)
Definition must_is_sound (ks : kinds) (inv : condition) (a : assertion) (must : condition) : bool :=
  implies_in ks (And inv must) Never ||
  match a with
  | Each (Process fs psi G) phi =>
      implies_in ks (And inv must) (where_condition psi) &&
      never ks (kinds_of_aggregates fs)
        (all_of ([renamed here (And inv must); renamed (lifted G) phi] ++ bounds G 0 fs))
  | Each _ _ => implies_in ks (And inv must) (scope a)
  | Some_ Result phi => implies_in ks inv (Not phi)
  | Some_ (Filter psi) phi => implies_in ks inv (Not (And psi phi))
  | Some_ (Process _ _ _) _ => false
  end.

Section Sound.
  Variables (ks : kinds) (inv : condition) (R : bag).
  Hypothesis cared : in_care ks inv R.

  Lemma implied_here extra_phi phi r : In r R -> implies_in ks (And inv extra_phi) phi = true -> holds_of extra_phi r = true ->
    holds_of phi r = true.
  Proof.
    intros I H E. destruct (cared r I) as [K C]. apply (implies_in_sound _ _ _ _ H); auto. now rewrite holds_of_and, C, E.
  Qed.

  Lemma holds_of_not phi r : holds_of (Not phi) r = negb (holds_of phi r).
  Proof. reflexivity. Qed.

  Lemma some_none psi phi r : holds (Some_ (Filter psi) phi) R = false -> In r R -> holds_of (Not (And psi phi)) r = true.
  Proof.
    simpl. intros H I. rewrite holds_of_not, holds_of_and. apply negb_true_iff, not_true_iff_false. intro K.
    apply andb_true_iff in K as [K K']. apply not_true_iff_false in H. apply H, existsb_exists. exists (values r). split; auto.
    apply in_map. now apply filter_In.
  Qed.

  Lemma some_result_none phi r : holds (Some_ Result phi) R = false -> In r R -> holds_of (Not phi) r = true.
  Proof.
    simpl. intros H I. rewrite holds_of_not. apply negb_true_iff, not_true_iff_false. intro K.
    apply not_true_iff_false in H. apply H, existsb_exists. exists (values r). split; auto. now apply in_map.
  Qed.

  Theorem may_holds a may r : may_is_sound ks inv a may = true -> In r R -> is_violating a R r = true ->
    holds_of (scope a) r = true -> holds_of may r = true.
  Proof.
    unfold may_is_sound. intros H I V S. destruct (cared r I) as [K C]. apply orb_true_iff in H as [H|H].
    { now apply (implied_here _ _ _ I H). }
    destruct a as [[|psi|fs psi G] phi|[|psi|] phi]; try discriminate.
    - cbn [scope] in S. assert (W := S). rewrite where_condition_holds in W.
      apply (never_sound _ _ _ r r (aggregates_of fs (class G (where_filtered psi R) r))) in H;
        auto using kinds_of_aggregates_hold.
      rewrite true_in_all_of, forallb_app, (bounds_hold r r G (where_filtered psi R) r) in H; auto;
        [|now apply filter_In]. cbn [forallb true_in] in H. rewrite <- true_in_lifted, !renamed_here, holds_of_and, C, S in H.
      cbn [is_violating] in V. unfold aggregate_record in V. unfold class in H. rewrite V in H. simpl in H.
      rewrite !andb_true_r in H. now apply negb_false_iff in H.
    - cbn [is_violating] in V. apply negb_true_iff in V. apply (implied_here _ _ _ I H). now apply some_result_none.
    - cbn [is_violating] in V. apply negb_true_iff in V. apply (implied_here _ _ _ I H). now apply some_none.
  Qed.

  Theorem must_holds a must r : must_is_sound ks inv a must = true -> In r R -> holds_of must r = true ->
    is_affected a R r = true.
  Proof.
    unfold must_is_sound. intros H I M. destruct (cared r I) as [K C]. rewrite (affected_by_branch _ _ _ I).
    apply orb_true_iff in H as [H|H]; [now apply (implied_here _ _ _ I) in H|].
    destruct a as [[|psi|fs psi G] phi|[|psi|] phi]; try discriminate.
    - now apply (implied_here _ _ _ I H).
    - now apply (implied_here _ _ _ I H).
    - apply andb_true_iff in H as [HS H]. apply (implied_here _ _ _ I) in HS; auto. cbn [scope]. rewrite HS, andb_true_r.
      rewrite where_condition_holds in HS.
      apply (never_sound _ _ _ r r (aggregates_of fs (class G (where_filtered psi R) r))) in H;
        auto using kinds_of_aggregates_hold.
      rewrite true_in_all_of, forallb_app, (bounds_hold r r G (where_filtered psi R) r) in H; auto;
        [|now apply filter_In]. cbn [forallb] in H. rewrite <- true_in_lifted, renamed_here, holds_of_and, C, M in H.
      cbn [is_violating]. unfold aggregate_record. unfold class in H. simpl in H. rewrite !andb_true_r in H. now rewrite H.
    - cbn [is_violating scope]. rewrite andb_true_r. apply negb_true_iff, not_true_iff_false. simpl. intro V.
      apply existsb_exists in V as (t & J & T).
      apply in_map_iff in J as (s & <- & J). destruct (cared s J) as [KS CS]. apply (implies_in_sound _ _ _ s H) in CS; auto.
      rewrite holds_of_not in CS. unfold holds_of in CS. now rewrite T in CS.
    - cbn [is_violating scope]. rewrite andb_true_r. apply negb_true_iff, not_true_iff_false. simpl. intro V.
      apply existsb_exists in V as (t & J & T).
      apply in_map_iff in J as (s & <- & J). apply filter_In in J as [J P]. destruct (cared s J) as [KS CS].
      apply (implies_in_sound _ _ _ s H) in CS; auto. rewrite holds_of_not, holds_of_and, P in CS. unfold holds_of in CS.
      now rewrite T in CS.
  Qed.
End Sound.

(** * The branches *)

Record branch : Type := { care_of : condition; kept_of : condition; rewritten_of : condition; removed_of : condition }.

Definition left_branch (inv must : condition) : branch :=
  {| care_of := And inv (Not must); kept_of := And inv (Not must); rewritten_of := Never; removed_of := Never |}.

(** A check that is known to hold affects nothing; any other check, and DROP, does not matter. *)
Definition hit_care (known : bool) (req : requirement) (inv may : condition) : condition :=
  match acts req with
  | None => if known then And inv (Not (scope (asserts req))) else inv
  | Some (Certain (Drop _)) => inv
  | Some _ => And inv (Or (Not (scope (asserts req))) may)
  end.

Definition hit_branch (known : bool) (req : requirement) (inv may : condition) : branch :=
  let care := hit_care known req inv may in
  let hit := And care (scope (asserts req)) in
  {| care_of := care;
     kept_of := match acts req with
                | None | Some (Certain (Drop _)) | Some (WithProbability _ _) => care
                | Some (Certain _) => And care (Not (scope (asserts req)))
                end;
     rewritten_of := match written req with Some _ => hit | None => Never end;
     removed_of := match acts req with
                   | Some x => match plain_of x with Reject => hit | _ => Never end
                   | None => Never
                   end |}.

Definition branch_of (known : bool) (req : requirement) (inv may must : condition) (violating : bool) : branch :=
  if violating then hit_branch known req inv may else left_branch inv must.

Definition in_branch (b : branch) (r : record) (o : outcome) : Prop :=
  holds_of (care_of b) r = true /\
  match o with
  | Kept => holds_of (kept_of b) r = true
  | Rewritten _ => holds_of (rewritten_of b) r = true
  | Removed => holds_of (removed_of b) r = true
  end.

Theorem branches known req inv may must ks R r o : in_care ks inv R -> In r R ->
  may_is_sound ks inv (asserts req) may = true -> must_is_sound ks inv (asserts req) must = true ->
  (known = true -> acts req = None -> holds (asserts req) R = true) ->
  is_possible req (is_affected (asserts req) R r) r o ->
  in_branch (branch_of known req inv may must (is_violating (asserts req) R r)) r o.
Proof.
  intros cared I HMay HMust HK P. destruct (cared r I) as [_ C].
  rewrite (affected_by_branch _ _ _ I) in P. destruct (is_violating (asserts req) R r) eqn:V; cbn [branch_of].
  - assert (M : holds_of (scope (asserts req)) r = true -> holds_of may r = true) by now apply (may_holds ks inv R).
    assert (NS : known = true -> acts req = None -> holds_of (Not (scope (asserts req))) r = true).
    { intros E N. specialize (HK E N). pose proof (holds_affects_none _ _ _ HK I) as A.
      rewrite (affected_by_branch _ _ _ I), V in A. simpl in A. now rewrite holds_of_not, A. }
    assert (Care : holds_of (hit_care known req inv may) r = true).
    { unfold hit_care. assert (Hit : holds_of (And inv (Or (Not (scope (asserts req))) may)) r = true).
      { rewrite holds_of_and, C. change (negb (holds_of (scope (asserts req)) r) || holds_of may r = true).
        destruct (holds_of (scope (asserts req)) r); simpl; auto. }
      destruct (acts req) as [[[]|]|]; auto. destruct known; auto. now rewrite holds_of_and, C, NS. }
    unfold is_possible, hit_branch, in_branch in *. cbn [care_of kept_of rewritten_of removed_of]. split; auto.
    simpl in P. destruct o.
    + destruct (acts req) as [[[]|]|]; auto; rewrite holds_of_and, Care, holds_of_not, P; auto.
    + destruct (acts req) as [x|]; [|easy].
      assert (Q : holds_of (scope (asserts req)) r = true /\ exists A, written req = Some A).
      { destruct x as [[]|]; destruct P as [P (B & HB & _)]; eauto. }
      destruct Q as [Q (A & ->)]. now rewrite holds_of_and, Care, Q.
    + destruct (acts req) as [x|]; [|easy].
      assert (Q : holds_of (scope (asserts req)) r = true /\ plain_of x = Reject) by (destruct x as [[]|]; tauto).
      destruct Q as [Q ->]. now rewrite holds_of_and, Care, Q.
  - assert (M : holds_of (And inv (Not must)) r = true).
    { rewrite holds_of_and, C, holds_of_not. destruct (holds_of must r) eqn:M; auto.
      apply (must_holds ks inv R cared (asserts req)) in M; auto. now rewrite (affected_by_branch _ _ _ I), V in M. }
    unfold in_branch, left_branch. cbn [care_of kept_of rewritten_of removed_of]. split; auto.
    unfold is_possible in P. simpl in P. destruct o; auto; destruct (acts req) as [[[]|]|]; try easy; now destruct P.
Qed.

(** * Without branches

    A fact that does not depend on which classes are affected can be traced through all of them at once. *)

Definition only_branch (known : bool) (req : requirement) (inv may must : condition) : branch :=
  let hit := And inv (And (scope (asserts req)) may) in
  {| care_of := inv;
     kept_of := match acts req with
                | None => if known then And inv (Not must) else inv
                | Some (Certain (Drop _)) | Some (WithProbability _ _) => inv
                | Some (Certain _) => And inv (Not must)
                end;
     rewritten_of := match written req with Some _ => hit | None => Never end;
     removed_of := match acts req with
                   | Some x => match plain_of x with Reject => hit | _ => Never end
                   | None => Never
                   end |}.

Theorem without_branches known req inv may must ks R r o : in_care ks inv R -> In r R ->
  may_is_sound ks inv (asserts req) may = true -> must_is_sound ks inv (asserts req) must = true ->
  (known = true -> acts req = None -> holds (asserts req) R = true) ->
  is_possible req (is_affected (asserts req) R r) r o -> in_branch (only_branch known req inv may must) r o.
Proof.
  intros cared I HMay HMust HK P. destruct (cared r I) as [_ C].
  assert (Unaffected : is_affected (asserts req) R r = false -> holds_of (And inv (Not must)) r = true).
  { intro A. rewrite holds_of_and, C, holds_of_not. destruct (holds_of must r) eqn:M; auto.
    apply (must_holds ks inv R cared (asserts req)) in M; auto. congruence. }
  assert (Hit : is_affected (asserts req) R r = true -> holds_of (And inv (And (scope (asserts req)) may)) r = true).
  { intro A. rewrite (affected_by_branch _ _ _ I) in A. apply andb_true_iff in A as [V S].
    rewrite !holds_of_and, C, S. now apply (may_holds ks inv R cared (asserts req)). }
  unfold in_branch, only_branch, is_possible in *. cbn [care_of kept_of rewritten_of removed_of]. split; auto. destruct o.
  - destruct (acts req) as [[[]|]|] eqn:X; auto. destruct known; auto. apply Unaffected.
    apply holds_affects_none; auto.
  - destruct (acts req) as [x|]; [|easy].
    assert (Q : is_affected (asserts req) R r = true /\ exists A, written req = Some A).
    { destruct x as [[]|]; destruct P as [P (B & HB & _)]; eauto. }
    destruct Q as [Q (A & ->)]. auto.
  - destruct (acts req) as [x|]; [|easy].
    assert (Q : is_affected (asserts req) R r = true /\ plain_of x = Reject) by (destruct x as [[]|]; tauto).
    destruct Q as [Q ->]. auto.
Qed.
