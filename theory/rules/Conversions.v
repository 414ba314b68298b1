(** docs/prove.md, section 6: changes of type (`refuse_conversion`, `_is_injective`, `_labels_equal_values_alike`). *)
From Coq Require Import List ZArith NArith Nnat QArith Qcanon Bool DecimalN Lia.
From Acompass Require Import Order Bags Texts Values Tables Anonymity Aggregates Regions.
Import ListNotations.
Open Scope Z_scope.

(** Equal values stay equal, and different values different, among the fields of a column. *)
Definition injective (t : type) (column : field -> Prop) : Prop :=
  forall f g, column f -> column g -> (value_of (convert t f) = value_of (convert t g) <-> value_of f = value_of g).

Lemma text_value_injective t u : text_value t = text_value u -> t = u.
Proof. intro H. exact (f_equal (fun v => snd (snd v)) H). Qed.

Lemma exact_injective p q : exact p = exact q -> p = q.
Proof. intro H. exact (f_equal number_of H). Qed.

(** Integers as text: their digits. *)
Theorem integers_as_text : injective AsText (fun f => exists n, f = Integer n).
Proof.
  intros f g (n & ->) (m & ->). simpl. split; intro H.
  - apply text_value_injective, text_of_integer_injective in H. now subst.
  - apply exact_injective, integer_injective in H. now subst.
Qed.

(** Booleans as text. *)
Theorem booleans_as_text : injective AsText (fun f => exists b, f = Boolean b).
Proof.
  intros f g (b & ->) (c & ->). simpl. split; intro H; [now destruct b, c|].
  apply (f_equal number_of), integer_injective in H. now destruct b, c.
Qed.

(** Digits with zeros in front still tell numbers apart. *)
Fixpoint with_zeros (k : nat) (d : Decimal.uint) : Decimal.uint :=
  match k with O => d | S k' => Decimal.D0 (with_zeros k' d) end.

Lemma digits_with_zeros k d : digits_of (with_zeros k d) = repeat zero_digit k ++ digits_of d.
Proof. induction k; simpl; [reflexivity|]. now rewrite IHk. Qed.

Lemma number_with_zeros k d : N.of_uint (with_zeros k d) = N.of_uint d.
Proof. now induction k. Qed.

Lemma padded_injective w n m : padded w n = padded w m -> n = m.
Proof.
  unfold padded, digits. rewrite <- !digits_with_zeros. intro H. apply digits_of_injective in H.
  apply (f_equal N.of_uint) in H. rewrite !number_with_zeros in H. now rewrite !DecimalN.Unsigned.of_to in H.
Qed.

Lemma padded_length w n : (w <= length (padded w n))%nat.
Proof. unfold padded. rewrite app_length, repeat_length. lia. Qed.

Lemma padded_no_minus w n t : padded w n <> minus_sign :: t.
Proof.
  unfold padded, digits. rewrite <- digits_with_zeros. apply digits_of_no_minus.
Qed.

Lemma app_injective {X} (a b : list X) : forall c d, length a = length c -> a ++ b = c ++ d -> a = c /\ b = d.
Proof.
  induction a as [|x a IH]; intros [|y c] d L H; try discriminate; auto.
  injection H as -> H. injection L as L. now destruct (IH c d L H) as [-> ->].
Qed.

(** Decimals of one scale as text. A typed column has no negative zero. *)
Definition typed_decimal (scale : nat) (f : field) : Prop :=
  exists negative n, f = Decimal negative n scale /\ (n = 0%N -> negative = false).

Lemma decimal_text_digits n m scale :
  text_of_decimal false n scale = text_of_decimal false m scale -> n = m.
Proof.
  unfold text_of_decimal, signed. set (d := padded (S scale) n). set (e := padded (S scale) m). intro H.
  apply padded_injective with (S scale). fold d e.
  pose proof (padded_length (S scale) n) as Ld. pose proof (padded_length (S scale) m) as Le. fold d in Ld. fold e in Le.
  assert (Len : length d = length e).
  { apply (f_equal (@length Z)) in H. rewrite !app_length, !firstn_length in H.
    destruct scale; simpl in H; rewrite ?skipn_length in H; simpl in H; lia. }
  rewrite <- Len in H. destruct scale as [|k].
  - rewrite !app_nil_r, !Nat.sub_0_r in H. rewrite Len in H at 2. now rewrite !firstn_all in H.
  - rewrite <- (firstn_skipn (length d - S k) d), <- (firstn_skipn (length d - S k) e).
    apply app_injective in H as [-> H]; [now injection H as ->|]. rewrite !firstn_length. lia.
Qed.

Lemma decimal_text_no_minus n scale t : text_of_decimal false n scale <> minus_sign :: t.
Proof.
  unfold text_of_decimal, signed. pose proof (padded_length (S scale) n) as L.
  destruct (padded (S scale) n) as [|c d] eqn:E; [inversion L|].
  replace (length (c :: d) - scale)%nat with (S (length d - scale)) by (cbn [length] in *; lia).
  cbn [firstn app]. intro H.
  injection H as -> H. now apply padded_no_minus in E.
Qed.

Lemma signed_text negative n scale :
  text_of_decimal negative n scale = signed negative (text_of_decimal false n scale).
Proof. reflexivity. Qed.

Lemma decimal_sign n m negative negative' scale : (n = 0%N -> negative = false) -> (m = 0%N -> negative' = false) ->
  decimal negative n scale = decimal negative' m scale -> negative = negative'.
