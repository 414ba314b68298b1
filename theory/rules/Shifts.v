(** SHIFT (X16) moves all dates of a person by the same number of days: intervals between them are kept, and the time of
    day, and different dates of a person stay different. *)
From Coq Require Import List ZArith Bool Lia.
From Acompass Require Import Texts Values Dates Tables Syntax Results Actions Calendar TextOrder TextRuns PublishedWrites.
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

Lemma shift_day days date : day_number (shift_date days date) = day_number date + days.
Proof. apply day_number_of_date. Qed.

Theorem shifted_by days f : is_dated f = true -> stays days f ->
  day_of (shift_field days f) = day_of f + days /\ time_of (shift_field days f) = time_of f.
Proof.
  unfold stays, day_of. intros D S.
  destruct f; try discriminate D; cbn [date_of shift_field time_of] in *.
  - destruct (text_of_date_reads (Z.to_N (shift_date days (date_of_text t))) (skipn 10 t)) as [V R]; [lia|].
    rewrite V, R, Z2N.id by lia. auto using shift_day.
  - rewrite Z2N.id by lia. auto using shift_day.
  - assert (C : 0 < clock) by reflexivity. pose proof (Z.mod_pos_bound (Z.of_N n) clock C).
    rewrite Z2N.id by nia. set (m := Z.of_N n mod clock) in *. set (d := shift_date days (Z.of_N n / clock)) in *.
    replace ((d * clock + m) / clock) with d by (apply Z.div_unique with m; lia).
    replace ((d * clock + m) mod clock) with m by (apply Z.mod_unique with d; lia).
    split; auto. apply shift_day.
Qed.

(** * Every date has its own day *)

Lemma first_day_in_order y z : y < z -> first_day (y + 1) <= first_day z.
Proof. intro H. unfold first_day. Z.to_euclidean_division_equations; lia. Qed.

Lemma year_of_day_unique y day : first_day y <= day < first_day (y + 1) -> year_of_day day = y.
Proof.
  intro H. pose proof (year_of_day_has day) as K. destruct (Z.lt_trichotomy (year_of_day day) y) as [L|[E|L]]; auto.
  - pose proof (first_day_in_order _ _ L). lia.
  - pose proof (first_day_in_order _ _ L). lia.
Qed.

(** A leap year has its day at the end of the year that begins in March. *)
Lemma length_of_year y : first_day (y + 1) = first_day y + if is_leap (y + 1) then 366 else 365.
Proof.
  unfold first_day, is_leap. destruct (Z.eqb_spec ((y + 1) mod 4) 0), (Z.eqb_spec ((y + 1) mod 100) 0),
    (Z.eqb_spec ((y + 1) mod 400) 0); cbn [andb orb negb]; Z.to_euclidean_division_equations; lia.
Qed.

Definition first_of_month (m : Z) : Z := (153 * m + 2) / 5.

Lemma twelve m : 0 <= m <= 11 -> In m [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11].
Proof. intro. simpl. lia. Qed.

Lemma month_of_day m d : 0 <= m <= 11 -> 1 <= d <= first_of_month (m + 1) - first_of_month m ->
  (5 * (first_of_month m + d - 1) + 2) / 153 = m.
Proof.
  intros M D. symmetry. apply Z.div_unique with (5 * (first_of_month m + d - 1) + 2 - 153 * m); [left|lia].
  unfold first_of_month in *. Z.to_euclidean_division_equations; lia.
Qed.

Lemma date_of_month y m d : 0 <= m <= 11 -> 1 <= d <= first_of_month (m + 1) - first_of_month m ->
  first_of_month m + d - 1 < first_day (y + 1) - first_day y ->
  date_of_day (first_day y + first_of_month m + d - 1) =
  (if m <? 10 then y else y + 1) * 10000 + (if m <? 10 then m + 3 else m - 9) * 100 + d.
Proof.
  intros M D L. assert (0 <= first_of_month m) by (unfold first_of_month; Z.to_euclidean_division_equations; lia).
  unfold date_of_day. rewrite (year_of_day_unique y) by lia.
  replace (first_day y + first_of_month m + d - 1 - first_day y) with (first_of_month m + d - 1) by lia.
  rewrite month_of_day by auto. fold (first_of_month m). lia.
Qed.

Lemma days_of_month y m d : 1 <= m <= 12 -> d <= days y m ->
  let k := if m <=? 2 then m + 9 else m - 3 in
  d <= first_of_month (k + 1) - first_of_month k /\
  first_of_month k + d <= if is_leap (if m <=? 2 then y else y + 1) then 366 else 365.
