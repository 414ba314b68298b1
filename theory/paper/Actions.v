(** Definition 4, Figures 8 to 11, X1 to X3, X5, X6, X12 and X15 to X18: the trace, actions and requirements, which take a state (R, ρ)
    to a state; then whole programs. *)
From Coq Require Import List ZArith Bool QArith Qround.
From Acompass Require Import Order Texts Values Numbers Dates Tables Syntax Results Assertions.
Import ListNotations.
Open Scope nat_scope.

(** Definition 4, random trace: an infinite sequence of numbers in [0, 1). *)
Definition trace : Type := nat -> Q.
Definition in_unit_interval (rho : trace) : Prop := forall i, (0 <= rho i /\ rho i < 1)%Q.
Definition tail (m : nat) (rho : trace) : trace := fun i => rho (m + i).

(** random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋ *)
Definition random (l u : Z) (rho : Q) : Z := (l + Qfloor (rho * inject_Z (u - l + 1)))%Z.

(** The records of a list, each with its value of the trace: (r₁, ρ₁), …, (rₘ, ρₘ). *)
Fixpoint with_trace (rho : trace) (rs : list record) : list (record * Q) :=
  match rs with
  | [] => []
  | r :: rs' => (r, rho 0) :: with_trace (tail 1 rho) rs'
  end.

Definition state : Type := bag * trace.

(** Figure 8. *)
Definition reject (R : bag) (rho : trace) (V : bag) : state := (minus R V, rho).

(** Figure 9. *)
Definition replace (A : attribute) (a : field) (R : bag) (rho : trace) (V : bag) : state :=
  (minus R V ++ map (fun r => update r A a) V, rho).

