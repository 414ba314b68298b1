(* Checks certificates of `acompass prove --certificate`: reads each file, or a certificate on each line of the input where
   there is no file, and says for each claim whether the extracted checker accepts it. docs/certificates.md has the format.

   Outside of the verified part: this file, which reads JSON, and what says which claims and policies it is about. *)

open Certificates

type json = Null | Bool of bool | Number of string | String of int list | Array of json list | Object of (string * json) list

exception Malformed of string
let malformed what = raise (Malformed what)

(* JSON; a string is a list of code points *)

let utf8 points =
  let buffer = Buffer.create 16 in
  List.iter (fun c -> Buffer.add_utf_8_uchar buffer (Uchar.of_int c)) points;
  Buffer.contents buffer

let read text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else malformed "the text ends early" in
  let next () = let c = peek () in incr at; c in
  let expect c = if next () <> c then malformed (Printf.sprintf "expected %c at %d" c !at) in
  let rec skip () = if !at < String.length text && String.contains " \t\r\n" text.[!at] then (incr at; skip ()) in
  let hex () = let digits = String.sub text !at 4 in at := !at + 4; int_of_string ("0x" ^ digits) in
  let escaped () = match next () with
    | 'n' -> 10 | 't' -> 9 | 'r' -> 13 | 'b' -> 8 | 'f' -> 12
    | 'u' ->
        let high = hex () in
        if high < 0xD800 || high > 0xDBFF then high
        else (expect '\\'; expect 'u'; 0x10000 + ((high - 0xD800) lsl 10) + (hex () - 0xDC00))
    | c -> Char.code c in
  let rec continued count point =
    if count = 0 then point
    else
      let c = Char.code (next ()) in
      if c land 0xC0 <> 0x80 then malformed "the text is not UTF-8";
      continued (count - 1) ((point lsl 6) lor (c land 0x3F)) in
  let unescaped () =
    let c = Char.code (next ()) in
    if c < 0x80 then c
    else if c land 0xE0 = 0xC0 then continued 1 (c land 0x1F)
    else if c land 0xF0 = 0xE0 then continued 2 (c land 0x0F)
    else if c land 0xF8 = 0xF0 then continued 3 (c land 0x07)
    else malformed "the text is not UTF-8" in
  let string () =
    expect '"';
    let rec points done_ = match peek () with
      | '"' -> incr at; List.rev done_
      | '\\' -> incr at; points (escaped () :: done_)
      | _ -> points (unescaped () :: done_) in
    points [] in
  let word () =
    let start = !at in
    while !at < String.length text && not (String.contains ",]}: \t\r\n" text.[!at]) do incr at done;
    match String.sub text start (!at - start) with
    | "null" -> Null | "true" -> Bool true | "false" -> Bool false
    | number -> Number number in
  let rec items close item =
    skip ();
    if peek () = close then (incr at; [])
    else
      let first = item () in
      skip ();
      if peek () = ',' then (incr at; first :: items close item) else (expect close; [first]) in
  let rec value () =
    skip ();
    match peek () with
    | '"' -> String (string ())
    | '[' -> incr at; Array (items ']' value)
    | '{' -> incr at; Object (items '}' member)
    | _ -> word ()
  and member () =
    skip ();
    let name = utf8 (string ()) in
    skip (); expect ':';
    (name, value ()) in
  let found = value () in
  skip ();
  if !at < String.length text then malformed "there is text after the certificate";
  found

let field name = function
  | Object members -> (match List.assoc_opt name members with Some v -> v | None -> malformed ("there is no " ^ name))
  | _ -> malformed ("expected an object with " ^ name)
let list = function Array items -> items | _ -> malformed "expected a list"
let text = function String points -> utf8 points | _ -> malformed "expected a text"
let one_of what = function String points -> utf8 points | _ -> malformed ("expected " ^ what)

(* Numbers *)

let rec positive_of_int n =
  if n = 1 then XH else if n land 1 = 1 then XI (positive_of_int (n lsr 1)) else XO (positive_of_int (n lsr 1))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive_of_int n) else Zneg (positive_of_int (- n))
let rec nat_of_int n = if n <= 0 then O else S (nat_of_int (n - 1))

let z_of_digits text =
  String.iter (fun c -> if c < '0' || c > '9' then malformed "expected digits") text;
  String.fold_left (fun sum c -> Z.add (Z.mul sum (z_of_int 10)) (z_of_int (Char.code c - 48))) Z0 text
let z_of_string text =
  if text <> "" && text.[0] = '-' then Z.opp (z_of_digits (String.sub text 1 (String.length text - 1))) else z_of_digits text
let n_of_string text = match z_of_digits text with Z0 -> N0 | Zpos p -> Npos p | Zneg _ -> malformed "a natural number"

