(** docs/prove.md, sections 2, 4 and 6: what follows from known facts and known checks. Each law is named after the
    function in src/acompass/prove that uses it. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Actions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Laws Histories Rules Reachability.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (care : record -> Prop) (W K : record -> bool) (G : list attribute).
Implicit Types (U : record -> value -> Prop).

(** * Law of the keys (`unsettled`) *)

Lemma class_with_key W K G R r : (forall s, key G s = key G r -> K s = true) ->
  class G (filter (fun s => W s && K s) R) r = class G (filter W R) r.
Proof.
  intro H. unfold class, group. rewrite !filter_filter. apply filter_ext_in. intros t _.
  destruct (has_key G (key G r) t) eqn:E; [|now rewrite !andb_false_r]. apply has_key_true in E.
  rewrite (H t E). now rewrite !andb_true_r.
Qed.

(** What several facts say of a class all holds of it. *)
Theorem known_together f W G U1 U2 U R : (forall r v, U1 r v -> U2 r v -> U r v) ->
  fact f W G U1 R -> fact f W G U2 R -> fact f W G U R.
Proof. intros H F1 F2 r I HW. apply H; auto. Qed.

(** At the keys outside of K the fact holds; it is enough to show it for the records with the other keys. *)
Theorem unsettled f W K G U R : (forall r s, key G r = key G s -> K r = K s) ->
  fact f (fun r => W r && negb (K r)) G U R -> fact f (fun r => W r && K r) G U R -> fact f W G U R.
Proof.
  intros D F1 F2 r I HW. destruct (K r) eqn:E.
  - rewrite <- (class_with_key W K G R r); [|intros s J; now rewrite (D s r)]. apply F2; auto. now rewrite HW, E.
  - rewrite <- (class_with_key W (fun s => negb (K s)) G R r); [|intros s J; now rewrite (D s r), E].
    apply F1; auto. now rewrite HW, E.
Qed.

(** * Law of the classes, for wanted classes that cut only some known classes (`implied`) *)

Section Implied.
  Variables (f : aggregate) (care : record -> Prop) (R : bag).
  Variables (W1 W cut : record -> bool) (G1 G : list attribute) (U1 U : record -> value -> Prop).
  Hypotheses (in_care : within care R) (covered : forall r, care r -> W r = true -> W1 r = true).
  Hypothesis known : fact f W1 G1 U1 R.
  (** G₁ determines G, and which records of W₁ are in W, at the keys that are not cut. *)
  Hypothesis decided : forall r s, care r -> care s -> W1 r = true -> W1 s = true -> key G1 r = key G1 s ->
    cut s = false -> key G r = key G s /\ W r = W s.

  Lemma uncut_class r s : In r R -> W r = true -> In s (class G (filter W R) r) -> cut s = false ->
    class G1 (class G (filter W R) r) s = class G1 (filter W1 R) s.
  Proof.
    intros HR HW HS N. apply in_class in HS as [HS E]. apply filter_In in HS as [HS WS].
    unfold class, group. rewrite !filter_filter. apply filter_ext_in. intros t HT.
    destruct (has_key G1 (key G1 s) t) eqn:E1; [|now rewrite !andb_false_r]. rewrite !andb_true_r.
    apply has_key_true in E1. destruct (W1 t) eqn:F.
    - assert (F1 : W1 s = true) by (apply covered; auto). destruct (decided t s) as [Q ->]; auto.
      rewrite WS. simpl. apply has_key_true. now rewrite Q.
    - destruct (W t) eqn:F'; auto. rewrite (covered t) in F; auto. discriminate.
  Qed.

  Theorem implied :
    (forall r S, care r -> W r = true ->
       union_of (fun T => exists s, care s /\ W s = true /\ key G s = key G r /\
                 if cut s then part_of_known f care W1 U1 s T else U1 s (aggregated f T)) S ->
       U r (aggregated f S)) -> fact f W G U R.
  Proof.
    intros HU r HR HW. apply HU; auto. apply union_by_classes with G1; [apply class_nonempty; now apply filter_In|].
    intros s HS. exists s. assert (HS' := HS). apply in_class in HS' as [HS' E]. apply filter_In in HS' as [HS' WS].
    repeat split; auto. destruct (cut s) eqn:C.
    - now apply part_is_known.
    - rewrite uncut_class by auto. auto.
  Qed.
End Implied.

(** * Law of the determined column (`without_determined`) *)

Theorem without_determined f care W G U R A : within care R ->
  (forall r s, care r -> care s -> W r = true -> W s = true -> key G r = key G s -> value_at r A = value_at s A) ->
  fact f W (A :: G) U R <-> fact f W G U R.
Proof.
  intros C H. assert (E : forall r s, In r R -> In s R -> W r = true -> W s = true ->
    (key (A :: G) r = key (A :: G) s <-> key G r = key G s)).
  { intros r s HR HS WR WS. simpl. split; [intro Q; now injection Q|].
    intro Q. rewrite Q. f_equal. now apply H; auto. }
  split; apply fact_same_classes; auto. intros r s HR HS WR WS. symmetry. auto.
Qed.

(** * Law of the two bounds (`halves`) *)

Theorem halves f W G U Low High R : (forall r v, U r v <-> Low r v /\ High r v) ->
  fact f W G U R <-> fact f W G Low R /\ fact f W G High R.
Proof.
  intro E. split.
  - intro F. split; intros r I HW; now apply E, F.
  - intros [L H] r I HW. apply E. split; auto.
Qed.

(** * Rule of the two halves (`_outside`) *)

Theorem outside f W V G U R : kept_by_merging f U -> reads_key G U -> summable f R ->
  fact f (fun r => W r && V r) G U R -> fact f (fun r => W r && negb (V r)) G U R -> fact f W G U R.
Proof.
  intros M HU E F1 F2 r I HW.
  set (S := class G (filter W R) r).
  set (inside := filter V S). set (rest := filter (fun t => negb (V t)) S).
  assert (P : Permutation S (rest ++ inside)) by apply partition_permutation.
  assert (Sub : subset S R).
  { unfold S, class, group. rewrite filter_filter. apply sub_bag_filter. }
  assert (Part : forall X, (forall s, In s R -> W s = true -> X s = true -> key G s = key G r ->
      U s (aggregated f (class G (filter (fun t => W t && X t) R) s))) ->
    filter X S <> [] -> U r (aggregated f (filter X S))).
  { intros X F N. destruct (filter X S) as [|s l] eqn:Q; [easy|].
    assert (J : In s (filter X S)) by (rewrite Q; now left). apply filter_In in J as [J XS].
    apply in_class in J as [J HK]. apply filter_In in J as [J WS]. apply (HU s); auto. rewrite <- Q.
    replace (filter X S) with (class G (filter (fun t => W t && X t) R) s); auto.
    unfold S, class, group. rewrite !filter_filter. apply filter_ext. intro t. unfold has_key. rewrite HK.
    destruct (W t), (X t), (tuple_eq_dec (key G t) (key G r)); reflexivity. }
  assert (In1 : inside <> [] -> U r (aggregated f inside)).
  { apply Part. intros s J WS VS _. apply F1; auto. now rewrite WS, VS. }
  assert (In2 : rest <> [] -> U r (aggregated f rest)).
  { apply Part. intros s J WS VS _. apply F2; auto. now rewrite WS, VS. }
  fold S. rewrite (aggregated_permutation f _ _ P).
  destruct inside as [|i is] eqn:Q1.
  - rewrite app_nil_r in *. apply In2. intro N. rewrite N in P. apply Permutation_sym, Permutation_nil in P.
    apply (class_nonempty G (filter W R) r); auto. now apply filter_In.
  - destruct rest as [|j js] eqn:Q2; [apply In1; discriminate|].
    apply M; try discriminate; [|now apply In2|now apply In1].
    apply summable_sub with S; [|now apply summable_sub with R].
    intro t. now rewrite (proj1 (bag_equality record_eq_dec _ _) P).
Qed.

(** * The idle and the total requirement (`_before_idle`, `_before_total`) *)

Theorem idle req R rho : holds (asserts req) R = true -> retypes req = [] -> fst (step req (R, rho)) = R.
Proof. intros H T. unfold step. rewrite H, T. destruct (acts req); simpl; apply map_id. Qed.

Theorem total_requirement fs psi H phi R t : let a := Each (Process fs psi H) phi in
  (forall s, In s R -> where_holds psi s = true ->
     satisfies phi (aggregate_record fs H (where_filtered psi R) (key H s)) = false) ->
  In t R -> is_affected a R t = where_holds psi t.
Proof.
  intros a V I. unfold a, is_affected. rewrite affected_by_process_own by auto.
  destruct (where_holds psi t) eqn:E; auto. now rewrite V.
Qed.

(** * Excluded records (`ExcludedRecords`, `without_excluded`) *)

Theorem without_excluded f W E G U R : (forall r, In r R -> E r = false) ->
  fact f (fun r => W r && negb (E r)) G U R -> fact f W G U R.
Proof.
  intros N F r I HW. replace (filter W R) with (filter (fun r => W r && negb (E r)) R).
  - apply F; auto. now rewrite HW, N.
  - apply filter_ext_in. intros t J. now rewrite (N t J), andb_true_r.
Qed.

(** A record that is excluded, whatever becomes of it, is in no table of which an allowed one came. *)
Theorem excluded_before_write (L : history) (before after : record -> Prop) :
  (forall p, In p L -> before (fst p) -> after (snd p)) ->
  (forall r, In r (map snd L) -> ~ after r) -> forall r, In r (map fst L) -> ~ before r.
Proof.
  intros H N r I E. apply in_map_iff in I as (p & <- & I). apply (N (snd p)); [now apply in_map|now apply H].
Qed.

Theorem excluded_before_reject req care may (after : record -> Prop) R rho r :
  may_be_affected (asserts req) care may -> within care R ->
  acts req = Some (Certain Reject) -> retypes req = [] ->
  (forall s, In s (fst (step req (R, rho))) -> ~ after s) -> In r R -> ~ may r -> ~ after r.
Proof.
  intros M C HX HT N I NM E. apply (N r); auto.
  apply (Permutation_in _ (Permutation_sym (history_of_reject req R rho HX HT))). apply filter_In. split; auto.
  destruct (is_affected (asserts req) R r) eqn:F; auto. elim NM. now apply (M R).
Qed.

(** * SOME claims (`SomeClaims`) *)

(** A known SOME is true of a record. *)
Theorem some_has_witness psi phi R : holds (Some_ (Filter psi) phi) R = true ->
  exists r, In r R /\ holds_of psi r = true /\ holds_of phi r = true.
Proof.
  simpl. rewrite existsb_exists. intros (t & I & H). apply in_map_iff in I as (r & <- & I).
  apply filter_In in I as [I P]. now exists r.
Qed.

Theorem some_has_class fs psi G phi R : holds (Some_ (Process fs psi G) phi) R = true ->
  exists r, In r R /\ where_holds psi r = true /\
    satisfies phi (aggregate_record fs G (where_filtered psi R) (key G r)) = true.
Proof.
  simpl. unfold process. rewrite existsb_exists. intros (t & I & H). apply in_map_iff in I as (g & <- & I).
  apply nodup_In, in_map_iff in I as (r & <- & I). apply filter_In in I as [I P]. now exists r.
Qed.

(** The claim is true of what becomes of it, or of its class. *)
Theorem witness_of_records psi phi R r : In r R -> holds_of psi r = true -> holds_of phi r = true ->
  holds (Some_ (Filter psi) phi) R = true.
Proof.
  intros I P H. simpl. apply existsb_exists. exists (values r). split; auto. apply in_map. now apply filter_In.
Qed.

Theorem witness_of_classes fs psi G phi R r : In r R -> where_holds psi r = true ->
  satisfies phi (aggregate_record fs G (where_filtered psi R) (key G r)) = true ->
  holds (Some_ (Process fs psi G) phi) R = true.
Proof.
  intros I P H. simpl. unfold process. apply existsb_exists. eexists. split; [|exact H].
  apply in_map, nodup_In, in_map. now apply filter_In.
Qed.

(** A violated SOME with a REJECT leaves nothing, of which no later SOME is true. *)
Theorem rejected_some P phi req R rho : asserts req = Some_ P phi -> acts req = Some (Certain Reject) ->
  retypes req = [] -> holds (asserts req) R = false -> fst (step req (R, rho)) = [].
Proof.
  intros HA HX HT H. pose proof (history_of_reject req R rho HX HT) as Q.
  replace (filter (fun r => negb (is_affected (asserts req) R r)) R) with (@nil record) in Q.
  - now apply Permutation_nil, Permutation_sym.
  - rewrite HA in *. unfold is_affected. rewrite H. clear. induction R; simpl; auto.
Qed.
