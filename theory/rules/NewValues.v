(** docs/prove.md, section 6: the rule of the new value, where the written column is the aggregated one. *)
From Coq Require Import List ZArith Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Assertions Determinism Anonymity Aggregates.
From Acompass Require Import Facts Laws Histories Rules.
Import ListNotations.
Open Scope nat_scope.
Implicit Types (f : aggregate) (W affected : record -> bool) (G : list attribute) (U : record -> value -> Prop).
Implicit Types (L : history).

(** Rule of the new value (`_revalued`): a class after consists of rewritten records, whose aggregate follows from the
    values that are written, and of the others. It holds for draws as well, since L need not be a function. *)
Theorem revalued f affected L W G U :
  (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall p, In p L -> affected (fst p) = false -> snd p = fst p) ->
  reads_key G U -> kept_by_merging f U -> summable f (map snd L) ->
  (forall r T, In r (map snd L) -> T <> [] ->
     (forall t, In t T -> W t = true /\ key G t = key G r /\ exists p, In p L /\ affected (fst p) = true /\ snd p = t) ->
     U r (aggregated f T)) ->
  fact f (fun r => negb (affected r) && W r) G U (map fst L) -> fact f W G U (map snd L).
Proof.
  intros HK Same HU K E New Others r I HW. rewrite class_after. set (M := filter _ L).
  assert (HM : forall p, In p M -> In p L /\ W (snd p) = true /\ key G (snd p) = key G r).
  { intros p J. apply filter_In in J as [J N]. apply andb_true_iff in N as [N N']. now apply has_key_true in N'. }
  set (hit := fun p : record * record => affected (fst p)).
  assert (P : Permutation (map snd M) (map snd (filter (fun p => negb (hit p)) M) ++ map snd (filter hit M))).
  { rewrite <- map_app. apply Permutation_map, partition_permutation. }
  assert (EM : summable f (map snd M)).
  { apply summable_sub with (map snd L); auto.
    apply (sub_bag_map pair_eq_dec record_eq_dec), sub_bag_filter. }
  rewrite (aggregated_permutation f _ _ P).
  assert (EP : summable f (map snd (filter (fun p => negb (hit p)) M) ++ map snd (filter hit M))).
  { apply summable_sub with (map snd M); auto. intro t. now rewrite (proj1 (bag_equality record_eq_dec _ _) P). }
  assert (Hit : filter hit M <> [] -> U r (aggregated f (map snd (filter hit M)))).
  { intro N. apply New; auto; [intro Z; now apply map_eq_nil in Z|].
    intros t J. apply in_map_iff in J as (p & <- & J). apply filter_In in J as [J HP]. apply HM in J as (J & WP & KP).
    repeat split; auto. now exists p. }
  assert (Left : filter (fun p => negb (hit p)) M <> [] -> U r (aggregated f (map snd (filter (fun p => negb (hit p)) M)))).
  { intro N. destruct (filter (fun p => negb (hit p)) M) as [|p M'] eqn:F; [easy|]. rewrite <- F in *.
    assert (J : In p (filter (fun p => negb (hit p)) M)) by (rewrite F; now left).
    apply filter_In in J as [J NP]. apply HM in J as (J & WP & KP). apply negb_true_iff in NP.
    apply (HU (fst p)); [now rewrite <- HK|].
    replace (map snd (filter (fun p => negb (hit p)) M))
      with (class G (filter (fun r => negb (affected r) && W r) (map fst L)) (fst p)).
    - apply Others; [now apply in_map|]. unfold hit in NP. now rewrite NP, <- (Same p J NP).
    - rewrite class_before. unfold M. rewrite filter_filter.
      transitivity (map fst (filter (fun x => W (snd x) && has_key G (key G r) (snd x) && negb (hit x)) L)).
      + f_equal. apply filter_ext_in. intros q Q. unfold hit. destruct (affected (fst q)) eqn:A; simpl;
          [now rewrite andb_false_r|]. rewrite andb_true_r, (Same q Q A). f_equal. unfold has_key.
        now rewrite <- KP, (HK p J).
      + apply map_ext_in. intros q Q. apply filter_In in Q as [Q N']. apply andb_true_iff in N' as [_ N'].
        apply negb_true_iff in N'. symmetry. now apply Same. }
  destruct (filter (fun p => negb (hit p)) M) as [|p M1] eqn:F1, (filter hit M) as [|q M2] eqn:F2.
  - exfalso. apply in_map_iff in I as (p & <- & I). assert (J : In p M).
    { apply filter_In. split; auto. rewrite HW. now apply has_key_true. }
    apply Permutation_length in P. simpl in P. rewrite map_length in P. now destruct M.
  - simpl. now apply Hit.
  - simpl map at 2. rewrite app_nil_r. now apply Left.
  - apply K; auto; try discriminate; [now apply Left|now apply Hit].
Qed.

(** Labels instead of the new value (`_relabelled`): equal values have equal labels, so a class has at most as many labels
    as values, and a fact that allows every smaller count is kept (`is_kept_by_fewer`). *)
Lemma fewer_labels B L :
  (forall p q, In p L -> In q L -> value_at (fst p) B = value_at (fst q) B -> value_at (snd p) B = value_at (snd q) B) ->
  below (aggregated (CountDistinct B) (map snd L)) (aggregated (CountDistinct B) (map fst L)).
Proof.
  intro alike. apply below_counts. unfold column. rewrite !map_map.
  (* each label is that of some value *)
  set (label_of := fun v => match find (fun p => if value_eq_dec (value_at (fst p) B) v then true else false) L with
    Some p => value_at (snd p) B | None => nothing end).
  rewrite <- (map_length label_of (distinct (map (fun p => value_at (fst p) B) L))).
  apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I. apply nodup_In in I. apply in_map_iff in I as (p & <- & I).
  apply in_map_iff. exists (value_at (fst p) B).
  split; [|apply nodup_In; now apply in_map with (f := fun p => value_at (fst p) B)].
  unfold label_of. destruct find as [q|] eqn:F.
  - apply find_some in F as [J E]. destruct value_eq_dec; [|discriminate]. now apply alike.
  - apply find_none with (x := p) in F; auto. now destruct value_eq_dec.
Qed.

Theorem relabelled B L W W' G U :
  (forall p, In p L -> W (snd p) = W' (fst p)) -> (forall p, In p L -> key G (snd p) = key G (fst p)) ->
  (forall p q, In p L -> In q L -> W (snd p) = true -> W (snd q) = true ->
     value_at (fst p) B = value_at (fst q) B -> value_at (snd p) B = value_at (snd q) B) ->
  reads_key G U -> downward U ->
  fact (CountDistinct B) W' G U (map fst L) -> fact (CountDistinct B) W G U (map snd L).
Proof.
  intros HW HK alike HU D F r I WR. apply in_map_iff in I as (p & <- & I). rewrite class_after.
  apply D with (aggregated (CountDistinct B) (class G (filter W' (map fst L)) (fst p))).
  - rewrite class_before.
    rewrite (filter_ext_in (fun q => W' (fst q) && has_key G (key G (fst p)) (fst q))
      (fun q => W (snd q) && has_key G (key G (snd p)) (snd q))).
    + apply fewer_labels. intros q s Q S. apply filter_In in Q as [Q NQ]. apply filter_In in S as [S NS].
      apply andb_true_iff in NQ as [NQ _]. apply andb_true_iff in NS as [NS _]. now apply alike.
    + intros q Q. unfold has_key. now rewrite (HW q Q), !HK.
  - apply (HU (fst p)); [now rewrite HK|]. apply F; [now apply in_map|now rewrite <- HW].
Qed.
