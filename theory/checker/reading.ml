(* Reads a certificate of `acompass prove --certificate`: the arguments of [check] for each claim. docs/certificates.md has the
   format. Every member of the file is read, and no other is allowed, so that nothing in it is left unchecked. *)

open Certificates
open Json
open Numbers

let version = "2"

(* Numbers *)

let z_of_digits text =
  if not (is_digits text) then malformed "expected digits";
  String.fold_left (fun sum c -> Z.add (Z.mul sum (z_of_int 10)) (z_of_int (Char.code c - 48))) Z0 text
let z_of_string text =
  if not (is_integer text) then malformed "expected an integer";
  let size = z_of_digits (without_sign text) in
  if text.[0] = '-' then Z.opp size else size
let n_of_digits text = snd (digits_of_z (z_of_digits text))

let z = function Number text -> z_of_string text | _ -> malformed "expected a number"
(* Positions and scales are bounded, because Coq's natural numbers are lists of their units. *)
let nat_up_to digits what = function
  | Number text when is_digits text && String.length text <= digits -> nat_of_int (int_of_string text)
  | _ -> malformed ("expected " ^ what)
let nat = nat_up_to 5 "a position from 0 to 99999"
let scale = nat_up_to 3 "a scale from 0 to 999"
let positive e = match z e with Zpos p -> p | _ -> malformed "expected a positive number"

(* Fields *)

let decimal text =
  let negative = text <> "" && text.[0] = '-' and digits = without_sign text in
  let before, after = match String.index_opt digits '.' with
    | None -> digits, ""
    | Some at -> String.sub digits 0 at, String.sub digits (at + 1) (String.length digits - at - 1) in
  if not (is_integer before) || without_sign before <> before || (after = "" && before <> digits) then malformed "expected a decimal";
  Decimal (negative, n_of_digits (before ^ after), nat_of_int (String.length after))

let digits count text = if String.length text <> count then malformed "expected a date or a timestamp" else n_of_digits text

(* Neither infinite nor no number *)
let bits text =
  if not (is_integer text) || Int64.of_string text < 0L || Int64.of_string text >= 0x7FF0000000000000L then malformed "expected a float";
  n_of_digits text

let constant = function
  | Object ["boolean", Bool b] -> Boolean b
  | Object ["integer", String i] -> Integer (z_of_string i)
  | Object ["decimal", String d] -> decimal d
  | Object ["float", Array [String ("+" | "-" as sign); String b]] -> Float (sign = "-", bits b)
  | Object ["text", String text] -> Text (List.map z_of_int (points text))
  | Object ["date", String d] -> Date (digits 8 d)
  | Object ["timestamp", String t] -> Timestamp (digits 20 t)
  | _ -> malformed "expected a constant"
let value c = value_of (constant c)

(* Conditions; [position] reads a position *)

let operator = function
  | "<" -> LT | ">" -> GT | "=" -> EQ | "<=" -> LE | ">=" -> GE | other -> malformed ("there is no operator " ^ other)

let rec condition position = function
  | Array [String "not"; phi] -> Not (condition position phi)
  | Array (String "and" :: phis) -> List.fold_right (fun phi psi -> And (condition position phi, psi)) phis (Not Never)
  | Array (String "or" :: phis) -> List.fold_right (fun phi psi -> Or (condition position phi, psi)) phis Never
  | Array [String theta; a; c] -> Compare (position a, operator theta, value c)
  | _ -> malformed "expected a condition"

let on_record = condition nat
let on_class = condition (function String "count" -> O | column -> S (nat column))

(* Types *)

let column_type = function
  | Null -> Opaque
  | Array [String "decimal"; s] -> OneText (DecimalKind (scale s))
  | Array [String "spelled"; s] -> Valued (DecimalKind (scale s))
  | e -> (match text e with
      | "integer" -> OneText IntegerKind | "text" -> OneText TextKind | "boolean" -> OneText BooleanKind
      | "date" -> OneText DateKind | "timestamp" -> OneText TimestampKind
      | "number" -> Valued NumberKind | "float" -> Valued FloatKind
      | other -> malformed ("there is no type " ^ other))

let conversion = function
  | Array [String "decimal"; s] -> AsDecimal (scale s)
  | e -> (match text e with
      | "text" -> AsText | "spelled" -> AsSpelled | "float" -> AsFloat | "dropped" -> Dropped | "unchanged" -> Unchanged
      | other -> malformed ("there is no conversion " ^ other))

(* Programs *)

let aggregate = function
  | Array [String head; b] ->
      let b = nat b in
      (match head with
       | "sum" -> Sum b | "min" -> Min b | "max" -> Max b | "distinct" -> CountDistinct b
       | other -> malformed ("there is no function " ^ other))
  | String "count" -> Count
  | _ -> malformed "expected an aggregate"

let result = function
  | String "result" -> Result
  | Array [String "filter"; phi] -> Filter (on_record phi)
  | Array [String "process"; fs; where; g] ->
      let psi = match where with Null -> None | psi -> Some (on_record psi) in
      Process (List.map aggregate (list fs), psi, List.map nat (list g))
  | _ -> malformed "expected a result"

let assertion = function
  | Array [String "each"; p; phi] -> Each (result p, on_record phi)
  | Array [String "some"; p; phi] -> Some_ (result p, on_record phi)
  | _ -> malformed "expected an assertion"

let ball = function Array [w; v] -> (positive w, constant v) | _ -> malformed "expected a weight and a value"

(* The certificate has no maps. Checker.check_sound_for_all_maps: any function stands for one. *)
let plain = function
  | String "reject" -> Reject
  | Array [String "replace"; a; v] -> Replace (nat a, constant v)
  | Array [String "random"; a; t; l; u] -> Random (nat a, conversion t, z l, z u)
  | Array [String "from"; a; balls] -> RandomFrom (nat a, List.map ball (list balls))
  | Array [String "generalize"; a; String ("bands" | "any")] -> Generalize (nat a, fun label -> label)
  | Array [String "drop"; columns] -> Drop (List.map nat (list columns))
  | _ -> malformed "expected an action"

let probability numerator denominator =
  let q = { qnum = z numerator; qden = positive denominator } in
  match q.qnum, Z.sub (Zpos q.qden) q.qnum with
  | Zpos _, Zpos _ -> q
  | _ -> malformed "expected a probability between 0 and 1"

let action = function
  | Null -> None
  | Array [String "probably"; Array [a; b]; x] -> Some (WithProbability (probability a b, plain x))
  | x -> Some (Certain (plain x))

let change = function Array [a; t] -> (nat a, conversion t) | _ -> malformed "expected a change of type"

(* BANDS read all texts of a number as that number, so equal values get equal labels. *)
let rec is_bands = function
  | Array [String "probably"; _; x] -> is_bands x
  | Array [String "generalize"; _; String "bands"] -> true
  | _ -> false

(* A requirement, and whether its map gives equal values equal labels *)
let requirement e = match members ["assertion"; "types"; "action"] e with
  | [asserted; types; acted] ->
      ({ asserts = assertion asserted; retypes = List.map change (list types); acts = action acted }, is_bands acted)
  | _ -> assert false

(* Proofs *)

let fact e = match members ["function"; "where"; "group by"; "allowed"] e with
  | [f; where; groups; allowed] ->
      { function0 = aggregate f; selection = on_record where; groups = List.map nat (list groups); allowed = on_class allowed }
  | _ -> assert false

let single = function Array [a; v] -> (nat a, value v) | _ -> malformed "expected a column and its value"
let singles e = List.map single (list e)

let reason = function
  | Array [String "values"; among] -> ByValues (List.map value (list among))
  | Array [String "line"; i; found] -> FromLine (nat i, singles found)
  | Array [String "own"; j; u; found] -> FromOwn (nat j, on_class u, singles found)
  | _ -> malformed "expected a reason"

let premise = function
  | String "void" -> Void
  | String "fresh" -> Fresh
  | Array [String "before"; k; why] -> Before (fact k, reason why)
  | _ -> malformed "expected a premise"

let origin = function
  | Array [String "here"; why] -> Here (reason why)
  | Array [String "back"; spared; hit] -> Back (premise spared, premise hit)
  | Array [String "through"; p] -> Through (premise p)
  | _ -> malformed "expected where a fact comes from"

let line e = match members ["fact"; "because"] e with
  | [f; because] -> (fact f, origin because)
  | _ -> assert false

let annotation e = match members ["types"; "invariant"; "may"; "must"; "facts"] e with
  | [types; invariant; may; must; facts] ->
      { column_types = List.map column_type (list types); invariant = on_record invariant; may = on_record may;
        must = on_record must; lines = List.map line (list facts) }
  | _ -> assert false

let part = function Array [j; u; why] -> ((nat j, on_class u), reason why) | _ -> malformed "expected a part of a claim"

(* Certificates *)

type claim = { asserted : assertion; known : nat list; proof : certificate }

type file = {
  sha256 : string;  (* of the policy *)
  names : string list;
  types : types;
  program : program;
  alike : nat list;  (* the requirements whose map gives equal values equal labels *)
  claims : claim list;
}

let rec is_increasing = function a :: (b :: _ as rest) -> int_of_nat a < int_of_nat b && is_increasing rest | _ -> true

(* The positions of checks: requirements without an action *)
let checks program e =
  let found = List.map nat (list e) in
  let is_check i = match List.nth_opt program (int_of_nat i) with Some { acts = None } -> true | _ -> false in
  if not (is_increasing found && List.for_all is_check found) then malformed "expected the positions of checks, in order";
  found

let claim program e = match members ["assertion"; "known"; "steps"; "parts"] e with
  | [asserted; known; steps; parts] ->
      (match List.map annotation (list steps) with
       | [] -> malformed "a claim has no steps"
       | start :: steps ->
           { asserted = assertion asserted; known = checks program known;
             proof = { start; steps; grounds = List.map part (list parts) } })
  | _ -> assert false

let is_hash text = String.length text = 64 && all_of text (fun c -> ('0' <= c && c <= '9') || ('a' <= c && c <= 'f'))

let require_version = function
  | Object found when List.assoc_opt "acompass" found = Some (String "certificate") ->
      if List.assoc_opt "version" found <> Some (Number version)
      then malformed ("this checker reads version " ^ version ^ "; write the certificate again with `acompass prove --certificate`")
  | _ -> malformed "expected an object with the member acompass"

let certificate e =
  require_version e;
  match members ["acompass"; "version"; "policy"; "columns"; "types"; "program"; "claims"] e with
  | [_; _; policy; columns; types; program; claims] ->
      let sha256 = text (List.hd (members ["sha256"] policy)) and names = List.map text (list columns) in
      if not (is_hash sha256) then malformed "expected a SHA-256 hash in hexadecimal";
      if List.mem "" names || List.length (List.sort_uniq compare names) < List.length names
      then malformed "two columns have one name, or one has none";
      let requirements = List.map requirement (list program) in
      let program = List.map fst requirements in
      let alike = List.concat (List.mapi (fun i (_, is_alike) -> if is_alike then [nat_of_int i] else []) requirements) in
      { sha256; names; types = List.map column_type (list types); program; alike; claims = List.map (claim program) (list claims) }
  | _ -> assert false
