(** Figures 3 to 6 and Definition 7: terms and predicates, results, filter and process queries. *)
From Coq Require Import List ZArith Bool QArith Qcanon Qabs.
From Acompass Require Import Order Bags Texts Floats Values Numbers Tables Syntax.
Import ListNotations.
Open Scope nat_scope.

(** Figure 3, η(A) θ c. *)
Definition compares (v : value) (theta : operator) (c : value) : bool :=
  match theta, compare_value v c with
  | LT, Lt | LE, Lt | LE, Eq | EQ, Eq | GE, Eq | GE, Gt | GT, Gt => true
  | _, _ => false
  end.

(** Figure 3, ⟦φ⟧η, where η is the environment of a tuple. *)
Fixpoint satisfies (phi : condition) (t : tuple) : bool :=
  match phi with
  | Compare A theta c => compares (environment t A) theta c
  | Not phi => negb (satisfies phi t)
  | And phi psi => satisfies phi t && satisfies psi t
  | Or phi psi => satisfies phi t || satisfies psi t
  | Never => false
  end.

Definition holds_of (phi : condition) (r : record) : bool := satisfies phi (values r).

(** Definition 7, aggregate functions, of the values that a bag has. *)

Definition number_of_records (n : nat) : value := exact (integer (Z.of_nat n)).

Definition is_float (v : value) : bool := (fst v =? fst (floating 0))%Z.
Definition rank_of (v : value) : Z := Qnum (this (number_of v)).

(** Exact on integers and decimals; floats are added in sorted order (D13). *)
Definition total (vs : list value) : value :=
  if existsb is_float vs then floating (float_total (map rank_of (sort compare_value vs)))
  else exact (fold_right Qcplus 0%Qc (map number_of vs)).

Definition minimum (vs : list value) : value := hd nothing (sort compare_value vs).
Definition maximum (vs : list value) : value := last (sort compare_value vs) nothing.

(** The duplicate elimination ε *)
Definition distinct (vs : list value) : list value := nodup value_eq_dec vs.

(** X13: a share is a part of a whole, 0 if that is 0. [Shares.compare_share]: it is compared without division. *)
Definition share (part whole : Qc) : value := exact (if Qc_eq_dec whole 0 then 0 else part / whole)%Qc.

(** The absolute value of a number; a float is the fraction that it is. *)
Definition amount (v : value) : Qc := Q2Qc (Qabs (if is_float v then number_of_rank (rank_of v) else number_of v)).
Definition sum_of (qs : list Qc) : Qc := fold_right Qcplus 0%Qc qs.
Definition descending (p q : Qc) : comparison := Qccompare q p.
Definition largest (n : nat) (qs : list Qc) : list Qc := firstn n (sort descending qs).
(** Infinite floats count as equal, and all other numbers as nothing beside them. *)
Definition is_infinite (v : value) : bool := is_float v && (infinite_bits <=? Z.abs (rank_of v))%Z.
Definition infinite_amount (v : value) : Qc := if is_infinite v then 1%Qc else 0%Qc.
Definition amounts (vs : list value) : list Qc := map (if existsb is_infinite vs then infinite_amount else amount) vs.
Definition share_of_largest (n : nat) (vs : list value) : value :=
  share (sum_of (largest n (amounts vs))) (sum_of (amounts vs)).

(** How often the most frequent value occurs *)
Definition mode_count (vs : list value) : nat := fold_right Nat.max 0 (map (count_occ value_eq_dec vs) vs).
Definition number (n : nat) : Qc := integer (Z.of_nat n).
Definition share_of_mode (vs : list value) : value := share (number (mode_count vs)) (number (length vs)).

(** X14: the total of the file's records that agree with a key. *)
Definition numbers_at (file : list (tuple * value)) (g : tuple) : list value :=
  map snd (filter (fun line => if tuple_eq_dec (fst line) g then true else false) file).
Definition total_at (file : list (tuple * value)) (zero : value) (g : tuple) : value :=
  match numbers_at file g with [] => zero | vs => total vs end.
(** The records of a group have one key: that of the first in canonical order. *)
Definition reference_total (G : list attribute) (file : list (tuple * value)) (zero : value) (R : bag) : value :=
  total_at file zero (match order R with r :: _ => key G r | [] => [] end).

Definition column (B : attribute) (R : bag) : list value := map (fun r => value_at r B) R.

Definition aggregated (f : aggregate) (R : bag) : value :=
  match f with
  | Sum B => total (column B R)
  | Max B => maximum (column B R)
  | Min B => minimum (column B R)
  | Count => number_of_records (length R)
  | CountDistinct B => number_of_records (length (distinct (column B R)))
  | ShareOfLargest n B => share_of_largest n (column B R)
  | ShareOfMode B => share_of_mode (column B R)
  | InReference G file zero => reference_total G file zero R
  end.

(** Figure 5, ⟦FILTER φ⟧. *)
Definition filtered (phi : condition) (R : bag) : bag := filter (holds_of phi) R.

(** The filtered bag R' of a process query; R' = R without WHERE. *)
Definition where_holds (psi : option condition) (r : record) : bool :=
  match psi with None => true | Some psi => holds_of psi r end.
Definition where_filtered (psi : option condition) (R : bag) : bag := filter (where_holds psi) R.

(** K, the distinct keys that occur in R', and the group G_g of a key g. *)
Definition keys (G : list attribute) (R' : bag) : list tuple := nodup tuple_eq_dec (map (key G) R').
Definition has_key (G : list attribute) (g : tuple) (r : record) : bool :=
  if tuple_eq_dec (key G r) g then true else false.
Definition group (G : list attribute) (R' : bag) (g : tuple) : bag := filter (has_key G g) R'.

(** (g, f_B(G_g)), with a value for each aggregate (X11). *)
Definition aggregate_record (f : list aggregate) (G : list attribute) (R' : bag) (g : tuple) : tuple :=
  g ++ map (fun each => aggregated each (group G R' g)) f.

(** Figure 6. Without GROUP BY, () is the only key, and an empty R' has none (D16; docs/paper.md, 18). *)
Definition process (f : list aggregate) (psi : option condition) (G : list attribute) (R : bag) : list tuple :=
  let R' := where_filtered psi R in map (aggregate_record f G R') (keys G R').

(** Figure 4, ⟦result⟧(R). *)
Definition result_of (P : result) (R : bag) : list tuple :=
  match P with
  | Result => map values R
  | Filter phi => map values (filtered phi R)
  | Process f psi G => process f psi G R
  end.

(** Figure 6 without GROUP BY: {f(R')}, unless R' is empty. *)
Theorem process_without_group_by f psi R :
  process f psi [] R =
  match where_filtered psi R with [] => [] | R' => [map (fun each => aggregated each R') f] end.
Proof.
  unfold process. set (R' := where_filtered psi R). clearbody R'. destruct R' as [|r R']; auto.
  assert (K : keys [] (r :: R') = [[]]).
  { unfold keys. clear. generalize r. induction R' as [|s R' IH]; intro r'; auto. simpl in *.
    destruct (in_dec tuple_eq_dec [] ([] :: map (key []) R')) as [|N]; [apply IH|now elim N; left]. auto. }
  rewrite K. simpl map at 1. unfold aggregate_record, group.
  replace (filter (has_key [] []) (r :: R')) with (r :: R'); auto.
  symmetry. now apply filter_all.
Qed.
