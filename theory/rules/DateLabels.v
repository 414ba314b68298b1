(** docs/prove.md, section 7: dates and timestamps under MONTH, QUARTER, YEAR and DECADE (`LabelImages`, `period_bounds`).

    A date is the number that its eight digits form. Labels of periods sort like the periods, so the dates with one label
    form an interval. *)
From Coq Require Import List ZArith NArith Bool Lia.
From Acompass Require Import Order Texts Values Conversions TextOrder TextRuns ValueOrder.
Import ListNotations.
Open Scope Z_scope.

Inductive date_unit : Type := Month | Quarter | Year | Decade.

Definition letter_Q : Z := 81.
Definition letter_s : Z := 115.

Definition month_of (n : Z) : Z := n / 100 mod 100.
Definition quarter_of (n : Z) : Z := (month_of n + 2) / 3.

(** The number of a period. *)
Definition period (unit : date_unit) (n : Z) : Z :=
  match unit with
  | Month => n / 100
  | Quarter => n / 10000 * 10 + quarter_of n
  | Year => n / 10000
  | Decade => n / 100000
  end.

Definition label_of_date (unit : date_unit) (n : N) : text :=
  let d := padded 8 n in
  match unit with
  | Month => part 0 4 d ++ [minus_sign] ++ part 4 6 d
  | Quarter => part 0 4 d ++ [minus_sign; letter_Q; zero_digit + quarter_of (Z.of_N n)]
  | Year => part 0 4 d
  | Decade => part 0 3 d ++ [zero_digit; letter_s]
  end.

Definition is_dated (n : N) : Prop := length (padded 8 n) = 8%nat /\ 1 <= month_of (Z.of_N n) <= 12.

(** * The order of labels is that of their periods *)

Lemma first_digits_read w n k : length (padded w n) = w -> (k <= w)%nat ->
  read (firstn k (padded w n)) = Z.of_N n / 10 ^ Z.of_nat (w - k) /\ Forall is_digit (firstn k (padded w n)) /\
  length (firstn k (padded w n)) = k.
