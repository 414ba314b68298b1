(* Reads a question on each line, answers it with the extracted functions and prints the answer on a line.

   A line is an S-expression; every form is a function below. tests/theory/oracle.py writes the case (PROGRAM TABLE TRACE),
   whose outcome is (TABLE VERDICTS CHECKED USED). tests/theory/deciding.py writes (decide KINDS TABLES PROGRAM CLAIM), which
   is answered by proved, (refuted RECORD), undecided, or late. Where a map has no label for a text, the answer is (unlabeled TEXT),
   and unshifted where a person has no shift. *)

open Interpreter

type expression = Word of string | Form of expression list

exception Unlabeled of z list
exception Unshifted
exception Malformed of string

(* Reading *)

let read line =
  let at = ref 0 and length = String.length line in
  let rec skip () = if !at < length && line.[!at] = ' ' then (incr at; skip ()) in
  let rec word start = if !at < length && not (String.contains " ()" line.[!at]) then (incr at; word start)
    else String.sub line start (!at - start) in
  let rec expression () =
    skip ();
    if line.[!at] = '(' then (incr at; Form (forms ())) else Word (word !at)
  and forms () =
    skip ();
    if line.[!at] = ')' then (incr at; [])
    else let first = expression () in first :: forms () in
  expression ()

let malformed what = raise (Malformed what)

(* Numbers *)

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 1 then XI (positive_of_int (n lsr 1)) else XO (positive_of_int (n lsr 1))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of_int n) else Zneg (positive_of_int (- n))
let rec nat_of_int n = if n = 0 then O else S (nat_of_int (n - 1))
let rec int_of_nat = function O -> 0 | S n -> 1 + int_of_nat n

let z_of_string text =
  let negative = text.[0] = '-' in
  let chunk = 12 and length = String.length text in
  let rec from start sum =
    if start >= length then sum
    else
      let size = min chunk (length - start) in
      let digits = int_of_string ("0u" ^ String.sub text start size) in
      let shift = int_of_string ("0u1" ^ String.make size '0') in
      from (start + size) (Z.add (Z.mul sum (z_of_int shift)) (z_of_int digits)) in
  let sum = from (if negative then 1 else 0) Z0 in
  if negative then Z.opp sum else sum

let z = function Word text -> z_of_string text | Form _ -> malformed "a number"
let nat = function Word text -> nat_of_int (int_of_string text) | Form _ -> malformed "a position"
let n e = match z e with Z0 -> N0 | Zpos p -> Npos p | Zneg _ -> malformed "a natural number"
let positive e = match z e with Zpos p -> p | _ -> malformed "a positive number"
let rational = function Form [a; b] -> { qnum = z a; qden = positive b } | _ -> malformed "a fraction"
let sign e = match e with Word "-" -> true | Word "+" -> false | _ -> malformed "a sign"

(* Fields and types *)

let text es = List.map z es

let field = function
  | Word "missing" -> Missing
  | Word "true" -> Boolean true
  | Word "false" -> Boolean false
  | Form [Word "integer"; i] -> Integer (z i)
  | Form [Word "decimal"; s; d; scale] -> Decimal (sign s, n d, nat scale)
  | Form [Word "float"; s; bits] -> Float (sign s, n bits)
  | Form (Word "text" :: characters) -> Text (text characters)
  | Form [Word "date"; d] -> Date (n d)
  | Form [Word "timestamp"; t] -> Timestamp (n t)
  | _ -> malformed "a field"

let type_ = function
  | Word "text" -> AsText
  | Word "spelled" -> AsSpelled
  | Word "float" -> AsFloat
  | Word "dropped" -> Dropped
  | Word "unchanged" -> Unchanged
  | Form [Word "decimal"; scale] -> AsDecimal (nat scale)
  | _ -> malformed "a type"

(* Programs *)

let operator = function
  | "<" -> Some LT | ">" -> Some GT | "=" -> Some EQ | "<=" -> Some LE | ">=" -> Some GE | _ -> None

