(** Figure 1, the syntax, after the check: names are positions, constants are values, and the types that D12 gives
    columns are known. THEN (X10) is a requirement for each step; IN, BETWEEN, != and LIKE (X4) are conditions. *)
From Coq Require Import List ZArith QArith.
From Acompass Require Import Texts Values Tables.
Import ListNotations.

Inductive operator : Type := LT | GT | EQ | LE | GE.

Inductive condition : Type :=
| Compare (A : attribute) (theta : operator) (c : value)
| Not (phi : condition)
| And (phi psi : condition)
| Or (phi psi : condition)
| Never.                                     (* no record satisfies it: the condition of ALWAYS *)

Inductive aggregate : Type := Sum (B : attribute) | Min (B : attribute) | Max (B : attribute)
| Count | CountDistinct (B : attribute)
| ShareOfLargest (n : nat) (B : attribute) | ShareOfMode (B : attribute)                  (* X13 *)
(* X14: the file has a key by G and a number in each record, 1 for COUNT; [zero] is the total of a key that it lacks *)
| InReference (G : list attribute) (file : list (tuple * value)) (zero : value).

Inductive result : Type :=
| Result
| Filter (phi : condition)
| Process (f : list aggregate) (psi : option condition) (G : list attribute).    (* several aggregates: X11 *)

Inductive assertion : Type := Each (P : result) (phi : condition) | Some_ (P : result) (phi : condition).

(** X1, ALWAYS: every record violates it. *)
Definition Always : assertion := Each Result Never.

(** What published rules write (X12, X15 to X18). Numbers are written as the column's type. The key of a run determines p
    and s: here they are any functions, of the text that X15 makes a pseudonym of, and of the person's value. *)
Inductive write : Type :=
| Nearest (A : attribute) (t : type) (n : Q)
| Pseudonym (A : attribute) (p : text -> text)
| Shift (As : list attribute) (P : attribute) (s : value -> Z)
| AddRandom (A : attribute) (l u : Z)
| Microaggregate (A : attribute) (t : type) (n : nat).

Inductive plain : Type :=
| Reject
| Replace (A : attribute) (a : field)
| Random (A : attribute) (t : type) (l u : Z)                (* the integer is written as the column's type (D14) *)
| RandomFrom (A : attribute) (balls : list (positive * field))                    (* X6: weights and values *)
| Generalize (A : attribute) (g : text -> text)              (* X2: a map is a function of the value's text *)
| Drop (As : list attribute)                                 (* X3 *)
| Write (x : write).

Inductive action : Type :=
| Certain (x : plain)
| WithProbability (q : Q) (x : plain).                       (* X5 *)

(** A requirement may change the types of columns (D12), and need not have an action (D6). *)
Record requirement : Type := {
  asserts : assertion;
  retypes : list (attribute * type);
  acts : option action
}.

Definition program : Type := list requirement.

(** Figure 2, l(result): the names at the positions that a condition sees. [S] is the table's schema, [C] are the names
    of the aggregates. *)
Definition schema {name : Type} (S C : list name) (P : result) : list name :=
  match P with
  | Result | Filter _ => S
  | Process _ _ G => flat_map (fun A => match nth_error S A with Some a => [a] | None => [] end) G ++ C
  end.
