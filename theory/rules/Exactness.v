(** docs/prove.md, section 2: if all requirements are about records, every record in the final reachable set is the result
    of some one-record table and some trace. So a claim about records that is not proved is refuted. *)
From Coq Require Import List ZArith QArith Qround Bool Lia.
From Acompass Require Import Order Bags Texts Values Tables Syntax Results Assertions Actions Outliers Histories Reachability.
Import ListNotations.
Open Scope nat_scope.

(** * Every draw has a value of the trace *)

Lemma every_integer_is_drawn l u z : (l <= z <= u)%Z -> exists y, (0 <= y)%Q /\ (y < 1)%Q /\ random l u y = z.
Proof.
  intro H. set (w := Z.to_pos (u - l + 1)). assert (W : Zpos w = (u - l + 1)%Z) by (unfold w; rewrite Z2Pos.id; lia).
  exists ((z - l) # w)%Q. split; [unfold Qle; simpl; lia|split; [unfold Qlt; simpl; lia|]].
  unfold random. rewrite <- W.
  setoid_replace (((z - l) # w) * inject_Z (Zpos w))%Q with (inject_Z (z - l)) by (unfold Qeq; simpl; lia).
  rewrite Qfloor_Z. lia.
Qed.

Lemma pick_first balls v : In v (map snd balls) -> forall before all, (0 <= before)%Z ->
  (before + weights balls <= all)%Z -> exists k, (before <= k < before + weights balls)%Z /\
    forall y, (y * inject_Z all == inject_Z k)%Q -> pick balls before all y = v.
Proof.
  induction balls as [|[w u] balls IH]; simpl; intros I before all B H; [easy|]. unfold weights in *.
  cbn [map fold_right fst] in *.
  destruct (field_eq_dec u v) as [->|N].
  - exists before. split.
    + assert (0 <= fold_right Z.add 0 (map (fun ball => Z.pos (fst ball)) balls))%Z.
      { clear. induction balls as [|ball balls IH]; cbn [map fold_right]; lia. }
      cbn [map fold_right fst]. lia.
    + intros y E. unfold less. replace (Qle_bool _ _) with false; auto. symmetry. apply not_true_iff_false.
      rewrite Qle_bool_iff, E, <- Zle_Qle. lia.
  - destruct I as [|I]; [contradiction|]. destruct (IH I (before + Zpos w)%Z all) as (k & K & HK); [lia|lia|].
    exists k. split; [lia|]. intros y E. unfold less. replace (Qle_bool _ _) with true; [simpl; now apply HK|].
    symmetry. rewrite Qle_bool_iff, E, <- Zle_Qle. lia.
Qed.

Lemma every_ball_is_drawn balls v : In v (map snd balls) ->
  exists y, (0 <= y)%Q /\ (y < 1)%Q /\ pick_ball balls y = v.
Proof.
  intro I. assert (N : balls <> []) by now destruct balls. pose proof (weights_positive balls N) as W.
  destruct (pick_first balls v I 0 (weights balls)) as (k & K & H); [lia|lia|].
  exists (k # Z.to_pos (weights balls))%Q. repeat split.
  - unfold Qle; simpl; lia.
  - unfold Qlt; cbn [Qnum Qden]. rewrite Z2Pos.id by lia. lia.
  - apply H. unfold Qeq, Qmult, inject_Z; cbn [Qnum Qden]. rewrite Pos.mul_1_r, Z2Pos.id by lia. lia.
Qed.

(** * Requirements about records *)

Definition about_records (a : assertion) : Prop :=
  match a with Each Result _ | Each (Filter _) _ => True | _ => False end.

Definition affects (a : assertion) (r : record) : bool := is_affected a [r] r.

(** What one requirement can make of a record, if it leaves it. *)
Definition can_become (req : requirement) (r r' : record) : Prop :=
  let s := retype (retypes req) r in
  match acts req with
  | None => r' = s
  | Some x =>
      if affects (asserts req) r then
        (is_certain x = false /\ r' = s) \/
        match plain_of x with
        | Reject => False
        | Drop As => r' = without_columns As s
        | _ => exists A a, writes_column (plain_of x) A /\ writes (plain_of x) A s a /\ r' = update s A a
        end
      else r' = s
  end.

(** What the check makes sure of: bounds and urns are not empty, a coin has two sides (X5), REJECT changes no type, and DROP
    comes after ALWAYS and without a coin (X3). *)
Definition is_action (req : requirement) (x : action) : Prop :=
  match x with WithProbability q _ => (0 < q)%Q /\ (q < 1)%Q | Certain _ => True end /\
  match plain_of x with
  | Reject => retypes req = []
  | Drop _ => asserts req = Always /\ is_certain x = true
  | Random _ _ l u => (l <= u)%Z
  | RandomFrom _ balls => balls <> []
  | Replace _ _ | Generalize _ _ => True
  | Write _ => False
  end.

Definition is_requirement (req : requirement) : Prop :=
  about_records (asserts req) /\ match acts req with None => True | Some x => is_action req x end.

Definition before_trace (y : Q) (rho : trace) : trace := fun i => match i with O => y | S i' => rho i' end.

Lemma in_unit_before y rho : (0 <= y)%Q -> (y < 1)%Q -> in_unit_interval rho -> in_unit_interval (before_trace y rho).
Proof. intros low high H [|i]; simpl; auto. Qed.

Lemma violated a r : about_records a -> holds a [r] = negb (affects a r).
Proof.
  destruct a as [[|psi|f psi G] phi|]; simpl; intro H; try easy; unfold affects; simpl.
  - unfold affected_by_result, holds_of. now rewrite andb_true_r, negb_involutive.
  - unfold affected_by_filter, filtered. simpl. destruct (holds_of psi r); auto. simpl. unfold holds_of.
    now rewrite andb_true_r, negb_involutive.
Qed.

Lemma affected_alone a r : AFF [r] a = if affects a r then [r] else [].
Proof. reflexivity. Qed.

Lemma minus_self (r : record) : minus [r] [r] = [].
Proof. unfold minus. simpl. now destruct record_eq_dec. Qed.

(** An action on a table of one record: each field that it may write is written with some trace. *)
Lemma performed_alone x A s a rho : writes_column x A -> writes x A s a -> in_unit_interval rho ->
  exists rho', in_unit_interval rho' /\ fst (perform_plain x [s] rho' [s]) = [update s A a] /\
    snd (perform_plain x [s] rho' [s]) = rho.
Proof.
  intros HA HW U. destruct x as [|B b|B t l u|B balls|B g|As|y]; simpl in HA, HW; try easy;
    unfold perform_plain, replace, randomize, generalize; rewrite minus_self.
  - destruct HW as [-> ->]. now exists rho.
  - destruct HA as [-> L]. destruct HW as [_ (z & Z & ->)]. destruct (every_integer_is_drawn l u z Z) as (y & low & high & E).
    exists (before_trace y rho). split; [now apply in_unit_before|].
    unfold redraw, order, sort. cbn [fold_right insert with_trace map before_trace]. now rewrite E.
  - destruct HW as [-> I]. destruct (every_ball_is_drawn balls a I) as (y & low & high & E).
    exists (before_trace y rho). split; [now apply in_unit_before|].
    unfold redraw, order, sort. cbn [fold_right insert with_trace map before_trace]. now rewrite E.
  - destruct HW as [-> ->]. now exists rho.
Qed.

(** * A table of one record *)

Lemma missed_alone x s rho : match x with Drop _ => False | _ => True end ->
  perform_plain x [s] rho [] = ([s], rho).
Proof.
  destruct x as [| | | | | |[]]; simpl; intro H; try easy; unfold reject, replace, randomize, generalize, perform_write; simpl;
    now rewrite ?app_nil_r.
Qed.

Lemma hit_alone q rho s y : (y < q)%Q -> drawn q (before_trace y rho) [s] = [s].
Proof.
  intro H. unfold drawn. simpl. replace (less y q) with true; auto. symmetry. unfold less. apply negb_true_iff.
  apply not_true_iff_false. rewrite Qle_bool_iff. now apply Qlt_not_le.
Qed.

Lemma not_hit_alone q rho s : drawn q (before_trace q rho) [s] = [].
Proof.
  unfold drawn. simpl. replace (less q q) with false; auto. symmetry. unfold less. apply negb_false_iff.
  rewrite Qle_bool_iff. apply Qle_refl.
Qed.

Theorem one_step req r r' rho : is_requirement req -> can_become req r r' -> in_unit_interval rho ->
  exists rho', in_unit_interval rho' /\ step req ([r], rho') = ([r'], rho).
Proof.
  intros [HA HX] H U. unfold can_become in H. set (s := retype (retypes req) r) in *.
  unfold step. destruct (acts req) as [x|]; [|exists rho; split; auto; subst r'; reflexivity].
  destruct (affects (asserts req) r) eqn:E.
  2: { exists rho. split; auto. rewrite violated, E by auto. now subst r'. }
  assert (V : forall rho', (if holds (asserts req) [r] then (map (retype (retypes req)) [r], rho')
    else perform x (map (retype (retypes req)) [r]) rho' (map (retype (retypes req)) (AFF [r] (asserts req))))
    = perform x [s] rho' [s]).
  { intro rho'. now rewrite violated, E, affected_alone, E by auto. }
  destruct HX as [coin wf]. destruct H as [[N ->]|H].
  - (* the coin misses *)
    destruct x as [x|q x]; [discriminate|]. exists (before_trace q rho). split.
    + apply in_unit_before; auto; [now apply Qlt_le_weak|easy].
    + rewrite V. simpl. rewrite not_hit_alone. apply missed_alone. destruct x; try easy. now destruct wf.
  - assert (P : exists rho', in_unit_interval rho' /\ perform_plain (plain_of x) [s] rho' [s] = ([r'], rho)).
    { destruct (plain_of x) eqn:F; try easy.
      all: try (destruct H as (A1 & a1 & H1 & H2 & ->);
        destruct (performed_alone _ A1 s a1 rho H1 H2 U) as (rho' & U' & X1 & X2);
        exists rho'; split; [exact U'|]; now rewrite (surjective_pairing (perform_plain _ _ _ _)), X1, X2).
      exists rho. split; auto. simpl. now subst r'. }
    destruct P as (rho' & U' & P). destruct x as [x|q x]; simpl in P.
    + exists rho'. split; auto. now rewrite V.
    + exists (before_trace 0 rho'). split; [apply in_unit_before; auto; easy|]. rewrite V. simpl.
      rewrite hit_alone by easy. exact P.
Qed.

(** * Programs *)

Inductive can_reach : program -> record -> record -> Prop :=
| here r : can_reach [] r r
| further req p r s r' : can_become req r s -> can_reach p s r' -> can_reach (req :: p) r r'.

Lemma one_record p r r' : Forall is_requirement p -> can_reach p r r' ->
  exists rho, in_unit_interval rho /\ fst (run p ([r], rho)) = [r'].
Proof.
  intros HP H. induction H as [r|req p r s r' B _ IH]; [exists (fun _ => 0%Q); split; [now intros i|reflexivity]|].
  inversion HP as [|? ? Hreq HP']; subst. destruct (IH HP') as (rho & U & E).
  destruct (one_step req r s rho Hreq B U) as (rho' & U' & S). exists rho'. split; auto.
  change (run (req :: p) ([r], rho')) with (run p (step req ([r], rho'))). now rewrite S.
Qed.

Lemma affected_by_itself a R r : about_records a -> is_affected a R r = affects a r.
Proof. now destruct a as [[|psi|f psi G] phi|]. Qed.

Lemma from_one_record req R rho r' : is_requirement req -> in_unit_interval rho -> In r' (fst (step req (R, rho))) ->
  exists r, In r R /\ can_become req r r'.
Proof.
  intros [HA HX] U I. destruct (acts req) as [x|] eqn:X.
  2: { rewrite history_of_check in I by auto. apply in_map_iff in I as (r & <- & I). exists r. split; auto.
       unfold can_become. now rewrite X. }
  destruct HX as [coin wf].
  assert (Written : forall A, writes_column (plain_of x) A -> is_urn (plain_of x) -> exists r, In r R /\ can_become req r r').
  { intros A HC urn. destruct (history_of_write req x A R rho X HC urn U) as (L & P & F & H).
    assert (K : In r' (map snd L)) by now apply (Permutation.Permutation_in _ P). apply in_map_iff in K as ([r s] & E & K).
    simpl in E. subst s. exists r. split; [apply (Permutation.Permutation_in _ F); now apply (in_map fst) in K|].
    specialize (H r r' K). unfold may_become, can_become in *. rewrite X, affected_by_itself in * by auto.
    destruct (affects (asserts req) r); auto. destruct H as [(a & HW & ->)|H]; [right|now left].
    destruct (plain_of x); try easy; now exists A, a. }
  destruct (plain_of x) eqn:F.
  - destruct x as [x|q x]; simpl in F; subst x.
    + apply (Permutation.Permutation_in _ (history_of_reject req R rho X wf)), filter_In in I as [I N].
      exists r'. split; auto. unfold can_become. rewrite X, wf. rewrite affected_by_itself in N by auto.
      now destruct (affects (asserts req) r').
    + destruct (history_of_coin_reject q req R rho X wf) as [S _]. exists r'.
      split; [now apply (sub_bag_in record_eq_dec _ _ _ S)|]. unfold can_become. rewrite X, wf.
      destruct (affects (asserts req) r'); auto.
  - now apply (Written A).
  - now apply (Written A).
  - now apply (Written A).
  - now apply (Written A).
  - destruct wf as [HAlways certain]. destruct x as [x|q x]; [|discriminate]. simpl in F. subst x.
    destruct (after_drop req (fun r => In r R) R rho (fun r J => J) As r' X HAlways I) as (r & J & ->).
    exists r. split; auto. unfold can_become. rewrite X, HAlways. now right.
  - easy.
Qed.

Lemma from_records p : Forall is_requirement p -> forall R rho r', in_unit_interval rho -> In r' (fst (run p (R, rho))) ->
  exists r, In r R /\ can_reach p r r'.
Proof.
  induction 1 as [|req p Hreq _ IH]; intros R rho r' U I; [exists r'; split; [exact I|constructor]|].
  change (run (req :: p) (R, rho)) with (run p (step req (R, rho))) in I.
  pose proof (trace_in_unit_interval req R rho U) as U'. pose proof (from_one_record req R rho) as B.
  destruct (step req (R, rho)) as [R' rho']. destruct (IH R' rho' r' U' I) as (s & J & H).
  destruct (B s Hreq U J) as (r & K & C). exists r. split; auto. now apply further with s.
Qed.

(** The answer to a claim about records is exact. *)
Theorem record_claims_are_exact p psi phi : Forall is_requirement p ->
  (forall R rho, in_unit_interval rho -> holds (Each (Filter psi) phi) (fst (run p (R, rho))) = true) <->
  (forall r r', can_reach p r r' -> holds_of psi r' = true -> holds_of phi r' = true).
Proof.
  intro HP. split.
  - intros H r r' C P. destruct (one_record p r r' HP C) as (rho & U & E).
    assert (K : holds (Each (Filter psi) phi) [r'] = true) by (rewrite <- E; now apply H).
    cbn [holds result_of] in K. unfold filtered in K. simpl in K. rewrite P in K. simpl in K.
    now rewrite andb_true_r in K.
  - intros H R rho U. apply record_claim with (fun r' => exists r, can_reach p r r').
    + intros r' I. destruct (from_records p HP R rho r' U I) as (r & _ & C). now exists r.
    + intros r' (r & C). now apply (H r).
Qed.
