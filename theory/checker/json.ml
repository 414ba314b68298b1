(* Reads JSON strictly: no duplicate member, no control character, no number but an integer, nothing after the value. *)

type t = Null | Bool of bool | Number of string | String of string | Array of t list | Object of (string * t) list

exception Malformed of string
let malformed what = raise (Malformed what)

(* the deepest nesting of values, so that no file exhausts the stack *)
let deepest = 1000

(* Code points that a terminal does not show, or that change the order in which it shows others. *)
let is_control c =
  c < 0x20 || (0x7F <= c && c <= 0x9F) || (0x2028 <= c && c <= 0x202E) || (0x2060 <= c && c <= 0x206F)
  || (0xFFF9 <= c && c <= 0xFFFB) || (0xE0000 <= c && c <= 0xE007F)
  || List.mem c [0xAD; 0x061C; 0x180E; 0x200B; 0x200E; 0x200F; 0xFEFF]

let all_of text holds = String.fold_left (fun so_far c -> so_far && holds c) true text
let is_digits text = text <> "" && all_of text (fun c -> '0' <= c && c <= '9')
let without_sign text = if text <> "" && text.[0] = '-' then String.sub text 1 (String.length text - 1) else text
(* An integer as Python and JSON write it: no leading zero, no sign but a minus, no negative zero *)
let is_integer text =
  let digits = without_sign text in
  is_digits digits && (digits.[0] <> '0' || text = "0")

let rec read_points text at =
  if at >= String.length text then []
  else
    let c = Char.code text.[at] in
    let size = if c < 0x80 then 1 else if c < 0xE0 then 2 else if c < 0xF0 then 3 else 4 in
    let rest = List.init (size - 1) (fun i -> Char.code text.[at + 1 + i] land 0x3F) in
    let first = if size = 1 then c else c land (0x7F lsr size) in
    List.fold_left (fun point more -> (point lsl 6) lor more) first rest :: read_points text (at + size)
(* The code points of a text that [read] has found to be UTF-8 *)
let points text = read_points text 0

let read text =
  let at = ref 0 in
  let peek () = if !at < String.length text then text.[!at] else malformed "the text ends early" in
  let next () = let c = peek () in incr at; c in
  let expect c = if next () <> c then malformed (Printf.sprintf "expected `%c` at byte %d" c !at) in
  let rec skip () = if !at < String.length text && String.contains " \t\r\n" text.[!at] then (incr at; skip ()) in
  let digit () = match next () with
    | '0' .. '9' as c -> Char.code c - 48
    | 'a' .. 'f' as c -> Char.code c - 87
    | 'A' .. 'F' as c -> Char.code c - 55
    | _ -> malformed "expected four hexadecimal digits" in
  let hex () = List.fold_left (fun sum () -> 16 * sum + digit ()) 0 [(); (); (); ()] in
  let escaped () = match next () with
    | '"' -> 0x22 | '\\' -> 0x5C | '/' -> 0x2F
    | 'u' ->
        let high = hex () in
        if high < 0xD800 || high > 0xDBFF then high
        else begin
          expect '\\'; expect 'u';
          let low = hex () in
          if low < 0xDC00 || low > 0xDFFF then malformed "half a surrogate pair";
          0x10000 + ((high - 0xD800) lsl 10) + (low - 0xDC00)
        end
    | _ -> malformed "an escape sequence that JSON does not have, or that is a control character" in
  let rec continued count point =
    if count = 0 then point
    else
      let c = Char.code (next ()) in
      if c land 0xC0 <> 0x80 then malformed "the text is not UTF-8";
      continued (count - 1) ((point lsl 6) lor (c land 0x3F)) in
  let from least point = if point < least then malformed "the text is not UTF-8" else point in
  let unescaped () =
    let c = Char.code (next ()) in
    if c < 0x80 then c
    else if c land 0xE0 = 0xC0 then from 0x80 (continued 1 (c land 0x1F))
    else if c land 0xF0 = 0xE0 then from 0x800 (continued 2 (c land 0x0F))
    else if c land 0xF8 = 0xF0 then from 0x10000 (continued 3 (c land 0x07))
    else malformed "the text is not UTF-8" in
  let string () =
    expect '"';
    let found = Buffer.create 16 in
    while peek () <> '"' do
      let point = if peek () = '\\' then (incr at; escaped ()) else unescaped () in
      if is_control point then malformed "a text has a control character";
      if not (Uchar.is_valid point) then malformed "a text has half a surrogate pair";
      Buffer.add_utf_8_uchar found (Uchar.of_int point)
    done;
    incr at;
    Buffer.contents found in
  let word () =
    let start = !at in
    while !at < String.length text && not (String.contains ",]}: \t\r\n" text.[!at]) do incr at done;
    match String.sub text start (!at - start) with
    | "null" -> Null | "true" -> Bool true | "false" -> Bool false
    | number -> if is_integer number then Number number else malformed (Printf.sprintf "expected a value at byte %d" start) in
  let items close item =
    incr at; skip ();
    if peek () = close then (incr at; [])
    else
      let rec more found =
        let found = item () :: found in
        skip ();
        if peek () = ',' then (incr at; more found) else (expect close; List.rev found) in
      more [] in
  let rec value depth =
    if depth > deepest then malformed "values are nested too deep";
    skip ();
    match peek () with
    | '"' -> String (string ())
    | '[' -> Array (items ']' (fun () -> value (depth + 1)))
    | '{' ->
        let members = items '}' (member depth) in
        let names = List.map fst members in
        if List.length (List.sort_uniq compare names) < List.length names then malformed "an object has a duplicate member";
        Object members
    | _ -> word ()
  and member depth () =
    skip ();
    let name = string () in
    skip (); expect ':';
    (name, value (depth + 1)) in
  let found = value 0 in
  skip ();
  if !at < String.length text then malformed "there is text after the certificate";
  found

(* The values of an object that has exactly these members *)
let members names = function
  | Object found ->
      if List.sort compare (List.map fst found) <> List.sort compare names
      then malformed ("expected an object with the members " ^ String.concat ", " names);
      List.map (fun name -> List.assoc name found) names
  | _ -> malformed ("expected an object with the members " ^ String.concat ", " names)
let list = function Array items -> items | _ -> malformed "expected a list"
let text = function String text -> text | _ -> malformed "expected a text"
