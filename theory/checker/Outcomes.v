(** What a requirement does to each record: it keeps it, rewrites one column, or removes it. *)
From Coq Require Import List ZArith QArith Bool Permutation PeanoNat Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Outliers Determinism Anonymity.
From Acompass Require Import Aggregates Facts Histories Rules ClassFacts.
Import ListNotations.
Open Scope nat_scope.

Inductive outcome : Type := Kept | Rewritten (a : field) | Removed.

Definition column_written (x : plain) : option attribute :=
  match x with
  | Replace A _ | Random A _ _ _ | RandomFrom A _ | Generalize A _ => Some A
  | Reject | Drop _ | Write _ => None
  end.

Definition dropped (req : requirement) : list attribute :=
  match acts req with Some (Certain (Drop As)) => As | _ => [] end.

Definition written (req : requirement) : option attribute :=
  match acts req with Some x => column_written (plain_of x) | None => None end.

(** D12 changes the type of the written column, or of the dropped ones. *)
Definition is_well_formed (req : requirement) : bool :=
  match acts req with
  | Some (Certain (Drop As)) => forallb (fun change => mem (fst change) As) (retypes req)
  | Some (WithProbability _ (Drop _)) => false
  | Some x =>
      match column_written (plain_of x) with
      | Some A => match retypes req with [] => true | [(B, _)] => B =? A | _ => false end
      | None => match retypes req with [] => true | _ => false end
      end &&
      match plain_of x with
      | Random _ _ l u => (l <=? u)%Z
      | RandomFrom _ balls => match balls with [] => false | _ => true end
      | Write _ => false
      | _ => true
      end
  | None => match retypes req with [] => true | _ => false end
  end.

(** A record that is kept, with the types that columns have afterwards. *)
Definition prepared (req : requirement) (R : bag) (r : record) : record :=
  match acts req with
  | Some (Certain (Drop As)) =>
      if holds (asserts req) R then retype (retypes req) r else without_columns As (retype (retypes req) r)
  | _ => retype (retypes req) r
  end.

Definition what_is_left (req : requirement) (R : bag) (p : record * outcome) : option record :=
  match snd p with
  | Kept => Some (prepared req R (fst p))
  | Rewritten a => match written req with Some A => Some (update (prepared req R (fst p)) A a) | None => None end
  | Removed => None
  end.

Definition is_possible (req : requirement) (affected : bool) (r : record) (o : outcome) : Prop :=
  match acts req, o with
  | None, Kept | Some (Certain (Drop _)), Kept | Some (WithProbability _ _), Kept => True
  | Some (Certain _), Kept => affected = false
  | Some x, Rewritten a => affected = true /\
      exists A, written req = Some A /\ writes (plain_of x) A (retype (retypes req) r) a
  | Some x, Removed => affected = true /\ plain_of x = Reject
  | None, _ => False
  end.

Definition picked {X} (choose : X -> option record) (L : list X) : bag :=
  flat_map (fun x => match choose x with Some r => [r] | None => [] end) L.

Lemma picked_app {X} (choose : X -> option record) L M : picked choose (L ++ M) = picked choose L ++ picked choose M.
Proof. apply flat_map_app. Qed.

Lemma in_picked {X} (choose : X -> option record) L r : In r (picked choose L) <-> exists x, In x L /\ choose x = Some r.
Proof.
  unfold picked. rewrite in_flat_map. split; intros (x & I & J); exists x; split; auto.
  - destruct (choose x); simpl in J; [now destruct J as [->|[]]|easy].
  - rewrite J. now left.
Qed.

