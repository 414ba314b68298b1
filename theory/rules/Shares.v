(** Shares (X13) and reference tables (X14). A share is compared without division; the share of a union is at most the
    largest share of its parts, so unions keep upper bounds; a condition on a reference table is one on keys. *)
From Coq Require Import List ZArith QArith Qcanon Qabs Bool Permutation Lia Lqa.
From Acompass Require Import Order Bags Floats Values Numbers Tables Syntax Results Assertions Actions Determinism Anonymity.
From Acompass Require Import Aggregates Facts Laws Branches.
Import ListNotations.
Open Scope nat_scope.

Lemma firstn_in {X} n (l : list X) x : In x (firstn n l) -> In x l.
Proof. intro I. rewrite <- (firstn_skipn n l). apply in_or_app. now left. Qed.

(** Linear arithmetic *)
Lemma this_plus p q : (this (p + q)%Qc == this p + this q)%Q.
Proof. apply Qred_correct. Qed.

Ltac linear :=
  unfold Qcle, Qclt in *; change (this 0%Qc) with 0%Q in *; change (this 1%Qc) with 1%Q in *;
  repeat match goal with H : context [this (?p + ?q)%Qc] |- _ =>
    first [rewrite (this_plus p q) in H|clear H] end;
  rewrite ?this_plus; lra.

(** * Fractions *)

Lemma compare_multiples p q w : (0 < w)%Qc -> Qccompare (p * w) (q * w) = Qccompare p q.
Proof.
  intro W. assert (M : forall p q, Qccompare p q = Lt -> Qccompare (p * w) (q * w) = Lt).
  { intros x y H. apply Qclt_alt in H. apply Qclt_alt. now apply Qcmult_lt_compat_r. }
  destruct (Qccompare p q) eqn:E.
  - apply Qceq_alt in E as ->. now apply Qceq_alt.
  - now apply M.
  - rewrite (compare_opp order_Qc). rewrite (M q p); auto. now rewrite (compare_opp order_Qc), E.
Qed.

(** Cross-multiplication: part / whole is compared with c as part with c · whole. *)
Theorem compare_share part whole c : (0 < whole)%Qc ->
  compare_value (share part whole) (exact c) = Qccompare part (c * whole).
Proof.
  intro W. unfold share. destruct (Qc_eq_dec whole 0) as [->|N]; [easy|].
  rewrite compare_exact, <- (compare_multiples (part / whole) c whole W). f_equal. unfold Qcdiv.
  now rewrite <- Qcmult_assoc, (Qcmult_comm (/ whole)), Qcmult_inv_r, Qcmult_1_r.
Qed.

