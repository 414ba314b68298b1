(** docs/prove.md, section 1: which values lie strictly between two constants (`value_order`).

    Values of a discrete type have integers as ranks, in the order of the values. *)
From Coq Require Import List ZArith NArith QArith Qround Qcanon Bool Lia.
From Acompass Require Import Order Texts Floats Values Anonymity Aggregates Regions Calendar.
Import ListNotations.
Open Scope Z_scope.

(** * Ranks strictly between two bounds (`DiscreteOrder.first_and_last`) *)

Lemma above_floor q n : (q < inject_Z n)%Q <-> Qfloor q + 1 <= n.
Proof.
  split; intro H.
  - assert (K := Qle_lt_trans _ _ _ (Qfloor_le q) H). rewrite <- Zlt_Qlt in K. lia.
  - apply Qlt_le_trans with (inject_Z (Qfloor q + 1)); [apply Qlt_floor|]. now rewrite <- Zle_Qle.
Qed.

Lemma below_ceiling q n : (inject_Z n < q)%Q <-> n <= Qceiling q - 1.
Proof.
  split; intro H.
  - assert (K := Qlt_le_trans _ _ _ H (Qle_ceiling q)). rewrite <- Zlt_Qlt in K. lia.
  - apply Qle_lt_trans with (inject_Z (Qceiling q - 1)); [now rewrite <- Zle_Qle|]. apply Qceiling_lt.
Qed.

Theorem first_and_last low high n :
  (low < inject_Z n < high)%Q <-> Qfloor low + 1 <= n <= Qceiling high - 1.
Proof. now rewrite above_floor, below_ceiling. Qed.

(** * Ranks have the order of the values *)

Lemma compare_fractions p q : Qccompare (Q2Qc p) (Q2Qc q) = (p ?= q)%Q.
Proof. unfold Qccompare, Q2Qc, this. now rewrite !Qred_correct. Qed.

