(** docs/prove.md, section 1: the texts of numbers and dates sort like their values if they have the same sign and the same
    number of digits before the point (`reaches_between`). So one search in each such run finds what it reaches. *)
From Coq Require Import List ZArith NArith Bool DecimalN Lia.
From Acompass Require Import Order Texts Values Conversions.
Import ListNotations.
Open Scope Z_scope.

(** * Digits as a number *)

Definition is_digit (c : Z) : Prop := 48 <= c <= 57.
Definition read_digit (n c : Z) : Z := 10 * n + (c - 48).
Definition read (t : text) : Z := fold_left read_digit t 0.

Lemma digits_are_digits d : Forall is_digit (digits_of d).
Proof. induction d; simpl; constructor; auto; unfold is_digit; lia. Qed.

Lemma read_accumulated d : forall acc, fold_left read_digit (digits_of d) (Zpos acc) = Zpos (Pos.of_uint_acc d acc).
Proof.
  induction d; intro acc; cbn [digits_of fold_left Pos.of_uint_acc]; auto; unfold read_digit at 2;
    match goal with |- fold_left _ _ ?n = Zpos (Pos.of_uint_acc _ ?p) => replace n with (Zpos p) by lia end; apply IHd.
Qed.

Lemma read_digits_of d : read (digits_of d) = Z.of_N (N.of_uint d).
Proof.
  unfold read. change (N.of_uint d) with (Pos.of_uint d).
  induction d; cbn [digits_of fold_left Pos.of_uint]; auto; unfold read_digit at 2; simpl (10 * 0 + _);
    try exact IHd; apply read_accumulated.
Qed.

Lemma read_padded w n : read (padded w n) = Z.of_N n.
Proof.
  unfold padded, digits. rewrite <- digits_with_zeros, read_digits_of, number_with_zeros.
  now rewrite DecimalN.Unsigned.of_to.
Qed.

Lemma padded_digits w n : Forall is_digit (padded w n).
Proof. unfold padded, digits. rewrite <- digits_with_zeros. apply digits_are_digits. Qed.

(** * Texts of one length *)

Lemma read_from t : forall n, fold_left read_digit t n = n * 10 ^ Z.of_nat (length t) + read t.
Proof.
  unfold read. induction t as [|c t IH]; intro n; cbn [fold_left length]; [simpl; lia|].
  rewrite (IH (read_digit n c)), (IH (read_digit 0 c)). unfold read_digit. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. lia.
Qed.

Lemma read_app t u : read (t ++ u) = read t * 10 ^ Z.of_nat (length u) + read u.
Proof. unfold read at 1. rewrite fold_left_app, read_from. reflexivity. Qed.

Lemma read_below t : Forall is_digit t -> 0 <= read t < 10 ^ Z.of_nat (length t).
Proof.
  induction 1 as [|c t H _ IH]; [now vm_compute|]. unfold read in *. cbn [fold_left length]. rewrite read_from.
  unfold read, read_digit, is_digit in *. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. nia.
Qed.

(** Among texts of digits of one length, the order of texts is that of the numbers. *)
Lemma digits_in_order t u : Forall is_digit t -> Forall is_digit u -> length t = length u ->
  compare_text t u = (read t ?= read u).
Proof.
  intro H. revert u. induction H as [|c t Hc Ht IH]; intros [|d u] Hu L; try discriminate; auto.
  inversion Hu as [|? ? Hd Hu']; subst. injection L as L. specialize (IH u Hu' L). unfold compare_text in *. simpl.
  unfold read at 1 2. cbn [fold_left]. rewrite !read_from, L.
  pose proof (read_below t Ht) as Bt. pose proof (read_below u Hu') as Bu. rewrite L in Bt.
  unfold read_digit, is_digit in *. destruct (Z.compare_spec c d) as [->|K|K]; simpl.
  - rewrite IH. destruct (Z.compare_spec (read t) (read u)); symmetry;
      [apply Z.compare_eq_iff|apply Z.compare_lt_iff|apply Z.compare_gt_iff]; lia.
  - symmetry. apply Z.compare_lt_iff. nia.
  - symmetry. apply Z.compare_gt_iff. nia.
Qed.

Theorem padded_in_order w n m : length (padded w n) = length (padded w m) ->
  compare_text (padded w n) (padded w m) = (Z.of_N n ?= Z.of_N m).
Proof. intro L. now rewrite digits_in_order, !read_padded by auto using padded_digits. Qed.

(** * What stands between the digits does not matter *)

Lemma compare_app a b c d : length a = length b ->
  compare_text (a ++ c) (b ++ d) = first_difference (compare_text a b) (compare_text c d).
Proof.
  revert b. unfold compare_text. induction a as [|x a IH]; intros [|y b] L; try discriminate; auto. injection L as L.
  simpl. rewrite IH by auto. now destruct (Z.compare x y).
Qed.

Lemma compare_same x t u : compare_text (x :: t) (x :: u) = compare_text t u.
Proof. unfold compare_text. simpl. now rewrite Z.compare_refl. Qed.

(** Decimals of one scale with as many digits before the point; integers are those of scale 0. *)
Theorem decimals_in_order n m scale : length (padded (S scale) n) = length (padded (S scale) m) ->
  compare_text (text_of_decimal false n scale) (text_of_decimal false m scale) = (Z.of_N n ?= Z.of_N m).
Proof.
  intro L. rewrite <- (padded_in_order (S scale)) by auto. unfold text_of_decimal, signed. rewrite <- L.
  set (d := padded (S scale) n) in *. set (e := padded (S scale) m) in *. set (k := (length d - scale)%nat).
  assert (F : length (firstn k d) = length (firstn k e)) by (rewrite !firstn_length; lia).
  transitivity (compare_text (firstn k d ++ skipn k d) (firstn k e ++ skipn k e)); [|now rewrite !firstn_skipn].
  rewrite !compare_app by auto. f_equal. destruct scale; [|apply compare_same].
  unfold k. rewrite Nat.sub_0_r, skipn_all, L, skipn_all. reflexivity.
Qed.

(** Dates with four digits for the year, all of them. *)
Lemma parts_of_date d : length d = 8%nat -> d = part 0 4 d ++ part 4 6 d ++ part 6 8 d /\
  length (part 0 4 d) = 4%nat /\ length (part 4 6 d) = 2%nat.
Proof.
  intro D. do 9 (destruct d as [|? d]; [try discriminate D|]); [now repeat split|discriminate D].
Qed.

Theorem dates_in_order n m : length (padded 8 n) = 8%nat -> length (padded 8 m) = 8%nat ->
  compare_text (text_of_date n) (text_of_date m) = (Z.of_N n ?= Z.of_N m).
Proof.
  intros Ln Lm. rewrite <- (padded_in_order 8) by congruence. unfold text_of_date, iso_date.
  destruct (parts_of_date _ Ln) as (En & Yn & Mn). destruct (parts_of_date _ Lm) as (Em & Ym & Mm).
  rewrite En at 4. rewrite Em at 4. cbn [app].
  rewrite !(compare_app (part 0 4 _)), compare_same, !(compare_app (part 4 6 _)), compare_same by congruence. reflexivity.
Qed.