Proof.
  intros M D. assert (C : In (m - 1) [0; 1; 2; 3; 4; 5; 6; 7; 8; 9; 10; 11]) by (apply twelve; lia).
  simpl in C. unfold days in D. decompose [or] C; try easy;
    match goal with H : _ = m - 1 |- _ => let E := fresh in assert (E : m = Z.succ (m - 1)) by lia; rewrite <- H in E; simpl in E end; revert D;
    subst m; clear; intro D; cbn [Z.eqb Pos.eqb orb Z.leb Z.compare Pos.compare Pos.compare_cont] in *; cbv zeta;
    repeat match goal with |- context [first_of_month ?k] =>
      let v := eval vm_compute in (first_of_month k) in change (first_of_month k) with v end;
    destruct (is_leap y), (is_leap (y + 1)); split; lia.
Qed.

Lemma date_of_parts y m d : 1 <= m <= 12 -> 1 <= d <= days y m ->
  date_of_day (first_day (if m <=? 2 then y - 1 else y) + first_of_month (if m <=? 2 then m + 9 else m - 3) + d - 1)
  = y * 10000 + m * 100 + d.
Proof.
  intros M D. destruct (days_of_month y m d) as [A B]; [lia|lia|].
  pose proof (length_of_year y) as L. pose proof (length_of_year (y - 1)) as L'. rewrite Z.sub_add in L'.
  destruct (Z.leb_spec m 2).
  - rewrite date_of_month; [|lia|lia|rewrite Z.sub_add; lia]. destruct (Z.ltb_spec (m + 9) 10); lia.
  - rewrite date_of_month; [|lia|lia|lia]. destruct (Z.ltb_spec (m - 3) 10); lia.
Qed.

Theorem date_of_day_number n : is_date n = true -> date_of_day (day_number n) = n.
Proof.
  unfold is_date. rewrite Z.eqb_eq. unfold next_date, day_number.
  assert (E : n = n / 10000 * 10000 + n / 100 mod 100 * 100 + n mod 100).
  { assert (Y : n / 10000 = n / 100 / 100) by (rewrite Z.div_div by lia; reflexivity). rewrite Y. clear Y.
    pose proof (Z.div_mod n 100). pose proof (Z.div_mod (n / 100) 100). lia. }
  assert (M : 0 <= n / 100 mod 100 < 100) by now apply Z.mod_pos_bound.
  assert (D : 0 <= n mod 100 < 100) by now apply Z.mod_pos_bound.
  assert (Q : n = n / 100 * 100 + n mod 100) by (pose proof (Z.div_mod n 100); lia).
  fold (first_of_month (if n / 100 mod 100 <=? 2 then n / 100 mod 100 + 9 else n / 100 mod 100 - 3)).
  revert E M D Q. generalize (n mod 100) as d. generalize (n / 10000) as y. generalize (n / 100 mod 100) as m.
  generalize (n / 100) as p. intros p m y d E M D Q.
  destruct (Z.eqb_spec m 0); [intro N; exfalso; lia|]. destruct (Z.ltb_spec 12 m); [intro N; exfalso; lia|].
  destruct (Z.eqb_spec d 0); [intro N; exfalso; lia|]. destruct (Z.ltb_spec (days y m) d); [intro N; exfalso; lia|].
  intros _. rewrite date_of_parts by lia. now rewrite <- E.
Qed.

(** Different dates of a person stay different. *)
Corollary shift_is_injective days n m : is_date n = true -> is_date m = true ->
  shift_date days n = shift_date days m -> n = m.
Proof.
  intros N M E. pose proof (f_equal day_number E) as D. rewrite !shift_day in D. apply Z.add_cancel_r in D.
  pose proof (date_of_day_number n N) as A. pose proof (date_of_day_number m M) as B. rewrite D in A. congruence.
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

(** * Classes by the person *)

(** A date, a timestamp, or a text that begins with a date in ISO form *)
Definition is_proper (f : field) : Prop :=
  match f with
  | Date n => is_date (Z.of_N n) = true
  | Timestamp n => is_date (Z.of_N n / clock) = true
  | Text t => exists n rest, (n < 100000000)%N /\ is_date (Z.of_N n) = true /\ t = text_of_date n ++ rest
  | _ => False
  end.

