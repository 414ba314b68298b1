(** Dates as numbers of days, and dates that are shifted (X16). *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Texts Values.
Import ListNotations.
Open Scope Z_scope.

(** * Days

    Years that begin in March have their leap day at the end. [first_day y] is March 1 of the year y, and day 0 is
    March 1 of the year 0. The month m begins [(153 m + 2) / 5] days later. *)

Definition first_day (y : Z) : Z := 365 * y + y / 4 - y / 100 + y / 400.

(** A date is the number that its eight digits make: 2024-02-29 is 20240229. *)
Definition day_number (date : Z) : Z :=
  let year := date / 10000 in
  let month := date / 100 mod 100 in
  let y := if month <=? 2 then year - 1 else year in
  let m := if month <=? 2 then month + 9 else month - 3 in
  first_day y + (153 * m + 2) / 5 + date mod 100 - 1.

(** The year that has a day: the one that the mean length of a year suggests, or its neighbor. *)
Definition year_of_day (day : Z) : Z :=
  let y := 400 * day / 146097 in
  if first_day (y + 1) <=? day then y + 1 else if first_day y <=? day then y else y - 1.

Definition date_of_day (day : Z) : Z :=
  let y := year_of_day day in
  let of_year := day - first_day y in
  let m := (5 * of_year + 2) / 153 in
  let month := if m <? 10 then m + 3 else m - 9 in
  let year := if m <? 10 then y else y + 1 in
  year * 10000 + month * 100 + (of_year - (153 * m + 2) / 5 + 1).

Lemma year_of_day_has day : first_day (year_of_day day) <= day < first_day (year_of_day day + 1).
Proof.
  unfold year_of_day. set (y := 400 * day / 146097).
  assert (Y : 146097 * y <= 400 * day < 146097 * y + 146097).
  { unfold y. Z.to_euclidean_division_equations; lia. }
  assert (Low : first_day (y - 1) <= day).
  { clearbody y. unfold first_day. Z.to_euclidean_division_equations; lia. }
  assert (High : day < first_day (y + 2)).
  { clearbody y. unfold first_day. Z.to_euclidean_division_equations; lia. }
  clearbody y. clear Y. destruct (Z.leb_spec (first_day (y + 1)) day).
  - now rewrite <- Z.add_assoc.
  - destruct (Z.leb_spec (first_day y) day); [lia|]. now rewrite Z.sub_add.
Qed.

Lemma year_length y : first_day (y + 1) <= first_day y + 366.
Proof. unfold first_day. Z.to_euclidean_division_equations; lia. Qed.

(** A day has one date, and a date that comes from a day gives it back. *)
Theorem day_number_of_date day : day_number (date_of_day day) = day.
Proof.
  unfold date_of_day. pose proof (year_of_day_has day) as H. pose proof (year_length (year_of_day day)) as L.
  set (y := year_of_day day) in *. set (d := day - first_day y).
  assert (D : 0 <= d <= 365) by lia. set (m := (5 * d + 2) / 153). set (left := d - (153 * m + 2) / 5 + 1).
  assert (M : 0 <= m <= 11) by (unfold m; Z.to_euclidean_division_equations; lia).
  assert (E : 1 <= left <= 31) by (unfold left, m; clear - D; Z.to_euclidean_division_equations; lia).
  unfold day_number. destruct (Z.ltb_spec m 10).
  - replace (y * 10000 + (m + 3) * 100 + left) with ((y * 100 + (m + 3)) * 100 + left) by lia.
    replace (((y * 100 + (m + 3)) * 100 + left) / 100) with (y * 100 + (m + 3)) by (apply Z.div_unique with left; lia).
    replace (((y * 100 + (m + 3)) * 100 + left) mod 100) with left by (apply Z.mod_unique with (y * 100 + (m + 3)); lia).
    replace (((y * 100 + (m + 3)) * 100 + left) / 10000) with y
      by (apply Z.div_unique with ((m + 3) * 100 + left); lia).
    replace ((y * 100 + (m + 3)) mod 100) with (m + 3) by (apply Z.mod_unique with y; lia).
    destruct (Z.leb_spec (m + 3) 2); [lia|]. replace (m + 3 - 3) with m by lia. unfold left, d. lia.
  - replace ((y + 1) * 10000 + (m - 9) * 100 + left) with (((y + 1) * 100 + (m - 9)) * 100 + left) by lia.
    replace ((((y + 1) * 100 + (m - 9)) * 100 + left) / 100) with ((y + 1) * 100 + (m - 9)) by (apply Z.div_unique with left; lia).
    replace ((((y + 1) * 100 + (m - 9)) * 100 + left) mod 100) with left by (apply Z.mod_unique with ((y + 1) * 100 + (m - 9)); lia).
    replace ((((y + 1) * 100 + (m - 9)) * 100 + left) / 10000) with (y + 1)
      by (apply Z.div_unique with ((m - 9) * 100 + left); lia).
    replace (((y + 1) * 100 + (m - 9)) mod 100) with (m - 9) by (apply Z.mod_unique with (y + 1); lia).
    destruct (Z.leb_spec (m - 9) 2); [|lia]. replace (m - 9 + 9) with m by lia. replace (y + 1 - 1) with y by lia.
    unfold left, d. lia.
Qed.

(** * Shifts *)

Definition shift_date (days date : Z) : Z := date_of_day (day_number date + days).

(** The digits of a text, as a number *)
Definition number_of_digits (t : text) : Z := fold_left (fun n digit => 10 * n + (digit - zero_digit)) t 0.

(** The date that a text in ISO form begins with *)
Definition date_of_text (t : text) : Z := number_of_digits (part 0 4 t ++ part 5 7 t ++ part 8 10 t).

Definition clock : Z := 10 ^ 12.

(** X16: so many days later, at the same time of day. Text in ISO form stays text. *)
Definition shift_field (days : Z) (f : field) : field :=
  match f with
  | Date n => Date (Z.to_N (shift_date days (Z.of_N n)))
  | Timestamp n => Timestamp (Z.to_N (shift_date days (Z.of_N n / clock) * clock + Z.of_N n mod clock))
  | Text t => Text (text_of_date (Z.to_N (shift_date days (date_of_text t))) ++ skipn 10 t)
  | _ => f
  end.

Example the_day_after_a_leap_day : map (shift_field 1) [Date 20240228; Date 20240229; Date 20231231; Timestamp 20000228235959000000]
  = [Date 20240229; Date 20240301; Date 20240101; Timestamp 20000229235959000000].
Proof. reflexivity. Qed.
Example a_year_before : shift_field (-366) (Date 20250301) = Date 20240229.
Proof. reflexivity. Qed.
Example the_last_days : map (fun day => date_of_day (day_number 99991231 + day)) [-1; 0] = [99991230; 99991231].
Proof. reflexivity. Qed.
