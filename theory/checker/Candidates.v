(** Fields that a counterexample may have. A record built from them is then tested, so nothing has to be proved here. *)
From Coq Require Import List ZArith QArith Qcanon Bool Floats.SpecFloat.
From Acompass Require Import Texts Floats Values Tables Syntax Results Histories Regions Calendar.
From Acompass Require Import Satisfiability Formulas Weakest Witnesses Conclusions.
Import ListNotations.
Open Scope nat_scope.

(** * The pool of fields that a source is tried with *)

Fixpoint atoms (f : formula) : list (view * value) :=
  match f with
  | Atom v _ c => [(v, c)]
  | Neg f => atoms f
  | Conj f g | Disj f g => atoms f ++ atoms g
  | Falsum => []
  end.

Definition is_from (x : source) (v : view) : bool := if source_eq_dec x (fst v) then true else false.

Definition is_plain (v : view) : bool := match snd v with [] => true | _ => false end.

(** An integer as a field of a kind. *)
Definition from_integer (k : kind) (z : Z) : field :=
  match k with
  | DecimalKind scale => at_scale scale (z <? 0)%Z (Z.abs_N z) 0
  | NumberKind => Decimal (z <? 0)%Z (Z.abs_N z) 0
  | FloatKind => convert AsFloat (Integer z)
  | _ => Integer z
  end.

Definition digits_and_minus : list Z := [45; 48; 49; 50; 51; 52; 53; 54; 55; 56; 57]%Z.

(** Texts that begin as a text does, and go on as a number. *)
Definition texts_near (t : text) : list text :=
  flat_map (fun j => flat_map (fun c => map (fun zeros => firstn j t ++ [c] ++ repeat zero_digit zeros) [0; 1; 2; 3])
                              digits_and_minus) (seq 0 (S (length t))).

Definition integers_of (t : text) : list Z := match read_integer t with Some z => [z] | None => [] end.

(** The digits of a text as a number. *)
Definition digits_in (t : text) : N :=
  fold_left (fun n c => if (48 <=? c)%Z && (c <=? 57)%Z then (10 * n + Z.to_N (c - 48))%N else n) t 0%N.

Fixpoint digits_after_point (t : text) : nat :=
  match t with [] => 0 | c :: t' => if (c =? point)%Z then length t' else digits_after_point t' end.

(** The digits of a text as a number of n digits. *)
Definition digits_as (count : nat) (t : text) : Z :=
  let ds := filter (fun c => (48 <=? c)%Z && (c <=? 57)%Z) t in
  Z.of_N (digits_in (firstn count (ds ++ repeat zero_digit count))).

(** Dates around the number z, and the last moments before it. *)
Definition dates_near (z : Z) : list Z :=
  let z := next_date (next_date (next_date z)) in
  let month := (z / 100 - 1)%Z in
  [z; z - 1; month * 100 + days (month / 100) (month mod 100); (z / 10000 - 1) * 10000 + 1231]%Z.
Definition moments_near (z : Z) : list Z :=
  let z := next_timestamp (next_timestamp (next_timestamp z)) in
  [z; z - 1; (z / 100000000 - 1) * 100000000 + 59999999; (z / 10000000000 - 1) * 10000000000 + 5959999999]%Z ++
  map (fun date => date * 1000000000000 + 235959999999)%Z (dates_near (z / 1000000000000)).

(** The float that is nearest to a number with few digits. *)
Definition float_near (n : N) (scale : nat) : Z :=
  rank_of_float (SFdiv 53 1024 (binary_normalize 53 1024 (Z.of_N n) 0 false)
                               (binary_normalize 53 1024 (Zpos (power_of_ten scale)) 0 false)).

