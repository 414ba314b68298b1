(* Prints what the checker was asked: the columns, the requirements and the claims, from the arguments of [check].

   Different arguments have different texts, except for numbers that are equal and conditions that differ only in their
   parentheses, so a reader who has read the text knows what was checked. *)

open Certificates
open Json
open Numbers

(* Constants *)

let utf8 points =
  let buffer = Buffer.create 16 in
  List.iter (fun c -> Buffer.add_utf_8_uchar buffer (Uchar.of_int (int_of_z c))) points;
  Buffer.contents buffer

let quoted mark text = mark ^ String.concat (mark ^ mark) (String.split_on_char mark.[0] text) ^ mark

let literal constant =
  let text = utf8 (text_of constant) in
  match constant with
  | Integer _ | Decimal _ -> text
  | Float _ -> "FLOAT " ^ text
  | Text _ -> quoted "'" text
  | Boolean _ -> "BOOLEAN " ^ quoted "'" text
  | Date _ -> "DATE " ^ quoted "'" text
  | Timestamp _ -> "TIMESTAMP " ^ quoted "'" text
  | Missing -> malformed "a constant is missing"

(* A fraction as a decimal with the fewest digits, or as it is if it has no finite expansion *)
let fraction { qnum; qden } =
  let rec scaled scale power =
    if scale > 2000 then None
    else if Z.modulo power (Zpos qden) = Z0 then Some (scale, Z.mul qnum (Z.div power (Zpos qden)))
    else scaled (scale + 1) (Z.mul power (z_of_int 10)) in
  match scaled 0 (z_of_int 1) with
  | Some (scale, number) -> let (negative, digits) = digits_of_z number in utf8 (text_of (Decimal (negative, digits, nat_of_int scale)))
  | None -> utf8 (text_of (Integer qnum)) ^ "/" ^ utf8 (text_of (Integer (Zpos qden)))

let value (tag, (number, characters)) =
  let natural = snd (digits_of_z number.qnum) in
  match int_of_z tag with
  | 1 -> literal (Boolean (number.qnum <> Z0))
  | 2 -> fraction number
  | 3 -> let (negative, bits) = digits_of_z number.qnum in literal (Float (negative, bits))
  | 4 -> literal (Text characters)
  | 5 -> literal (Date natural)
  | 6 -> literal (Timestamp natural)
  | _ -> malformed "a constant is missing"

(* Columns *)

let keywords = String.split_on_char ' '
    "each some result record filter process where group group_by by as and or not reject replace with random sum min max count \
     distinct always generalize drop probability from to of in between like then bands up at prefix level else month quarter \
     year decade date timestamp float boolean"

let is_letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c = '_'
let name text =
  let is_word = text <> "" && is_letter text.[0] && all_of text (fun c -> is_letter c || ('0' <= c && c <= '9')) in
  if is_word && not (List.mem (String.lowercase_ascii text) keywords) then text else quoted "\"" text

(* A column of the table at a step, or an aggregate; None if it was dropped *)
type column = { called : string; kind : kind option }

let column columns position =
  match List.nth_opt columns (int_of_nat position) with
  | Some (Some column) -> column
  | Some None -> malformed "a dropped column is read"
  | None -> malformed "there is no column at a position"

let columns_at names types =
  if List.length names <> List.length types then malformed "there is not one type for each column";
  List.map2 (fun called type_ -> Option.map (fun called -> { called; kind = kind_of_type type_ }) called) names types

let named columns positions = String.concat ", " (List.map (fun p -> (column columns p).called) positions)

let type_ = function
  | OneText IntegerKind -> "integer"
  | OneText TextKind -> "text"
  | OneText BooleanKind -> "boolean"
  | OneText DateKind -> "date"
  | OneText TimestampKind -> "timestamp"
  | OneText (DecimalKind scale) -> Printf.sprintf "decimal(%d)" (int_of_nat scale)
  | Valued (DecimalKind scale) -> Printf.sprintf "decimal(%d), spelled in any way" (int_of_nat scale)
  | Valued NumberKind -> "number"
  | Valued FloatKind -> "float"
  | Opaque -> "any"
  | _ -> malformed "there is no such type"

(* Conditions and assertions *)

let operator = function LT -> "<" | GT -> ">" | EQ -> "=" | LE -> "<=" | GE -> ">="

let rec conjuncts = function And (phi, psi) -> phi :: conjuncts psi | _ -> []
let rec disjuncts = function Or (phi, psi) -> phi :: disjuncts psi | _ -> []

let rec condition columns = function
  | Compare (position, theta, constant) ->
      let { called; kind } = column columns position in
      (match Option.bind kind tag_of with
       | Some tag when tag <> fst constant -> malformed "a column is compared with a constant of another type"
       | _ -> Printf.sprintf "%s %s %s" called (operator theta) (value constant))
  | Never | Not Never -> malformed "a condition is empty"
  | Not phi -> "NOT " ^ part columns phi
  | And _ as phi -> String.concat " AND " (List.map (part columns) (conjuncts phi))
  | Or _ as phi -> String.concat " OR " (List.map (part columns) (disjuncts phi))
and part columns phi = match phi with
  | Compare _ | Not _ -> condition columns phi
  | _ -> "(" ^ condition columns phi ^ ")"

let aggregate columns f =
  let of_column keyword b = Printf.sprintf "%s(%s)" keyword (column columns b).called in
  match f with
  | Count -> "COUNT(*)"
  | CountDistinct b -> of_column "COUNT DISTINCT" b
  | Sum b -> of_column "SUM" b
  | Min b -> of_column "MIN" b
  | Max b -> of_column "MAX" b
  | ShareOfLargest _ | ShareOfMode _ | InReference _ -> malformed "a certificate has none of these aggregates"

