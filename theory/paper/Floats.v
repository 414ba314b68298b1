(** Floats: 64-bit numbers by their bit patterns. Sums are rounded as in IEEE 754, by the definitions of Coq's
    [SpecFloat], which need no axiom; the text is the shortest that reads back as the same number. *)
From Coq Require Import List ZArith Bool Floats.SpecFloat.
From Acompass Require Import Texts.
Import ListNotations.
Open Scope Z_scope.

(** * Patterns

    The 63 bits below the sign, read as a number, have the order of the floats. A negative float has the negative
    of that number, so that −0 and 0 have the same; NaN is above infinity (docs/paper.md, 26). *)

Definition infinite_bits : Z := 2047 * 2 ^ 52.
Definition not_a_number : Z := infinite_bits + 1.

Definition is_nan (bits : N) : bool := infinite_bits <? Z.of_N bits.

Definition float_rank (negative : bool) (bits : N) : Z :=
  if is_nan bits then not_a_number else if negative then - Z.of_N bits else Z.of_N bits.

Definition mantissa_exponent (bits : Z) : Z * Z :=
  let e := bits / 2 ^ 52 in
  let m := bits mod 2 ^ 52 in
  if e =? 0 then (m, -1074) else (m + 2 ^ 52, e - 1075).

Definition float_of_rank (rank : Z) : spec_float :=
  let bits := Z.abs rank in
  if infinite_bits <? bits then S754_nan
  else if bits =? infinite_bits then S754_infinity (rank <? 0)
  else match mantissa_exponent bits with
       | (Zpos m, e) => S754_finite (rank <? 0) m e
       | _ => S754_zero (rank <? 0)
       end.

Definition rank_of_float (f : spec_float) : Z :=
  match f with
  | S754_zero _ => 0
  | S754_infinity negative => cond_Zopp negative infinite_bits
  | S754_nan => not_a_number
  | S754_finite negative m e => cond_Zopp negative ((e + 1074) * 2 ^ 52 + Zpos m)
  end.

(** * Sums (D13): one by one, in the order of the list *)

Definition add_floats (x y : spec_float) : spec_float := SFadd 53 1024 x y.

Definition float_total (ranks : list Z) : Z :=
  rank_of_float (fold_left (fun sum rank => add_floats sum (float_of_rank rank)) ranks (S754_zero false)).

(** The nearest float of an integer, as rank: RANDOM writes integers into float columns (D14). *)
Definition rank_of_integer (n : Z) : Z := rank_of_float (binary_normalize 53 1024 n 0 false).

(** * Texts, as Python's repr (D12) *)

(** A decimal reads back as the float [m · 2^e] if it lies between the middles to the float's neighbours; a middle itself
    reads as the one with the even mantissa. All numbers are in units of [10^q], and [q] is so small that the shortest
    decimal is a multiple of the unit. With [2^(e−2)] as step, the middle above is 2 steps away, and the one below 2, or 1
    where the exponent changes. *)
Section Shortest.
  Variables (m e q : Z).

  (** A step is [numerator / denominator] units. *)
  Definition numerator : Z := 2 ^ Z.max (e - 2) 0 * 10 ^ Z.max (- q) 0.
  Definition denominator : Z := 2 ^ Z.max (2 - e) 0 * 10 ^ Z.max q 0.
  Definition steps_below : Z := if (m =? 2 ^ 52) && (-1074 <? e) then 1 else 2.

  Definition ceiling (x y : Z) : Z := - (- x / y).

  Definition lowest : Z :=
    let middle := (4 * m - steps_below) * numerator in
    if Z.even m then ceiling middle denominator else middle / denominator + 1.
  Definition highest : Z :=
    let middle := (4 * m + 2) * numerator in
    if Z.even m then middle / denominator else ceiling middle denominator - 1.

  (** The multiple of [10^zeros] units that is closest to the float, if one reads back. *)
  Definition closest (low high number : Z) (zeros : nat) : option Z :=
    let power := 10 ^ Z.of_nat zeros in
    let below := number / power * power in
    let above := below + power in
    match (0 <? below) && (low <=? below), above <=? high with
    | true, true => Some (if 2 * (4 * m * numerator) <=? (below + above) * denominator then below else above)
    | true, false => Some below
    | false, true => Some above
    | false, false => None
    end.

  (** The most zeros at the end leave the fewest digits. *)
  Fixpoint shortest (low high number : Z) (zeros : nat) : Z * Z :=
    match closest low high number zeros, zeros with
    | Some units, _ => (units / 10 ^ Z.of_nat zeros, q + Z.of_nat zeros)
    | None, O => (0, 0)
    | None, S zeros' => shortest low high number zeros'
    end.
End Shortest.

(** [(d, q)] for [d · 10^q] *)
Definition shortest_decimal (m e : Z) : Z * Z :=
  let magnitude := (e + Z.log2 m) * 30103 / 100000 in
  let q := magnitude - 18 in
  shortest m e q (lowest m e q) (highest m e q) (4 * m * numerator e q / denominator e q) 20.

Definition zeros (n : Z) : text := repeat zero_digit (Z.to_nat n).

(** The digits, with the point after the first [place] of them. *)
Definition positional (ds : text) (place : Z) : text :=
  let count := Z.of_nat (length ds) in
  if place <=? 0 then [zero_digit; point] ++ zeros (- place) ++ ds
  else if count <=? place then ds ++ zeros (place - count) ++ [point; zero_digit]
  else firstn (Z.to_nat place) ds ++ [point] ++ skipn (Z.to_nat place) ds.

Definition scientific (ds : text) (exponent : Z) : text :=
  match ds with
  | [] => []
  | first :: rest =>
      [first] ++ match rest with [] => [] | _ => point :: rest end
      ++ [letter_e; if exponent <? 0 then minus_sign else plus_sign] ++ padded 2 (Z.abs_N exponent)
  end.

Definition text_of_finite (bits : Z) : text :=
  let (m, e) := mantissa_exponent bits in
  let (d, q) := shortest_decimal m e in
  let ds := digits (Z.to_N d) in
  let place := q + Z.of_nat (length ds) in
  if (-4 <? place) && (place <=? 16) then positional ds place else scientific ds (place - 1).

Definition text_of_float (negative : bool) (bits : N) : text :=
  let b := Z.of_N bits in
  if is_nan bits then [110; 97; 110] (* nan *)
  else signed negative
         (if b =? infinite_bits then [105; 110; 102] (* inf *)
          else if b =? 0 then [zero_digit; point; zero_digit] else text_of_finite b).

Definition text_of_rank (rank : Z) : text := text_of_float (rank <? 0) (Z.abs_N rank).

Example one_tenth : text_of_rank 0x3FB999999999999A = [48; 46; 49].
Proof. reflexivity. Qed.
Example the_smallest : text_of_rank 1 = [53; 101; 45; 51; 50; 52].
Proof. vm_compute. reflexivity. Qed.
Example the_sum_of_one_and_two_tenths :
  float_total [0x3FB999999999999A; 0x3FC999999999999A] = 0x3FD3333333333334.
Proof. reflexivity. Qed.