(** Figure 10, where rᵢ of order(V) gets random(l, u, ρᵢ) (docs/paper.md, 22); what is drawn is a parameter. *)
Definition redraw (A : attribute) (draw : Q -> field) (rho : trace) (V : bag) : bag :=
  map (fun '(r, rho_i) => update r A (draw rho_i)) (with_trace rho (order V)).
Definition randomize (A : attribute) (draw : Q -> field) (R : bag) (rho : trace) (V : bag) : state :=
  (minus R V ++ redraw A draw rho V, tail (length V) rho).

(** X6: the first value vⱼ with ρ < (w₁ + … + wⱼ) / Σw. [before] is w₁ + … + wⱼ₋₁, [all] is Σw. *)
Definition less (x y : Q) : bool := negb (Qle_bool y x).
Fixpoint pick (balls : list (positive * field)) (before all : Z) (rho : Q) : field :=
  match balls with
  | [] => Missing
  | (w, v) :: balls' =>
      let cut := (before + Zpos w)%Z in
      if less (rho * inject_Z all) (inject_Z cut) then v else pick balls' cut all rho
  end.
Definition weights (balls : list (positive * field)) : Z := fold_right Z.add 0%Z (map (fun ball => Zpos (fst ball)) balls).
Definition pick_ball (balls : list (positive * field)) (rho : Q) : field := pick balls 0 (weights balls) rho.

(** X2: ((R − V) ∪ {r[A → g(⟦A⟧r)] | r ∈ V}, ρ), for a map g that has a label for every text. *)
Definition label (A : attribute) (g : text -> text) (r : record) : record := update r A (Text (g (text_of (get r A)))).
Definition generalize (A : attribute) (g : text -> text) (R : bag) (rho : trace) (V : bag) : state :=
  (minus R V ++ map (label A g) V, rho).

(** X3: the columns lose their values and keep their positions. *)
Definition without_columns (As : list attribute) (r : record) : record :=
  fold_left (fun r A => update r A Missing) As r.
Definition drop (As : list attribute) (R : bag) (rho : trace) : state := (map (without_columns As) R, rho).

(** X12: ((R − V) ∪ {r[A → the multiple of n nearest to ⟦A⟧r] | r ∈ V}, ρ). *)
Definition round_to (A : attribute) (t : type) (n : Q) (r : record) : record := update r A (nearest t n (get r A)).

(** X16: ((R − V) ∪ {r[A → ⟦A⟧r + s(⟦P⟧r) days, …] | r ∈ V}, ρ). All columns are read before any is written. *)
Definition shift (As : list attribute) (P : attribute) (s : value -> Z) (r : record) : record :=
  fold_left (fun r' A => update r' A (shift_field (s (value_at r P)) (get r A))) As r.

(** X17: rᵢ of order(V) gets ⟦A⟧rᵢ + random(l, u, ρᵢ). *)
Definition add_random (A : attribute) (l u : Z) (rho : trace) (V : bag) : bag :=
  map (fun '(r, rho_i) => update r A (plus (random l u rho_i) (get r A))) (with_trace rho (order V)).

(** X18: the affected records in the order of A, equal ones in canonical order, in groups of n, the last one of n to
    2n − 1; each gets the mean of its group's A. [fuel] is the length of the list, or more. *)
Definition compare_by (A : attribute) (r s : record) : comparison :=
  compare_pair (cx := compare_value) (cy := compare_record) (value_at r A, r) (value_at s A, s).
Fixpoint groups_of {X} (fuel n : nat) (l : list X) : list (list X) :=
  match fuel with
  | S fuel' => if length l <? 2 * n then [l] else firstn n l :: groups_of fuel' n (skipn n l)
  | O => [l]
  end.
Definition averaged (A : attribute) (t : type) (rs : list record) : list record :=
  map (fun r => update r A (mean t (map (fun r => get r A) rs))) rs.
Definition microaggregate (A : attribute) (t : type) (n : nat) (V : bag) : bag :=
  flat_map (averaged A t) (groups_of (length V) n (sort (compare_by A) V)).

(** What the affected records become, and the trace that is left *)
Definition rewritten (x : write) (rho : trace) (V : bag) : state :=
  match x with
  | Nearest A t n => (map (round_to A t n) V, rho)
  | Pseudonym A p => (map (label A p) V, rho)
  | Shift As P s => (map (shift As P s) V, rho)
  | AddRandom A l u => (add_random A l u rho V, tail (length V) rho)
  | Microaggregate A t n => (microaggregate A t n V, rho)
  end.
Definition perform_write (x : write) (R : bag) (rho : trace) (V : bag) : state :=
  let (W, rest) := rewritten x rho V in (minus R V ++ W, rest).

(** ⟦action⟧(R, ρ, V) *)
Definition perform_plain (x : plain) (R : bag) (rho : trace) (V : bag) : state :=
  match x with
  | Reject => reject R rho V
  | Replace A a => replace A a R rho V
  | Random A t l u => randomize A (fun rho_i => convert t (Integer (random l u rho_i))) R rho V
  | RandomFrom A balls => randomize A (pick_ball balls) R rho V
  | Generalize A g => generalize A g R rho V
  | Drop As => drop As R rho
  | Write x => perform_write x R rho V
  end.

(** X5: ⟦a⟧(R, tail_m(ρ), {rᵢ | ρᵢ < q}), where order(V) = (r₁, …, rₘ). *)
Definition drawn (q : Q) (rho : trace) (V : bag) : bag :=
  map fst (filter (fun '(_, rho_i) => less rho_i q) (with_trace rho (order V))).

Definition perform (x : action) (R : bag) (rho : trace) (V : bag) : state :=
  match x with
  | Certain x => perform_plain x R rho V
  | WithProbability q x => perform_plain x R (tail (length V) rho) (drawn q rho V)
  end.

(** D12: where the type of a column changes, the fields of all records are converted, affected or not. *)
Definition retype (ts : list (attribute * type)) (r : record) : record :=
  fold_left (fun r '(A, t) => update r A (convert t (get r A))) ts r.

(** Figure 11, ⟦r⟧(R, ρ), with D12 before the action. Without an action, nothing else changes (D6). *)
Definition step (r : requirement) (s : state) : state :=
  let (R, rho) := s in
  let converted := map (retype (retypes r)) in
  match acts r with
  | Some x => if holds (asserts r) R then (converted R, rho)
              else perform x (converted R) rho (converted (AFF R (asserts r)))
  | None => (converted R, rho)
  end.

(** ⟦r₁; …; rₙ⟧ *)
Definition run (p : program) (s : state) : state := fold_left (fun s r => step r s) p s.

(** What a report says of a requirement: whether it holds, |AFF(R)| and |R|. *)
Definition verdict (r : requirement) (R : bag) : bool * nat * nat :=
  (holds (asserts r) R, length (AFF R (asserts r)), length R).
Fixpoint verdicts (p : program) (s : state) : list (bool * nat * nat) :=
  match p with
  | [] => []
  | r :: p' => verdict r (fst s) :: verdicts p' (step r s)
  end.
