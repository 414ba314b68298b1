(** What a requirement does to each record: pairs of a record before and after. Every rule of the prover is about these. *)
From Coq Require Import List ZArith QArith Qround Bool Permutation Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Outliers.
Import ListNotations.
Open Scope nat_scope.

(** The records that are left, each before and after. *)
Definition history : Type := list (record * record).

Lemma holds_affects_none a R r : holds a R = true -> In r R -> is_affected a R r = false.
Proof.
  intros H I. destruct a as [[|psi|f psi G] phi|P phi]; simpl in *.
  - rewrite forallb_forall in H. unfold affected_by_result, holds_of. rewrite H; auto. now apply in_map.
  - rewrite forallb_forall in H. unfold affected_by_filter. destruct (holds_of psi r) eqn:E; auto. unfold holds_of.
    rewrite H; auto. apply in_map. now apply filter_In.
  - rewrite affected_by_process_own by auto. destruct (where_holds psi r) eqn:E; auto. simpl.
    rewrite forallb_forall in H. rewrite H; auto. apply in_map, nodup_In, in_map. now apply filter_In.
  - now rewrite H.
Qed.

(** A field that an action may write into its column of a record. What published rules write is in [PublishedWrites]. *)
Definition writes (x : plain) (A : attribute) (r : record) (a : field) : Prop :=
  match x with
  | Replace B b => A = B /\ a = b
  | Random B t l u => A = B /\ exists z, (l <= z <= u)%Z /\ a = convert t (Integer z)
  | RandomFrom B balls => A = B /\ In a (map snd balls)
  | Generalize B g => A = B /\ a = Text (g (text_of (get r B)))
  | Reject | Drop _ | Write _ => False
  end.

Definition writes_column (x : plain) (A : attribute) : Prop :=
  match x with
  | Replace B _ | RandomFrom B _ | Generalize B _ => A = B
  | Random B _ l u => A = B /\ (l <= u)%Z
  | Reject | Drop _ | Write _ => False
  end.

(** X6: the last cut is 1, so every value of the trace is below one of the cuts. *)
Lemma pick_in balls : forall before all rho, (rho * inject_Z all < inject_Z (before + weights balls))%Q ->
  (inject_Z before <= rho * inject_Z all)%Q -> In (pick balls before all rho) (map snd balls).
Proof.
  induction balls as [|[w v] balls IH]; intros before all rho H K; unfold weights in *; simpl in *.
  - rewrite Z.add_0_r in H. elim (Qlt_irrefl (inject_Z before)). now apply Qle_lt_trans with (1 := K).
  - unfold less. destruct (Qle_bool _ _) eqn:E; simpl; [right|now left]. apply Qle_bool_iff in E.
    apply IH; auto. now rewrite <- Z.add_assoc.
Qed.

Lemma weights_positive balls : balls <> [] -> (0 < weights balls)%Z.
Proof.
  unfold weights. induction balls as [|[w v] [|b balls] IH]; intro N; [easy|simpl; lia|].
  assert (0 < fold_right Z.add 0 (map (fun ball => Z.pos (fst ball)) (b :: balls)))%Z by (apply IH; discriminate).
  cbn [map fold_right fst] in *. lia.
Qed.

Theorem pick_ball_in balls rho : balls <> [] -> (0 <= rho)%Q -> (rho < 1)%Q -> In (pick_ball balls rho) (map snd balls).
Proof.
  intros N low high. pose proof (weights_positive balls N) as W. apply pick_in; simpl.
  - setoid_replace (inject_Z (weights balls)) with (1 * inject_Z (weights balls))%Q at 2 by ring.
    apply Qmult_lt_compat_r; auto. unfold Qlt; simpl; lia.
  - apply Qmult_le_0_compat; auto. unfold Qle; simpl; lia.
Qed.

Definition is_urn (x : plain) : Prop := match x with RandomFrom _ balls => balls <> [] | _ => True end.

Lemma in_with_trace rs : forall rho r y, In (r, y) (with_trace rho rs) -> In r rs /\ exists i, y = rho i.
Proof.
  induction rs as [|s rs IH]; intros rho r y I; [easy|]. destruct I as [[= <- <-]|I]; [split; [now left|now exists 0]|].
  destruct (IH _ _ _ I) as [H (i & ->)]. split; [now right|now exists (1 + i)].
Qed.

Lemma with_trace_map (h : record -> record) rs : forall rho,
  with_trace rho (map h rs) = map (fun p => (h (fst p), snd p)) (with_trace rho rs).
Proof. induction rs as [|r rs IH]; intro rho; simpl; auto. now rewrite IH. Qed.

(** * Actions that write a column

    [h] is what D12 does to each record before the action. *)

