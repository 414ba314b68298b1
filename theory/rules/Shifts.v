(** SHIFT (X16) moves all dates of a person by the same number of days, so intervals between them are kept, and the time
    of day. *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Texts Values Dates Tables Syntax Actions TextOrder TextRuns.
Import ListNotations.
Open Scope Z_scope.

(** * One date *)

Definition date_of (f : field) : Z :=
  match f with
  | Date n => Z.of_N n
  | Timestamp n => Z.of_N n / clock
  | Text t => date_of_text t
  | _ => 0
  end.
Definition day_of (f : field) : Z := day_number (date_of f).
(** The time of day: of a timestamp a number, of a text what follows the date. *)
Definition time_of (f : field) : Z * text :=
  match f with
  | Timestamp n => (Z.of_N n mod clock, [])
  | Text t => (0, skipn 10 t)
  | _ => (0, [])
  end.
Definition is_dated (f : field) : bool := match f with Date _ | Timestamp _ | Text _ => true | _ => false end.

(** A run stops at a date that leaves the years up to 9999. *)
Definition stays (days : Z) (f : field) : Prop := 0 <= shift_date days (date_of f) < 100000000.

Lemma text_of_eight_digits (t : text) : length t = 8%nat -> exists a b c d e f g h, t = [a; b; c; d; e; f; g; h].
Proof.
  intro H. do 8 (destruct t as [|? t]; [discriminate H|]). destruct t; [|discriminate H]. now repeat eexists.
Qed.

Lemma text_of_date_reads n rest : (n < 100000000)%N ->
  date_of_text (text_of_date n ++ rest) = Z.of_N n /\ skipn 10 (text_of_date n ++ rest) = rest.
Proof.
  intro H. assert (L : length (padded 8 n) = 8%nat).
  { apply Nat.le_antisymm; [apply padded_at_most; [lia|lia|]; change (10 ^ Z.of_nat 8) with 100000000; lia|].
    unfold padded. rewrite app_length, repeat_length. lia. }
  pose proof (read_padded 8 n) as V. unfold text_of_date.
  destruct (text_of_eight_digits _ L) as (a & b & c & d & e & f & g & h & E). rewrite E in *. split; [exact V|reflexivity].
Qed.

Theorem shifted_by days f : is_dated f = true -> stays days f ->
  day_of (shift_field days f) = day_of f + days /\ time_of (shift_field days f) = time_of f.
Proof.
  unfold stays, day_of. intros D S.
  assert (E : forall date, day_number (shift_date days date) = day_number date + days).
  { intro date. apply day_number_of_date. }
  destruct f; try discriminate D; cbn [date_of shift_field time_of] in *.
  - destruct (text_of_date_reads (Z.to_N (shift_date days (date_of_text t))) (skipn 10 t)) as [V R]; [lia|].
    rewrite V, R, Z2N.id by lia. auto.
  - rewrite Z2N.id by lia. auto.
  - assert (C : 0 < clock) by reflexivity. pose proof (Z.mod_pos_bound (Z.of_N n) clock C).
    rewrite Z2N.id by nia. set (m := Z.of_N n mod clock) in *. set (d := shift_date days (Z.of_N n / clock)) in *.
    replace ((d * clock + m) / clock) with d by (apply Z.div_unique with m; lia).
    replace ((d * clock + m) mod clock) with m by (apply Z.mod_unique with d; lia).
    split; auto. apply E.
Qed.

(** * The dates of a record *)

(** Each column gets its own date, shifted: all are read before any is written. *)
Lemma get_shift As P s r A : In A As -> (A < length r)%nat ->
  get (shift As P s r) A = shift_field (s (value_at r P)) (get r A).
Proof.
  unfold shift. set (days := s (value_at r P)). set (read := get r). intros I L.
  assert (H : forall r', length r' = length r -> (In A As \/ get r' A = shift_field days (read A)) ->
    get (fold_left (fun r' A => update r' A (shift_field days (read A))) As r') A = shift_field days (read A)); [|now apply H; auto].
  clear I. induction As as [|B As IH]; intros r' E [I|G]; cbn [fold_left]; auto; try easy.
  - apply IH; [now rewrite length_update|]. destruct (Nat.eq_dec B A) as [->|N]; [right; apply get_update; lia|].
    destruct I as [->|I]; [easy|now left].
  - apply IH; [now rewrite length_update|]. right. destruct (Nat.eq_dec B A) as [->|N]; [apply get_update; lia|].
    now rewrite get_update_other.
Qed.

(** Intervals between the dates of one person, in one record or in two, in any of the columns. *)
Theorem shift_keeps_intervals As P s r r' A B : In A As -> In B As -> (A < length r)%nat -> (B < length r')%nat ->
  value_at r P = value_at r' P -> is_dated (get r A) = true -> is_dated (get r' B) = true ->
  stays (s (value_at r P)) (get r A) -> stays (s (value_at r P)) (get r' B) ->
  day_of (get (shift As P s r') B) - day_of (get (shift As P s r) A) = day_of (get r' B) - day_of (get r A) /\
  time_of (get (shift As P s r) A) = time_of (get r A).
Proof.
  intros IA IB LA LB E DA DB SA SB. rewrite !get_shift, <- E by auto.
  destruct (shifted_by _ _ DA SA) as [-> ->]. destruct (shifted_by _ _ DB SB) as [-> _]. split; auto. lia.
Qed.
