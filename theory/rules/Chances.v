(** docs/prove.md, sections 3, 4 and 6: what chance decides. Each rule is named after the function in
    src/acompass/prove/rules/write_rules.py or laws.py that uses it.

    A coin (X5) may leave any of the affected records unchanged, so L need not be a function of the record before. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Determinism Anonymity Aggregates.
From Acompass Require Import Facts Laws Histories Rules.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (care : record -> Prop) (W X : record -> bool) (G : list attribute).
Implicit Types (U : record -> value -> Prop) (L : history).

(** * Lemma of both (`Aggregates.of_both`) *)

Theorem of_both_max B S T : S <> [] -> T <> [] -> let v := aggregated (Max B) (S ++ T) in
  (v = aggregated (Max B) S \/ v = aggregated (Max B) T) /\ below (aggregated (Max B) S) v /\ below (aggregated (Max B) T) v.
Proof.
  intros NS NT v. split; [now apply of_merged_max|]. split; apply of_part_max; auto; intro r; rewrite multiplicity_union; lia.
Qed.

Theorem of_both_min B S T : S <> [] -> T <> [] -> let v := aggregated (Min B) (S ++ T) in
  (v = aggregated (Min B) S \/ v = aggregated (Min B) T) /\ below v (aggregated (Min B) S) /\ below v (aggregated (Min B) T).
Proof.
  intros NS NT v. split; [now apply of_merged_min|]. split; apply of_part_min; auto; intro r; rewrite multiplicity_union; lia.
Qed.

(** * Law of the part, for classes that lose only some records (`is_kept_without`) *)

(** Parts keep the fact at the keys that records of care ∩ W ∩ X have. *)
Definition kept_without f care W G X U : Prop := forall r x S T,
  care x -> W x = true -> X x = true -> key G x = key G r ->
  S <> [] -> subset S T -> (forall t, In t T -> care t) -> U r (aggregated f T) -> U r (aggregated f S).

Theorem is_kept_without f care W G X U : kept_by_parts f care U -> kept_without f care W G X U.
Proof. intros H r x S T _ _ _ _. apply H. Qed.

(** A class of which only records of X can be missing is allowed. *)
Lemma without_lost f care W G X U r S T : kept_without f care W G X U -> S <> [] -> subset S T ->
  (forall t, In t T -> care t /\ W t = true /\ key G t = key G r) -> (forall t, In t (minus T S) -> X t = true) ->
  U r (aggregated f T) -> U r (aggregated f S).
Proof.
  intros K N Sub HT HX HU. destruct (minus T S) as [|x lost] eqn:E.
  - pose proof (difference_union record_eq_dec T S Sub) as P. unfold minus in E. rewrite E in P. simpl in P.
    now rewrite <- (aggregated_permutation f _ _ P).
  - assert (I : In x (minus T S)) by (rewrite E; now left). destruct (HT x (in_minus T S x I)) as (C & HW & HK).
    apply (K r x S T); auto; [apply HX; rewrite <- E; auto|]. intros t J. now apply HT.
Qed.

(** Rule of the coin, REJECT (`_cut`): some of the records of X are lost. *)
Theorem coin_reject f care W G X U R R' : within care R -> subset R' R ->
  (forall r, In r (minus R R') -> X r = true) -> kept_without f care W G X U ->
  fact f W G U R -> fact f W G U R'.
Proof.
  intros C Sub HX K F r I HW. assert (J : In r R) by now apply (sub_bag_in record_eq_dec R' R).
  apply (without_lost f care W G X U r _ (class G (filter W R) r)); auto.
  - apply class_nonempty. now apply filter_In.
  - apply sub_bag_filters. now apply sub_bag_filters.
  - intros t T. apply in_class in T as [T HK]. apply filter_In in T as [T HT]. repeat split; auto.
  - intros t T. apply HX. revert T. unfold minus, class, group. rewrite !(in_multiplicity record_eq_dec).
    rewrite !multiplicity_difference, !multiplicity_filter. destruct (has_key _ _ t), (W t); lia.
Qed.

(** * Selections of a history *)

Lemma minus_of_selections (A B : record * record -> bool) L : (forall p, In p L -> A p = true -> B p = true) ->
  subset (map fst (filter A L)) (map fst (filter B L)) /\
  forall t, In t (minus (map fst (filter B L)) (map fst (filter A L))) ->
    exists p, In p L /\ B p = true /\ A p = false /\ fst p = t.
Proof.
  intro H. assert (P : Permutation (map fst (filter B L))
    (map fst (filter (fun p => negb (A p)) (filter B L)) ++ map fst (filter A L))).
  { rewrite <- map_app. apply Permutation_map.
    apply perm_trans with (1 := partition_permutation A (filter B L)). apply Permutation_app_head.
    rewrite filter_filter. rewrite (filter_ext_in (fun p => B p && A p) A); auto.
    intros p I. destruct (A p) eqn:E; [now rewrite H|apply andb_false_r]. }
  split; [apply sub_bag_union; eexists; exact P|].
  intros t T. apply (Permutation_in _ (union_difference record_eq_dec _ _ _ P)), in_map_iff in T as (p & <- & T).
  apply filter_In in T as [T N]. apply filter_In in T as [T HB]. exists p. apply negb_true_iff in N. auto.
Qed.

(** * Rule of the coin, the WHERE (`_reselected`)

    W' has the records that W selects as they are, and those that it can select once they are hit; X has those that it
    selects only if they are hit, or can miss once they are hit. *)
Theorem reselected f care L W W' G X U : within care (map fst L) -> reads_key G U ->
  (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall p, In p L -> W (snd p) = true -> W' (fst p) = true /\ aggregates_the_same f p) ->
  (forall p, In p L -> W' (fst p) = true -> W (snd p) = false -> X (fst p) = true) ->
  kept_without f care W' G X U -> fact f W' G U (map fst L) -> fact f W G U (map snd L).
Proof.
  intros C HU HK HW HX K F r I WR. apply in_map_iff in I as (p & <- & I). rewrite class_after.
  set (A := fun q => W (snd q) && has_key G (key G (snd p)) (snd q)).
  set (B := fun q : record * record => W' (fst q) && has_key G (key G (fst p)) (fst q)).
  assert (AB : forall q, In q L -> A q = true -> B q = true).
  { intros q J H. apply andb_true_iff in H as [H H']. unfold B, has_key in *. rewrite !HK in H' by auto.
    destruct (HW q J H) as [-> _]. exact H'. }
  rewrite aggregated_before by (intros q J; apply filter_In in J as [J H]; apply andb_true_iff in H as [H _]; now apply HW).
  destruct (minus_of_selections A B L AB) as [Sub Lost]. apply (HU (fst p)); [now rewrite HK|].
  assert (Own : In p (filter A L)) by (apply filter_In; split; auto; unfold A; rewrite WR; now apply has_key_true).
  apply (without_lost f care W' G X U (fst p) _ (map fst (filter B L))); auto.
  - intro N. apply map_eq_nil in N. now rewrite N in Own.
  - intros t T. apply in_map_iff in T as (q & <- & T). apply filter_In in T as [T H].
    apply andb_true_iff in H as [H H']. apply has_key_true in H'. repeat split; auto. apply C. now apply in_map.
  - intros t T. destruct (Lost t T) as (q & J & HB & HA & <-). apply andb_true_iff in HB as [HB HB'].
    apply HX; auto. unfold A in HA. destruct (W (snd q)); auto. simpl in HA. unfold has_key in *.
    rewrite !HK in HA by auto. now rewrite HA in HB'.
  - unfold B. rewrite <- class_before. apply F; [now apply in_map|now apply HW].
Qed.

(** * Rule of the part (`_refuse_random_selection`)

    W' has every record that W can select after RANDOM; which of them it selects, the draw decides. *)
Corollary random_selection f care L W W' G U : within care (map fst L) -> reads_key G U ->
  (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall p, In p L -> W (snd p) = true -> W' (fst p) = true /\ aggregates_the_same f p) ->
  kept_by_parts f care U -> fact f W' G U (map fst L) -> fact f W G U (map snd L).
Proof.
  intros C HU HK HW K F. apply (reselected f care L W W' G (fun _ => true) U); auto. now apply is_kept_without.
Qed.

(** * Rule of the scattered class (`before_scattering`)

    Rewritten records get keys that [lands] has. There the fact follows from the values; elsewhere a class has only records
    that stay as they are: all those of [stays] with their key, or, after a coin, all but some of X. *)
Section Scattered.
  Variables (f : aggregate) (L : history) (W lands stays : record -> bool) (G : list attribute) (U : record -> value -> Prop).
  Variables (care : record -> Prop) (X : record -> bool).
  Hypothesis in_care : within care (map fst L).
  Hypothesis by_key : forall r s, key G r = key G s -> lands r = lands s.
  Hypothesis elsewhere : forall p, In p L -> W (snd p) = true -> lands (snd p) = false ->
    snd p = fst p /\ stays (fst p) = true.

  Let W' r := stays r && (W r && negb (lands r)).

  Hypothesis leaves : forall p, In p L -> W' (fst p) = true -> snd p = fst p \/ X (fst p) = true.

  Theorem before_scattering : kept_without f care W' G X U ->
    fact f (fun r => W r && lands r) G U (map snd L) -> fact f W' G U (map fst L) -> fact f W G U (map snd L).
  Proof.
    intros K Landed F r I WR. destruct (lands r) eqn:D.
    - assert (Z : W r && lands r = true) by now rewrite WR, D. specialize (Landed r I Z).
      replace (class G (filter W (map snd L)) r) with (class G (filter (fun r => W r && lands r) (map snd L)) r); auto.
      unfold class, group. rewrite !filter_filter. apply filter_ext. intro t.
      destruct (has_key G (key G r) t) eqn:E; [|now rewrite !andb_false_r]. apply has_key_true in E.
      now rewrite (by_key t r E), D, andb_true_r.
    - apply in_map_iff in I as (p & <- & I). destruct (elsewhere p I WR D) as [E ST]. rewrite class_after, E in *.
      set (A := fun q => W (snd q) && has_key G (key G (fst p)) (snd q)).
      set (B := fun q : record * record => W' (fst q) && has_key G (key G (fst p)) (fst q)).
      assert (HA : forall q, In q L -> A q = true -> snd q = fst q /\ W' (fst q) = true /\ key G (fst q) = key G (fst p)).
      { intros q J H. apply andb_true_iff in H as [H H']. apply has_key_true in H'.
        assert (D' : lands (snd q) = false) by now rewrite (by_key _ _ H').
        destruct (elsewhere q J H D') as [E' S']. unfold W'. rewrite E' in *. now rewrite S', H, D'. }
      assert (AB : forall q, In q L -> A q = true -> B q = true).
      { intros q J H. destruct (HA q J H) as (_ & HW & HK). unfold B. rewrite HW. now apply has_key_true. }
      assert (Same : map snd (filter A L) = map fst (filter A L)).
      { apply map_ext_in. intros q J. apply filter_In in J as [J H]. now apply HA. }
      rewrite Same. destruct (minus_of_selections A B L AB) as [Sub Lost].
      assert (Own : In p (filter A L)) by (apply filter_In; split; auto; unfold A; rewrite E, WR; now apply has_key_true).
      assert (WP : W' (fst p) = true) by (unfold W'; now rewrite ST, WR, D).
      apply (without_lost f care W' G X U (fst p) _ (map fst (filter B L))); auto.
      + intro N. apply map_eq_nil in N. now rewrite N in Own.
      + intros t T. apply in_map_iff in T as (q & <- & T). apply filter_In in T as [T H].
        apply andb_true_iff in H as [H H']. apply has_key_true in H'. repeat split; auto. apply in_care. now apply in_map.
      + intros t T. destruct (Lost t T) as (q & J & HB & NA & <-). apply andb_true_iff in HB as [HB HB'].
        destruct (leaves q J HB) as [E'|]; auto. exfalso. apply not_true_iff_false in NA. apply NA. unfold A. rewrite E', HB'.
        unfold W' in HB. apply andb_true_iff in HB as [_ HB]. apply andb_true_iff in HB as [-> _]. reflexivity.
      + unfold B. rewrite <- class_before. apply F; auto. now apply in_map.
  Qed.
End Scattered.

(** * Law of the mixed class (`is_kept_with`), rule of the coin for the aggregated column (`ChanceRules._revalued`) *)

(** Bags of [new] records are allowed, alone and together with part of an allowed class. *)
Definition kept_with f care G (new : record -> bag -> Prop) U : Prop := forall r N S, N <> [] -> new r N ->
  S = [] \/ (exists T, S <> [] /\ subset S T /\ (forall t, In t T -> care t /\ key G t = key G r) /\ U r (aggregated f T)) ->
  U r (aggregated f (N ++ S)).

(** Where the law holds by the lemmas: unions keep the fact, parts keep it, and new records are allowed. *)
Theorem is_kept_with f care G (new : record -> bag -> Prop) U : kept_by_merging f U -> kept_by_parts f care U ->
  (forall N S, summable f (N ++ S)) -> (forall r N, new r N -> U r (aggregated f N)) -> kept_with f care G new U.
Proof.
  intros merging parts E alone r N S NN HN [->|(T & NS & Sub & HT & HU)]; [rewrite app_nil_r; auto|].
  apply merging; auto. apply parts with T; auto. intros t I. now apply HT.
Qed.

Definition is_hit (p : record * record) : bool := if record_eq_dec (snd p) (fst p) then false else true.

Lemma not_hit p : is_hit p = false -> snd p = fst p.
Proof. unfold is_hit. now destruct record_eq_dec. Qed.

(** X has the records that W selects before and can miss once they are hit. *)
Theorem coin_revalued f care L W G X U : within care (map fst L) -> reads_key G U ->
  (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall p, In p L -> W (fst p) = true -> W (snd p) = false -> X (fst p) = true) ->
  kept_with f care G (fun r N => forall t, In t N ->
    exists p, In p L /\ is_hit p = true /\ snd p = t /\ W t = true /\ key G t = key G r) U ->
  kept_without f care W G X U -> fact f W G U (map fst L) -> fact f W G U (map snd L).
Proof.
  intros C HU HK HX mixed K F r I WR. apply in_map_iff in I as (p & <- & I). rewrite class_after.
  set (A := fun q => W (snd q) && has_key G (key G (snd p)) (snd q)). set (M := filter A L).
  set (B := fun q : record * record => W (fst q) && has_key G (key G (fst p)) (fst q)).
  set (unhit := filter (fun q => negb (is_hit q)) M). set (hit := filter is_hit M).
  assert (HM : forall q, In q M -> In q L /\ W (snd q) = true /\ key G (snd q) = key G (snd p)).
  { intros q J. apply filter_In in J as [J H]. apply andb_true_iff in H as [H H']. now apply has_key_true in H'. }
  assert (Unhit : map snd unhit = map fst unhit).
  { apply map_ext_in. intros q J. apply filter_In in J as [_ J]. apply not_hit. now destruct (is_hit q). }
  assert (P : Permutation (map snd M) (map snd hit ++ map fst unhit)).
  { rewrite <- Unhit, <- map_app. apply Permutation_map.
    apply perm_trans with (1 := partition_permutation is_hit M). apply Permutation_app_comm. }
  rewrite (aggregated_permutation f _ _ P).
  (* the records that were not hit are part of a class before *)
  set (A' := fun q => A q && negb (is_hit q)).
  assert (EU : unhit = filter A' L) by (unfold unhit, M; now rewrite filter_filter).
  assert (AB : forall q, In q L -> A' q = true -> B q = true).
  { intros q J H. apply andb_true_iff in H as [H N]. apply andb_true_iff in H as [H H'].
    assert (E : snd q = fst q) by (apply not_hit; now destruct (is_hit q)).
    unfold B. rewrite E in *. rewrite H. unfold has_key in *. now rewrite HK in H' by auto. }
  destruct (minus_of_selections A' B L AB) as [Sub Lost]. rewrite <- EU in Sub, Lost.
  assert (HB : forall t, In t (map fst (filter B L)) -> care t /\ W t = true /\ key G t = key G (fst p)).
  { intros t T. apply in_map_iff in T as (q & <- & T). apply filter_In in T as [T H].
    apply andb_true_iff in H as [H H']. apply has_key_true in H'. repeat split; auto. apply C. now apply in_map. }
  assert (Allowed : unhit <> [] -> U (fst p) (aggregated f (map fst (filter B L)))).
  { intro N. destruct unhit as [|q rest] eqn:E; [easy|]. assert (J : In q unhit) by (rewrite E; now left).
    rewrite <- E in *. assert (Q : In (fst q) (map fst (filter B L))).
    { apply (sub_bag_in record_eq_dec _ _ _ Sub). now apply in_map. }
    destruct (HB _ Q) as (_ & WQ & KQ). apply (HU (fst q)); auto. unfold B. rewrite <- KQ, <- class_before.
    apply F; auto. rewrite EU in J. apply filter_In in J as [J _]. now apply in_map. }
  destruct hit as [|h hs] eqn:EH.
  - simpl. assert (N : unhit <> []).
    { intro E. assert (J : In p M) by (apply filter_In; split; auto; unfold A; rewrite WR; now apply has_key_true).
      apply Permutation_length in P. rewrite E in P. simpl in P. rewrite map_length in P. now destruct M. }
    apply (HU (fst p)); [now rewrite HK|].
    apply (without_lost f care W G X U (fst p) _ (map fst (filter B L))); auto.
    + intro E. now apply map_eq_nil in E.
    + intros t T. destruct (Lost t T) as (q & J & HQ & NA & <-). apply andb_true_iff in HQ as [HQ HQ'].
      apply HX; auto. destruct (W (snd q)) eqn:WQ; auto. exfalso.
      assert (AQ : A q = true) by (unfold A; rewrite WQ; unfold has_key in *; now rewrite !HK).
      unfold A' in NA. rewrite AQ in NA. simpl in NA. apply negb_false_iff in NA.
      assert (Z : In q hit) by (apply filter_In; split; auto; now apply filter_In). now rewrite EH in Z.
  - rewrite <- EH in *. apply mixed.
    + rewrite EH. discriminate.
    + intros t T. apply in_map_iff in T as (q & <- & T). unfold hit in T. apply filter_In in T as [T H].
      destruct (HM q T) as (J & WQ & KQ). now exists q.
    + destruct unhit as [|q rest] eqn:E; [now left|right]. rewrite <- E in *.
      exists (map fst (filter B L)). repeat split; auto.
      * rewrite E. discriminate.
      * now apply HB.
      * rewrite HK by auto. now apply HB.
      * apply (HU (fst p)); [now rewrite HK|]. apply Allowed. rewrite E. discriminate.
Qed.
