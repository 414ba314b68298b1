(** docs/prove.md, section 1: integers that RANDOM writes into a column of floats (`_is_rounded_into`). Rounding is
    monotone, so a binary search finds the integers that are rounded into a region. *)
From Coq Require Import ZArith Bool Floats.SpecFloat Zpower Lia.
From Acompass Require Import Floats.
Open Scope Z_scope.

Notation half_mantissas := (2 ^ 52).

(** * Binary digits *)

Definition binary_digits (p : positive) : Z := Zpos (digits2_pos p).

Lemma digits_bounds p : 2 ^ (binary_digits p - 1) <= Zpos p < 2 ^ binary_digits p.
Proof.
  unfold binary_digits. induction p as [p IH|p IH|]; simpl digits2_pos; [| |simpl; lia];
    rewrite Pos2Z.inj_succ; replace (Z.succ (Zpos (digits2_pos p)) - 1) with (Z.succ (Zpos (digits2_pos p) - 1)) by lia;
    rewrite !Z.pow_succ_r by lia; lia.
Qed.

Lemma digits_unique p d : 2 ^ (d - 1) <= Zpos p < 2 ^ d -> binary_digits p = d.
Proof.
  intro H. pose proof (digits_bounds p) as B. destruct (Z.lt_trichotomy (binary_digits p) d) as [L|[E|L]]; auto.
  - assert (2 ^ binary_digits p <= 2 ^ (d - 1)) by (apply Z.pow_le_mono_r; lia). lia.
  - assert (2 ^ d <= 2 ^ (binary_digits p - 1)) by (apply Z.pow_le_mono_r; lia). lia.
Qed.

Lemma digits_in_order p q : Zpos p <= Zpos q -> binary_digits p <= binary_digits q.
Proof.
  intro H. pose proof (digits_bounds p). pose proof (digits_bounds q).
  destruct (Z.le_gt_cases (binary_digits p) (binary_digits q)); auto.
  assert (2 ^ binary_digits q <= 2 ^ (binary_digits p - 1)) by (apply Z.pow_le_mono_r; lia). lia.
Qed.

(** * Shifts to the right keep the order of numbers with their lost bits *)

Definition key (a : shr_record) : Z := 4 * shr_m a + 2 * Z.b2z (shr_r a) + Z.b2z (shr_s a).

Lemma shift_once a : 0 <= shr_m a ->
  0 <= shr_m (shr_1 a) /\ shr_m (shr_1 a) = shr_m a / 2 /\ key (shr_1 a) = 2 * shr_m a + Z.b2z (shr_r a || shr_s a).
Proof.
  destruct a as [m r s]. cbn [shr_m shr_r shr_s]. intro H. unfold key.
  destruct m as [|[p|p|]|p]; [| | | |lia]; cbn [shr_1 shr_m shr_r shr_s]; generalize (Z.b2z (r || s)); intro b;
    (split; [lia|split; [|cbn [Z.b2z]; lia]]); Z.to_euclidean_division_equations; lia.
Qed.

Definition in_order (a b : shr_record) : Prop := 0 <= shr_m a /\ 0 <= shr_m b /\ key a <= key b.

Lemma shift_in_order a b : in_order a b -> in_order (shr_1 a) (shr_1 b).
Proof.
  intros (A & B & K). destruct (shift_once a A) as (A' & _ & Ka), (shift_once b B) as (B' & _ & Kb).
  unfold in_order. rewrite Ka, Kb. repeat split; auto. unfold key in K.
  destruct (shr_r a), (shr_s a), (shr_r b), (shr_s b); cbn [Z.b2z orb] in *; lia.
Qed.

Lemma shifts_in_order n a b : in_order a b -> in_order (iter_pos shr_1 n a) (iter_pos shr_1 n b).
Proof. revert a b. induction n; intros a b H; simpl; auto using shift_in_order. Qed.

Lemma shifts_divide n a : 0 <= shr_m a ->
  0 <= shr_m (iter_pos shr_1 n a) /\ shr_m (iter_pos shr_1 n a) = shr_m a / 2 ^ Zpos n.
