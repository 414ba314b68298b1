(** Section 4.1: the set D of values, with an order; fields, which are values with their spelling; D9, D12, D26.

    A table stores fields. Conditions, groups and aggregates see values: `2` and `2.0` are two fields with one value. *)
From Coq Require Import List ZArith Bool QArith Qcanon Lia.
From Acompass Require Import Order Texts Floats.
Import ListNotations.
Open Scope Z_scope.

(** * Fields *)

Inductive field : Type :=
| Missing                                                  (* no value: a dropped column, or NULL (D11) *)
| Boolean (b : bool)
| Integer (n : Z)
| Decimal (negative : bool) (digits : N) (scale : nat)     (* ±digits / 10^scale, as it is spelled (D26) *)
| Float (negative : bool) (bits : N)                       (* the sign and the other 63 bits *)
| Text (t : text)
| Date (n : N)                                             (* 20240229 is 2024-02-29 *)
| Timestamp (n : N).                                       (* 20240229123000000001, down to microseconds *)

Definition field_eq_dec (f g : field) : {f = g} + {f <> g}.
Proof. decide equality; try apply (list_eq_dec Z.eq_dec); auto using bool_dec, Z.eq_dec, N.eq_dec, Nat.eq_dec. Defined.

(** * Values

    A value has a kind, a number and characters, and values are ordered by these, one after the other. Within a column
    all values are of one kind. Integers and decimals are numbers of one kind, so they compare as numbers (D9). *)

Definition value : Type := Z * (Qc * text).

Definition nothing : value := (0, (0%Qc, [])).
Definition exact (q : Qc) : value := (2, (q, [])).
Definition floating (rank : Z) : value := (3, (Q2Qc (inject_Z rank), [])).

Fixpoint power_of_ten (n : nat) : positive := match n with O => 1 | S n' => 10 * power_of_ten n' end.

Definition signed_number (negative : bool) (n : N) : Z := if negative then - Z.of_N n else Z.of_N n.