Proof.
  intros L K. pose proof (padded_digits w n) as D. pose proof (read_padded w n) as R.
  rewrite <- (firstn_skipn k (padded w n)) in D, R. apply Forall_app in D as [D D']. rewrite read_app, skipn_length, L in R.
  apply read_below in D'. rewrite skipn_length, L in D'. split; [|split; auto; rewrite firstn_length; lia].
  rewrite <- R, Z.div_add_l, Z.div_small; lia.
Qed.

Lemma first_digits_in_order w n m k : length (padded w n) = w -> length (padded w m) = w -> (k <= w)%nat ->
  compare_text (firstn k (padded w n)) (firstn k (padded w m))
  = (Z.of_N n / 10 ^ Z.of_nat (w - k) ?= Z.of_N m / 10 ^ Z.of_nat (w - k)).
Proof.
  intros Ln Lm K. destruct (first_digits_read w n k Ln K) as (Rn & Dn & En), (first_digits_read w m k Lm K) as (Rm & Dm &
    Em).
  rewrite digits_in_order, Rn, Rm by congruence. reflexivity.
Qed.

Lemma part_from_start k (d : text) : part 0 k d = firstn k d.
Proof. unfold part. now rewrite Nat.sub_0_r. Qed.

Theorem labels_in_order unit n m : is_dated n -> is_dated m ->
  compare_text (label_of_date unit n) (label_of_date unit m) = (period unit (Z.of_N n) ?= period unit (Z.of_N m)).
Proof.
  intros [Ln Mn] [Lm Mm]. destruct unit; unfold label_of_date, period; rewrite ?part_from_start.
  - destruct (parts_of_date _ Ln) as (En & Yn & On), (parts_of_date _ Lm) as (Em & Ym & Om). rewrite part_from_start in *.
    cbn [app]. rewrite compare_app, compare_same by congruence.
    rewrite <- (compare_app (firstn 4 _) (firstn 4 _)) by congruence.
    assert (F : forall j, length (padded 8 j) = 8%nat -> firstn 4 (padded 8 j) ++ part 4 6 (padded 8 j) = firstn 6 (padded
      8 j)).
    { intros j J. unfold part. change (6 - 4)%nat with 2%nat. rewrite <- (firstn_skipn 4 (firstn 6 (padded 8 j))).
      now rewrite firstn_firstn, skipn_firstn_comm. }
    rewrite !F by auto. now rewrite (first_digits_in_order 8 n m 6) by auto.
  - rewrite compare_app by (rewrite !firstn_length; congruence). rewrite !compare_same.
    rewrite (first_digits_in_order 8 n m 4) by auto with arith. change (10 ^ Z.of_nat (8 - 4)) with 10000.
    assert (Bn : 0 <= quarter_of (Z.of_N n) < 10) by (unfold quarter_of; Z.to_euclidean_division_equations; lia).
    assert (Bm : 0 <= quarter_of (Z.of_N m) < 10) by (unfold quarter_of; Z.to_euclidean_division_equations; lia).
    rewrite compare_two by auto. f_equal. unfold compare_text, zero_digit. simpl.
    rewrite <- (Z.add_compare_mono_l 48 (quarter_of (Z.of_N n))). now destruct (Z.compare _ _).
  - now rewrite (first_digits_in_order 8 n m 4) by auto with arith.
  - rewrite compare_app by (rewrite !firstn_length; congruence). rewrite (first_digits_in_order 8 n m 3) by auto with arith.
    change (10 ^ Z.of_nat (8 - 3)) with 100000. now destruct (_ ?= _).
Qed.

Lemma periods_in_order unit n m : 1 <= month_of n <= 12 -> 1 <= month_of m <= 12 -> n <= m -> period unit n <= period unit m.
Proof.
  unfold month_of. intros Mn Mm L. destruct unit; unfold period, quarter_of, month_of; try (apply Z.div_le_mono; lia).
  assert (n / 100 <= m / 100) by (apply Z.div_le_mono; lia).
  change 10000 with (100 * 100). rewrite <- !Z.div_div by lia.
  revert Mn Mm H. generalize (n / 100) (m / 100). intros a b Mn Mm H. Z.to_euclidean_division_equations. lia.
Qed.

(** Later dates have the same label or a later one (`_of_period`). *)
Theorem later_dates_later_labels unit n m : is_dated n -> is_dated m -> (n <= m)%N ->
  compare_text (label_of_date unit n) (label_of_date unit m) <> Gt.
Proof.
  intros Dn Dm L. rewrite labels_in_order by auto. destruct Dn as [_ Mn], Dm as [_ Mm].
  apply Z.compare_le_iff, periods_in_order; auto. lia.
Qed.

(** Two dates have one label if they are in one period, so the dates with a label are an interval (`period_bounds`). *)
Theorem label_has_one_period unit n m : is_dated n -> is_dated m ->
  (label_of_date unit n = label_of_date unit m <-> period unit (Z.of_N n) = period unit (Z.of_N m)).
Proof. intros Dn Dm. rewrite <- Z.compare_eq_iff, <- labels_in_order by auto. symmetry. apply (compare_eq order_text). Qed.

Theorem period_is_interval unit n k m : is_dated n -> is_dated k -> is_dated m -> (n <= k <= m)%N ->
  label_of_date unit n = label_of_date unit m -> label_of_date unit k = label_of_date unit n.
Proof.
  intros Dn Dk Dm [L U] E. apply label_has_one_period in E; auto. apply label_has_one_period; auto.
  destruct Dn as [_ Mn], Dk as [_ Mk], Dm as [_ Mm].
  pose proof (periods_in_order unit (Z.of_N n) (Z.of_N k) Mn Mk). pose proof (periods_in_order unit (Z.of_N k) (Z.of_N m)
    Mk Mm). lia.
Qed.

(** * Labels begin as the text of the date (`_interval`) *)

Theorem date_labels_begin n : length (padded 8 n) = 8%nat ->
  label_of_date Month n = firstn 7 (text_of_date n) /\ label_of_date Year n = firstn 4 (text_of_date n) /\
  label_of_date Quarter n = firstn 4 (text_of_date n) ++ [minus_sign; letter_Q; zero_digit + quarter_of (Z.of_N n)] /\
  label_of_date Decade n = firstn 3 (text_of_date n) ++ [zero_digit; letter_s].
Proof.
  unfold label_of_date, text_of_date, iso_date. generalize (padded 8 n). intros d L.
  do 9 (destruct d as [|? d]; [try discriminate L|]); [now repeat split|discriminate L].
Qed.

(** The text of a timestamp begins with that of its day, and only this is read. *)
Theorem timestamp_begins_with_day n : length (padded 20 n) = 20%nat ->
  length (padded 8 (n / 10 ^ 12)) = 8%nat /\ firstn 10 (text_of_timestamp n) = text_of_date (n / 10 ^ 12).
Proof.
  intro L. destruct (first_digits_read 20 n 8 L) as (R & D & F); [lia|]. change (10 ^ Z.of_nat (20 - 8)) with (10 ^ 12) in R.
  assert (Z : Z.of_N (n / 10 ^ 12) = read (firstn 8 (padded 20 n))) by (rewrite R, N2Z.inj_div; reflexivity).
  assert (Len : length (padded 8 (n / 10 ^ 12)) = 8%nat).
  { apply Nat.le_antisymm; [|apply padded_length]. apply padded_at_most; [lia|lia|].
    rewrite Z. apply read_below in D. now rewrite F in D. }
  assert (E : padded 8 (n / 10 ^ 12) = firstn 8 (padded 20 n)).
  { apply (compare_eq order_text). rewrite digits_in_order, read_padded, Z by (auto using padded_digits; congruence).
    apply Z.compare_refl. }
  split; auto. unfold text_of_date. rewrite E. unfold text_of_timestamp. rewrite firstn_app.
  generalize (padded 20 n) L. intros d L'. do 21 (destruct d as [|? d]; [try discriminate L'|]); [reflexivity|discriminate
    L'].
Qed.

(** * Labels of finer units (`Dates._of_label`) *)

Definition coarsened (unit finer : date_unit) (p : Z) : option Z :=
  match finer, unit with
  | Month, Quarter => Some (p / 100 * 10 + (p mod 100 + 2) / 3)
  | Month, Year => Some (p / 100)
  | Month, Decade => Some (p / 1000)
  | Quarter, Year => Some (p / 10)
  | Quarter, Decade => Some (p / 100)
  | Year, Decade => Some (p / 10)
  | _, _ => None
  end.

(** A finer label has the label of its dates; others stay, so that the map is idempotent. *)
Theorem finer_period_in_one unit finer n p : 1 <= month_of n <= 12 ->
  coarsened unit finer (period finer n) = Some p -> p = period unit n.
Proof.
  unfold period, quarter_of, month_of. intros M H.
  assert (E : n / 10000 = n / 100 / 100) by now rewrite Z.div_div.
  assert (E' : n / 100000 = n / 100 / 1000) by now rewrite Z.div_div. rewrite E, E' in *. clear E E'.
  revert M H. generalize (n / 100). intros a M H.
  destruct finer, unit; simpl in H; try discriminate; injection H as <-; auto; Z.to_euclidean_division_equations; lia.
Qed.

Theorem dates_idempotent unit finer p q : coarsened unit finer p = Some q -> coarsened unit unit q = None.
Proof. now destruct unit. Qed.