Definition is_history (req : requirement) (R R' : bag) (L : list (record * outcome)) : Prop :=
  Permutation R' (picked (what_is_left req R) L) /\ Permutation (map fst L) R /\
  forall r o, In (r, o) L -> is_possible req (is_affected (asserts req) R r) r o.

Lemma picked_map {X} (h : record -> record) (choose : X -> option record) (from : record -> X) R :
  (forall r, choose (from r) = Some (h r)) -> picked choose (map from R) = map h R.
Proof. intro H. unfold picked. induction R; simpl; auto. rewrite H, IHR. reflexivity. Qed.

(** Everything is kept. *)
Lemma history_of_kept req R R' : R' = map (prepared req R) R ->
  (forall r, In r R -> is_possible req (is_affected (asserts req) R r) r Kept) ->
  is_history req R R' (map (fun r => (r, Kept)) R).
Proof.
  intros -> H. split; [|split].
  - rewrite (picked_map (prepared req R)); auto.
  - rewrite map_map, map_id. auto.
  - intros r o I. apply in_map_iff in I as (s & [= <- <-] & I). auto.
Qed.

Lemma history_of_rejection req R R' : (exists x, acts req = Some x /\ plain_of x = Reject) -> retypes req = [] ->
  (exists V, Permutation R (V ++ R') /\ (forall r, In r V -> is_affected (asserts req) R r = true) /\
     forall r, In r R' -> is_possible req (is_affected (asserts req) R r) r Kept) ->
  exists L, is_history req R R' L.
Proof.
  intros (x & HX & HR) HT (V & P & HV & HK).
  exists (map (fun r => (r, Removed)) V ++ map (fun r => (r, Kept)) R'). split; [|split].
  - rewrite picked_app, (picked_map (fun r => r) _ (fun r => (r, Kept))), map_id.
    + replace (picked _ (map (fun r => (r, Removed)) V)) with (@nil record); auto.
      clear. unfold picked. induction V; auto.
    + intro r. unfold what_is_left, prepared. simpl. rewrite HX, HT. destruct x as [[]|]; simpl in *; easy.
  - rewrite map_app, !map_map, !map_id. now apply Permutation_sym.
  - intros r o I. apply in_app_or in I as [I|I]; apply in_map_iff in I as (s & [= <- <-] & I); auto.
    unfold is_possible. rewrite HX. destruct x as [[]|? []]; simpl in *; try discriminate; auto.
Qed.

Lemma choose_outcomes req R (L : history) :
  (forall r r', In (r, r') L -> exists o, what_is_left req R (r, o) = Some r' /\
     is_possible req (is_affected (asserts req) R r) r o) ->
  exists L', map fst L' = map fst L /\ picked (what_is_left req R) L' = map snd L /\
    forall r o, In (r, o) L' -> is_possible req (is_affected (asserts req) R r) r o.
Proof.
  induction L as [|[r r'] L IH]; intro H; [now exists []|].
  destruct IH as (L' & F & S & P); [intros; apply H; now right|]. destruct (H r r') as (o & E & Q); [now left|].
  exists ((r, o) :: L'). split; [|split]; simpl.
  - now rewrite F.
  - unfold picked in *. simpl. now rewrite E, S.
  - intros s o' [[= <- <-]|I]; auto.
Qed.

Lemma history_of_writing req x A R rho : acts req = Some x -> written req = Some A -> is_well_formed req = true ->
  in_unit_interval rho -> exists L, is_history req R (fst (step req (R, rho))) L.
Proof.
  intros HX HA WF unit.
  assert (HW : writes_column (plain_of x) A /\ is_urn (plain_of x)).
  { unfold written in HA. rewrite HX in HA. unfold is_well_formed in WF. rewrite HX in WF. destruct x as [y|q y];
      destruct y; simpl in *; try discriminate; injection HA as <-; apply andb_true_iff in WF as [_ WF]; split; auto;
      try (split; auto; now apply Z.leb_le); now destruct balls. }
  destruct HW as [HW urn]. destruct (history_of_write req x A R rho HX HW urn unit) as (L & P & F & H).
  assert (PR : forall r, prepared req R r = retype (retypes req) r).
  { intro r. unfold prepared. rewrite HX. destruct x as [[]|]; auto. easy. }
  destruct (choose_outcomes req R L) as (L' & E & S & Q).
  - intros r r' I. specialize (H r r' I). unfold may_become in H.
    assert (Keep : r' = retype (retypes req) r -> what_is_left req R (r, Kept) = Some r').
    { intros ->. unfold what_is_left. simpl. now rewrite PR. }
    destruct (is_affected (asserts req) R r) eqn:AF.
    + destruct H as [H|[C ->]]; [destruct H as (a & W & ->)|].
      * exists (Rewritten a). unfold what_is_left, is_possible. simpl. rewrite HA, PR, HX. split; auto.
        destruct x as [[]|]; split; eauto.
      * exists Kept. split; auto. unfold is_possible. rewrite HX. destruct x; [discriminate|auto].
    + exists Kept. split; auto. unfold is_possible. rewrite HX. destruct x as [[]|]; auto.
  - exists L'. split; [|split]; auto; [now rewrite S|now rewrite E].
Qed.

Theorem outcomes req R rho : is_well_formed req = true -> in_unit_interval rho ->
  exists L, is_history req R (fst (step req (R, rho))) L.
Proof.
  intros WF unit. destruct (acts req) as [x|] eqn:HX.
  2:{ exists (map (fun r => (r, Kept)) R). apply history_of_kept.
      - unfold step, prepared. now rewrite HX.
      - intros r I. unfold is_possible. now rewrite HX. }
  destruct (column_written (plain_of x)) as [A|] eqn:HA.
  { apply (history_of_writing req x A); auto. unfold written. now rewrite HX. }
  assert (WF' := WF). unfold is_well_formed in WF'. rewrite HX in WF'.
  destruct x as [[| | | | |As|]|q [| | | | |As|]]; simpl in *; try discriminate;
    try (now rewrite andb_false_r in WF').
  - assert (HT : retypes req = []) by now destruct (retypes req).
    apply history_of_rejection; [eauto|auto|]. exists (filter (is_affected (asserts req) R) R).
    pose proof (history_of_reject req R rho HX HT) as P. split; [|split].
    + apply perm_trans with (1 := partition_permutation (is_affected (asserts req) R) R).
      apply perm_trans with (1 := Permutation_app_comm _ _). apply Permutation_app_head. now apply Permutation_sym.
    + intros r I. now apply filter_In in I as [_ I].
    + intros r I. apply (Permutation_in _ P), filter_In in I as [_ I]. unfold is_possible. rewrite HX. now apply negb_true_iff.
  - exists (map (fun r => (r, Kept)) R). apply history_of_kept.
    + unfold step, prepared. rewrite HX. destruct (holds (asserts req) R); simpl; auto. now rewrite map_map.
    + intros r I. unfold is_possible. now rewrite HX.
  - assert (HT : retypes req = []) by now destruct (retypes req).
    apply history_of_rejection; [eauto|auto|].
    destruct (history_of_coin_reject q req R rho HX HT) as [S M]. exists (minus R (fst (step req (R, rho)))). split; [|split].
    + now apply difference_union.
    + exact M.
    + intros r I. unfold is_possible. now rewrite HX.
Qed.

(** * Columns that stay *)

Definition touched (req : requirement) : list attribute := dropped req ++ map fst (retypes req).

Lemma get_retype ts B : ~ In B (map fst ts) -> forall r, get (retype ts r) B = get r B.
Proof.
  unfold retype. induction ts as [|[C t] ts IH]; intros N r; auto. cbn [fold_left]. simpl in N.
  rewrite IH by tauto. apply get_update_other. intro. apply N. now left.
Qed.

Lemma get_without_columns As B : ~ In B As -> forall r, get (without_columns As r) B = get r B.
Proof.
  unfold without_columns. induction As as [|A As IH]; intros N r; auto. cbn [fold_left]. simpl in N.
  rewrite IH by tauto. apply get_update_other. intro. apply N. now left.
Qed.

Lemma get_prepared req R r B : mem B (touched req) = false -> get (prepared req R r) B = get r B.
Proof.
  intro M. assert (N : ~ In B (touched req)) by (rewrite <- mem_in; congruence). clear M.
  unfold touched in N. rewrite in_app_iff in N. unfold prepared, dropped in *.
  destruct (acts req) as [[[]|]|]; try (apply get_retype; tauto).
  destruct (holds (asserts req) R); [apply get_retype; tauto|]. rewrite get_without_columns by tauto. apply get_retype. tauto.
Qed.

Lemma length_prepared req R r : length (prepared req R r) = length r.
Proof.
  assert (T : forall ts r, length (retype ts r) = length r).
  { unfold retype. induction ts as [|[C t] ts IH]; intro s; auto. cbn [fold_left]. rewrite IH. apply length_update. }
  assert (D : forall As r, length (without_columns As r) = length r).
  { unfold without_columns. induction As as [|A As IH]; intro s; auto. cbn [fold_left]. rewrite IH. apply length_update. }
  unfold prepared. destruct (acts req) as [[[]|]|]; auto. destruct (holds _ R); auto. now rewrite D.
Qed.

(** * Counting picked records *)

Lemma length_picked {X} (b c : X -> option record) (s t : X -> bool) L :
  (forall x r, In x L -> s x = true -> b x = Some r -> t x = true /\ exists r', c x = Some r') ->
  length (picked b (filter s L)) <= length (picked c (filter t L)).
Proof.
  intro H. induction L as [|x L IH]; simpl; auto. assert (IH' := IH (fun y r I => H y r (or_intror I))). clear IH.
  destruct (s x) eqn:S; simpl.
  - unfold picked in *. destruct (b x) as [r|] eqn:B; simpl.
    + destruct (H x r (or_introl eq_refl) S B) as (-> & r' & C). simpl. rewrite C. simpl. lia.
    + destruct (t x); simpl; [rewrite app_length|]; lia.
  - unfold picked in *. destruct (t x); simpl; [rewrite app_length|]; lia.
Qed.

(** Members of the first class are members of the second, with the same counted value. *)
Lemma fewer_picked f {X} (b c : X -> option record) (s t : X -> bool) L : is_count f = true ->
  (forall x r, In x L -> s x = true -> b x = Some r ->
     t x = true /\ exists r', c x = Some r' /\ aggregates_the_same f (r, r')) ->
  below (aggregated f (picked b (filter s L))) (aggregated f (picked c (filter t L))).
Proof.
  intros C H. destruct f; try discriminate; apply below_counts.
  - apply length_picked. intros x r I S B. destruct (H x r I S B) as (T & r' & E & _). eauto.
  - apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I. apply nodup_In in I. apply nodup_In. unfold column in *.
    apply in_map_iff in I as (r & <- & I). apply in_picked in I as (x & I & E). apply filter_In in I as [I S].
    destruct (H x r I S E) as (T & r' & E' & Same). simpl in Same. rewrite <- Same. apply in_map_iff. exists r'. split; auto.
    apply in_picked. exists x. split; auto. now apply filter_In.
Qed.