Proof.
  revert a. induction n as [n IH|n IH|]; intros a H; simpl iter_pos.
  - destruct (shift_once a H) as (A & E & _). destruct (IH _ A) as (B & F). destruct (IH _ B) as (C & G). split; auto.
    assert (T : 2 ^ Zpos n~1 = 2 * (2 ^ Zpos n * 2 ^ Zpos n))
      by (rewrite <- Z.pow_add_r, <- Z.pow_succ_r by lia; f_equal; lia).
    assert (0 < 2 ^ Zpos n) by (apply Z.pow_pos_nonneg; lia). now rewrite G, F, E, T, !Z.div_div by lia.
  - destruct (IH _ H) as (B & F). destruct (IH _ B) as (C & G). split; auto.
    assert (T : 2 ^ Zpos n~0 = 2 ^ Zpos n * 2 ^ Zpos n) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
    assert (0 < 2 ^ Zpos n) by (apply Z.pow_pos_nonneg; lia). now rewrite G, F, T, Z.div_div by lia.
  - destruct (shift_once a H) as (A & E & _). split; auto.
Qed.

(** To the nearest, ties to even. *)
Definition nearest (a : shr_record) : Z := round_nearest_even (shr_m a) (loc_of_shr_record a).

Lemma nearest_bounds a : shr_m a <= nearest a <= shr_m a + 1.
Proof. destruct a as [m [|] [|]]; unfold nearest; simpl; try lia. destruct (Z.even m); lia. Qed.