Definition integer (n : Z) : Qc := Q2Qc (inject_Z n).
Definition decimal (negative : bool) (n : N) (scale : nat) : Qc := Q2Qc (signed_number negative n # power_of_ten scale).

Definition value_of (f : field) : value :=
  match f with
  | Missing => nothing
  | Boolean b => (1, (integer (if b then 1 else 0), []))
  | Integer n => exact (integer n)
  | Decimal negative n scale => exact (decimal negative n scale)
  | Float negative bits => floating (float_rank negative bits)
  | Text t => (4, (0%Qc, t))
  | Date n => (5, (integer (Z.of_N n), []))
  | Timestamp n => (6, (integer (Z.of_N n), []))
  end.

Definition number_of (v : value) : Qc := fst (snd v).

Definition compare_text : text -> text -> comparison := compare_list (cx := Z.compare).
Definition compare_value : value -> value -> comparison :=
  compare_pair (cx := Z.compare) (cy := compare_pair (cx := Qccompare) (cy := compare_text)).

Lemma order_text : total_order compare_text.
Proof. apply order_list, order_Z. Qed.

Theorem order_value : total_order compare_value.
Proof. apply order_pair; [apply order_Z|apply order_pair; [apply order_Qc|apply order_text]]. Qed.

Definition value_eq_dec (v w : value) : {v = w} + {v <> w}.
Proof. decide equality; [decide equality; [apply (list_eq_dec Z.eq_dec)|apply Qc_eq_dec]|apply Z.eq_dec]. Defined.

(** * Types and conversions (D12)

    Where the type of a column changes, all its fields are converted. Only these types are ever converted to. *)

Inductive type : Type :=
| AsText
| AsDecimal (scale : nat)
| AsSpelled                   (* a decimal that keeps its spelling (D26) *)
| AsFloat
| Dropped                     (* X3 *)
| Unchanged.                  (* any other type of a column: its fields stay as they are *)

Definition text_of (f : field) : text :=
  match f with
  | Missing => []
  | Boolean b => text_of_boolean b
  | Integer n => text_of_integer n
  | Decimal negative n scale => text_of_decimal negative n scale
  | Float negative bits => text_of_float negative bits
  | Text t => t
  | Date n => text_of_date n
  | Timestamp n => text_of_timestamp n
  end.

(** The same number with more digits after the point. *)
Definition at_scale (scale : nat) (negative : bool) (n : N) (scale' : nat) : field :=
  if (scale' <=? scale)%nat then Decimal negative (n * 10 ^ N.of_nat (scale - scale')) scale
  else Decimal negative n scale'.

Definition convert (t : type) (f : field) : field :=
  match t, f with
  | Unchanged, _ => f
  | Dropped, _ | _, Missing => Missing
  | AsText, _ => Text (text_of f)
  | AsDecimal scale, Integer n => at_scale scale (n <? 0) (Z.abs_N n) 0
  | AsDecimal scale, Decimal negative n scale' => at_scale scale negative n scale'
  | AsSpelled, Integer n => Decimal (n <? 0) (Z.abs_N n) 0
  | AsFloat, Integer n => let rank := rank_of_integer n in Float (rank <? 0) (Z.abs_N rank)
  | _, _ => f
  end.

(** * Canonical order of fields (D18)

    By value; spellings of one number by their text, which has the order of their signs and scales (D26); what is
    missing comes first, NULL before NaN (D11). *)

Definition spelling_of (f : field) : text :=
  match f with
  | Decimal negative _ scale => [if negative then 0 else 1; Z.of_nat scale]
  | Float negative bits => [if negative then 0 else 1; Z.of_N bits]
  | _ => []
  end.

Definition canonical_value (f : field) : value :=
  match f with
  | Float _ bits => if is_nan bits then (0, (1%Qc, [])) else value_of f
  | _ => value_of f
  end.

Definition canonical_key (f : field) : value * text := (canonical_value f, spelling_of f).

Definition compare_field (f g : field) : comparison :=
  compare_pair (cx := compare_value) (cy := compare_text) (canonical_key f) (canonical_key g).

Lemma integer_injective n m : integer n = integer m -> n = m.
Proof. unfold integer. rewrite Q2Qc_eq_iff. unfold Qeq; simpl. lia. Qed.

Lemma decimal_injective negative n m scale : decimal negative n scale = decimal negative m scale -> n = m.
Proof.
  unfold decimal. rewrite Q2Qc_eq_iff. unfold Qeq, signed_number; simpl. intro H.
  apply Z.mul_cancel_r in H; [|discriminate]. destruct negative; lia.
Qed.

Lemma canonical_key_injective f g : canonical_key f = canonical_key g -> f = g.
Proof.
  intro H. assert (V : canonical_value f = canonical_value g) by exact (f_equal fst H).
  assert (S : spelling_of f = spelling_of g) by exact (f_equal snd H). clear H.
  assert (K : fst (canonical_value f) = fst (canonical_value g)) by now rewrite V.
  assert (Q : number_of (canonical_value f) = number_of (canonical_value g)) by now rewrite V.
  assert (T : snd (snd (canonical_value f)) = snd (snd (canonical_value g))) by now rewrite V.
  clear V. destruct f, g; simpl in *; try discriminate; auto.
  all: try (destruct (is_nan bits); discriminate); try (destruct (is_nan bits0); discriminate).
  - apply integer_injective in Q. now destruct b, b0.
  - now apply integer_injective in Q as ->.
  - injection S as S1 S2. apply Nat2Z.inj in S2 as ->.
    assert (negative = negative0) as -> by now destruct negative, negative0.
    now apply decimal_injective in Q as ->.
  - injection S as S1 S2. apply N2Z.inj in S2 as ->. f_equal. now destruct negative, negative0.
  - now subst.
  - apply integer_injective, N2Z.inj in Q. now subst.
  - apply integer_injective, N2Z.inj in Q. now subst.
Qed.

Theorem order_field : total_order compare_field.
Proof.
  apply (order_by_key canonical_key); [|exact canonical_key_injective].
  apply order_pair; [apply order_value|apply order_text].
Qed.