(** A fraction a/b is compared with c/d, also one that is not in lowest terms, as a · d with c · b. *)
Corollary cross_multiplied a b c d : compare_value (share (integer a) (integer (Zpos b))) (exact (Q2Qc (c # d)))
  = (a * Zpos d ?= c * Zpos b)%Z.
Proof.
  rewrite compare_share.
  - unfold Qccompare, integer, Qcmult, Q2Qc. cbn [this]. rewrite !Qred_correct. unfold Qcompare, Qmult, inject_Z; simpl.
    now rewrite !Z.mul_1_r, Pos.mul_1_r.
  - unfold Qclt, integer, Q2Qc. cbn [this]. rewrite !Qred_correct. unfold Qlt, inject_Z; simpl. lia.
Qed.

Lemma whole_times_share part whole : (part <= whole)%Qc -> (0 <= part)%Qc ->
  exists s, share part whole = exact s /\ (part = s * whole)%Qc /\ (0 <= s)%Qc /\ (s <= 1)%Qc.
Proof.
  intros L P. unfold share. destruct (Qc_eq_dec whole 0) as [->|N].
  - exists 0%Qc. repeat split; try easy. rewrite Qcmult_0_l. now apply Qcle_antisym.
  - assert (W : (0 < whole)%Qc) by (apply Qcle_lt_or_eq in L as [L| ->]; [linear|];
      destruct (Qcle_lt_or_eq _ _ P) as [H|H]; auto; congruence).
    assert (E : (part = part / whole * whole)%Qc).
    { unfold Qcdiv. now rewrite <- Qcmult_assoc, (Qcmult_comm (/ whole)), Qcmult_inv_r, Qcmult_1_r. }
    exists (part / whole)%Qc. repeat split; auto.
    + apply Qcmult_lt_0_le_reg_r with whole; auto. now rewrite <- E, Qcmult_0_l.
    + apply Qcmult_lt_0_le_reg_r with whole; auto. now rewrite <- E, Qcmult_1_l.
Qed.

(** A share of a union, with parts that the parts of the union add up to at least. *)
Lemma share_of_union p p1 p2 w1 w2 : (0 <= p)%Qc -> (0 <= p1 <= w1)%Qc -> (0 <= p2 <= w2)%Qc -> (p <= p1 + p2)%Qc ->
  below (share p (w1 + w2)) (share p1 w1) \/ below (share p (w1 + w2)) (share p2 w2).
Proof.
  intros P [P1 L1] [P2 L2] L. assert (L' : (p <= w1 + w2)%Qc) by linear.
  destruct (Qc_eq_dec (w1 + w2) 0) as [Z|N].
  { left. assert (Z1 : w1 = 0%Qc) by (apply Qcle_antisym; [rewrite <- Z|]; linear).
    unfold share. rewrite Z, Z1. destruct (Qc_eq_dec 0 0); [apply below_refl|easy]. }
  assert (W : (0 < w1 + w2)%Qc).
  { assert (W : (0 <= w1 + w2)%Qc) by linear. apply Qcle_lt_or_eq in W as [W|W]; congruence. }
  destruct (whole_times_share p _ L' P) as (s & -> & E & _).
  destruct (whole_times_share p1 _ L1 P1) as (s1 & -> & E1 & _).
  destruct (whole_times_share p2 _ L2 P2) as (s2 & -> & E2 & _). rewrite !below_exact.
  assert (K : forall t, (s1 <= t)%Qc -> (s2 <= t)%Qc -> (s <= t)%Qc).
  { intros t H1 H2. apply Qcmult_lt_0_le_reg_r with (w1 + w2)%Qc; auto. rewrite <- E. apply Qcle_trans with (1 := L).
    rewrite E1, E2, Qcmult_plus_distr_r at 1. apply Qcplus_le_compat; apply Qcmult_le_compat_r; auto; linear. }
  destruct (Qclt_le_dec s1 s2) as [H|H]; [right|left]; apply K; auto using Qcle_refl, Qclt_le_weak.
Qed.

(** * The most frequent value *)

Lemma maximum_of_counts_le ns n : (forall m, In m ns -> m <= n) -> fold_right Nat.max 0 ns <= n.
Proof. induction ns as [|m ns IH]; simpl; intro H; [lia|]. apply Nat.max_lub; auto. Qed.

Lemma maximum_of_counts_above ns m : In m ns -> m <= fold_right Nat.max 0 ns.
Proof. induction ns as [|k ns IH]; simpl; intros []; [lia|]. specialize (IH H). lia. Qed.

Lemma mode_count_above vs v : count_occ value_eq_dec vs v <= mode_count vs.
Proof.
  destruct (in_dec value_eq_dec v vs) as [I|I].
  - now apply maximum_of_counts_above, in_map.
  - rewrite (proj1 (count_occ_not_In value_eq_dec vs v) I). lia.
Qed.

Lemma mode_count_le vs n : (forall v, In v vs -> count_occ value_eq_dec vs v <= n) -> mode_count vs <= n.
Proof. intro H. apply maximum_of_counts_le. intros m I. apply in_map_iff in I as (v & <- & I). now apply H. Qed.

Lemma mode_count_app vs ws : mode_count (vs ++ ws) <= mode_count vs + mode_count ws.
Proof.
  apply mode_count_le. intros v _. rewrite count_occ_app.
  pose proof (mode_count_above vs v). pose proof (mode_count_above ws v). lia.
Qed.

Lemma mode_count_length vs : mode_count vs <= length vs.
Proof. apply mode_count_le. intros v _. apply count_occ_bound. Qed.

Lemma number_le n m : n <= m -> (number n <= number m)%Qc.
Proof.
  intro H. unfold Qcle, number, integer, Q2Qc. cbn [this]. rewrite !Qred_correct. unfold Qle, inject_Z; simpl. lia.
Qed.

Lemma number_plus n m : number (n + m) = (number n + number m)%Qc.
Proof.
  apply Qc_is_canon. unfold number, integer, Qcplus, Q2Qc. cbn [this]. rewrite !Qred_correct, Nat2Z.inj_add.
  unfold Qeq, inject_Z, Qplus; simpl. lia.
Qed.

Theorem of_merged_mode B S T :
  let whole := aggregated (ShareOfMode B) (S ++ T) in
  below whole (aggregated (ShareOfMode B) S) \/ below whole (aggregated (ShareOfMode B) T).
Proof.
  cbv zeta. simpl. unfold share_of_mode, column. rewrite map_app, app_length, number_plus. fold (column B S) (column B T).
  assert (Z : forall n, (0 <= number n)%Qc) by (intro n; apply (number_le 0); lia).
  apply share_of_union; auto using number_le, mode_count_length.
  rewrite <- number_plus. apply number_le, mode_count_app.
Qed.

(** * The largest values *)

Definition top (n : nat) (qs : list Qc) : Qc := sum_of (firstn n qs).
Definition nonnegative (qs : list Qc) : Prop := forall q, In q qs -> (0 <= q)%Qc.

Lemma sum_of_nonnegative qs : nonnegative qs -> (0 <= sum_of qs)%Qc.
Proof.
  induction qs as [|q qs IH]; intro H; [apply Qcle_refl|]. cbn [sum_of fold_right].
  assert (0 <= q)%Qc by (apply H; now left). assert (0 <= sum_of qs)%Qc by (apply IH; intros x I; apply H; now right).
  unfold sum_of in *. linear.
Qed.

Lemma top_more n qs : nonnegative qs -> (top n qs <= top (S n) qs)%Qc.
Proof.
  revert n. induction qs as [|q qs IH]; intros [|n] H; unfold top in *; cbn [firstn sum_of fold_right];
    try apply Qcle_refl.
  - change (0 <= q + 0)%Qc. rewrite Qcplus_0_r. apply H. now left.
  - apply Qcplus_le_compat; [apply Qcle_refl|]. apply (IH n). intros x I. apply H. now right.
Qed.

Lemma top_all n qs : nonnegative qs -> (top n qs <= sum_of qs)%Qc.
Proof.
  revert n. induction qs as [|q qs IH]; intros [|n] H; unfold top in *; cbn [firstn sum_of fold_right];
    try apply Qcle_refl.
  - apply (sum_of_nonnegative (q :: qs) H).
  - apply Qcplus_le_compat; [apply Qcle_refl|]. apply (IH n). intros x I. apply H. now right.
Qed.

(** One more number is among the largest, or it is not. *)
Lemma top_insert_below q qs : forall n,
  (top (S n) (insert descending q qs) <= top (S n) qs)%Qc \/ top (S n) (insert descending q qs) = (q + top n qs)%Qc.
Proof.
  induction qs as [|p qs IH]; intro n; [right; now destruct n|]. cbn [insert]. destruct (descending q p); auto.
  unfold top in *. destruct n as [|n]; [left; apply Qcle_refl|]. cbn [firstn sum_of fold_right].
  destruct (IH n) as [H|H]; cbn [firstn] in H.
  - left. apply Qcplus_le_compat; [apply Qcle_refl|exact H].
  - right. unfold sum_of in *. rewrite H, !Qcplus_assoc. f_equal. apply Qcplus_comm.
Qed.

Lemma top_without_first p qs : sorted descending (p :: qs) -> nonnegative (p :: qs) ->
  forall n, (top n qs <= top n (p :: qs))%Qc.
Proof.
  revert p. induction qs as [|q qs IH]; intros p H N n; unfold top in *.
  - rewrite firstn_nil. apply sum_of_nonnegative. intros x I. apply N. now apply (firstn_in n).
  - destruct n as [|n]; [apply Qcle_refl|]. cbn [firstn sum_of fold_right]. inversion H as [|? ? least H']; subst.
    apply Qcplus_le_compat.
    + specialize (least q (or_introl eq_refl)). unfold at_most, descending in least. now apply Qcle_alt.
    + apply IH; auto. intros x I. apply N. now right.
Qed.

Lemma top_insert_above q qs : sorted descending qs -> nonnegative (q :: qs) -> forall n,
  (top (S n) qs <= top (S n) (insert descending q qs))%Qc /\ (q + top n qs <= top (S n) (insert descending q qs))%Qc.
Proof.
  induction qs as [|p qs IH]; intros H N n.
  - unfold top. cbn [insert firstn]. rewrite firstn_nil. change (0 <= q + 0 /\ q + 0 <= q + 0)%Qc.
    rewrite Qcplus_0_r. split; [apply N; now left|apply Qcle_refl].
  - assert (NQ : nonnegative (q :: qs)) by (intros x [<-|I]; apply N; [now left|right; now right]).
    assert (NP : nonnegative (p :: qs)) by (intros x I; apply N; now right).
    cbn [insert]. destruct (descending q p) eqn:D.
    1, 2: split; [|apply Qcle_refl]; unfold top; cbn [firstn sum_of fold_right]; apply Qcplus_le_compat;
      [apply Qcle_alt; unfold descending in D; congruence|now apply (top_without_first p)].
    assert (L : (q <= p)%Qc) by (apply Qclt_le_weak, Qcgt_alt; exact D).
    inversion H as [|? ? _ H']; subst. unfold top in *. destruct n as [|n]; cbn [firstn sum_of fold_right].
    + split; [apply Qcle_refl|]. now apply Qcplus_le_compat; [|apply Qcle_refl].
    + destruct (IH H' NQ n) as [A B]. split; [now apply Qcplus_le_compat; [apply Qcle_refl|]|].
      unfold sum_of in *. rewrite Qcplus_assoc, (Qcplus_comm q p), <- Qcplus_assoc.
      apply Qcplus_le_compat; [apply Qcle_refl|exact B].
Qed.

Lemma nonnegative_sorted qs : nonnegative qs -> nonnegative (sort descending qs).
Proof. intros H q I. apply H. now apply (Permutation_in _ (sort_permutation descending qs)). Qed.

(** The largest of two lists together are among the largest of each. *)
Lemma top_app qs ps : nonnegative qs -> nonnegative ps -> forall n,
  (top n (sort descending (qs ++ ps)) <= top n (sort descending qs) + top n (sort descending ps))%Qc.
Proof.
  intros NQ NP. induction qs as [|q qs IH]; intro n.
  - unfold top at 2. cbn [sort fold_right app]. rewrite firstn_nil, Qcplus_0_l. apply Qcle_refl.
  - assert (N : nonnegative qs) by (intros x I; apply NQ; now right).
    assert (NS : nonnegative (q :: sort descending qs)).
    { intros x [<-|I]; [apply NQ; now left|now apply nonnegative_sorted in I]. }
    destruct n as [|n]; [apply Qcle_refl|]. cbn [app]. change (sort descending (q :: qs)) with (insert descending q (sort descending qs)).
    change (sort descending (q :: qs ++ ps)) with (insert descending q (sort descending (qs ++ ps))).
    destruct (top_insert_above q (sort descending qs) (sort_sorted _ order_descending qs) NS n) as [A B].
    pose proof (top_more n _ (nonnegative_sorted ps NP)) as M.
    destruct (top_insert_below q (sort descending (qs ++ ps)) n) as [H|H].
    + apply Qcle_trans with (1 := H). apply Qcle_trans with (1 := IH N (S n)). now apply Qcplus_le_compat; [|apply Qcle_refl].
    + rewrite H. pose proof (IH N n) as I. clear - A B M I. unfold top in *. linear.
Qed.

Lemma amounts_nonnegative vs : nonnegative (amounts vs).
Proof.
  intros q I. apply in_map_iff in I as (v & <- & _). destruct (existsb is_infinite vs).
  - unfold infinite_amount. now destruct (is_infinite v).
  - unfold Qcle, amount, Q2Qc. cbn [this]. rewrite !Qred_correct. apply Qabs_nonneg.
Qed.

(** Beside infinite numbers, all others are nothing. *)
Lemma amounts_app vs ws : amounts (vs ++ ws) = amounts vs ++ amounts ws \/
  (amounts (vs ++ ws) = amounts vs ++ map (fun _ => 0%Qc) ws \/ amounts (vs ++ ws) = map (fun _ => 0%Qc) vs ++ amounts ws).
Proof.
  unfold amounts. rewrite existsb_app, map_app.
  assert (Z : forall vs, existsb is_infinite vs = false -> map infinite_amount vs = map (fun _ => 0%Qc) vs).
  { intros us E. apply map_ext_in. intros v I. unfold infinite_amount. destruct (is_infinite v) eqn:H; auto.
    assert (existsb is_infinite us = true) by (apply existsb_exists; eauto). congruence. }
  destruct (existsb is_infinite vs) eqn:V, (existsb is_infinite ws) eqn:W; cbn [orb]; auto.
  - right. left. now rewrite (Z ws).
  - right. right. now rewrite (Z vs).
Qed.

Lemma sum_of_zeros {X} (xs : list X) : sum_of (map (fun _ => 0%Qc) xs) = 0%Qc.
Proof. unfold sum_of. induction xs as [|x xs IH]; simpl; auto. rewrite IH. apply Qcplus_0_l. Qed.

Lemma zeros_nonnegative {X} (xs : list X) : nonnegative (map (fun _ => 0%Qc) xs).
Proof. intros q I. apply in_map_iff in I as (x & <- & _). apply Qcle_refl. Qed.

Lemma sum_of_app qs ps : sum_of (qs ++ ps) = (sum_of qs + sum_of ps)%Qc.
Proof.
  unfold sum_of. induction qs as [|q qs IH]; simpl; [now rewrite Qcplus_0_l|]. rewrite IH. apply Qcplus_assoc.
Qed.

Lemma largest_of_all n qs : nonnegative qs -> (0 <= sum_of (largest n qs) <= sum_of qs)%Qc.
Proof.
  intro H. pose proof (nonnegative_sorted qs H) as N. split.
  - apply sum_of_nonnegative. intros x I. apply N. now apply (firstn_in n).
  - rewrite <- (sum_of_permutation _ _ (sort_permutation descending qs)). now apply top_all.
Qed.

(** The share of the largest of two lists together *)
Lemma largest_share_app n qs ps : nonnegative qs -> nonnegative ps ->
  let of l := share (sum_of (largest n l)) (sum_of l) in
  below (of (qs ++ ps)) (of qs) \/ below (of (qs ++ ps)) (of ps).
Proof.
  intros NQ NP. cbv zeta beta. assert (N : nonnegative (qs ++ ps)) by (intros x I; apply in_app_or in I as [I|I]; auto).
  rewrite sum_of_app. apply share_of_union; auto using largest_of_all; [now apply largest_of_all|now apply top_app].
Qed.

Lemma share_of_zeros {X} n (xs : list X) : let zs := map (fun _ => 0%Qc) xs in
  share (sum_of (largest n zs)) (sum_of zs) = exact 0%Qc.
Proof. cbv zeta. rewrite sum_of_zeros. unfold share. now destruct (Qc_eq_dec 0 0). Qed.

Lemma share_at_least_nothing p w : (0 <= p <= w)%Qc -> below (exact 0%Qc) (share p w).
Proof. intros [P L]. destruct (whole_times_share p w L P) as (s & -> & _ & S0 & _). now rewrite below_exact. Qed.

Theorem of_merged_largest n B S T :
  let whole := aggregated (ShareOfLargest n B) (S ++ T) in
  below whole (aggregated (ShareOfLargest n B) S) \/ below whole (aggregated (ShareOfLargest n B) T).
Proof.
  cbv zeta. simpl. unfold share_of_largest, column. rewrite map_app. fold (column B S) (column B T).
  set (vs := column B S). set (ws := column B T). pose proof (amounts_nonnegative vs) as NV.
  pose proof (amounts_nonnegative ws) as NW. destruct (amounts_app vs ws) as [-> |[-> | ->]].
  - now apply largest_share_app.
  - destruct (largest_share_app n (amounts vs) (map (fun _ => 0%Qc) ws) NV (zeros_nonnegative ws)) as [H|H]; auto.
    rewrite share_of_zeros in H. right. apply below_trans with (1 := H). now apply share_at_least_nothing, largest_of_all.
  - destruct (largest_share_app n (map (fun _ => 0%Qc) vs) (amounts ws) (zeros_nonnegative vs) NW) as [H|H]; auto.
    rewrite share_of_zeros in H. left. apply below_trans with (1 := H). now apply share_at_least_nothing, largest_of_all.
Qed.

(** * Laws *)

(** Law of the union: unions keep upper bounds. *)
Theorem is_kept_by_merging_mode B U : downward U -> kept_by_merging (ShareOfMode B) U.
Proof. intros H r S T _ _ _ HS HT. destruct (of_merged_mode B S T) as [L|L]; eapply H; eauto. Qed.

Theorem is_kept_by_merging_largest n B U : downward U -> kept_by_merging (ShareOfLargest n B) U.
Proof. intros H r S T _ _ _ HS HT. destruct (of_merged_largest n B S T) as [L|L]; eapply H; eauto. Qed.

(** Every share is between 0 and 1. *)
Lemma share_between p w : (0 <= p <= w)%Qc -> below (exact 0%Qc) (share p w) /\ below (share p w) (exact 1%Qc).
Proof. intros [P L]. destruct (whole_times_share p w L P) as (s & -> & _ & S0 & S1). now rewrite !below_exact. Qed.

Theorem of_values_share f S : match f with ShareOfMode _ | ShareOfLargest _ _ => True | _ => False end ->
  below (exact 0%Qc) (aggregated f S) /\ below (aggregated f S) (exact 1%Qc).
Proof.
  destruct f; try easy; intros _; apply share_between.
  - apply largest_of_all, amounts_nonnegative.
  - split; [apply (number_le 0); lia|apply number_le, mode_count_length].
Qed.

(** The most frequent value of a class has at least one record, so a share of the mode is not 0. *)
Theorem of_values_mode B S : S <> [] -> aggregated (ShareOfMode B) S <> exact 0%Qc.
Proof.
  intros N E. simpl in E. unfold share_of_mode in E. set (vs := column B S) in *.
  assert (C : 1 <= mode_count vs).
  { unfold vs. destruct S as [|r S]; [easy|]. pose proof (mode_count_above (column B (r :: S)) (value_at r B)).
    cbn [column map count_occ] in H. destruct (value_eq_dec (value_at r B) (value_at r B)); [|easy].
    unfold column. cbn [map]. lia. }
  pose proof (number_le _ _ C) as H. pose proof (mode_count_length vs) as L. apply number_le in L.
  assert (O : (0 < number 1)%Qc) by reflexivity.
  destruct (whole_times_share (number (mode_count vs)) (number (length vs)) L) as (s & F & M & _); [linear|].
  rewrite F in E. injection E as ->. rewrite Qcmult_0_l in M. rewrite M in H. linear.
Qed.

(** REJECT establishes a bound on a share, as it does every condition on classes. *)
Corollary share_is_established f G c req R rho :
  asserts req = Each (Process [f] None G) (Compare (length G) LE (exact c)) -> acts req = Some (Certain Reject) ->
  retypes req = [] -> fact f (fun _ => true) G (fun _ v => below v (exact c)) (fst (step req (R, rho))).
Proof.
  intros HA HX HT. pose proof (reject_establishes [f] None G _ req R rho HA HX HT) as H. rewrite HA in H.
  apply class_assertion_one in H. intros r I _. specialize (H r I eq_refl). unfold allowed_by in H. cbn [satisfies] in H.
  unfold environment in H. rewrite app_nth2, length_key, Nat.sub_diag in H by (rewrite length_key; lia). cbn [nth] in H.
  unfold below, at_most. intro L. unfold compares in H. fold (where_holds None) in *. change (fun _ : record => true) with (where_holds None) in L.
  now rewrite L in H.
Qed.

(** * Reference tables *)

(** The total of a class is that of its key. *)
Theorem reference_of_class G file zero R r : In r R ->
  aggregated (InReference G file zero) (class G R r) = total_at file zero (key G r).
Proof.
  intro I. apply (in_own_class G) in I. simpl. unfold reference_total. f_equal.
  assert (H : forall s, In s (order (class G R r)) -> key G s = key G r).
  { intros s J. apply (Permutation_in _ (proj1 (order_is_canonical _))), in_class in J. tauto. }
  destruct (order (class G R r)) as [|s rest] eqn:E; [|apply H; now left].
  apply (Permutation_in _ (Permutation_sym (proj1 (order_is_canonical _)))) in I. now rewrite E in I.
Qed.

(** A fact about a reference table is one about keys. *)
Theorem reference_fact G file zero W U R :
  fact (InReference G file zero) W G U R <-> forall r, In r R -> W r = true -> U r (total_at file zero (key G r)).
Proof.
  split; intros H r I HW; specialize (H r I HW); rewrite reference_of_class in *; auto; now apply filter_In.
Qed.
