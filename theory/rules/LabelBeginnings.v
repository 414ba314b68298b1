(** docs/prove.md, sections 1 and 7: the characters that the texts of numbers and the labels of BANDS begin with. *)
From Coq Require Import List ZArith NArith Bool Lia.
From Acompass Require Import Order Texts Floats Values Conversions TextOrder TextRuns BandLabels.
From Acompass Require Import BandTexts Beginnings.
Import ListNotations.
Open Scope Z_scope.

Definition letter_i : Z := 105.

(** * Floats (`may_be_number`) *)

Lemma positional_begins ds place : begins_from 48 ds -> begins_from 48 (positional ds place).
Proof.
  intros (c & u & -> & B). unfold positional.
  destruct (Z.leb_spec place 0); [exists zero_digit; eexists; now split|].
  destruct (Z.leb (Z.of_nat (length (c :: u))) place); [exists c; eexists; now split|].
  replace (Z.to_nat place) with (S (Z.to_nat (place - 1))) by lia. exists c. eexists. now split.
Qed.

Lemma scientific_begins ds exponent : begins_from 48 ds -> begins_from 48 (scientific ds exponent).
Proof. intros (c & u & -> & B). exists c. eexists. now split. Qed.

Lemma digits_begin_with_one n : begins_from 48 (digits n).
Proof. apply digits_begin; [apply digits_are_digits|apply digits_nonempty]. Qed.

Lemma finite_begins bits : begins_from 48 (text_of_finite bits).
Proof.
  unfold text_of_finite. destruct (mantissa_exponent bits) as [m e]. destruct (shortest_decimal m e) as [d q].
  destruct (_ && _); [apply positional_begins|apply scientific_begins]; apply digits_begin_with_one.
Qed.

(** A float that is not missing begins with a minus sign or a digit, or it is `inf`. *)
Theorem float_begins negative bits : is_nan bits = false ->
  begins_from 48 (text_of_float negative bits) \/
  (exists t, text_of_float negative bits = minus_sign :: t) \/
  (Z.of_N bits = infinite_bits /\ text_of_float negative bits = [letter_i; 110; 102]).
Proof.
  intro N. unfold text_of_float. rewrite N. destruct negative; unfold signed.
  - right. left. eexists. reflexivity.
  - destruct (Z.eqb_spec (Z.of_N bits) infinite_bits) as [E|E]; [right; right; now split|left].
    destruct (Z.of_N bits =? 0); [|apply finite_begins]. exists zero_digit, [point; zero_digit]. now split.
Qed.

Theorem number_begins (negative : bool) n scale :
  begins_from (if negative then 45 else 48) (text_of_decimal negative n scale).
Proof. apply decimal_begins. Qed.

(** * Labels of BANDS (`_number_beginnings`) *)

Lemma numeral_begins scale u : begins_from (if u <? 0 then 45 else 48) (numeral scale u).
Proof. apply decimal_begins. Qed.

(** Only the band without a lower bound begins with `<`; without negative bounds, no label begins with a minus sign. *)
Theorem label_begins integer scale lower upper :
  match named integer scale (lower, upper) with
  | [] => lower = None /\ upper = None
  | c :: _ =>
      match lower with
      | None => c = less_sign
      | Some l => 45 <= c <= 57 /\ (0 <= l -> 48 <= c) \/ c = left_bracket /\ integer = false
      end
  end.
Proof.
  destruct lower as [l|], upper as [u|]; simpl; auto; pose proof (numeral_begins scale l) as (c & t & E & B).
  - destruct integer; simpl; [|now right]. rewrite E.
    destruct (u =? l + 1); simpl; left; destruct (Z.ltb_spec l 0); lia.
  - rewrite E. simpl. left. destruct (Z.ltb_spec l 0); lia.
Qed.