let z = function Number text -> z_of_string text | _ -> malformed "expected a number"
let nat = function Number text -> nat_of_int (int_of_string text) | _ -> malformed "expected a position"
let positive e = match z e with Zpos p -> p | _ -> malformed "expected a positive number"

(* Fields *)

let decimal text =
  let negative = text <> "" && text.[0] = '-' in
  let digits = if negative then String.sub text 1 (String.length text - 1) else text in
  match String.index_opt digits '.' with
  | None -> Decimal (negative, n_of_string digits, O)
  | Some at ->
      let scale = String.length digits - at - 1 in
      Decimal (negative, n_of_string (String.sub digits 0 at ^ String.sub digits (at + 1) scale), nat_of_int scale)

let constant = function
  | Object ["boolean", Bool b] -> Boolean b
  | Object ["integer", String i] -> Integer (z_of_string (utf8 i))
  | Object ["decimal", String d] -> decimal (utf8 d)
  | Object ["float", Array [String sign; String bits]] -> Float (utf8 sign = "-", n_of_string (utf8 bits))
  | Object ["text", String points] -> Text (List.map z_of_int points)
  | Object ["date", String d] -> Date (n_of_string (utf8 d))
  | Object ["timestamp", String t] -> Timestamp (n_of_string (utf8 t))
  | _ -> malformed "expected a constant"
let value c = value_of (constant c)

(* Conditions; [position] reads a position *)

let operator = function
  | "<" -> LT | ">" -> GT | "=" -> EQ | "<=" -> LE | ">=" -> GE | other -> malformed ("there is no operator " ^ other)

let rec condition position = function
  | Array [String head; phi] when utf8 head = "not" -> Not (condition position phi)
  | Array (String head :: phis) when utf8 head = "and" ->
      List.fold_right (fun phi psi -> And (condition position phi, psi)) phis (Not Never)
  | Array (String head :: phis) when utf8 head = "or" ->
      List.fold_right (fun phi psi -> Or (condition position phi, psi)) phis Never
  | Array [String theta; a; c] -> Compare (position a, operator (utf8 theta), value c)
  | _ -> malformed "expected a condition"

let on_record = condition nat
let on_class = condition (function String _ as count when text count = "count" -> O | column -> S (nat column))

(* Types *)

let column_type = function
  | Null -> Opaque
  | Array [String head; scale] when utf8 head = "decimal" -> OneText (DecimalKind (nat scale))
  | Array [String head; scale] when utf8 head = "spelled" -> Valued (DecimalKind (nat scale))
  | e -> (match text e with
      | "integer" -> OneText IntegerKind | "text" -> OneText TextKind | "boolean" -> OneText BooleanKind
      | "date" -> OneText DateKind | "timestamp" -> OneText TimestampKind
      | "number" -> Valued NumberKind | "float" -> Valued FloatKind
      | other -> malformed ("there is no type " ^ other))

let conversion = function
  | Array [String head; scale] when utf8 head = "decimal" -> AsDecimal (nat scale)
  | e -> (match text e with
      | "text" -> AsText | "spelled" -> AsSpelled | "float" -> AsFloat | "dropped" -> Dropped | "unchanged" -> Unchanged
      | other -> malformed ("there is no conversion " ^ other))

(* Programs *)

let aggregate = function
  | Array [String head; b] ->
      let b = nat b in
      (match utf8 head with
       | "sum" -> Sum b | "min" -> Min b | "max" -> Max b | "distinct" -> CountDistinct b
       | other -> malformed ("there is no function " ^ other))
  | e -> if text e = "count" then Count else malformed "expected an aggregate"

let result = function
  | Array [String head; phi] when utf8 head = "filter" -> Filter (on_record phi)
  | Array [String head; fs; where; g] when utf8 head = "process" ->
      let psi = match where with Null -> None | psi -> Some (on_record psi) in
      Process (List.map aggregate (list fs), psi, List.map nat (list g))
  | e -> if text e = "result" then Result else malformed "expected a result"

let assertion = function
  | Array [String quantifier; p; phi] ->
      (match utf8 quantifier with
       | "each" -> Each (result p, on_record phi)
       | "some" -> Some_ (result p, on_record phi)
       | other -> malformed ("there is no quantifier " ^ other))
  | _ -> malformed "expected an assertion"

let ball = function Array [w; v] -> (positive w, constant v) | _ -> malformed "expected a weight and a value"

