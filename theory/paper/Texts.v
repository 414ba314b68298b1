(** Texts as lists of code points, and the texts of numbers and dates (D12). *)
From Coq Require Import List ZArith Lia Decimal DecimalFacts DecimalPos DecimalN DecimalZ.
Import ListNotations.
Open Scope Z_scope.

Definition text := list Z.

Definition minus_sign : Z := 45.
Definition plus_sign : Z := 43.
Definition point : Z := 46.
Definition zero_digit : Z := 48.
Definition colon : Z := 58.
Definition letter_T : Z := 84.
Definition letter_e : Z := 101.

(** * Digits *)

Fixpoint digits_of (d : uint) : text :=
  match d with
  | Nil => []
  | D0 d => 48 :: digits_of d
  | D1 d => 49 :: digits_of d
  | D2 d => 50 :: digits_of d
  | D3 d => 51 :: digits_of d
  | D4 d => 52 :: digits_of d
  | D5 d => 53 :: digits_of d
  | D6 d => 54 :: digits_of d
  | D7 d => 55 :: digits_of d
  | D8 d => 56 :: digits_of d
  | D9 d => 57 :: digits_of d
  end.

Definition digits (n : N) : text := digits_of (N.to_uint n).

Definition text_of_integer (n : Z) : text :=
  match Z.to_int n with
  | Pos d => digits_of d
  | Neg d => minus_sign :: digits_of d
  end.

(** At least [width] digits, with zeros in front. *)
Definition padded (width : nat) (n : N) : text := repeat zero_digit (width - length (digits n)) ++ digits n.

(** * Decimals, dates and timestamps *)

Definition signed (negative : bool) (t : text) : text := if negative then minus_sign :: t else t.

(** The number ±n / 10^scale with exactly [scale] digits after the point. *)
Definition text_of_decimal (negative : bool) (n : N) (scale : nat) : text :=
  let d := padded (S scale) n in
  let before := (length d - scale)%nat in
  signed negative (firstn before d ++ match scale with O => [] | _ => point :: skipn before d end).

Definition part (from to : nat) (t : text) : text := firstn (to - from) (skipn from t).

(** A date is the number that its eight digits make, year, month and day: 2024-02-29 is 20240229. *)
Definition iso_date (t : text) : text := part 0 4 t ++ [minus_sign] ++ part 4 6 t ++ [minus_sign] ++ part 6 8 t.
Definition text_of_date (n : N) : text := iso_date (padded 8 n).

(** A timestamp is the number that its twenty digits make, down to the microsecond. *)
Definition text_of_timestamp (n : N) : text :=
  let d := padded 20 n in
  let clock := part 8 10 d ++ [colon] ++ part 10 12 d ++ [colon] ++ part 12 14 d in
  let fraction := if (n mod 1000000 =? 0)%N then [] else point :: part 14 20 d in
  iso_date d ++ [letter_T] ++ clock ++ fraction.

Definition text_of_boolean (b : bool) : text :=
  if b then [116; 114; 117; 101] (* true *) else [102; 97; 108; 115; 101] (* false *).

(** * Different numbers have different texts *)

Lemma digits_of_injective d : forall d', digits_of d = digits_of d' -> d = d'.
Proof. induction d; destruct d'; simpl; intro H; try discriminate; auto; injection H as H; f_equal; auto. Qed.

Lemma digits_of_no_minus d t : digits_of d <> minus_sign :: t.
Proof. destruct d; discriminate. Qed.

Lemma text_of_integer_injective n n' : text_of_integer n = text_of_integer n' -> n = n'.
Proof.
  unfold text_of_integer. intro H. apply DecimalZ.to_int_inj.
  destruct (Z.to_int n), (Z.to_int n').
  - f_equal. now apply digits_of_injective.
  - now apply digits_of_no_minus in H.
  - symmetry in H. now apply digits_of_no_minus in H.
  - injection H as H. f_equal. now apply digits_of_injective.
Qed.