(* Names for aggregates, which a certificate does not have: n, n2, n3, without those of columns *)
let rec aliases columns number = function
  | [] -> []
  | f :: rest as fs ->
      let called = if number = 1 then "n" else Printf.sprintf "n%d" number in
      let is_taken = List.exists (function Some c -> String.lowercase_ascii c.called = called | None -> false) columns in
      if is_taken then aliases columns (number + 1) fs
      else { called; kind = kind_of_aggregate f } :: aliases columns (number + 1) rest

let result columns = function
  | Result -> ("RESULT", columns)
  | Filter phi -> ("FILTER " ^ condition columns phi, columns)
  | Process ([], _, _) -> malformed "PROCESS has no aggregate"
  | Process (fs, psi, groups) ->
      let named_as = aliases columns 1 fs in
      let shown = List.map2 (fun f alias -> aggregate columns f ^ " AS " ^ alias.called) fs named_as in
      let where = match psi with None -> "" | Some psi -> " WHERE " ^ condition columns psi in
      let by = if groups = [] then "" else " GROUP BY " ^ named columns groups in
      ("PROCESS " ^ String.concat ", " shown ^ where ^ by, List.map Option.some (List.map (column columns) groups @ named_as))

let assertion columns claim =
  let (quantifier, p, phi) = match claim with Each (p, phi) -> ("EACH", p, phi) | Some_ (p, phi) -> ("SOME", p, phi) in
  let (shown, seen) = result columns p in
  Printf.sprintf "%s %s : %s" quantifier shown (condition seen phi)

(* Requirements *)

let converted = function
  | AsText -> "text"
  | AsDecimal scale -> Printf.sprintf "decimal(%d)" (int_of_nat scale)
  | AsSpelled -> "decimal, spelled as before"
  | AsFloat -> "float"
  | Unchanged -> "another type with the same values"
  | Dropped -> malformed "only DROP drops a column"

let ball (weight, constant) = utf8 (text_of (Integer (Zpos weight))) ^ " OF " ^ literal constant

(* An action, and what the text of the action does not say *)
let plain columns is_alike = function
  | Reject -> ("REJECT", [])
  | Replace (a, constant) -> (Printf.sprintf "REPLACE %s WITH %s" (column columns a).called (literal constant), [])
  | Random (a, t, l, u) ->
      let bound z = utf8 (text_of (Integer z)) in
      (Printf.sprintf "RANDOM %s %s %s" (column columns a).called (bound l) (bound u),
       if t = Unchanged then [] else ["written as " ^ converted t])
  | RandomFrom (a, balls) ->
      (Printf.sprintf "RANDOM %s FROM (%s)" (column columns a).called (String.concat ", " (List.map ball balls)), [])
  | Generalize (a, _) ->
      let called = (column columns a).called in
      if is_alike then (Printf.sprintf "GENERALIZE %s TO BANDS …" called, ["any bands"])
      else (Printf.sprintf "GENERALIZE %s TO …" called, ["any map"])
  | Drop dropped -> ("DROP " ^ named columns dropped, [])
  | Write _ -> malformed "a certificate has none of these actions"

let action columns is_alike = function
  | Certain x -> plain columns is_alike x
  | WithProbability (q, x) ->
      let (shown, notes) = plain columns is_alike x in
      (Printf.sprintf "WITH PROBABILITY %s %s" (fraction q) shown, notes)

let change columns (a, t) = Printf.sprintf "%s becomes %s" (column columns a).called (converted t)

(* DROP follows ALWAYS, and the dropped columns are those that lose their type (X3). *)
let dropped { asserts; retypes; acts } =
  match acts with
  | Some (Certain (Drop columns)) ->
      if columns = [] || asserts <> Each (Result, Never) || List.sort compare retypes <> List.sort compare (List.map (fun a -> (a, Dropped)) columns)
      then malformed "DROP is not as in a policy";
      columns
  | _ -> []

let requirement columns is_alike ({ asserts; retypes; acts } as whole) =
  let retypes = if dropped whole = [] then retypes else [] in
  let changes = List.map (change columns) retypes in
  let (shown, notes) = match asserts, acts with
    | Each (Result, Never), Some x -> let (shown, notes) = action columns is_alike x in ("ALWAYS : " ^ shown, notes)
    | claim, None -> (assertion columns claim, [])
    | claim, Some x -> let (shown, notes) = action columns is_alike x in (assertion columns claim ^ " : " ^ shown, notes) in
  shown ^ ";" ^ (match notes @ changes with [] -> "" | notes -> " -- " ^ String.concat "; " notes)

(* The texts of the requirements, and the columns after the last; [types] are those at each step. *)
let rec requirements alike at names types program =
  match program, types with
  | [], [last] -> ([], columns_at names last)
  | req :: program, here :: types ->
      let shown = requirement (columns_at names here) (List.mem (nat_of_int at) alike) req in
      let lost = dropped req in
      let names = List.mapi (fun i called -> if List.mem (nat_of_int i) lost then None else called) names in
      let (rest, last) = requirements alike (at + 1) names types program in
      (shown :: rest, last)
  | _ -> malformed "there is not one step for each requirement and one after the last"

let rec numbers = function [] -> "" | [n] -> n | [n; m] -> n ^ " and " ^ m | n :: rest -> n ^ ", " ^ numbers rest
let proviso known = match List.map (fun i -> string_of_int (int_of_nat i + 1)) known with
  | [] -> []
  | [one] -> [Printf.sprintf "if requirement %s holds when the run reaches it" one]
  | several -> [Printf.sprintf "if requirements %s hold when the run reaches them" (numbers several)]
