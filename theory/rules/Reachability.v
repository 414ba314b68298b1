(** docs/prove.md, section 2: the records that a table can contain before each requirement, and claims about records. *)
From Coq Require Import List ZArith QArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Histories.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (care may must : record -> Prop) (a : assertion).

(** * May and must *)

(** [may] has every record that is affected in some table, [must] only records that are affected in every table. *)
Definition may_be_affected a care may : Prop :=
  forall R r, within care R -> In r R -> is_affected a R r = true -> may r.
Definition must_be_affected a care must : Prop :=
  forall R r, within care R -> In r R -> must r -> is_affected a R r = true.

(** ALWAYS: may = must = reach. *)
Theorem always_affects care : may_be_affected Always care care /\ must_be_affected Always care care.
Proof. split; intros R r C I H; auto. Qed.

(** EACH RESULT and EACH FILTER: may = must, the records of the filter that violate the condition. *)
Theorem each_result_affects care phi : let violating r := holds_of phi r = false in
  may_be_affected (Each Result phi) care violating /\ must_be_affected (Each Result phi) care violating.
Proof.
  split; intros R r C I H; cbn [is_affected] in *; unfold affected_by_result in *; now destruct (holds_of phi r).
Qed.

Theorem each_filter_affects care psi phi : let violating r := holds_of psi r = true /\ holds_of phi r = false in
  may_be_affected (Each (Filter psi) phi) care violating /\ must_be_affected (Each (Filter psi) phi) care violating.
Proof.
  split; intros R r C I H; cbn [is_affected] in *; unfold affected_by_filter in *.
  - apply andb_true_iff in H as [H K]. now apply negb_true_iff in K.
  - now destruct H as [-> ->].
Qed.

(** A class that a record r of the care set can be in. *)
Definition possible_class care psi (G : list attribute) (r : record) (S : bag) : Prop :=
  In r S /\ forall s, In s S -> care s /\ where_holds psi s = true /\ key G s = key G r.

Definition class_record (fs : list aggregate) (G : list attribute) (r : record) (S : bag) : tuple :=
  key G r ++ map (fun f => aggregated f S) fs.

Lemma class_is_possible care psi G R r : within care R -> In r R -> where_holds psi r = true ->
  possible_class care psi G r (class G (where_filtered psi R) r).
Proof.
  intros C I HW. split; [apply in_own_class; now apply filter_In|]. intros s J. apply in_class in J as [J K].
  apply filter_In in J as [J HS]. auto.
Qed.

(** EACH PROCESS (`can_violate`, `can_satisfy`): a record can be affected if a class of it can violate the condition, and
    must be if no class of it can satisfy it. *)
Theorem each_process_may fs psi G phi care : may_be_affected (Each (Process fs psi G) phi) care
  (fun r => where_holds psi r = true /\
            exists S, possible_class care psi G r S /\ satisfies phi (class_record fs G r S) = false).
Proof.
  intros R r C I H. cbn [is_affected] in H. rewrite affected_by_process_own in H by auto.
  apply andb_true_iff in H as [HW H]. apply negb_true_iff in H. split; auto.
  exists (class G (where_filtered psi R) r). split; [now apply class_is_possible|exact H].
Qed.

Theorem each_process_must fs psi G phi care : must_be_affected (Each (Process fs psi G) phi) care
  (fun r => where_holds psi r = true /\
            forall S, possible_class care psi G r S -> satisfies phi (class_record fs G r S) = false).
Proof.
  intros R r C I [HW H]. cbn [is_affected]. rewrite affected_by_process_own, HW by auto. simpl.
  apply negb_true_iff. exact (H _ (class_is_possible care psi G R r C I HW)).
Qed.

(** The values that a record can have in a class (`values_with`): MIN is at most each value, MAX at least. *)
Theorem values_with_min B r S : In r S -> below (aggregated (Min B) S) (value_at r B).
Proof. intro I. apply minimum_below. now apply in_map with (f := fun r => value_at r B). Qed.

Theorem values_with_max B r S : In r S -> below (value_at r B) (aggregated (Max B) S).
Proof. intro I. apply maximum_above. now apply in_map with (f := fun r => value_at r B). Qed.

Theorem values_with_grouped B care psi G r S : In B G -> possible_class care psi G r S ->
  aggregated (Min B) S = value_at r B /\ aggregated (Max B) S = value_at r B.