(** Fields whose text it may be, or that are near to it. *)
Definition read_field (k : kind) (t : text) : list field :=
  let n := digits_in t in
  let negative := match t with c :: _ => (c =? minus_sign)%Z | [] => false end in
  match k with
  | DecimalKind scale => [Decimal negative n scale]
  | NumberKind => [Decimal negative n (digits_after_point t)]
  | FloatKind => [Float negative (Z.to_N (float_near n (digits_after_point t)))]
  | DateKind => map (fun z => Date (Z.to_N z)) (dates_near (digits_as 8 t))
  | TimestampKind => map (fun z => Timestamp (Z.to_N z)) (moments_near (digits_as 20 t))
  | _ => map (from_integer k) (integers_of t)
  end.

Definition text_in (c : value) : text := snd (snd c).

(** At most this many integers are tried one by one. *)
Definition FEW : Z := 64.

Definition spread (zs : list Z) : list Z :=
  match zs with
  | [] => [0]%Z
  | z :: zs' =>
      let low := (fold_left Z.min zs' z - 1)%Z in
      let high := (fold_left Z.max zs' z + 1)%Z in
      if (high - low <=? FEW)%Z then counted (Z.to_nat (high - low + 1)) low
      else flat_map (fun z => [z - 1; z; z + 1]%Z) zs
  end.

Definition integer_near (c : value) : Z := (Qnum (number_of c) / Zpos (Qden (number_of c)))%Z.

Definition pool (s : list kind) (f : formula) (x : source) : list field :=
  let k := source_kind s x in
  let own := filter (fun '(v, _) => is_from x v) (atoms f) in
  let plain := filter (fun '(v, _) => is_plain v) own in
  let others := filter (fun '(v, _) => negb (is_plain v)) own in
  match others with
  | [] => []
  | _ =>
      let bounds := match k with BoundedKind l u => [l; u] | _ => [] end in
      let read := flat_map (fun '(_, c) => integers_of (text_in c)) others in
      let integers := match k with
        | IntegerKind | BoundedKind _ _ => spread (bounds ++ read ++ map (fun '(_, c) => integer_near c) plain)
        | _ => []
        end in
      match k with BooleanKind => [Boolean true; Boolean false] | _ => [] end ++
      flat_map (fun '(_, c) => read_field k (text_in c)) others ++ map (from_integer k) integers ++
      map (fun '(_, c) => field_of k c) plain
  end.

(** * A record of ranges *)

Definition lowest_draw (req : option requirement) : Z :=
  match option_map acts req with
  | Some (Some x) => match plain_of x with Random _ _ l _ => l | _ => 0%Z end
  | _ => 0%Z
  end.

Section Choice.
  Variables (s : list kind) (f : formula) (vs : list view) (xs : ranges).

  (** A field whose views are all in their ranges, if one is found. *)
  Definition chosen (x : source) : option field :=
    let k := source_kind s x in
    let own := filter (is_from x) vs in
    let in_place (a : field) := fits k a &&
      forallb (fun v => is_in (xs (number vs v)) (value_of (converted (snd v) a))) own in
    let range_of := fun v => xs (number vs v) in
    let range := if in_dec view_eq_dec (x, []) vs then range_of (x, []) else everything in
    match find in_place (examples k range) with
    | Some a => Some a
    | None =>
        let texts := flat_map (fun v => match range_of v with
          | Gap (Some l) (Some h) => texts_near (text_in l) ++ texts_near (text_in h)
          | Gap (Some l) None => texts_near (text_in l)
          | Gap None (Some h) => texts_near (text_in h)
          | _ => []
          end) own in
        match find in_place (pool s f x) with
        | Some a => Some a
        | None => find in_place (flat_map (read_field k) texts)
        end
    end.

  Fixpoint chosen_record (As : list attribute) : option record :=
    match As with
    | [] => Some []
    | A :: As' => match chosen (Column A), chosen_record As' with Some a, Some r => Some (a :: r) | _, _ => None end
    end.

  (** The first draw of a range serves where the formula does not depend on it. *)
  Definition chosen_draws (p : program) (i : nat) : Z :=
    match find (fun v => match fst v with Drawn j _ _ => j =? i | _ => false end) vs with
    | Some v => match chosen (fst v) with Some (Integer z) => z | _ => 0%Z end
    | None => lowest_draw (nth_error p i)
    end.
End Choice.