Lemma nearest_in_order a b : in_order a b -> nearest a <= nearest b.
Proof.
  intros (A & B & K). destruct (Z.lt_trichotomy (shr_m a) (shr_m b)) as [L|[E|L]].
  - pose proof (nearest_bounds a). pose proof (nearest_bounds b). lia.
  - destruct a as [m r s], b as [m' r' s']. unfold key, nearest in *. cbn [shr_m shr_r shr_s loc_of_shr_record] in *.
    subst m'.
    destruct r, s, r', s'; cbn [Z.b2z round_nearest_even] in *; try lia; destruct (Z.even m); lia.
  - unfold key in K. destruct (shr_r a), (shr_s a), (shr_r b), (shr_s b); cbn [Z.b2z orb] in *; lia.
Qed.

(** * The mantissa and the exponent of an integer *)

Definition exponent (p : positive) : Z := binary_digits p - 53.

Definition mantissa (p : positive) : Z :=
  match exponent p with
  | Zpos k => nearest (iter_pos shr_1 k (Build_shr_record (Zpos p) false false))
  | Z0 => Zpos p
  | Zneg k => Zpos p * 2 ^ Zpos k
  end.

Lemma mantissa_bounds p : half_mantissas <= mantissa p <= 2 * half_mantissas.
Proof.
  pose proof (digits_bounds p) as B. unfold mantissa. destruct (exponent p) as [|k|k] eqn:E; unfold exponent in E.
  - replace (binary_digits p) with 53 in B by lia. change (2 ^ (53 - 1)) with half_mantissas in B.
    change (2 ^ 53) with (2 * half_mantissas) in B. lia.
  - set (a := Build_shr_record (Zpos p) false false). destruct (shifts_divide k a) as (P & D); [simpl; lia|].
    pose proof (nearest_bounds (iter_pos shr_1 k a)) as N. rewrite D in N. simpl shr_m in N.
    replace (binary_digits p - 1) with (52 + Zpos k) in B by lia. replace (binary_digits p) with (53 + Zpos k) in B by lia.
    rewrite !Z.pow_add_r in B by lia. change (2 ^ 53) with (2 * half_mantissas) in B.
    assert (0 < 2 ^ Zpos k) by (apply Z.pow_pos_nonneg; lia).
    assert (half_mantissas <= Zpos p / 2 ^ Zpos k) by (apply Z.div_le_lower_bound; lia).
    assert (Zpos p / 2 ^ Zpos k < 2 * half_mantissas) by (apply Z.div_lt_upper_bound; lia). lia.
  - replace (Zpos k) with (53 - binary_digits p) by lia. pose proof (Pos2Z.is_pos (digits2_pos p)).
    unfold binary_digits in *.
    set (d := Zpos (digits2_pos p)) in *. assert (0 < 2 ^ (53 - d)) by (apply Z.pow_pos_nonneg; lia).
    assert (E1 : 2 ^ (d - 1) * 2 ^ (53 - d) = half_mantissas).
    { rewrite <- Z.pow_add_r by lia. f_equal. lia. }
    assert (E2 : 2 ^ d * 2 ^ (53 - d) = 2 * half_mantissas).
    { rewrite <- Z.pow_add_r by lia. change (2 * half_mantissas) with (2 ^ 53). f_equal. lia. }
    split; [rewrite <- E1|rewrite <- E2]; apply Z.mul_le_mono_nonneg_r; lia.
Qed.

Lemma mantissa_in_order p q : Zpos p <= Zpos q -> exponent p = exponent q -> mantissa p <= mantissa q.
Proof.
  intros L E. unfold mantissa. rewrite <- E. destruct (exponent p) as [|k|k]; auto.
  - apply nearest_in_order, shifts_in_order. unfold in_order, key. simpl. lia.
  - apply Z.mul_le_mono_nonneg_r; auto. apply Z.pow_nonneg. lia.
Qed.

(** * The rank of a rounded integer *)

Definition finish (negative : bool) (m k : Z) : spec_float :=
  let '(a, e) := shr_fexp 53 1024 m k loc_Exact in
  match shr_m a with
  | Z0 => S754_zero negative
  | Zpos m => if Zle_bool e (1024 - 53) then S754_finite negative m e else S754_infinity negative
  | _ => S754_nan
  end.

Definition unbounded_rank (m k : Z) : Z := (k + 1074) * half_mantissas + m.

Lemma finish_rank negative m k : half_mantissas <= m <= 2 * half_mantissas -> -52 <= k ->
  rank_of_float (finish negative m k) = cond_Zopp negative (Z.min infinite_bits (unbounded_rank m k)).
Proof.
  intros M K. destruct m as [|p|p]; [easy| |easy]. unfold finish, shr_fexp. cbn [Zdigits2]. fold (binary_digits p).
  unfold unbounded_rank. destruct (Z.eq_dec (Zpos p) (2 * half_mantissas)) as [E|E].
  - rewrite (digits_unique p 54) by (rewrite E; now vm_compute).
    replace (fexp 53 1024 (54 + k) - k) with 1 by (unfold fexp, emin; lia). cbn [shr].
    assert (F : iter_pos shr_1 1 (shr_record_of_loc (Zpos p) loc_Exact) = Build_shr_record half_mantissas false false)
      by (rewrite E; reflexivity).
    rewrite F. cbn [shr_m]. change half_mantissas with (Zpos (2 ^ 52)) at 1. cbv iota beta.
    change (Zpos (2 ^ 52)) with half_mantissas. pose proof (Zle_cases (k + 1) (1024 - 53)) as C.
    destruct (Zle_bool (k + 1) (1024 - 53)); cbn [rank_of_float]; f_equal; unfold infinite_bits in *;
      change (Zpos (2 ^ 52)) with half_mantissas; rewrite ?E; lia.
  - rewrite (digits_unique p 53) by (split; [change (2 ^ (53 - 1)) with half_mantissas|change (2 ^ 53) with (2 *
      half_mantissas)]; lia).
    replace (fexp 53 1024 (53 + k) - k) with 0 by (unfold fexp, emin; lia). cbn [shr shr_record_of_loc shr_m].
    pose proof (Zle_cases k (1024 - 53)) as C.
    destruct (Zle_bool k (1024 - 53)); cbn [rank_of_float]; f_equal; unfold infinite_bits in *; lia.
Qed.

Lemma binary_round_finish negative p : binary_round 53 1024 negative p 0 = finish negative (mantissa p) (exponent p).
Proof.
  pose proof (mantissa_bounds p) as M. unfold mantissa in *. unfold binary_round, shl_align. rewrite Z.add_0_r, Z.sub_0_r.
  fold (binary_digits p). assert (F : fexp 53 1024 (binary_digits p) = exponent p)
    by (unfold fexp, emin, exponent, binary_digits; lia).
  rewrite F. destruct (exponent p) as [|k|k] eqn:E.
  - unfold binary_round_aux, shr_fexp at 1. cbn [Zdigits2]. fold (binary_digits p).
    rewrite Z.add_0_r, F. reflexivity.
  - unfold binary_round_aux, shr_fexp at 1. cbn [Zdigits2]. fold (binary_digits p). rewrite Z.add_0_r, F, Z.sub_0_r.
    reflexivity.
  - assert (S : Zpos (shift_pos k p) = Zpos p * 2 ^ Zpos k)
      by (rewrite shift_pos_correct, <- two_power_pos_correct, two_power_pos_correct; unfold Z.pow; lia).
    rewrite <- S in M |- *. pose proof (digits_bounds p) as B. unfold exponent in E.
    assert (D : binary_digits (shift_pos k p) = 53).
    { apply digits_unique. rewrite S. replace (Zpos k) with (53 - binary_digits p) by lia.
      assert (0 < 2 ^ (53 - binary_digits p)) by (apply Z.pow_pos_nonneg; lia).
      assert (1 <= binary_digits p) by (unfold binary_digits; lia).
      replace (53 - 1) with (binary_digits p - 1 + (53 - binary_digits p)) by lia.
      replace (2 ^ 53) with (2 ^ (binary_digits p + (53 - binary_digits p))) by (f_equal; lia).
      rewrite !Z.pow_add_r by lia. split; [apply Z.mul_le_mono_nonneg_r|apply Z.mul_lt_mono_pos_r]; lia. }
    unfold binary_round_aux, shr_fexp at 1. cbn [Zdigits2]. fold (binary_digits (shift_pos k p)). rewrite D.
    replace (fexp 53 1024 (53 + Zneg k) - Zneg k) with 0 by (unfold fexp, emin, binary_digits in *; lia). reflexivity.
Qed.

Definition rounded_rank (p : positive) : Z := Z.min infinite_bits (unbounded_rank (mantissa p) (exponent p)).

Lemma rank_of_positive p : rank_of_integer (Zpos p) = rounded_rank p.
Proof.
  unfold rank_of_integer, binary_normalize. rewrite binary_round_finish, finish_rank; auto using mantissa_bounds.
  unfold exponent, binary_digits. lia.
Qed.

Lemma rank_of_negative p : rank_of_integer (Zneg p) = - rounded_rank p.
Proof.
  unfold rank_of_integer, binary_normalize. rewrite binary_round_finish, finish_rank; auto using mantissa_bounds.
  unfold exponent, binary_digits. lia.
Qed.

Lemma rounded_in_order p q : Zpos p <= Zpos q -> rounded_rank p <= rounded_rank q.
Proof.
  intro L. apply Z.min_le_compat_l. unfold unbounded_rank. pose proof (mantissa_bounds p). pose proof (mantissa_bounds q).
  pose proof (digits_in_order p q L). destruct (Z.eq_dec (exponent p) (exponent q)) as [E|E].
  - pose proof (mantissa_in_order p q L E). rewrite E. lia.
  - assert (exponent p + 1 <= exponent q) by (unfold exponent in *; lia). nia.
Qed.

Lemma rounded_positive p : 0 <= rounded_rank p.
Proof.
  unfold rounded_rank, unbounded_rank. pose proof (mantissa_bounds p).
  assert (-52 <= exponent p) by (unfold exponent, binary_digits; lia).
  apply Z.min_glb; [now vm_compute|]. nia.
Qed.

(** Rounding keeps the order. *)
Theorem rounding_in_order n m : n <= m -> rank_of_integer n <= rank_of_integer m.
Proof.
  intro L. assert (Z : rank_of_integer 0 = 0) by reflexivity.
  destruct n as [|p|p], m as [|q|q]; rewrite ?Z, ?rank_of_positive, ?rank_of_negative; try lia;
    try (pose proof (rounded_positive p)); try (pose proof (rounded_positive q)); try lia.
  - now apply rounded_in_order.
  - pose proof (rounded_in_order q p). lia.
Qed.