Proof.
  intros HB [I H]. assert (E : forall v, In v (column B S) -> v = value_at r B).
  { intros v J. unfold column in J. apply in_map_iff in J as (s & <- & J). destruct (H s J) as (_ & _ & K).
    now apply (key_at G). }
  assert (N : S <> []) by now destruct S. split; apply E; [now apply of_values_min|now apply of_values_max].
Qed.

(** SOME: a table that violates it has no record that satisfies its condition, and is affected as a whole. *)
Theorem some_may psi phi care :
  may_be_affected (Some_ Result phi) care (fun r => holds_of phi r = false) /\
  may_be_affected (Some_ (Filter psi) phi) care (fun r => holds_of psi r && holds_of phi r = false).
Proof.
  split; intros R r C I H; cbn [is_affected] in H; apply negb_true_iff in H; simpl in H; apply not_true_iff_false;
    intro K; apply not_true_iff_false in H; apply H, existsb_exists; exists (values r).
  - split; auto. now apply in_map.
  - apply andb_true_iff in K as [K K']. split; auto. apply in_map. now apply filter_In.
Qed.

Theorem some_must psi phi care :
  (forall r, care r -> holds_of psi r && holds_of phi r = false) ->
  must_be_affected (Some_ (Filter psi) phi) care care.
Proof.
  intros H R r C I _. cbn [is_affected]. apply negb_true_iff, not_true_iff_false. simpl. rewrite existsb_exists.
  intros (t & J & K). apply in_map_iff in J as (s & <- & J). apply filter_In in J as [J P].
  specialize (H s (C s J)). unfold holds_of in *. now rewrite P, K in H.
Qed.

(** * The records after a requirement (`Reachability._after`) *)

Section After.
  Variables (req : requirement) (care may must : record -> Prop).
  Hypothesis may_be : may_be_affected (asserts req) care may.
  Hypothesis must_be : must_be_affected (asserts req) care must.
  Variables (R : bag) (rho : trace).
  Hypotheses (in_care : within care R) (unit : in_unit_interval rho).

  (** After REJECT: reach − must. *)
  Theorem after_reject r' : acts req = Some (Certain Reject) -> retypes req = [] ->
    In r' (fst (step req (R, rho))) -> care r' /\ ~ must r'.
  Proof.
    intros HX HT I. apply (Permutation_in _ (history_of_reject req R rho HX HT)), filter_In in I as [I N].
    split; [now apply in_care|]. intro M. now rewrite (must_be R r') in N.
  Qed.

  (** With a probability: reach (`untouched`). *)
  Theorem after_coin_reject q r' : acts req = Some (WithProbability q Reject) -> retypes req = [] ->
    In r' (fst (step req (R, rho))) -> care r'.
  Proof.
    intros HX HT I. destruct (history_of_coin_reject q req R rho HX HT) as [S _].
    apply in_care. now apply (sub_bag_in record_eq_dec _ _ _ S).
  Qed.

  (** After an action that writes A: (reach − must) ∪ may[A → values]. With a probability, nothing must be rewritten. *)
  Theorem after_write x A r' : acts req = Some x -> writes_column (plain_of x) A -> is_urn (plain_of x) ->
    In r' (fst (step req (R, rho))) -> exists r, care r /\
      ((r' = retype (retypes req) r /\ (is_certain x = true -> ~ must r)) \/
       (may r /\ is_rewritten (plain_of x) A (retype (retypes req)) r r')).
  Proof.
    intros HX HA urn I. destruct (history_of_write req x A R rho HX HA urn unit) as (L & P & F & H).
    assert (K : In r' (map snd L)) by now apply (Permutation_in _ P). apply in_map_iff in K as ([r s] & E & K).
    simpl in E. subst s.
    assert (J : In r R) by (apply (Permutation_in _ F); now apply (in_map fst) in K).
    exists r. split; [now apply in_care|]. specialize (H r r' K). unfold may_become in H.
    destruct (is_affected (asserts req) R r) eqn:E.
    - destruct H as [H|[N ->]]; [right; split; auto; now apply (may_be R)|left]. now rewrite N.
    - left. split; auto. intros _ M. now rewrite (must_be R r) in E.
  Qed.

  (** After DROP: the records have lost the columns. *)
  Theorem after_drop As r' : acts req = Some (Certain (Drop As)) -> asserts req = Always ->
    In r' (fst (step req (R, rho))) -> exists r, care r /\ r' = without_columns As (retype (retypes req) r).
  Proof.
    intros HX HA. unfold step. rewrite HX, HA. destruct (holds Always R) eqn:H; cbn [fst perform perform_plain drop].
    - intro I. apply in_map_iff in I as (r & _ & I). now apply (holds_affects_none _ _ r) in H.
    - rewrite map_map. intro I. apply in_map_iff in I as (r & <- & I). exists r. split; auto.
  Qed.

  (** A check changes nothing; where it is known to hold, what it would affect in every table is in none. *)
  Theorem care_of_check r : holds (asserts req) R = true -> In r R -> ~ must r.
  Proof. intros H I M. pose proof (must_be R r in_care I M). now rewrite (holds_affects_none _ _ _ H I) in H0. Qed.
End After.

(** * Claims about records *)

(** EACH FILTER ψ : φ holds of a table if no record of the care set satisfies ψ and violates φ. *)
Theorem record_claim psi phi care R : within care R ->
  (forall r, care r -> holds_of psi r = true -> holds_of phi r = true) ->
  holds (Each (Filter psi) phi) R = true.
Proof.
  intros C H. simpl. rewrite forallb_forall. intros t I. apply in_map_iff in I as (r & <- & I).
  apply filter_In in I as [I P]. apply H; auto.
Qed.

Lemma trace_in_unit_interval req R rho : in_unit_interval rho -> in_unit_interval (snd (step req (R, rho))).
Proof.
  intro U. unfold step. destruct (acts req) as [[x|q x]|]; auto; destruct (holds (asserts req) R); auto;
    destruct x as [| | | | | |[]]; simpl; auto using in_unit_tail.
Qed.

(** A care set for each requirement: what a table of one leaves is in the next. *)
Inductive steps_to : program -> (record -> Prop) -> (record -> Prop) -> Prop :=
| no_step care : steps_to [] care care
| one_step req p care care' care'' :
    (forall R rho, in_unit_interval rho -> within care R -> within care' (fst (step req (R, rho)))) ->
    steps_to p care' care'' -> steps_to (req :: p) care care''.

(** Every record of a final table is in the last care set, by induction over the requirements. *)
Theorem reach p care care' : steps_to p care care' ->
  forall R rho, in_unit_interval rho -> within care R -> within care' (fst (run p (R, rho))).
Proof.
  induction 1 as [care|req p care care' care'' H _ IH]; intros R rho U C; auto.
  change (run (req :: p) (R, rho)) with (run p (step req (R, rho))).
  pose proof (H R rho U C) as C'. pose proof (trace_in_unit_interval req R rho U) as U'.
  destruct (step req (R, rho)) as [R' rho']. now apply IH.
Qed.

(** * The search (`proof_search`)

    Goals before each requirement imply the goals after it, and those at the start hold of every table. *)
Inductive traced_back : program -> (bag -> Prop) -> (bag -> Prop) -> Prop :=
| at_the_start (goal : bag -> Prop) : traced_back [] goal goal
| through req p (goal goal' goal'' : bag -> Prop) :
    (forall R rho, in_unit_interval rho -> goal R -> goal' (fst (step req (R, rho)))) ->
    traced_back p goal' goal'' -> traced_back (req :: p) goal goal''.

Theorem proof_search p goal claim : traced_back p goal claim -> (forall R, goal R) ->
  forall R rho, in_unit_interval rho -> claim (fst (run p (R, rho))).
Proof.
  intros T start R rho. generalize (start R). clear start. revert R rho.
  induction T as [goal|req p goal goal' goal'' H _ IH]; intros R rho G U; auto.
  change (run (req :: p) (R, rho)) with (run p (step req (R, rho))).
  pose proof (H R rho U G) as G'. pose proof (trace_in_unit_interval req R rho U) as U'.
  destruct (step req (R, rho)) as [R' rho']. now apply IH.
Qed.

(** * SOME claims *)

(** Every policy leaves the empty table empty, and a SOME fails on it (D16). *)
Theorem empty_stays_empty req rho : fst (step req ([], rho)) = [].
Proof.
  unfold step. destruct (acts req) as [x|]; auto. destruct (holds (asserts req) []); auto.
  change (AFF [] (asserts req)) with (@nil record). destruct x as [x|q x]; destruct x as [| | | | | |[]]; reflexivity.
Qed.

Theorem some_fails_on_empty P phi : holds (Some_ P phi) [] = false.
Proof. now destruct P. Qed.