let rec condition = function
  | Form [Word "not"; phi] -> Not (condition phi)
  | Form (Word "and" :: phis) -> List.fold_right (fun phi psi -> And (condition phi, psi)) phis (Not Never)
  | Form (Word "or" :: phis) -> List.fold_right (fun phi psi -> Or (condition phi, psi)) phis Never
  | Form [Word theta; a; c] ->
      (match operator theta with
       | Some theta -> Compare (nat a, theta, value_of (field c))
       | None -> malformed "an operator")
  | _ -> malformed "a condition"

(* A record of a reference table: its key and its number *)
let line = function
  | Form [Form key; v] -> (List.map (fun each -> value_of (field each)) key, value_of (field v))
  | _ -> malformed "a line of a reference table"

let aggregate = function
  | Word "count" -> Count
  | Form [Word "sum"; b] -> Sum (nat b)
  | Form [Word "min"; b] -> Min (nat b)
  | Form [Word "max"; b] -> Max (nat b)
  | Form [Word "distinct"; b] -> CountDistinct (nat b)
  | Form [Word "largest"; n; b] -> ShareOfLargest (nat n, nat b)
  | Form [Word "mode"; b] -> ShareOfMode (nat b)
  | Form (Word "reference" :: Form g :: zero :: lines) ->
      InReference (List.map nat g, List.map line lines, value_of (field zero))
  | _ -> malformed "an aggregate"

let where = function Word "none" -> None | psi -> Some (condition psi)

let result = function
  | Word "result" -> Result
  | Form [Word "filter"; phi] -> Filter (condition phi)
  | Form [Word "process"; Form fs; psi; Form g] -> Process (List.map aggregate fs, where psi, List.map nat g)
  | _ -> malformed "a result"

let assertion = function
  | Form [Word "each"; p; phi] -> Each (result p, condition phi)
  | Form [Word "some"; p; phi] -> Some_ (result p, condition phi)
  | _ -> malformed "an assertion"

let ball = function Form [w; v] -> (positive w, field v) | _ -> malformed "a ball"

let labelled = function
  | Form [Form value; Form label] -> (text value, text label)
  | _ -> malformed "a label"
let map_of labels value = match List.assoc_opt value labels with Some label -> label | None -> raise (Unlabeled value)

(* The days of a person; a person without any is an error. *)
let days = function Form [v; d] -> (value_of (field v), z d) | _ -> malformed "a shift"
let shift_of shifts person = match List.assoc_opt person shifts with Some d -> d | None -> raise Unshifted

let write = function
  | Form [Word "nearest"; a; t; n] -> Some (Nearest (nat a, type_ t, rational n))
  | Form (Word "pseudonym" :: a :: labels) -> Some (Pseudonym (nat a, map_of (List.map labelled labels)))
  | Form (Word "shift" :: Form columns :: person :: shifts) ->
      Some (Shift (List.map nat columns, nat person, shift_of (List.map days shifts)))
  | Form [Word "add"; a; l; u] -> Some (AddRandom (nat a, z l, z u))
  | Form [Word "microaggregate"; a; t; n] -> Some (Microaggregate (nat a, type_ t, nat n))
  | _ -> None

let plain = function
  | Word "reject" -> Reject
  | Form [Word "replace"; a; v] -> Replace (nat a, field v)
  | Form [Word "random"; a; t; l; u] -> Random (nat a, type_ t, z l, z u)
  | Form (Word "from" :: a :: balls) -> RandomFrom (nat a, List.map ball balls)
  | Form (Word "generalize" :: a :: labels) -> Generalize (nat a, map_of (List.map labelled labels))
  | Form (Word "drop" :: columns) -> Drop (List.map nat columns)
  | x -> (match write x with Some x -> Write x | None -> malformed "an action")

let action = function
  | Word "none" -> None
  | Form [Word "probably"; q; x] -> Some (WithProbability (rational q, plain x))
  | x -> Some (Certain (plain x))

let retype = function Form [a; t] -> (nat a, type_ t) | _ -> malformed "a change of type"

let requirement = function
  | Form [a; Form types; x] -> { asserts = assertion a; retypes = List.map retype types; acts = action x }
  | _ -> malformed "a requirement"

let record = function Form fields -> List.map field fields | Word _ -> malformed "a record"

(* Printing *)

