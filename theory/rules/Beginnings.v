(** How the texts of numbers and dates begin: with a digit or a minus sign. *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Order Bags Texts Floats Values Tables Syntax Results Anonymity Aggregates Regions.
From Acompass Require Import Conversions TextOrder Satisfiability.
Import ListNotations.
Open Scope Z_scope.

Definition begins_from (low : Z) (t : text) : Prop := exists c u, t = c :: u /\ low <= c <= 57.

Lemma digits_begin t : Forall is_digit t -> t <> [] -> begins_from 48 t.
Proof. intros [|c u D _] N; [easy|]. exists c, u. auto. Qed.

Lemma padded_begins w n : exists c u, padded (S w) n = c :: u /\ 48 <= c <= 57.
Proof.
  apply digits_begin; [apply padded_digits|]. pose proof (padded_length (S w) n). now destruct (padded (S w) n).
Qed.

Lemma begins_lower (low low' : Z) t : low' <= low -> begins_from low t -> begins_from low' t.
Proof. intros H (c & u & E & B). exists c, u. split; auto. lia. Qed.

Lemma decimal_begins (negative : bool) n scale :
  begins_from (if negative then 45 else 48) (text_of_decimal negative n scale).
Proof.
  destruct negative; [exists minus_sign; eexists; now split|]. unfold text_of_decimal, signed.
  destruct (padded_begins scale n) as (c & u & E & B). pose proof (padded_length (S scale) n) as L. rewrite E in *.
  replace (length (c :: u) - scale)%nat with (S (length u - scale)) by (cbn [length] in *; lia).
  cbn [firstn app]. exists c. eexists. now split.
Qed.

Lemma iso_begins w n : (4 <= S w)%nat -> forall t, begins_from 48 (iso_date (padded (S w) n) ++ t).
Proof.
  intros W t. destruct (padded_begins w n) as (c & u & E & B). rewrite E. unfold iso_date, part. simpl.
  exists c. eexists. now split.
Qed.

Lemma integer_begins n : begins_from (if n <? 0 then 45 else 48) (text_of_integer n).
Proof.
  unfold text_of_integer. destruct n as [|p|p]; simpl; [now exists 48, []| |exists minus_sign; eexists; now split].
  apply digits_begin; [apply digits_are_digits|].
  destruct (Pos.to_uint p) eqn:E; try discriminate. now apply DecimalPos.Unsigned.to_uint_nonnil in E.
Qed.

(** Fields that are written with a digit or a minus sign first. *)
Definition is_numeric (f : field) : bool :=
  match f with Integer _ | Decimal _ _ _ | Date _ | Timestamp _ => true | _ => false end.
Definition is_numeric_kind (k : kind) : bool :=
  match k with
  | IntegerKind | BoundedKind _ _ | DecimalKind _ | NumberKind | DateKind | TimestampKind => true
  | _ => false
  end.

Lemma numeric_begins f : is_numeric f = true -> begins_from 45 (text_of f).
Proof.
  destruct f; try discriminate; intros _; simpl.
  - apply (begins_lower (if n <? 0 then 45 else 48)); [destruct (n <? 0); lia|apply integer_begins].
  - apply (begins_lower (if negative then 45 else 48)); [destruct negative; lia|apply decimal_begins].
  - apply (begins_lower 48); [lia|]. unfold text_of_date. rewrite <- (app_nil_r (iso_date _)). apply iso_begins. lia.
  - apply (begins_lower 48); [lia|]. apply iso_begins. lia.
Qed.

Lemma numeric_fits k f : is_numeric_kind k = true -> fits k f = true -> is_numeric f = true.
Proof. destruct k; try discriminate; intros _; now destruct f. Qed.

Lemma begins_above low t : begins_from low t -> compares (text_value t) GE (text_value [low]) = true.
Proof.
  intros (c & u & -> & B). rewrite compares_answers, compare_texts. unfold compare_text. simpl.
  destruct (Z.compare_spec c low); simpl; auto; [now destruct u|lia].
Qed.

Lemma begins_below low t : begins_from low t -> compares (text_value t) LT (text_value [58]) = true.
Proof.
  intros (c & u & -> & B). rewrite compares_answers, compare_texts. unfold compare_text. simpl.
  destruct (Z.compare_spec c 58); simpl; auto; lia.
Qed.
