(** Extracts the interpreter and the decision of claims to OCaml, in interpreter.ml. Numbers stay Coq's own, so only the
    extraction is trusted. *)
From Coq Require Import Extraction ExtrOcamlBasic List.
From Acompass Require Import Texts Values Syntax Actions Decision.

(** `check` performs no action (D22). *)
Definition without_actions (p : program) : program :=
  map (fun r => {| asserts := asserts r; retypes := retypes r; acts := None |}) p.

Extraction Language OCaml.
Extraction "interpreter.ml" run verdicts without_actions value_of text_of_integer decide.
