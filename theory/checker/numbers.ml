(* The numbers of Coq and those of OCaml. *)

open Certificates

let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n
let rec nat_of_int n = if n <= 0 then O else S (nat_of_int (n - 1))
let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 1 then XI (positive_of_int (n lsr 1)) else XO (positive_of_int (n lsr 1))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of_int n) else Zneg (positive_of_int (- n))
let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> 2 * int_of_positive p + 1
let int_of_z = function Z0 -> 0 | Zpos p -> int_of_positive p | Zneg p -> - int_of_positive p
let digits_of_z = function Z0 -> (false, N0) | Zpos p -> (false, Npos p) | Zneg p -> (true, Npos p)