Lemma proper_parts f g : is_proper f -> is_proper g -> fst (value_of f) = fst (value_of g) ->
  date_of f = date_of g -> time_of f = time_of g -> value_of f = value_of g.
Proof.
  destruct f, g; try easy; cbn [is_proper date_of time_of value_of].
  - intros (n & rest & N & _ & ->) (m & rest' & M & _ & ->) _.
    destruct (text_of_date_reads n rest N) as [-> ->]. destruct (text_of_date_reads m rest' M) as [-> ->].
    intros E [= ->]. apply N2Z.inj in E. now subst.
  - intros _ _ _ E _. apply N2Z.inj in E. now subst.
  - intros _ _ _ E [= T]. assert (Z.of_N n = Z.of_N n0) as F.
    { rewrite (Z.div_mod (Z.of_N n) clock), (Z.div_mod (Z.of_N n0) clock) by easy. now rewrite E, T. }
    apply N2Z.inj in F. now subst.
Qed.

Lemma date_is_proper f : is_proper f -> is_dated f = true /\ is_date (date_of f) = true.
Proof.
  destruct f; try easy; cbn [is_proper date_of]. intros (n & rest & N & D & ->). split; auto.
  now rewrite (proj1 (text_of_date_reads n rest N)).
Qed.

Lemma fields_of_value f g : is_dated f = true -> value_of f = value_of g -> f = g.
Proof.
  intros D E. assert (K : fst (value_of f) = fst (value_of g)) by now rewrite E.
  assert (N : number_of (value_of f) = number_of (value_of g)) by now rewrite E.
  assert (T : snd (snd (value_of f)) = snd (snd (value_of g))) by now rewrite E.
  clear E. destruct f; try discriminate D; destruct g; try discriminate K; simpl in *.
  - now subst.
  - apply integer_injective, N2Z.inj in N. now subst.
  - apply integer_injective, N2Z.inj in N. now subst.
Qed.

(** Dates of one person are equal after the shift if and only if they were before. *)
Lemma shifted_values days f g : is_proper f -> is_proper g -> stays days f -> stays days g ->
  value_of (shift_field days f) = value_of (shift_field days g) <-> value_of f = value_of g.
Proof.
  intros PF PG SF SG. destruct (date_is_proper f PF) as [DF CF]. destruct (date_is_proper g PG) as [DG CG]. split; intro E.
  - assert (K : fst (value_of f) = fst (value_of g)).
    { transitivity (fst (value_of (shift_field days f))); [now destruct f|]. rewrite E. now destruct g. }
    assert (S : shift_field days f = shift_field days g) by (apply fields_of_value; auto; now destruct f).
    destruct (shifted_by days f DF SF) as [F FT]. destruct (shifted_by days g DG SG) as [G GT]. rewrite S in F, FT.
    apply proper_parts; auto; [|congruence]. pose proof (date_of_day_number _ CF) as A.
    pose proof (date_of_day_number _ CG) as B. unfold day_of in F, G.
    assert (H : day_number (date_of f) = day_number (date_of g)) by lia. rewrite H in A. congruence.
  - now rewrite (fields_of_value f g DF E).
Qed.

(** Classes that are also grouped by the person stay as they are. *)
Theorem shift_keeps_classes As P s R G : In P G -> ~ In P As ->
  (forall r A, In r R -> In A As -> (A < length r)%nat /\ is_proper (get r A) /\ stays (s (value_at r P)) (get r A)) ->
  forall r r', In r R -> In r' R -> key G (shift As P s r) = key G (shift As P s r') <-> key G r = key G r'.
Proof.
  intros HP NP H r r' I I'.
  assert (V : value_at r P = value_at r' P -> forall B,
    value_at (shift As P s r) B = value_at (shift As P s r') B <-> value_at r B = value_at r' B).
  { intros E B. destruct (in_dec Nat.eq_dec B As) as [J|J].
    - destruct (H r B I J) as (L & PR & ST). destruct (H r' B I' J) as (L' & PR' & ST').
      rewrite !value_at_get, !get_shift by auto. rewrite <- E in *. now apply shifted_values.
    - now rewrite !shift_elsewhere. }
  split; intro E.
  - assert (Same : value_at r P = value_at r' P).
    { pose proof (key_at G _ _ E P HP) as K. now rewrite !shift_elsewhere in K. }
    apply key_ext. intros B J. apply V; auto. now apply (key_at G).
  - assert (Same := key_at G _ _ E P HP). apply key_ext. intros B J. apply V; auto. now apply (key_at G).
Qed.