let shown_z i = String.concat "" (List.map (function
  | Z0 -> "" | Zneg _ -> ""
  | Zpos p -> let rec int = function XH -> 1 | XO p -> 2 * int p | XI p -> 2 * int p + 1 in
      String.make 1 (Char.chr (int p))) (text_of_integer i))
let shown_n i = shown_z (match i with N0 -> Z0 | Npos p -> Zpos p)
let form parts = "(" ^ String.concat " " parts ^ ")"
let shown_sign negative = if negative then "-" else "+"

let shown_field = function
  | Missing -> "missing"
  | Boolean b -> if b then "true" else "false"
  | Integer i -> form ["integer"; shown_z i]
  | Decimal (s, d, scale) -> form ["decimal"; shown_sign s; shown_n d; string_of_int (int_of_nat scale)]
  | Float (s, bits) -> form ["float"; shown_sign s; shown_n bits]
  | Text t -> form ("text" :: List.map shown_z t)
  | Date d -> form ["date"; shown_n d]
  | Timestamp t -> form ["timestamp"; shown_n t]

let shown_record r = form (List.map shown_field r)
let shown_verdict ((holds, affected), records) =
  form [string_of_bool holds; string_of_int (int_of_nat affected); string_of_int (int_of_nat records)]
let shown_verdicts all = form (List.map shown_verdict all)

(* Running *)

(* The trace that is left begins at the first value that was not used. *)
let used rest asked = ignore (rest O); !asked

let outcome = function
  | Form [Form requirements; Form table; Form numbers] ->
      let program = List.map requirement requirements and records = List.map record table in
      let known = Array.of_list (List.map rational numbers) and asked = ref 0 in
      let trace i =
        asked := int_of_nat i;
        if !asked < Array.length known then known.(!asked) else { qnum = Z0; qden = XH } in
      let left, rest = run program (records, trace) in
      form [form (List.map shown_record left); shown_verdicts (verdicts program (records, trace));
            shown_verdicts (verdicts (without_actions program) (records, trace)); string_of_int (used rest asked)]
  | _ -> malformed "a case"

(* Deciding *)

let kind = function
  | Word "integer" -> IntegerKind
  | Form [Word "decimal"; scale] -> DecimalKind (nat scale)
  | Word "number" -> NumberKind
  | Word "float" -> FloatKind
  | Word "text" -> TextKind
  | Word "boolean" -> BooleanKind
  | Word "date" -> DateKind
  | Word "timestamp" -> TimestampKind
  | Word "dropped" -> MissingKind
  | Word "opaque" -> AnyKind
  | _ -> malformed "a kind"

let part = function
  | Form [guard; Form label] -> (condition guard, text label)
  | _ -> malformed "a part of a map"

(* The table of a map, with the position of its requirement. *)
let table = function
  | Form (i :: k :: parts) -> (nat i, { maps = kind k; labels = List.map part parts })
  | _ -> malformed "the table of a map"

let decided kinds tables requirements claim =
  let known = List.map table tables in
  let table_at i = List.assoc_opt i known in
  match decide (List.map kind kinds) table_at (List.map requirement requirements) (assertion claim) with
  | Proved -> "proved"
  | Refuted r -> form ["refuted"; shown_record r]
  | Undecided -> "undecided"

(* A formula can be exponentially larger than its program. *)
exception Late
let () = Sys.set_signal Sys.sigvtalrm (Sys.Signal_handle (fun _ -> raise Late))
let stop_after seconds =
  ignore (Unix.setitimer Unix.ITIMER_VIRTUAL { Unix.it_interval = 0.; Unix.it_value = seconds })
let in_time question = stop_after 5.; let answer = question () in stop_after 0.; answer

let answered = function
  | Form [Word "decide"; Form kinds; Form tables; Form requirements; claim] ->
      in_time (fun () -> decided kinds tables requirements claim)
  | case -> outcome case

let answer line = try answered (read line) with
  | Unlabeled value -> form ("unlabeled" :: List.map shown_z value)
  | Unshifted -> "unshifted"
  | Late -> "late"

let () =
  try
    while true do print_endline (answer (input_line stdin)) done
  with End_of_file -> ()
