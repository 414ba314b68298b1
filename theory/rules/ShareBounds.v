(** How shares (X13) are related to the values of a class, to its parts, to counts and to each other. *)
From Coq Require Import List ZArith QArith Qcanon Bool Permutation Lia.
From Acompass Require Import Order Bags Values Tables Syntax Results Determinism Anonymity Aggregates Shares.
Import ListNotations.
Open Scope nat_scope.

Lemma below_share part whole c : (0 < whole)%Qc -> below (share part whole) (exact c) <-> (part <= c * whole)%Qc.
Proof. intro W. unfold below, at_most. now rewrite compare_share, Qcle_alt. Qed.

(** p / w ≤ q / v if p · v ≤ q · w. *)
Lemma share_below p w q v : (0 < w)%Qc -> (0 < v)%Qc -> (0 <= q <= v)%Qc -> (p * v <= q * w)%Qc ->
  below (share p w) (share q v).
Proof.
  intros W V [Q L] H. destruct (whole_times_share q v L Q) as (s & -> & E & _). apply below_share; auto.
  apply Qcmult_lt_0_le_reg_r with v; auto. apply Qcle_trans with (1 := H). rewrite E.
  rewrite <- !Qcmult_assoc, (Qcmult_comm v w). apply Qcle_refl.
Qed.

Lemma number_positive n : 0 < n -> (0 < number n)%Qc.
Proof.
  intro H. unfold Qclt, number, integer, Q2Qc. cbn [this]. rewrite !Qred_correct. unfold Qlt, inject_Z; simpl. lia.
Qed.

Lemma number_times n m : number (n * m) = (number n * number m)%Qc.
Proof.
  apply Qc_is_canon. unfold number, integer, Qcmult, Q2Qc. cbn [this]. rewrite !Qred_correct, Nat2Z.inj_mul.
  unfold Qeq, inject_Z, Qmult; simpl. lia.
Qed.

Lemma number_injective n m : number n = number m -> n = m.
Proof. intro H. unfold number in H. apply integer_injective in H. lia. Qed.

(** * The most frequent value *)

(** Of records with d values, some value has at least the d-th part. *)
Lemma pigeonhole us : forall vs most, incl vs us -> (forall v, count_occ value_eq_dec vs v <= most) ->
  length vs <= length us * most.
Proof.
  induction us as [|u us IH]; intros vs most I M.
  - destruct vs as [|v vs]; [simpl; lia|]. elim (I v). now left.
  - set (p := fun v => if value_eq_dec v u then true else false).
    rewrite (Permutation_length (partition_permutation p vs)), app_length.
    assert (A : length (filter p vs) = count_occ value_eq_dec vs u).
    { clear. induction vs as [|v vs IH]; auto. simpl. unfold p at 1.
      destruct (value_eq_dec v u); simpl; now rewrite IH. }
    assert (B : length (filter (fun v => negb (p v)) vs) <= length us * most).
    { apply IH.
      - intros v J. apply filter_In in J as [J N]. destruct (I v J) as [->|K]; auto. unfold p in N.
        now destruct (value_eq_dec v v).
      - intro v. apply Nat.le_trans with (2 := M v). change (multiplicity value_eq_dec v (filter (fun v => negb (p v)) vs)
          <= multiplicity value_eq_dec v vs). rewrite multiplicity_filter. destruct (negb (p v)); lia. }
    pose proof (M u). simpl. lia.
Qed.

Theorem of_values_mode_at_least B S vs : S <> [] -> (forall s, In s S -> In (value_at s B) vs) ->
  below (share (number 1) (number (length vs))) (aggregated (ShareOfMode B) S).
Proof.
  intros N H. simpl. unfold share_of_mode. set (us := column B S).
  assert (L : 0 < length us) by (unfold us, column; rewrite map_length; destruct S; [easy|simpl; lia]).
  assert (I : incl us vs) by (intros v J; apply in_map_iff in J as (s & <- & J); auto).
  pose proof (pigeonhole vs us (mode_count us) I (mode_count_above us)) as P.
  assert (V : 0 < length vs) by (destruct vs; [simpl in P; lia|simpl; lia]).
  apply share_below; auto using number_positive.
  - split; [apply (number_le 0); lia|apply number_le, mode_count_length].
  - rewrite <- !number_times. apply number_le. lia.
Qed.

(** In terms of COUNT DISTINCT. *)
Corollary mode_with_distinct B S : S <> [] ->
  below (share (number 1) (number (length (distinct (column B S))))) (aggregated (ShareOfMode B) S).
Proof.
  intro N. apply of_values_mode_at_least; auto. intros s I. apply nodup_In. now apply (in_map (fun r => value_at r B)).