Section Performed.
  Variables (x : plain) (A : attribute) (h : record -> record) (R V : bag) (rho : trace).
  Hypothesis HV : subset V R.

  Definition is_rewritten (r r' : record) : Prop := exists a, writes x A (h r) a /\ r' = update (h r) A a.

  Definition history_of (R' : bag) : Prop := exists L : history,
    Permutation R' (map h (minus R V) ++ map snd L) /\ Permutation (map fst L) V /\
    forall r r', In (r, r') L -> is_rewritten r r'.

  Lemma history_of_function (k : record -> record) : (forall r, exists a, writes x A (h r) a /\ k (h r) = update (h r) A a) ->
    history_of (minus (map h R) (map h V) ++ map k (map h V)).
  Proof.
    intro H. exists (map (fun r => (r, k (h r))) V). rewrite !map_map. simpl. rewrite map_id. split; [|split]; auto.
    - apply Permutation_app_tail. now apply difference_map.
    - intros r r' I. apply in_map_iff in I as (s & E & _). injection E as <- <-. apply H.
  Qed.

  Lemma history_of_draws (draw : Q -> field) : (forall r i, writes x A r (draw (rho i))) ->
    history_of (minus (map h R) (map h V) ++ redraw A draw rho (map h V)).
  Proof.
    intro H. destruct (Permutation_map_inv h V (sort_permutation compare_record (map h V))) as (V1 & E & Q).
    exists (map (fun p => (fst p, update (h (fst p)) A (draw (snd p)))) (with_trace rho V1)). split; [|split].
    - apply Permutation_app; [now apply difference_map|]. unfold redraw, order. rewrite E, with_trace_map, !map_map.
      apply Permutation_refl.
    - rewrite map_map. simpl. rewrite map_fst_with_trace. now apply Permutation_sym.
    - intros r r' I. apply in_map_iff in I as ([s y] & E' & I). injection E' as <- <-.
      apply in_with_trace in I as [_ (i & ->)]. exists (draw (rho i)). auto.
  Qed.
End Performed.

Lemma history_of_plain x A h R V rho : writes_column x A -> is_urn x -> in_unit_interval rho -> subset V R ->
  history_of x A h R V (fst (perform_plain x (map h R) rho (map h V))).
Proof.
  intros HA urn unit HV. destruct x as [|B b|B t l u|B balls|B g|As|y]; simpl in HA; try easy.
  - subst B. apply (history_of_function _ _ _ _ _ HV (fun r => update r A b)). intro r. now exists b.
  - destruct HA as [-> L]. apply history_of_draws; auto. intros r i. split; auto. exists (random l u (rho i)). split; auto.
    apply random_between; auto; apply unit.
  - subst B. apply history_of_draws; auto. intros r i. split; auto. apply pick_ball_in; auto; apply unit.
  - subst B. apply (history_of_function _ _ _ _ _ HV (label A g)). intro r. now exists (Text (g (text_of (get (h r) A)))).
Qed.

(** X5: the records that are drawn are some of the affected ones. *)
Lemma drawn_of_image q rho h V : exists V', subset V' V /\ drawn q rho (map h V) = map h V'.
Proof.
  destruct (Permutation_map_inv h V (sort_permutation compare_record (map h V))) as (V1 & E & Q).
  exists (map fst (filter (fun p => less (snd p) q) (with_trace rho V1))). split.
  - apply sub_bag_union. exists (map fst (filter (fun p => negb (less (snd p) q)) (with_trace rho V1))).
    rewrite <- map_app. apply perm_trans with V1; auto. rewrite <- (map_fst_with_trace V1 rho) at 1.
    apply Permutation_map, partition_permutation.
  - unfold drawn, order. rewrite E, with_trace_map, filter_map, !map_map. reflexivity.
Qed.

(** * Requirements

    Every record is retyped (D12); an affected one is rewritten, for certain or perhaps (X5). *)

Definition plain_of (x : action) : plain := match x with Certain x | WithProbability _ x => x end.
Definition is_certain (x : action) : bool := match x with Certain _ => true | WithProbability _ _ => false end.

Definition may_become (req : requirement) (x : action) (A : attribute) (R : bag) (r r' : record) : Prop :=
  let h := retype (retypes req) in
  if is_affected (asserts req) R r then is_rewritten (plain_of x) A h r r' \/ (is_certain x = false /\ r' = h r)
  else r' = h r.

Lemma in_minus R V r : In r (minus R V) -> In r R.
Proof. rewrite !(in_multiplicity record_eq_dec). unfold minus. rewrite multiplicity_difference. lia. Qed.

Lemma in_minus_filter p R r : In r (minus R (filter p R)) -> p r = false.
Proof.
  intro I. apply (Permutation_in _ (difference_filter record_eq_dec p R)), filter_In in I as [_ I].
  now apply negb_true_iff.
Qed.

Lemma in_unit_tail m rho : in_unit_interval rho -> in_unit_interval (tail m rho).
Proof. intros H i. apply H. Qed.

(** A history of the affected records is one of all. *)
Lemma complete_history req x A R V R' : acts req = Some x -> subset V (AFF R (asserts req)) ->
  (is_certain x = true -> V = AFF R (asserts req)) ->
  history_of (plain_of x) A (retype (retypes req)) R V R' ->
  exists L : history, Permutation R' (map snd L) /\ Permutation (map fst L) R /\
    forall r r', In (r, r') L -> may_become req x A R r r'.
Proof.
  intros HX HV certain (L & P & F & H). set (h := retype (retypes req)) in *.
  exists (map (fun r => (r, h r)) (minus R V) ++ L). rewrite !map_app, !map_map. simpl. rewrite map_id.
  assert (HVR : subset V R) by (intro r; apply Nat.le_trans with (1 := HV r), AFF_subset).
  split; [exact P|split].
  - apply perm_trans with (minus R V ++ V); [now apply Permutation_app_head|].
    apply Permutation_sym. now apply difference_union.
  - intros r r' I. unfold may_become. fold h. apply in_app_or in I as [I|I].
    + apply in_map_iff in I as (s & E & I). injection E as -> <-. destruct (is_affected _ R r) eqn:E; auto.
      right. split; auto. destruct (is_certain x); auto. rewrite certain in I; auto.
      apply in_minus_filter in I. congruence.
    + assert (J : In r V) by (apply (Permutation_in _ F); now apply (in_map fst) in I).
      apply (sub_bag_in record_eq_dec _ _ _ HV), filter_In in J as [_ J]. rewrite J. left. now apply H.
Qed.

Theorem history_of_write req x A R rho : acts req = Some x -> writes_column (plain_of x) A -> is_urn (plain_of x) ->
  in_unit_interval rho ->
  exists L : history, Permutation (fst (step req (R, rho))) (map snd L) /\ Permutation (map fst L) R /\
    forall r r', In (r, r') L -> may_become req x A R r r'.
Proof.
  intros HX HA urn unit. unfold step. rewrite HX. destruct (holds (asserts req) R) eqn:H.
  - exists (map (fun r => (r, retype (retypes req) r)) R). rewrite !map_map. simpl. rewrite map_id. split; [auto|split; auto].
    intros r r' I. apply in_map_iff in I as (s & E & I). injection E as <- <-. unfold may_become.
    now rewrite (holds_affects_none _ _ _ H I).
  - destruct x as [x|q x]; simpl in *.
    + apply complete_history with (AFF R (asserts req)); auto; [intro; lia|]. apply history_of_plain; auto. apply AFF_subset.
    + destruct (drawn_of_image q rho (retype (retypes req)) (AFF R (asserts req))) as (V' & S & ->).
      apply complete_history with V'; auto; [discriminate|]. apply history_of_plain; auto using in_unit_tail.
      intro r. apply Nat.le_trans with (1 := S r), AFF_subset.
Qed.

(** REJECT leaves the records that are not affected. *)
Theorem history_of_reject req R rho : acts req = Some (Certain Reject) -> retypes req = [] ->
  Permutation (fst (step req (R, rho))) (filter (fun r => negb (is_affected (asserts req) R r)) R).
Proof.
  intros HX HT. unfold step. rewrite HX, HT. change (retype []) with (fun r : record => r). rewrite !map_id.
  destruct (holds (asserts req) R) eqn:H; simpl; [|apply difference_filter].
  rewrite filter_all; auto. intros r I. now rewrite (holds_affects_none _ _ _ H I).
Qed.

(** With a probability, REJECT removes some of the affected records. *)
Theorem history_of_coin_reject q req R rho : acts req = Some (WithProbability q Reject) -> retypes req = [] ->
  let R' := fst (step req (R, rho)) in
  subset R' R /\ forall r, In r (minus R R') -> is_affected (asserts req) R r = true.
Proof.
  intros HX HT. unfold step. rewrite HX, HT. change (retype []) with (fun r : record => r). rewrite !map_id.
  destruct (holds (asserts req) R); simpl.
  - split; [intro; lia|]. intros r I. apply (in_multiplicity record_eq_dec) in I. unfold minus in I.
    rewrite multiplicity_difference in I. lia.
  - destruct (drawn_of_image q rho (fun r => r) (AFF R (asserts req))) as (V & S & E). rewrite !map_id in E. rewrite E. split.
    + intro r. unfold minus. rewrite multiplicity_difference. lia.
    + intros r I. assert (J : In r V).
      { apply (in_multiplicity record_eq_dec). apply (in_multiplicity record_eq_dec) in I. unfold minus in I.
        rewrite !multiplicity_difference in I. lia. }
      now apply (sub_bag_in record_eq_dec _ _ _ S), filter_In in J as [_ J].
Qed.

(** A check changes nothing but types. *)
Theorem history_of_check req R rho : acts req = None -> step req (R, rho) = (map (retype (retypes req)) R, rho).
Proof. intro H. unfold step. now rewrite H. Qed.
