(** docs/prove.md, section 4: facts about every class of a table, and assertions as facts.

    Where the prover has sets of cells, this file has predicates on records: W for WHERE, [care] for the records that a
    table can contain, U for the allowed keys and aggregates. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates.
Import ListNotations.
Open Scope nat_scope.

(** EACH PROCESS f WHERE W GROUP BY G : U. What is allowed depends on the class's record r and its aggregate. *)
Definition fact (f : aggregate) (W : record -> bool) (G : list attribute) (U : record -> value -> Prop) (R : bag) : Prop :=
  forall r, In r R -> W r = true -> U r (aggregated f (class G (filter W R) r)).

(** What is allowed depends on nothing but the key and the aggregate. *)
Definition reads_key (G : list attribute) (U : record -> value -> Prop) : Prop :=
  forall r s v, key G r = key G s -> U r v -> U s v.

(** Every record of the table is in the care set. *)
Definition within (care : record -> Prop) (R : bag) : Prop := forall r, In r R -> care r.

Lemma class_permutation G R R' r : Permutation R R' -> Permutation (class G R r) (class G R' r).
Proof. apply filter_permutation. Qed.

Lemma class_nonempty G R r : In r R -> class G R r <> [].
Proof. intros I E. apply (in_own_class G) in I. now rewrite E in I. Qed.

Lemma fact_permutation f W G U R R' : Permutation R R' -> fact f W G U R -> fact f W G U R'.
Proof.
  intros P H r I HW. assert (J : In r R) by now apply Permutation_in with R'; [apply Permutation_sym|].
  rewrite <- (aggregated_permutation f _ _ (class_permutation G _ _ r (filter_permutation W _ _ P))). auto.
Qed.

(** A fact depends on which records have the same key, not on the columns of the key. *)
Lemma fact_same_classes f W G G' U R :
  (forall r s, In r R -> In s R -> W r = true -> W s = true -> (key G r = key G s <-> key G' r = key G' s)) ->
  fact f W G U R -> fact f W G' U R.
Proof.
  intros E H r I HW. replace (class G' (filter W R) r) with (class G (filter W R) r); auto.
  apply filter_ext_in. intros s J. apply filter_In in J as [J HS].
  unfold has_key. specialize (E s r J I HS HW). destruct (tuple_eq_dec (key G s) _), (tuple_eq_dec (key G' s) _); tauto.
Qed.

(** * A bag is the union of its classes *)

Lemma class_of_rest G S r s : In s (filter (fun t => negb (has_key G (key G r) t)) S) ->
  class G (filter (fun t => negb (has_key G (key G r) t)) S) s = class G S s.
Proof.
  intro I. apply filter_In in I as [I N]. unfold class, group. rewrite filter_filter. apply filter_ext. intro t.
  destruct (has_key G (key G s) t) eqn:E; [|apply andb_false_r]. rewrite andb_true_r.
  apply has_key_true in E. unfold has_key in *. now rewrite E.
Qed.

(** What holds of each class, and of unions, holds of the whole. *)
Lemma by_classes (P : bag -> Prop) G :
  (forall S T, Permutation S T -> P S -> P T) ->
  (forall S T, S <> [] -> T <> [] -> P S -> P T -> P (S ++ T)) ->
  forall n S, length S <= n -> S <> [] -> (forall s, In s S -> P (class G S s)) -> P S.
Proof.
  intros bags union. induction n as [|n IH]; intros S L N H; [now destruct S|].
  destruct S as [|r S']; [easy|]. assert (Own : In r (r :: S')) by now left. revert Own L N H.
  generalize (r :: S') as whole. intros whole Own L N H. set (rest := filter (fun t => negb (has_key G (key G r) t)) whole).
  assert (Q : Permutation whole (rest ++ class G whole r)) by apply partition_permutation.
  pose proof (class_nonempty G whole r Own) as NC. apply bags with (1 := Permutation_sym Q).
  destruct (list_eq_dec record_eq_dec rest []) as [->|NR]; [now apply (H r)|]. apply union; auto.
  apply IH; auto.
  - apply Permutation_length in Q. rewrite app_length in Q. destruct (class G whole r); [easy|simpl in Q; lia].
  - intros s I. unfold rest in *. rewrite class_of_rest by exact I. apply H. now apply filter_In in I as [I _].
Qed.

(** * Assertions about classes are facts (`class_assertion`) *)

Lemma holds_each_process f psi G phi R : holds (Each (Process f psi G) phi) R = true <->
  forall r, In r R -> where_holds psi r = true ->
  satisfies phi (aggregate_record f G (where_filtered psi R) (key G r)) = true.
Proof.
  simpl. unfold process. rewrite forallb_forall. split; intros H.
  - intros r I W. apply H, in_map, nodup_In, in_map. now apply filter_In.
  - intros t I. apply in_map_iff in I as (g & <- & I). apply nodup_In, in_map_iff in I as (r & <- & I).
    apply filter_In in I as [I W]. now apply H.
Qed.

(** The allowed set of a condition on the key and one aggregate. *)
Definition allowed_by (G : list attribute) (phi : condition) (r : record) (v : value) : Prop :=
  satisfies phi (key G r ++ [v]) = true.

Theorem class_assertion_one f psi G phi R :
  holds (Each (Process [f] psi G) phi) R = true <-> fact f (where_holds psi) G (allowed_by G phi) R.
Proof. apply holds_each_process. Qed.

(** A condition on several aggregates is a conjunction of clauses; all of them hold, or the condition does not. *)
Theorem class_assertion_and f psi G phi chi R : holds (Each (Process f psi G) (And phi chi)) R = true <->
  holds (Each (Process f psi G) phi) R = true /\ holds (Each (Process f psi G) chi) R = true.
Proof.
  rewrite !holds_each_process. simpl. split.
  - intro H. split; intros r I W; specialize (H r I W); now apply andb_true_iff in H.
  - intros [H K] r I W. now rewrite H, K.
Qed.

(** A clause that several alternatives satisfy holds if one of them does. *)
Theorem class_assertion_or f psi G phi chi R :
  holds (Each (Process f psi G) phi) R = true \/ holds (Each (Process f psi G) chi) R = true ->
  holds (Each (Process f psi G) (Or phi chi)) R = true.
Proof.
  rewrite !holds_each_process. simpl. intros [H|H] r I W; rewrite H; auto using orb_true_r.
Qed.

(** A clause that compares only the key and the i-th aggregate is a fact about this aggregate. *)
Fixpoint at_position (old new : attribute) (phi : condition) : condition :=
  match phi with
  | Compare A theta c => Compare (if Nat.eq_dec A old then new else A) theta c
  | Not phi => Not (at_position old new phi)
  | And phi psi => And (at_position old new phi) (at_position old new psi)
  | Or phi psi => Or (at_position old new phi) (at_position old new psi)
  | Never => Never
  end.

Fixpoint reads_only (ok : attribute -> Prop) (phi : condition) : Prop :=
  match phi with
  | Compare A _ _ => ok A
  | Not phi => reads_only ok phi
  | And phi psi | Or phi psi => reads_only ok phi /\ reads_only ok psi
  | Never => True
  end.

Lemma satisfies_moved (ok : attribute -> Prop) old new phi t t' :
  (forall A, ok A -> environment t A = environment t' (if Nat.eq_dec A old then new else A)) ->
  reads_only ok phi -> satisfies phi t = satisfies (at_position old new phi) t'.
Proof.
  intro E. induction phi; simpl; intro H; auto; [now rewrite E|now rewrite IHphi| |];
    destruct H; now rewrite IHphi1, IHphi2.
Qed.

Theorem class_assertion_clause fs i f psi G phi R : nth_error fs i = Some f ->
  reads_only (fun A => A < length G \/ A = length G + i) phi ->
  holds (Each (Process fs psi G) phi) R = true <->
  fact f (where_holds psi) G (allowed_by G (at_position (length G + i) (length G) phi)) R.
Proof.
  intros N H. rewrite holds_each_process. unfold fact, allowed_by.
  assert (E : forall r, satisfies phi (aggregate_record fs G (where_filtered psi R) (key G r)) =
    satisfies (at_position (length G + i) (length G) phi) (key G r ++ [aggregated f (class G (where_filtered psi R) r)])).
  { intro r. apply (satisfies_moved _ _ _ _ _ _) with (2 := H). intros A HA. unfold environment, aggregate_record.
    destruct (Nat.eq_dec A (length G + i)) as [->|NA].
    - rewrite !app_nth2; rewrite length_key; try lia. rewrite Nat.sub_diag. simpl.
      replace (length G + i - length G) with i by lia.
      apply nth_error_nth. now rewrite (map_nth_error _ _ _ N).
    - destruct HA as [HA|HA]; [|easy]. now rewrite !app_nth1 by (now rewrite length_key). }
  split; intros K r I W; [rewrite <- E|rewrite E]; now apply K.
Qed.

(** * Conditions as clauses (`clauses`) *)

(** A literal is a comparison, negated or not. *)
Definition literal : Type := bool * (attribute * operator * value).
Definition satisfies_literal (t : tuple) (l : literal) : bool :=
  let '(negated, (A, theta, c)) := l in xorb negated (compares (environment t A) theta c).
Definition satisfies_clauses (t : tuple) (cs : list (list literal)) : bool :=
  forallb (existsb (satisfies_literal t)) cs.

(** A clause for each choice of a clause of both. *)
Definition disjunction (cs ds : list (list literal)) : list (list literal) :=
  flat_map (fun c => map (fun d => c ++ d) ds) cs.

Fixpoint clauses (negated : bool) (phi : condition) : list (list literal) :=
  match phi with
  | Compare A theta c => [[(negated, (A, theta, c))]]
  | Not phi => clauses (negb negated) phi
  | And phi psi => (if negated then disjunction else @app _) (clauses negated phi) (clauses negated psi)
  | Or phi psi => (if negated then @app _ else disjunction) (clauses negated phi) (clauses negated psi)
  | Never => if negated then [] else [[]]
  end.

Lemma satisfies_disjunction t cs ds :
  satisfies_clauses t (disjunction cs ds) = satisfies_clauses t cs || satisfies_clauses t ds.
Proof.
  unfold satisfies_clauses. induction cs as [|c cs IH]; simpl; auto. rewrite forallb_app, IH.
  assert (E : forallb (existsb (satisfies_literal t)) (map (fun d => c ++ d) ds) =
    existsb (satisfies_literal t) c || forallb (existsb (satisfies_literal t)) ds).
  { clear IH. induction ds as [|d ds IHd]; simpl; [now rewrite orb_true_r|]. rewrite existsb_app, IHd.
    now destruct (existsb _ c), (existsb _ d). }
  rewrite E. now destruct (existsb _ c), (forallb _ ds), (forallb _ cs).
Qed.

Theorem clauses_of_condition t phi : forall negated,
  satisfies_clauses t (clauses negated phi) = xorb negated (satisfies phi t).
Proof.
  assert (App : forall cs ds, satisfies_clauses t (cs ++ ds) = satisfies_clauses t cs && satisfies_clauses t ds)
    by (intros; apply forallb_app).
  induction phi; intro negated; simpl.
  - unfold satisfies_clauses; simpl. now rewrite orb_false_r, andb_true_r.
  - rewrite IHphi. now destruct negated, (satisfies phi t).
  - destruct negated; rewrite ?satisfies_disjunction, ?App, IHphi1, IHphi2; now destruct (satisfies phi1 t), (satisfies phi2 t).
  - destruct negated; rewrite ?satisfies_disjunction, ?App, IHphi1, IHphi2; now destruct (satisfies phi1 t), (satisfies phi2 t).
  - now destruct negated.
Qed.