(** Decimals of one scale, as integers of their last digit's unit. *)
Theorem rank_of_decimal a n b m scale :
  compare_value (value_of (Decimal a n scale)) (value_of (Decimal b m scale)) = (signed_number a n ?= signed_number b m).
Proof.
  cbn [value_of]. rewrite compare_exact. unfold decimal. rewrite compare_fractions. unfold Qcompare. cbn [Qnum Qden].
  symmetry. apply Zmult_compare_compat_r. lia.
Qed.

(** Floats, by their bits. *)
Theorem rank_of_float a n b m :
  compare_value (value_of (Float a n)) (value_of (Float b m)) = (float_rank a n ?= float_rank b m).
Proof.
  unfold value_of, floating, compare_value, compare_pair. cbn [fst snd]. rewrite compare_fractions. simpl.
  unfold Qcompare. simpl. rewrite !Z.mul_1_r.
  now destruct (float_rank a n ?= float_rank b m).
Qed.

(** Booleans: false, then true. *)
Theorem rank_of_boolean a b :
  compare_value (value_of (Boolean a)) (value_of (Boolean b)) = (Z.b2z a ?= Z.b2z b).
Proof. now destruct a, b. Qed.

(** * The calendar: dates as days since the year 1, as in Python's `toordinal` *)

Definition days_before_year (y : Z) : Z := let z := y - 1 in 365 * z + z / 4 - z / 100 + z / 400.

Fixpoint days_before_months (y : Z) (months : nat) : Z :=
  match months with
  | O => 0
  | S m => days_before_months y m + days y (Z.of_nat (S m))
  end.

Definition ordinal (y m d : Z) : Z := days_before_year y + days_before_months y (Z.to_nat (m - 1)) + d.

Definition is_day (y m d : Z) : Prop := 1 <= y /\ 1 <= m <= 12 /\ 1 <= d <= days y m.

Lemma year_length y : days_before_year (y + 1) = days_before_year y + days_before_months y 12.
Proof.
  unfold days_before_year. cbn [days_before_months Z.of_nat Pos.of_succ_nat Pos.succ].
  unfold days, is_leap. cbn [Z.eqb Pos.eqb orb].
  destruct (Z.eqb_spec (y mod 4) 0), (Z.eqb_spec (y mod 100) 0), (Z.eqb_spec (y mod 400) 0); cbn [andb orb negb];
    Z.to_euclidean_division_equations; lia.
Qed.

Lemma month_length y m : 1 <= days y m <= 31.
Proof. unfold days. destruct (m =? 2); [destruct (is_leap y); lia|]. destruct (_ || (m =? 11)); lia. Qed.

Lemma months_in_order y k l : (k < l)%nat ->
  days_before_months y k + days y (Z.of_nat (S k)) <= days_before_months y l.
Proof.
  induction 1 as [|l _ IH]; cbn [days_before_months]; [lia|]. pose proof (month_length y (Z.of_nat (S l))). lia.
Qed.

Lemma years_in_order y z : y < z -> days_before_year y + days_before_months y 12 <= days_before_year z.
Proof.
  rewrite <- year_length. unfold days_before_year. intro H. Z.to_euclidean_division_equations; lia.
Qed.

Lemma day_of_year y m d : is_day y m d -> 1 <= days_before_months y (Z.to_nat (m - 1)) + d <= days_before_months y 12.
Proof.
  intros (_ & M & D). assert (P : forall k, 0 <= days_before_months y k).
  { induction k as [|k IH]; cbn [days_before_months]; [lia|]. pose proof (month_length y (Z.of_nat (S k))). lia. }
  specialize (P (Z.to_nat (m - 1))). pose proof (months_in_order y (Z.to_nat (m - 1)) 12) as L.
  replace (Z.of_nat (S (Z.to_nat (m - 1)))) with m in L by lia. lia.
Qed.

(** A later day has a greater ordinal. The digits of the date are its year, month and day. *)
Definition digits_of_date (y m d : Z) : Z := 10000 * y + 100 * m + d.

Theorem rank_of_date y m d y' m' d' : is_day y m d -> is_day y' m' d' ->
  (digits_of_date y m d ?= digits_of_date y' m' d') = (ordinal y m d ?= ordinal y' m' d').
Proof.
  assert (K : forall y m d y' m' d', is_day y m d -> is_day y' m' d' ->
    digits_of_date y m d < digits_of_date y' m' d' -> ordinal y m d < ordinal y' m' d').
  { clear. intros y m d y' m' d' H H'. pose proof (day_of_year _ _ _ H). pose proof (day_of_year _ _ _ H').
    destruct H as (_ & M & D), H' as (_ & M' & D'). unfold digits_of_date, ordinal.
    pose proof (month_length y m). pose proof (month_length y' m').
    intro L. destruct (Z.lt_trichotomy y y') as [G|[<-|G]]; [| |lia].
    - pose proof (years_in_order _ _ G). lia.
    - destruct (Z.lt_trichotomy m m') as [G|[<-|G]]; [| |lia]; [|lia].
      pose proof (months_in_order y (Z.to_nat (m - 1)) (Z.to_nat (m' - 1))) as O.
      replace (Z.of_nat (S (Z.to_nat (m - 1)))) with m in O by lia. lia. }
  intros H H'. destruct (Z.compare_spec (digits_of_date y m d) (digits_of_date y' m' d')) as [E|E|E]; symmetry.
  - pose proof (month_length y m). pose proof (month_length y' m'). destruct H as (_ & M & D), H' as (_ & M' & D').
    unfold digits_of_date in E.
    assert (y = y' /\ m = m' /\ d = d') as (-> & -> & ->) by lia. apply Z.compare_refl.
  - now apply Z.compare_lt_iff, K.
  - now apply Z.compare_gt_iff, K.
Qed.

(** Timestamps: microseconds since the year 1. *)
Definition is_clock (h i s f : Z) : Prop := 0 <= h < 24 /\ 0 <= i < 60 /\ 0 <= s < 60 /\ 0 <= f < 1000000.
Definition microseconds (h i s f : Z) : Z := ((h * 60 + i) * 60 + s) * 1000000 + f.
Definition digits_of_clock (h i s f : Z) : Z := ((h * 100 + i) * 100 + s) * 1000000 + f.

Lemma compare_two p q a b k : 0 <= a < k -> 0 <= b < k ->
  (p * k + a ?= q * k + b) = first_difference (p ?= q) (a ?= b).
Proof.
  intros A B. destruct (Z.compare_spec p q) as [->|L|L]; simpl.
  - destruct (Z.compare_spec a b); [apply Z.compare_eq_iff|apply Z.compare_lt_iff|apply Z.compare_gt_iff]; lia.
  - apply Z.compare_lt_iff. nia.
  - apply Z.compare_gt_iff. nia.
Qed.

Lemma rank_of_clock h i s f h' i' s' f' : is_clock h i s f -> is_clock h' i' s' f' ->
  (digits_of_clock h i s f ?= digits_of_clock h' i' s' f') = (microseconds h i s f ?= microseconds h' i' s' f').
Proof.
  unfold is_clock, digits_of_clock, microseconds. intros H H'.
  rewrite !(compare_two _ _ f f' 1000000), !(compare_two _ _ s s' 100), !(compare_two _ _ i i' 100) by lia.
  now rewrite !(compare_two _ _ s s' 60), !(compare_two _ _ i i' 60) by lia.
Qed.

Theorem rank_of_timestamp y m d h i s f y' m' d' h' i' s' f' :
  is_day y m d -> is_day y' m' d' -> is_clock h i s f -> is_clock h' i' s' f' ->
  (digits_of_date y m d * 10 ^ 12 + digits_of_clock h i s f ?= digits_of_date y' m' d' * 10 ^ 12 + digits_of_clock h' i' s'
    f')
  = (ordinal y m d * 86400000000 + microseconds h i s f ?= ordinal y' m' d' * 86400000000 + microseconds h' i' s' f').
Proof.
  intros D D' C C'. change (10 ^ 12) with 1000000000000.
  rewrite (compare_two _ _ (digits_of_clock h i s f)) by (unfold is_clock, digits_of_clock in *; lia).
  rewrite (compare_two _ _ (microseconds h i s f)) by (unfold is_clock, microseconds in *; lia).
  now rewrite rank_of_date, rank_of_clock by auto.
Qed.

(** * Texts (`TextOrder.count`) *)

Definition is_text (t : text) : Prop := forall c, In c t -> 0 <= c.

Lemma compare_append t u v : compare_text (t ++ u) (t ++ v) = compare_text u v.
Proof. unfold compare_text. induction t as [|c t IH]; simpl; auto. now rewrite Z.compare_refl. Qed.

(** The texts before n NULs are those of fewer NULs. *)
Theorem texts_before_nuls n u : is_text u ->
  (compare_text u (repeat 0 n) = Lt <-> exists k, (k < n)%nat /\ u = repeat 0 k).
Proof.
  revert u. induction n as [|n IH]; intros u T; simpl.
  - split; [destruct u; discriminate|]. intros (k & L & _). lia.
  - destruct u as [|c u]; [split; auto; intros _; exists O; split; [lia|reflexivity]|].
    assert (0 <= c) by (apply T; now left). assert (T' : is_text u) by (intros e I; apply T; now right).
    unfold compare_text. simpl. destruct (Z.compare_spec c 0) as [->|L|L]; simpl; [|lia|].
    + fold (compare_text u (repeat 0 n)). rewrite (IH u T'). split.
      * intros (k & L & ->). exists (S k). split; [lia|reflexivity].
      * intros ([|k] & L & E); [discriminate|]. injection E as ->. exists k. split; [lia|reflexivity].
    + split; [discriminate|]. intros ([|k] & _ & E); [discriminate|]. injection E as -> _. lia.
Qed.

(** A text that is not smaller than t and smaller than t with NULs after it begins with t. *)
Lemma begins_with t u n : compare_text t u <> Gt -> compare_text u (t ++ repeat 0 n) = Lt -> exists v, u = t ++ v.
Proof.
  revert u. induction t as [|c t IH]; intros u A B; [now exists u|].
  destruct u as [|d u]; [unfold compare_text in A; now elim A|]. unfold compare_text in A, B. simpl in A, B.
  rewrite (Z.compare_antisym c d) in B. destruct (Z.compare_spec c d) as [->|L|L]; simpl in A, B; try discriminate; [|easy].
  destruct (IH u A B) as (v & ->). now exists v.
Qed.

(** Between t and t with n NULs after it are the texts with fewer NULs after t. *)
Theorem texts_between_nuls t n u : is_text u ->
  (compare_text t u = Lt /\ compare_text u (t ++ repeat 0 n) = Lt <->
   exists k, (0 < k < n)%nat /\ u = t ++ repeat 0 k).
Proof.
  intro T. split.
  - intros [A B]. destruct (begins_with t u n) as (v & ->); [now rewrite A|auto|]. rewrite compare_append in B.
    apply texts_before_nuls in B as (k & L & ->); [|intros c I; apply T, in_or_app; auto].
    exists k. split; auto. destruct k; [|lia]. simpl in A. rewrite app_nil_r in A.
    now rewrite (compare_refl order_text) in A.
  - intros (k & L & ->). split.
    + rewrite <- (app_nil_r t) at 1. rewrite compare_append. destruct k; [lia|reflexivity].
    + rewrite compare_append. apply texts_before_nuls; [intros c I; apply T, in_or_app; auto|]. exists k.
      split; [lia|reflexivity].
Qed.

(** * Canonical order (D18): -0.0 comes before 0.0, which it equals as a value *)

Theorem negative_zero_first : compare_field (Float true 0) (Float false 0) = Lt /\
  compare_value (value_of (Float true 0)) (value_of (Float false 0)) = Eq.
Proof. now split. Qed.