Qed.

(** A single value has all records. *)
Theorem of_values_mode_constant B S v : S <> [] -> (forall s, In s S -> value_at s B = v) ->
  aggregated (ShareOfMode B) S = exact 1%Qc.
Proof.
  intros N H. apply below_antisym; [now apply of_values_share|].
  apply (of_values_mode_at_least B S [v] N). intros s I. left. now rewrite (H s I).
Qed.

Theorem of_values_mode_grouped B G R r : In B G -> In r R -> aggregated (ShareOfMode B) (class G R r) = exact 1%Qc.
Proof.
  intros HB I. apply (in_own_class G) in I. apply of_values_mode_constant with (value_at r B).
  - intro E. now rewrite E in I.
  - intros s J. apply in_class in J as [_ K]. now apply (key_at G).
Qed.

Lemma all_counted vs v : count_occ value_eq_dec vs v = length vs -> forall w, In w vs -> w = v.
Proof.
  induction vs as [|u vs IH]; simpl; [easy|]. pose proof (count_occ_bound value_eq_dec v vs).
  destruct (value_eq_dec u v) as [->|]; [|lia]. intros E w [<-|I]; auto.
Qed.

Lemma mode_attained vs : vs <> [] -> exists v, count_occ value_eq_dec vs v = mode_count vs.
Proof.
  assert (M : forall ns, ns <> [] -> In (fold_right Nat.max 0 ns) ns).
  { induction ns as [|n [|m ns] IH]; intro N; [easy|left; simpl; lia|]. assert (K : In (fold_right Nat.max 0 (m :: ns)) (m :: ns)).
    { apply IH. discriminate. }
    change (fold_right Nat.max 0 (n :: m :: ns)) with (Nat.max n (fold_right Nat.max 0 (m :: ns))).
    destruct (Nat.max_spec n (fold_right Nat.max 0 (m :: ns))) as [[_ ->]|[_ ->]]; [now right|now left]. }
  intro N. destruct (proj1 (in_map_iff _ _ _) (M (map (count_occ value_eq_dec vs) vs) (fun E => N (map_eq_nil _ _ E)))) as (v & E & _).
  now exists v.
Qed.

(** If all values are equal, so are those of a part. *)
Theorem of_part_mode B S T : S <> [] -> subset S T -> aggregated (ShareOfMode B) T = exact 1%Qc ->
  aggregated (ShareOfMode B) S = exact 1%Qc.