(* The checker asks no map for a label, so that any function stands for it. *)
let plain = function
  | Array (String head :: arguments) ->
      (match utf8 head, arguments with
       | "replace", [a; v] -> Replace (nat a, constant v)
       | "random", [a; t; l; u] -> Random (nat a, conversion t, z l, z u)
       | "from", [a; balls] -> RandomFrom (nat a, List.map ball (list balls))
       | "generalize", [a; _] -> Generalize (nat a, fun label -> label)
       | "drop", [columns] -> Drop (List.map nat (list columns))
       | other, _ -> malformed ("there is no action " ^ other))
  | e -> if text e = "reject" then Reject else malformed "expected an action"

let action = function
  | Null -> None
  | Array [String head; Array [a; b]; x] when utf8 head = "probably" ->
      Some (WithProbability ({ qnum = z a; qden = positive b }, plain x))
  | x -> Some (Certain (plain x))

let change = function Array [a; t] -> (nat a, conversion t) | _ -> malformed "expected a change of type"

let requirement e =
  { asserts = assertion (field "assertion" e); retypes = List.map change (list (field "types" e)); acts = action (field "action" e) }

(* BANDS read all texts of a number as that number, so equal values get equal labels. *)
let rec is_bands = function
  | Array [String head; _; x] when utf8 head = "probably" -> is_bands x
  | Array [String head; _; map] when utf8 head = "generalize" -> text map = "bands"
  | _ -> false
let alike program =
  List.concat (List.mapi (fun i e -> if is_bands (field "action" e) then [nat_of_int i] else []) program)

(* Certificates *)

let fact e =
  { function0 = aggregate (field "function" e); selection = on_record (field "where" e);
    groups = List.map nat (list (field "group by" e)); allowed = on_class (field "allowed" e) }

let single = function Array [a; v] -> (nat a, value v) | _ -> malformed "expected a column and its value"
let singles e = List.map single (list e)

let reason = function
  | Array [String head; among] when utf8 head = "values" -> ByValues (List.map value (list among))
  | Array [String head; i; found] when utf8 head = "line" -> FromLine (nat i, singles found)
  | Array [String head; j; u; found] when utf8 head = "own" -> FromOwn (nat j, on_class u, singles found)
  | _ -> malformed "expected a reason"

let premise = function
  | Array [String head; k; why] when utf8 head = "before" -> Before (fact k, reason why)
  | e -> (match text e with "void" -> Void | "fresh" -> Fresh | other -> malformed ("there is no premise " ^ other))

let origin = function
  | Array [String head; why] when utf8 head = "here" -> Here (reason why)
  | Array [String head; spared; hit] when utf8 head = "back" -> Back (premise spared, premise hit)
  | Array [String head; p] when utf8 head = "through" -> Through (premise p)
  | _ -> malformed "expected where a fact comes from"

let line e = (fact (field "fact" e), origin (field "because" e))

let annotation e =
  { column_types = List.map column_type (list (field "types" e)); invariant = on_record (field "invariant" e);
    may = on_record (field "may" e); must = on_record (field "must" e); lines = List.map line (list (field "facts" e)) }

let part = function Array [j; u; why] -> ((nat j, on_class u), reason why) | _ -> malformed "expected a part of a claim"

let is_accepted certificate claim =
  let program = list (field "program" certificate) in
  match List.map annotation (list (field "steps" claim)) with
  | [] -> malformed "a claim has no steps"
  | start :: steps ->
      check (List.map nat (list (field "known" claim))) (alike program)
        (List.map column_type (list (field "types" certificate)))
        (List.map requirement program) (assertion (field "assertion" claim))
        { start; steps; grounds = List.map part (list (field "parts" claim)) }

let verdict certificate claim = try is_accepted certificate claim with Malformed _ | Failure _ | Invalid_argument _ -> false

(* Answers *)

let whole_of name =
  let channel = open_in_bin name in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel; text

let verify name =
  let certificate = read (whole_of name) in
  let say claim =
    let accepted = verdict certificate claim in
    Printf.printf "%s  %s\n" (if accepted then "accepted" else "refused ") (text (field "claim" claim));
    accepted in
  match list (field "claims" certificate) with
  | [] -> print_endline "no claim is certified"; false
  | claims -> List.for_all (fun accepted -> accepted) (List.map say claims)

(* One line for each: a letter for each claim, a or r, and ? for what is no certificate. *)
let answer line =
  try
    let certificate = read line in
    String.concat "" (List.map (fun c -> if verdict certificate c then "a" else "r") (list (field "claims" certificate)))
  with Malformed _ | Failure _ | Invalid_argument _ -> "?"

let () =
  match Array.to_list Sys.argv with
  | [_] -> (try while true do print_endline (answer (input_line stdin)) done with End_of_file -> ())
  | _ :: names ->
      (try exit (if List.for_all (fun accepted -> accepted) (List.map verify names) then 0 else 1)
       with Malformed what | Failure what | Invalid_argument what | Sys_error what -> prerr_endline ("not a certificate: " ^ what); exit 2)
  | [] -> exit 2
