(** Numbers that actions compute (X12, X17, X18): exact fractions, written in the type of a column. *)
From Coq Require Import List ZArith Bool QArith Qcanon Floats.SpecFloat Lia.
From Acompass Require Import Texts Floats Values.
Import ListNotations.
Open Scope Z_scope.

(** * Floats and fractions *)

(** A finite float is a fraction: m · 2^e. *)
Definition number_of_rank (rank : Z) : Q :=
  let (m, e) := mantissa_exponent (Z.abs rank) in
  let n := Z.sgn rank * m in
  if 0 <=? e then inject_Z (n * 2 ^ e) else n # Z.to_pos (2 ^ (- e)).

Definition divide_floats (negative : bool) (n d : positive) : Z :=
  rank_of_float (SFdiv 53 1024 (S754_finite negative n 0) (S754_finite false d 0)).

(** The float that is nearest to a fraction, as rank; of two, the one with the even mantissa. *)
Definition rank_of_number (q : Q) : Z :=
  let q := Qred q in
  match Qnum q with
  | Z0 => 0
  | Zpos n => divide_floats false n (Qden q)
  | Zneg n => divide_floats true n (Qden q)
  end.

(** None for the infinite floats, and for fields that are not numbers. *)
Definition exact_number (f : field) : option Q :=
  match f with
  | Integer n => Some (inject_Z n)
  | Decimal negative n scale => Some (signed_number negative n # power_of_ten scale)
  | Float negative bits =>
      if infinite_bits <=? Z.of_N bits then None else Some (number_of_rank (float_rank negative bits))
  | _ => None
  end.

(** * Rounding *)

(** The nearest integer, halves away from zero. *)
Definition half_away (q : Q) : Z :=
  let (n, d) := Qred q in Z.sgn n * ((2 * Z.abs n + Zpos d) / (2 * Zpos d)).

Definition decimal_field (n : Z) (scale : nat) : field := Decimal (n <? 0) (Z.abs_N n) scale.

(** A number in a column of a type: a float, a decimal of a scale, or an integer. *)
Definition number_in (t : type) (q : Q) : field :=
  match t with
  | AsFloat => let rank := rank_of_number q in Float (rank <? 0) (Z.abs_N rank)
  | AsDecimal scale => decimal_field (half_away (q * inject_Z (Zpos (power_of_ten scale)))) scale
  | _ => Integer (half_away q)
  end.

(** X12: the multiple of n that is nearest to q. *)
Definition nearest_multiple (n q : Q) : Q := (inject_Z (half_away (q / n)) * n)%Q.
(** An infinite float stays as it is. *)
Definition nearest (t : type) (n : Q) (f : field) : field :=
  match exact_number f with Some q => number_in t (nearest_multiple n q) | None => f end.

(** X17: the sum, with the digits after the point that the field has. *)
Definition plus (z : Z) (f : field) : field :=
  match f with
  | Integer n => Integer (n + z)
  | Decimal negative n scale => decimal_field (signed_number negative n + z * Zpos (power_of_ten scale)) scale
  | Float _ _ => match exact_number f with Some q => number_in AsFloat (q + inject_Z z) | None => f end
  | _ => f
  end.

(** X18: the mean; an infinite one if a number is infinite. A run stops if two infinite numbers differ. *)
Definition sum_of_numbers (qs : list Q) : Q := fold_right (fun q sum => Qred (q + sum)) 0%Q qs.
Definition is_inexact (f : field) : bool := match exact_number f with None => true | Some _ => false end.
Definition mean (t : type) (fs : list field) : field :=
  match find is_inexact fs with
  | Some f => f
  | None =>
      let qs := flat_map (fun f => match exact_number f with Some q => [q] | None => [] end) fs in
      number_in t (sum_of_numbers qs / inject_Z (Z.of_nat (length fs)))
  end.

Example halves : map half_away [1 # 2; -1 # 2; 7 # 5; 8 # 5; -5 # 2]%Q = [1; -1; 1; 2; -3].
Proof. reflexivity. Qed.
Example seven_and_eight : map (nearest Unchanged 5) [Integer 7; Integer 8; Integer (-8)] = [Integer 5; Integer 10; Integer (-10)].
Proof. reflexivity. Qed.
Example one_tenth_as_float : rank_of_number (1 # 10) = 0x3FB999999999999A.
Proof. vm_compute. reflexivity. Qed.
Example the_fraction_of_a_float : rank_of_number (number_of_rank 0x3FB999999999999A) = 0x3FB999999999999A.
Proof. vm_compute. reflexivity. Qed.

(** * Equal numbers have equal results *)

Lemma half_away_equal p q : (p == q)%Q -> half_away p = half_away q.
Proof. intro E. unfold half_away. now rewrite (Qred_complete p q E). Qed.

Lemma number_in_equal t p q : (p == q)%Q -> number_in t p = number_in t q.
Proof.
  intro E. destruct t; cbn [number_in]; try (f_equal; now apply half_away_equal).
  - f_equal. apply half_away_equal. now rewrite E.
  - unfold rank_of_number. now rewrite (Qred_complete p q E).
Qed.

(** The value of a field determines its number. *)
Lemma exact_number_of_value f g p : value_of f = value_of g -> exact_number f = Some p ->
  exists q, exact_number g = Some q /\ (p == q)%Q.
Proof.
  intros E H.
  assert (K : fst (value_of f) = fst (value_of g)) by now rewrite E.
  assert (N : number_of (value_of f) = number_of (value_of g)) by now rewrite E.
  destruct f; try discriminate H; destruct g; try discriminate K; cbn [exact_number] in *;
    unfold value_of, number_of, exact, floating, integer, decimal in N; cbn [fst snd] in N;
    apply Q2Qc_eq_iff in N; try (injection H as <-; eexists; split; [reflexivity|exact N]).
  destruct (infinite_bits <=? Z.of_N bits) eqn:F; [discriminate|]. injection H as <-.
  assert (R : float_rank negative bits = float_rank negative0 bits0) by (unfold Qeq in N; simpl in N; lia).
  rewrite R in *. destruct (infinite_bits <=? Z.of_N bits0) eqn:F0; [|eexists; split; reflexivity].
  exfalso. clear - R F F0. apply Z.leb_gt in F. apply Z.leb_le in F0. unfold float_rank, is_nan, not_a_number in R.
  destruct (Z.ltb_spec infinite_bits (Z.of_N bits)), (Z.ltb_spec infinite_bits (Z.of_N bits0)), negative, negative0; lia.
Qed.

Lemma nearest_equal t n f g : value_of f = value_of g -> value_of (nearest t n f) = value_of (nearest t n g).
Proof.
  intro E. unfold nearest. destruct (exact_number f) as [p|] eqn:F.
  - destruct (exact_number_of_value f g p E F) as (q & -> & H). f_equal. apply number_in_equal. unfold nearest_multiple.
    now rewrite (half_away_equal (p / n) (q / n)) by now rewrite H.
  - destruct (exact_number g) as [q|] eqn:H; auto.
    destruct (exact_number_of_value g f q (eq_sym E) H) as (p & P & _). congruence.
Qed.