Proof.
  intros N H E. assert (NT : column B T <> []).
  { destruct S as [|s S]; [easy|]. intro F. apply map_eq_nil in F. subst T.
    assert (I : In s (@nil record)) by (apply (sub_bag_in record_eq_dec (s :: S)); auto; now left). easy. }
  destruct (mode_attained _ NT) as (v & M). apply of_values_mode_constant with v; auto. intros s I.
  apply (all_counted (column B T)).
  - rewrite M. simpl in E. unfold share_of_mode in E.
    destruct (whole_times_share (number (mode_count (column B T))) (number (length (column B T)))) as (s' & F & G & _);
      [apply number_le, mode_count_length|apply (number_le 0); lia|].
    rewrite F in E. injection E as ->. rewrite Qcmult_1_l in G. now apply number_injective.
  - apply (in_map (fun r => value_at r B)). now apply (sub_bag_in record_eq_dec S).
Qed.

(** A function of the values makes no value less frequent: a label for each value does not lower the share. *)
Theorem mapped_mode (h : value -> value) vs : mode_count vs <= mode_count (map h vs).
Proof.
  apply mode_count_le. intros v _. apply Nat.le_trans with (2 := mode_count_above (map h vs) (h v)).
  induction vs as [|w vs IH]; auto. cbn [map count_occ].
  destruct (value_eq_dec w v) as [->|]; destruct (value_eq_dec (h _) (h v)); try easy; lia.
Qed.

(** * The largest values *)

Lemma top_monotone n m qs : nonnegative qs -> n <= m -> (top n qs <= top m qs)%Qc.
Proof. intros N. induction 1 as [|m _ IH]; [apply Qcle_refl|]. apply Qcle_trans with (1 := IH). now apply top_more. Qed.

(** More of the largest values have a larger share. *)
Theorem largest_in_order n m B S : n <= m -> below (aggregated (ShareOfLargest n B) S) (aggregated (ShareOfLargest m B) S).
Proof.
  intro H. simpl. unfold share_of_largest. set (qs := amounts (column B S)).
  pose proof (amounts_nonnegative (column B S)) as N. fold qs in N. destruct (largest_of_all m qs N) as [P L].
  assert (T : (sum_of (largest n qs) <= sum_of (largest m qs))%Qc) by (apply top_monotone; auto using nonnegative_sorted).
  destruct (Qc_eq_dec (sum_of qs) 0) as [E|E].
  - unfold share. rewrite E. destruct (Qc_eq_dec 0 0); [apply below_refl|easy].
  - assert (W : (0 < sum_of qs)%Qc).
    { pose proof (sum_of_nonnegative qs N) as W. apply Qcle_lt_or_eq in W as [W|W]; congruence. }
    apply share_below; auto. apply Qcmult_le_compat_r; auto. now apply Qclt_le_weak.
Qed.

Lemma sum_of_at_least xs y : (forall x, In x xs -> (y <= x)%Qc) -> (number (length xs) * y <= sum_of xs)%Qc.
Proof.
  induction xs as [|x xs IH]; intro H; [rewrite Qcmult_0_l; apply Qcle_refl|]. cbn [length sum_of fold_right].
  rewrite (number_plus 1), Qcmult_plus_distr_l, Qcmult_1_l. apply Qcplus_le_compat; [apply H; now left|].
  apply IH. intros z I. apply H. now right.
Qed.

Lemma sum_of_at_most ys n total : (forall y, In y ys -> (number n * y <= total)%Qc) ->
  (number n * sum_of ys <= number (length ys) * total)%Qc.
Proof.
  induction ys as [|y ys IH]; intro H; [rewrite Qcmult_0_r, Qcmult_0_l; apply Qcle_refl|]. cbn [length sum_of fold_right].
  rewrite (number_plus 1), Qcmult_plus_distr_l, Qcmult_plus_distr_r, Qcmult_1_l.
  apply Qcplus_le_compat; [apply H; now left|]. apply IH. intros z I. apply H. now right.
Qed.

Lemma first_are_largest n qs : sorted descending qs -> forall x y, In x (firstn n qs) -> In y (skipn n qs) -> (y <= x)%Qc.
Proof.
  intro S. revert n. induction S as [|q qs least S IH]; intros [|n] x y I J; try easy.
  cbn [firstn skipn] in *. destruct I as [<-|I]; [|now apply (IH n)].
  apply Qcle_alt. apply (least y). rewrite <- (firstn_skipn n qs). apply in_or_app. now right.
Qed.

(** The n largest of c values have at least n/c of the sum, unless all are 0. *)
Theorem largest_with_count n B S : n <= length S -> 0 < length S -> aggregated (ShareOfLargest n B) S <> exact 0%Qc ->
  below (share (number n) (number (length S))) (aggregated (ShareOfLargest n B) S).
Proof.
  intros L P NZ. simpl in *. unfold share_of_largest in *. set (qs := amounts (column B S)) in *.
  pose proof (amounts_nonnegative (column B S)) as N. fold qs in N.
  assert (Len : length (sort descending qs) = length S).
  { rewrite (Permutation_length (sort_permutation descending qs)). unfold qs, amounts, column. now rewrite !map_length. }
  destruct (Qc_eq_dec (sum_of qs) 0) as [E|E].
  { elim NZ. unfold share. rewrite E. now destruct (Qc_eq_dec 0 0). }
  assert (W : (0 < sum_of qs)%Qc).
  { pose proof (sum_of_nonnegative qs N) as W. apply Qcle_lt_or_eq in W as [W|W]; congruence. }
  apply share_below; auto using number_positive, largest_of_all.
  set (xs := firstn n (sort descending qs)). set (ys := skipn n (sort descending qs)).
  assert (LX : length xs = n) by (unfold xs; rewrite firstn_length; lia).
  assert (LY : length ys = length S - n) by (unfold ys; rewrite skipn_length; lia).
  assert (Sum : sum_of qs = (sum_of xs + sum_of ys)%Qc).
  { rewrite <- (sum_of_permutation _ _ (sort_permutation descending qs)), <- sum_of_app. unfold xs, ys.
    now rewrite firstn_skipn. }
  assert (H : (number n * sum_of ys <= number (length ys) * sum_of xs)%Qc).
  { apply sum_of_at_most. intros y J. rewrite <- LX. apply sum_of_at_least. intros x I.
    apply (first_are_largest n (sort descending qs)); auto. apply sort_sorted, order_descending. }
  change (sum_of (largest n qs)) with (sum_of xs). rewrite Sum, Qcmult_plus_distr_r.
  replace (length S) with (n + length ys) by lia. rewrite number_plus, Qcmult_plus_distr_r, (Qcmult_comm (sum_of xs)).
  apply Qcplus_le_compat; [apply Qcle_refl|]. now rewrite (Qcmult_comm (sum_of xs)).
Qed.

(** A share of the largest values is 0 if all values are, and of at least one value only then. *)
Lemma sum_of_zero qs : nonnegative qs -> sum_of qs = 0%Qc -> forall q, In q qs -> q = 0%Qc.
Proof.
  induction qs as [|q qs IH]; intros N E x I; [easy|].
  assert (NQ : nonnegative qs) by (intros y J; apply N; now right).
  assert (Q : (0 <= q)%Qc) by (apply N; now left). pose proof (sum_of_nonnegative qs NQ) as S.
  change (q + sum_of qs = 0)%Qc in E.
  assert (q = 0%Qc) by (apply Qcle_antisym; auto; rewrite <- E, <- (Qcplus_0_r q) at 1; now apply Qcplus_le_compat; [apply Qcle_refl|]).
  subst q. rewrite Qcplus_0_l in E. destruct I as [<-|I]; auto.
Qed.

Definition is_zero (v : value) : Prop := is_infinite v = false /\ amount v = 0%Qc.

Lemma amounts_zero vs : (forall q, In q (amounts vs) -> q = 0%Qc) <-> forall v, In v vs -> is_zero v.
Proof.
  unfold amounts, is_zero. destruct (existsb is_infinite vs) eqn:E; split; intro H.
  - apply existsb_exists in E as (v & I & E). specialize (H _ (in_map infinite_amount _ _ I)).
    unfold infinite_amount in H. now rewrite E in H.
  - apply existsb_exists in E as (v & I & E). destruct (H v I). congruence.
  - intros v I. split; [|apply H, in_map, I]. apply not_true_iff_false. intro F.
    assert (existsb is_infinite vs = true) by (apply existsb_exists; eauto). congruence.
  - intros q I. apply in_map_iff in I as (v & <- & I). now apply H.
Qed.

Theorem of_values_largest_zero n B T : 0 < n ->
  aggregated (ShareOfLargest n B) T = exact 0%Qc <-> forall s, In s T -> is_zero (value_at s B).
Proof.
  intro P. set (vs := column B T). assert (C : (forall s, In s T -> is_zero (value_at s B)) <-> forall v, In v vs -> is_zero v).
  { split; intros H; [intros v I; apply in_map_iff in I as (s & <- & I); auto|].
    intros s I. apply H. now apply (in_map (fun r => value_at r B)). }
  rewrite C, <- amounts_zero. simpl. unfold share_of_largest. fold vs. set (qs := amounts vs).
  pose proof (amounts_nonnegative vs) as N. fold qs in N. destruct (largest_of_all n qs N) as [L U]. split.
  - intro E. destruct (Qc_eq_dec (sum_of qs) 0) as [Z|Z]; [now apply sum_of_zero|].
    destruct (whole_times_share _ _ U L) as (s & F & M & _). rewrite F in E. injection E as ->.
    rewrite Qcmult_0_l in M. assert (S := sort_sorted descending order_descending qs). unfold largest in M.
    pose proof (nonnegative_sorted qs N) as NS. intros q I.
    apply (Permutation_in _ (Permutation_sym (sort_permutation descending qs))) in I.
    destruct n as [|n]; [lia|]. destruct S as [|p ps least _]; [easy|].
    assert (Z0 : p = 0%Qc).
    { apply (sum_of_zero (firstn (S n) (p :: ps))); auto; [|now left]. intros x J. apply NS. now apply (firstn_in (S n)). }
    destruct I as [<-|I]; auto. apply Qcle_antisym; [|apply NS; now right].
    rewrite <- Z0. apply Qcle_alt. apply (least q I).
  - intro H. unfold share. assert (Z : sum_of qs = 0%Qc).
    { clear - H. clearbody qs. induction qs as [|q qs IH]; auto. change (q + sum_of qs = 0)%Qc.
      rewrite (H q), IH, Qcplus_0_l; auto; [intros x I; apply H; now right|now left]. }
    rewrite Z. now destruct (Qc_eq_dec 0 0).
Qed.

(** If all values are 0, so are those of a part. *)
Theorem of_part_largest n B S T : 0 < n -> subset S T -> aggregated (ShareOfLargest n B) T = exact 0%Qc ->
  aggregated (ShareOfLargest n B) S = exact 0%Qc.
Proof.
  intros P H. rewrite !of_values_largest_zero by auto. intros K s I. apply K. now apply (sub_bag_in record_eq_dec S).
Qed.

(** Equal numbers, as those of a column of GROUP BY: the n largest of c have min(n, c)/c of the sum, so the share of a part
    is not lower. *)
Lemma sum_of_equal qs q : (forall x, In x qs -> x = q) -> sum_of qs = (number (length qs) * q)%Qc.
Proof.
  induction qs as [|x qs IH]; intro H; [now rewrite Qcmult_0_l|]. change (x + sum_of qs = number (1 + length qs) * q)%Qc.
  rewrite number_plus, Qcmult_plus_distr_l, Qcmult_1_l, (H x), IH; auto; [intros y I; apply H; now right|now left].
Qed.

Lemma amounts_equal vs v : vs <> [] -> (forall w, In w vs -> w = v) ->
  forall x, In x (amounts vs) -> x = if is_infinite v then infinite_amount v else amount v.
Proof.
  intros N H x I. assert (E : existsb is_infinite vs = is_infinite v).
  { apply eq_true_iff_eq. rewrite existsb_exists. split; [intros (w & J & K); now rewrite (H w J) in K|].
    destruct vs as [|w vs]; [easy|]. intro K. exists v. split; auto. left. apply H. now left. }
  unfold amounts in I. rewrite E in I. apply in_map_iff in I as (w & <- & I). rewrite (H w I). now destruct (is_infinite v).
Qed.

Lemma share_of_equal n vs q : (forall x, In x (amounts vs) -> x = q) ->
  share_of_largest n vs = share (number (Nat.min n (length vs)) * q) (number (length vs) * q).
Proof.
  intro H. unfold share_of_largest. assert (L : length (amounts vs) = length vs) by apply map_length.
  rewrite (sum_of_equal (amounts vs) q H), L, (sum_of_equal (largest n (amounts vs)) q).
  - unfold largest. now rewrite firstn_length, (Permutation_length (sort_permutation descending (amounts vs))), L.
  - intros x I. apply H. apply (Permutation_in _ (sort_permutation descending (amounts vs))). now apply (firstn_in n).
Qed.

Theorem of_part_largest_equal n B S T v : S <> [] -> subset S T -> (forall t, In t T -> value_at t B = v) ->
  below (aggregated (ShareOfLargest n B) T) (aggregated (ShareOfLargest n B) S).
Proof.
  intros N H E. set (q := if is_infinite v then infinite_amount v else amount v).
  assert (IS : forall s, In s S -> In s T) by (intros s; now apply (sub_bag_in record_eq_dec)).
  assert (NT : T <> []) by (destruct S as [|s S]; [easy|]; intros ->; now apply (IS s); left).
  assert (C : forall R, R <> [] -> (forall r, In r R -> In r T) -> forall x, In x (amounts (column B R)) -> x = q).
  { intros R NR IR. apply amounts_equal; [now destruct R|]. intros w I. apply in_map_iff in I as (r & <- & I). auto. }
  simpl. rewrite (share_of_equal n _ q (C T NT (fun r I => I))), (share_of_equal n _ q (C S N IS)).
  unfold column. rewrite !map_length. set (c := length T). set (d := length S).
  assert (D : 0 < d) by (unfold d; destruct S; [easy|simpl; lia]).
  assert (DC : d <= c) by now apply (sub_bag_length record_eq_dec).
  assert (Q : (0 <= q)%Qc).
  { destruct T as [|t T]; [easy|]. apply (amounts_nonnegative (column B (t :: T))).
    rewrite <- (C (t :: T) NT (fun r I => I) (hd 0%Qc (amounts (column B (t :: T))))); now left. }
  apply Qcle_lt_or_eq in Q as [Q|Q].
  - assert (M : forall a, 0 < a -> (0 < number a * q)%Qc).
    { intros a A. rewrite <- (Qcmult_0_l q). apply Qcmult_lt_compat_r; auto. now apply number_positive. }
    assert (R : forall a b, (number a * q * (number b * q) = number (a * b) * (q * q))%Qc).
    { intros a b. rewrite number_times. ring. }
    apply share_below; auto; try (apply M; lia).
    + split; [rewrite <- (Qcmult_0_l q)|]; apply Qcmult_le_compat_r; try (now apply Qclt_le_weak);
        [apply (number_le 0)|apply number_le]; lia.
    + rewrite !R. apply Qcmult_le_compat_r; [apply number_le|].
      * destruct (Nat.min_spec n c) as [[? ->]|[? ->]], (Nat.min_spec n d) as [[? ->]|[? ->]]; nia.
      * rewrite <- (Qcmult_0_l q). apply Qcmult_le_compat_r; now apply Qclt_le_weak.
  - rewrite <- Q, !Qcmult_0_r. unfold share. destruct (Qc_eq_dec 0 0); [apply below_refl|easy].
Qed.