Proof.
  unfold decimal. rewrite Q2Qc_eq_iff. unfold Qeq, signed_number; simpl. intros H K E.
  apply Z.mul_cancel_r in E; [|discriminate].
  destruct negative, negative'; auto; destruct (N.eq_dec n 0), (N.eq_dec m 0); try lia; auto.
Qed.

Theorem decimals_as_text scale : injective AsText (typed_decimal scale).
Proof.
  intros f g (a & n & -> & Ha) (b & m & -> & Hb). simpl. split; intro H.
  - apply text_value_injective in H. rewrite signed_text, (signed_text b) in H. destruct a, b; simpl in H.
    + injection H as H. now apply decimal_text_digits in H as ->.
    + symmetry in H. now apply decimal_text_no_minus in H.
    + now apply decimal_text_no_minus in H.
    + now apply decimal_text_digits in H as ->.
  - apply exact_injective in H. assert (a = b) as -> by now apply (decimal_sign n m a b scale).
    now apply decimal_injective in H as ->.
Qed.

(** Dates as text: those with four digits for the year. *)
Definition is_date (f : field) : Prop := exists n, f = Date n /\ length (padded 8 n) = 8%nat.

Lemma iso_date_injective d e : length d = 8%nat -> length e = 8%nat -> iso_date d = iso_date e -> d = e.
Proof.
  intros D E. do 9 (destruct d as [|? d]; [try discriminate D|]); [|discriminate D].
  do 9 (destruct e as [|? e]; [try discriminate E|]); [|discriminate E].
  unfold iso_date, part. simpl. intro H. injection H as -> -> -> -> -> -> -> ->. reflexivity.
Qed.

Theorem dates_as_text : injective AsText is_date.
Proof.
  intros f g (n & -> & Ln) (m & -> & Lm). simpl. split; intro H.
  - apply text_value_injective, iso_date_injective, padded_injective in H; auto. now subst.
  - apply (f_equal number_of), integer_injective, N2Z.inj in H. now subst.
Qed.

(** * Among exact numbers, the value stays *)

Lemma power_of_ten_add a b : power_of_ten (a + b) = (power_of_ten a * power_of_ten b)%positive.
Proof. induction a; simpl power_of_ten; [lia|]. simpl Nat.add. simpl power_of_ten. rewrite IHa. lia. Qed.

Lemma power_of_ten_N k : Z.of_N (10 ^ N.of_nat k) = Zpos (power_of_ten k).
Proof.
  induction k; [reflexivity|]. rewrite Nat2N.inj_succ, N.pow_succ_r', N2Z.inj_mul, IHk. simpl power_of_ten. lia.
Qed.

Lemma value_at_scale scale negative n scale' :
  value_of (at_scale scale negative n scale') = value_of (Decimal negative n scale').
Proof.
  unfold at_scale. destruct (Nat.leb_spec scale' scale) as [L|L]; auto. simpl. f_equal. unfold decimal.
  apply Q2Qc_eq_iff. unfold Qeq; simpl. replace scale with (scale' + (scale - scale'))%nat at 2 by lia.
  rewrite power_of_ten_add. pose proof (power_of_ten_N (scale - scale')) as P. unfold signed_number.
  rewrite N2Z.inj_mul, P. destruct negative; lia.
Qed.

Lemma value_of_signed n : value_of (Decimal (n <? 0) (Z.abs_N n) 0) = value_of (Integer n).
Proof.
  simpl. f_equal. unfold decimal, integer. apply Q2Qc_eq_iff. unfold Qeq, signed_number; simpl.
  rewrite N2Z.inj_abs_N. destruct (Z.ltb_spec n 0); lia.
Qed.

Definition is_exact (f : field) : Prop := (exists n, f = Integer n) \/ exists negative n scale, f = Decimal negative n scale.

Theorem exact_stays_exact t f : is_exact f -> t = AsSpelled \/ (exists scale, t = AsDecimal scale) ->
  value_of (convert t f) = value_of f.
Proof.
  intros [(n & ->)|(a & n & k & ->)] [->|(scale & ->)]; cbn [convert]; auto.
  - apply value_of_signed.
  - rewrite value_at_scale. apply value_of_signed.
  - apply value_at_scale.
Qed.

Corollary exact_conversion t : t = AsSpelled \/ (exists scale, t = AsDecimal scale) -> injective t is_exact.
Proof. intros H f g F G. now rewrite !exact_stays_exact. Qed.

(** * Equal values have equal labels (`_labels_equal_values_alike`) *)

(** A label is a function of the text, so it is enough that equal values have equal texts. *)
Theorem labels_equal_values_alike (column : field -> Prop) (g : text -> text) f f' :
  injective AsText column -> (forall f, column f -> convert AsText f = Text (text_of f)) -> column f -> column f' ->
  value_of f = value_of f' -> g (text_of f) = g (text_of f').
Proof.
  intros H T C C' E. apply (H f f' C C') in E. rewrite !T in E by auto. apply text_value_injective in E. now rewrite E.
Qed.

(** This fails for floats: `-0.0` and `0.0` are equal and have two texts. *)
Theorem zeros_have_two_texts :
  value_of (Float true 0) = value_of (Float false 0) /\ text_of (Float true 0) <> text_of (Float false 0).
Proof. split; [reflexivity|discriminate]. Qed.

(** It also fails for two spellings of one number (D26), so a table that is grouped by a column has one of each. *)
Theorem spellings_have_two_texts :
  value_of (Decimal false 2 0) = value_of (Decimal false 20 1) /\
  text_of (Decimal false 2 0) <> text_of (Decimal false 20 1).
Proof. split; [simpl; f_equal; now apply Qc_is_canon|discriminate]. Qed.
