(** docs/prove.md, section 3: the lemmas about the aggregate of a class, a union of classes and part of a class. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Determinism Anonymity.
Import ListNotations.
Open Scope nat_scope.

(** v ≤ w *)
Definition below (v w : value) : Prop := at_most compare_value v w.

Lemma below_refl v : below v v.
Proof. unfold below, at_most. now rewrite (compare_refl order_value). Qed.

Lemma below_trans v w x : below v w -> below w x -> below v x.
Proof. apply at_most_trans, order_value. Qed.

Lemma below_antisym v w : below v w -> below w v -> v = w.
Proof. apply at_most_antisym, order_value. Qed.

Lemma below_counts n m : below (number_of_records n) (number_of_records m) <-> n <= m.
Proof. unfold below, at_most, number_of_records. rewrite compare_integers, Z.compare_gt_iff. lia. Qed.

Lemma compare_exact p q : compare_value (exact p) (exact q) = Qccompare p q.
Proof. unfold compare_value, compare_pair, exact. simpl. now destruct (Qccompare p q). Qed.

Lemma below_exact p q : below (exact p) (exact q) <-> (p <= q)%Qc.
Proof. unfold below, at_most. now rewrite compare_exact, Qcle_alt. Qed.

(** * MIN and MAX are the ends of the sorted values *)

Lemma in_sorted v vs : In v (sort compare_value vs) <-> In v vs.
Proof. split; apply Permutation_in; [|apply Permutation_sym]; apply sort_permutation. Qed.

Lemma sorted_nonempty vs : vs <> [] -> sort compare_value vs <> [].
Proof. intros N E. apply N. pose proof (sort_permutation compare_value vs) as P. rewrite E in P. now apply Permutation_nil. Qed.

Lemma minimum_in vs : vs <> [] -> In (minimum vs) vs.
Proof.
  intro N. apply in_sorted. unfold minimum. apply sorted_nonempty in N.
  destruct (sort compare_value vs); [easy|now left].
Qed.

Lemma minimum_below vs v : In v vs -> below (minimum vs) v.
Proof.
  rewrite <- in_sorted. unfold minimum. pose proof (sort_sorted compare_value order_value vs) as S.
  destruct S as [|w l least S]; [easy|]. intros [<-|I]; [apply below_refl|now apply least].
Qed.

Lemma last_in {X} (l : list X) d : l <> [] -> In (last l d) l.
Proof. induction l as [|x [|y l] IH]; intro N; [easy|now left|right; apply IH; discriminate]. Qed.

Lemma maximum_in vs : vs <> [] -> In (maximum vs) vs.
Proof. intro N. apply in_sorted. now apply last_in, sorted_nonempty. Qed.

Lemma maximum_above vs v : In v vs -> below v (maximum vs).
Proof.
  rewrite <- in_sorted. unfold maximum. pose proof (sort_sorted compare_value order_value vs) as S.
  induction S as [|w l least S IH]; [easy|]. destruct l as [|x l].
  - intros [<-|[]]. apply below_refl.
  - intros [<-|I]; [|now apply IH]. apply least. apply (last_in (x :: l)). discriminate.
Qed.

Lemma minimum_unique vs v : In v vs -> (forall w, In w vs -> below v w) -> minimum vs = v.
Proof.
  intros I H. apply below_antisym; [now apply minimum_below|apply H, minimum_in]. now destruct vs.
Qed.

Lemma maximum_unique vs v : In v vs -> (forall w, In w vs -> below w v) -> maximum vs = v.
Proof.
  intros I H. apply below_antisym; [apply H, maximum_in; now destruct vs|now apply maximum_above].
Qed.

(** * Sums of exact numbers *)

Definition sum (vs : list value) : Qc := fold_right Qcplus 0%Qc (map number_of vs).
Definition are_exact (vs : list value) : Prop := forall v, In v vs -> exists q, v = exact q.

Lemma total_exact vs : are_exact vs -> total vs = exact (sum vs).
Proof.
  intro H. unfold total. replace (existsb is_float vs) with false; auto. symmetry.
  apply not_true_iff_false. rewrite existsb_exists. intros (v & I & F). destruct (H v I) as (q & ->). discriminate.
Qed.

Lemma sum_app vs ws : sum (vs ++ ws) = (sum vs + sum ws)%Qc.
Proof.
  unfold sum. induction vs as [|v vs IH]; simpl; [now rewrite Qcplus_0_l|]. rewrite IH. apply Qcplus_assoc.
Qed.

Definition none_negative (vs : list value) : Prop := forall v, In v vs -> (0 <= number_of v)%Qc.
Definition none_positive (vs : list value) : Prop := forall v, In v vs -> (number_of v <= 0)%Qc.

Lemma sum_nonnegative vs : none_negative vs -> (0 <= sum vs)%Qc.
Proof.
  unfold sum. induction vs as [|v vs IH]; simpl; intro H; [apply Qcle_refl|].
  rewrite <- (Qcplus_0_l 0). apply Qcplus_le_compat; [apply H; now left|apply IH]. intros w I. apply H. now right.
Qed.

Lemma sum_nonpositive vs : none_positive vs -> (sum vs <= 0)%Qc.
Proof.
  unfold sum. induction vs as [|v vs IH]; simpl; intro H; [apply Qcle_refl|].
  rewrite <- (Qcplus_0_l 0). apply Qcplus_le_compat; [apply H; now left|apply IH]. intros w I. apply H. now right.
Qed.

Lemma add_nonnegative p q : (0 <= q)%Qc -> (p <= q + p)%Qc.
Proof. intro H. rewrite <- (Qcplus_0_l p) at 1. apply Qcplus_le_compat; [auto|apply Qcle_refl]. Qed.

Lemma add_nonpositive p q : (q <= 0)%Qc -> (q + p <= p)%Qc.
Proof. intro H. rewrite <- (Qcplus_0_l p) at 2. apply Qcplus_le_compat; [auto|apply Qcle_refl]. Qed.

(** * Lemma of values (`Aggregates.of_values`) *)

Lemma column_nonempty B S : S <> [] -> column B S <> [].
Proof. now destruct S. Qed.

Theorem of_values_count S : S <> [] -> below (number_of_records 1) (aggregated Count S).
Proof. intro N. apply below_counts. destruct S; [easy|simpl; lia]. Qed.

Theorem of_values_count_distinct B S : S <> [] -> below (number_of_records 1) (aggregated (CountDistinct B) S).
Proof.
  intro N. apply below_counts. apply (column_nonempty B) in N. destruct (column B S) as [|v vs] eqn:E; [easy|].
  assert (I : In v (distinct (v :: vs))) by (apply nodup_In; now left).
  destruct (distinct (v :: vs)); [easy|simpl; lia].
Qed.

(** At most the number of values that the column can have. *)
Theorem of_values_count_distinct_at_most B S vs : (forall r, In r S -> In (value_at r B) vs) ->
  below (aggregated (CountDistinct B) S) (number_of_records (length vs)).
Proof.
  intro H. apply below_counts. apply NoDup_incl_length; [apply NoDup_nodup|]. intros v I. apply nodup_In in I.
  unfold column in I. apply in_map_iff in I as (r & <- & I). now apply H.
Qed.

(** One, if the column is in GROUP BY. *)
Theorem of_values_count_distinct_grouped B G R r : In B G -> In r R ->
  aggregated (CountDistinct B) (class G R r) = number_of_records 1.
Proof.
  intros HB I. assert (N : class G R r <> []) by (intro E; apply (in_own_class G) in I; now rewrite E in I).
  apply below_antisym; [|now apply of_values_count_distinct].
  apply (of_values_count_distinct_at_most B _ [value_at r B]). intros s J. apply in_class in J as [_ K].
  left. symmetry. now apply (key_at G).
Qed.

Theorem of_values_min B S : S <> [] -> In (aggregated (Min B) S) (column B S).
Proof. intro N. now apply minimum_in, column_nonempty. Qed.

Theorem of_values_max B S : S <> [] -> In (aggregated (Max B) S) (column B S).
Proof. intro N. now apply maximum_in, column_nonempty. Qed.

Lemma in_sum v vs : In v vs -> exists ws, Permutation vs (ws ++ [v]) /\ sum vs = (sum ws + number_of v)%Qc.
Proof.
  intro I. apply in_split in I as (a & b & ->). exists (a ++ b). split.
  - rewrite <- app_assoc. apply Permutation_app_head. apply Permutation_cons_append.
  - rewrite !sum_app. unfold sum. simpl. ring.
Qed.

(** A sum of numbers of which none is negative is at least each of them, and so at least the least. *)
Theorem of_values_sum B S v : are_exact (column B S) -> none_negative (column B S) -> In v (column B S) ->
  below v (aggregated (Sum B) S).
Proof.
  intros E H I. simpl. rewrite total_exact by auto. destruct (E v I) as (q & ->). apply below_exact.
  destruct (in_sum _ _ I) as (ws & P & ->). apply add_nonnegative. apply sum_nonnegative.
  intros w J. apply H. apply Permutation_in with (1 := Permutation_sym P). apply in_or_app. now left.
Qed.

Theorem of_values_sum_nonpositive B S v : are_exact (column B S) -> none_positive (column B S) -> In v (column B S) ->
  below (aggregated (Sum B) S) v.
Proof.
  intros E H I. simpl. rewrite total_exact by auto. destruct (E v I) as (q & ->). apply below_exact.
  destruct (in_sum _ _ I) as (ws & P & ->). apply add_nonpositive. apply sum_nonpositive.
  intros w J. apply H. apply Permutation_in with (1 := Permutation_sym P). apply in_or_app. now left.
Qed.

(** * Lemma of merged (`Aggregates.of_merged`), for a union of two classes; more are merged one by one *)

Lemma subset_app_l S T : subset S (S ++ T).
Proof. intro r. rewrite multiplicity_union. lia. Qed.

Theorem of_merged_count S T : below (aggregated Count S) (aggregated Count (S ++ T)).
Proof. apply below_counts. rewrite app_length. lia. Qed.

Theorem of_merged_count_distinct B S T : below (aggregated (CountDistinct B) S) (aggregated (CountDistinct B) (S ++ T)).
Proof. apply below_counts. apply distinct_sub, subset_app_l. Qed.

Theorem of_merged_min B S T : S <> [] -> T <> [] ->
  aggregated (Min B) (S ++ T) = aggregated (Min B) S \/ aggregated (Min B) (S ++ T) = aggregated (Min B) T.
Proof.
  intros NS NT. simpl. unfold column. rewrite map_app. fold (column B S) (column B T).
  pose proof (minimum_in _ (column_nonempty B S NS)) as IS. pose proof (minimum_in _ (column_nonempty B T NT)) as IT.
  destruct (at_most_total compare_value order_value (minimum (column B S)) (minimum (column B T))) as [L|L].
  - left. apply minimum_unique; [apply in_or_app; now left|]. intros w I. apply in_app_or in I as [I|I].
    + now apply minimum_below.
    + apply below_trans with (minimum (column B T)); [exact L|now apply minimum_below].
  - right. apply minimum_unique; [apply in_or_app; now right|]. intros w I. apply in_app_or in I as [I|I].
    + apply below_trans with (minimum (column B S)); [exact L|now apply minimum_below].
    + now apply minimum_below.
Qed.

Theorem of_merged_max B S T : S <> [] -> T <> [] ->
  aggregated (Max B) (S ++ T) = aggregated (Max B) S \/ aggregated (Max B) (S ++ T) = aggregated (Max B) T.
Proof.
  intros NS NT. simpl. unfold column. rewrite map_app. fold (column B S) (column B T).
  pose proof (maximum_in _ (column_nonempty B S NS)) as IS. pose proof (maximum_in _ (column_nonempty B T NT)) as IT.
  destruct (at_most_total compare_value order_value (maximum (column B T)) (maximum (column B S))) as [L|L].
  - left. apply maximum_unique; [apply in_or_app; now left|]. intros w I. apply in_app_or in I as [I|I].
    + now apply maximum_above.
    + apply below_trans with (maximum (column B T)); [now apply maximum_above|exact L].
  - right. apply maximum_unique; [apply in_or_app; now right|]. intros w I. apply in_app_or in I as [I|I].
    + apply below_trans with (maximum (column B S)); [now apply maximum_above|exact L].
    + now apply maximum_above.
Qed.

Lemma are_exact_app B S T : are_exact (column B (S ++ T)) <-> are_exact (column B S) /\ are_exact (column B T).
Proof.
  unfold are_exact, column. rewrite map_app. split.
  - intro H. split; intros v I; apply H, in_or_app; auto.
  - intros [H K] v I. apply in_app_or in I as [I|I]; auto.
Qed.

Theorem of_merged_sum B S T : are_exact (column B (S ++ T)) ->
  number_of (aggregated (Sum B) (S ++ T)) = (number_of (aggregated (Sum B) S) + number_of (aggregated (Sum B) T))%Qc.
Proof.
  intro E. pose proof (proj1 (are_exact_app B S T) E) as [ES ET]. simpl. rewrite !total_exact by auto.
  unfold column. rewrite map_app. apply sum_app.
Qed.

(** * Lemma of a part (`Aggregates.of_part`) *)

Theorem of_part_count S T : subset S T -> below (aggregated Count S) (aggregated Count T).
Proof. intro H. now apply below_counts, count_sub. Qed.

Theorem of_part_count_distinct B S T : subset S T -> below (aggregated (CountDistinct B) S) (aggregated (CountDistinct B) T).
Proof. intro H. now apply below_counts, distinct_sub. Qed.

Lemma in_column B S T v : subset S T -> In v (column B S) -> In v (column B T).
Proof.
  unfold column. intros H I. apply in_map_iff in I as (r & <- & I). apply in_map with (f := fun r => value_at r B).
  now apply (sub_bag_in record_eq_dec S T).
Qed.

Theorem of_part_max B S T : S <> [] -> subset S T -> below (aggregated (Max B) S) (aggregated (Max B) T).
Proof. intros N H. apply maximum_above. apply (in_column B S T); auto. now apply of_values_max. Qed.

Theorem of_part_min B S T : S <> [] -> subset S T -> below (aggregated (Min B) T) (aggregated (Min B) S).
Proof. intros N H. apply minimum_below. apply (in_column B S T); auto. now apply of_values_min. Qed.

Lemma part_and_rest S T : subset S T -> exists U, Permutation T (U ++ S).
Proof. apply sub_bag_union. Qed.

Lemma column_permutation B S T : Permutation S T -> Permutation (column B S) (column B T).
Proof. apply Permutation_map. Qed.

Lemma sum_column_app B S T U : Permutation T (U ++ S) -> sum (column B T) = (sum (column B U) + sum (column B S))%Qc.
Proof.
  intro P. rewrite <- sum_app. unfold column. rewrite <- map_app. apply sum_permutation. now apply Permutation_map.
Qed.

(** No number of the whole class is negative: it is not enough that the part has none. *)
Theorem of_part_sum B S T : subset S T -> are_exact (column B T) -> none_negative (column B T) ->
  below (exact 0%Qc) (aggregated (Sum B) S) /\ below (aggregated (Sum B) S) (aggregated (Sum B) T).
Proof.
  intros H E N. destruct (part_and_rest S T H) as (U & P). simpl. rewrite !total_exact; auto.
  - rewrite !below_exact. split; [apply sum_nonnegative; intros v I; apply N; now apply (in_column B S T)|].
    rewrite (sum_column_app B S T U P). apply add_nonnegative, sum_nonnegative. intros v I. apply N.
    apply Permutation_in with (1 := Permutation_sym (column_permutation B _ _ P)).
    unfold column. rewrite map_app. apply in_or_app. now left.
  - intros v I. apply E. now apply (in_column B S T).
Qed.

Theorem of_part_sum_nonpositive B S T : subset S T -> are_exact (column B T) -> none_positive (column B T) ->
  below (aggregated (Sum B) S) (exact 0%Qc) /\ below (aggregated (Sum B) T) (aggregated (Sum B) S).
Proof.
  intros H E N. destruct (part_and_rest S T H) as (U & P). simpl. rewrite !total_exact; auto.
  - rewrite !below_exact. split; [apply sum_nonpositive; intros v I; apply N; now apply (in_column B S T)|].
    rewrite (sum_column_app B S T U P). apply add_nonpositive, sum_nonpositive. intros v I. apply N.
    apply Permutation_in with (1 := Permutation_sym (column_permutation B _ _ P)).
    unfold column. rewrite map_app. apply in_or_app. now left.
  - intros v I. apply E. now apply (in_column B S T).
Qed.

(** * Lemma of another function (`Aggregates.in_terms_of`) *)

Theorem in_terms_of_count B S : below (aggregated (CountDistinct B) S) (aggregated Count S).
Proof.
  apply below_counts. rewrite <- (map_length (fun r => value_at r B) S). unfold distinct, column.
  generalize (map (fun r => value_at r B) S) as vs. induction vs as [|v vs IH]; simpl; auto.
  destruct in_dec; simpl; lia.
Qed.

Theorem in_terms_of_max B S : S <> [] -> below (aggregated (Min B) S) (aggregated (Max B) S).
Proof. intro N. apply minimum_below. now apply of_values_max. Qed.
