(* `verify CERTIFICATE [--policy POLICY]` checks a certificate of `acompass prove --certificate`, and prints the columns, the
   requirements and the claims that it has checked. `verify --lines` reads a certificate from each line of the input, and prints
   a line for each: a letter for each claim, a or r, or ? for what is not a certificate, and the printed text, with tabs for line ends. *)

open Certificates
open Json
open Reading

let is_accepted file { asserted; known; proof } = check known file.alike file.types file.program asserted proof

let types_of_steps { proof } = List.map (fun a -> a.column_types) (proof.start :: proof.steps)

let indented = List.map (fun line -> "  " ^ line)

let shown_columns file =
  let names = List.map Statement.name file.names in
  let width = List.fold_left (fun most name -> max most (List.length (points name))) 0 names in
  let line name type_ = name ^ String.make (width - List.length (points name)) ' ' ^ "  " ^ Statement.type_ type_ in
  if List.length names <> List.length file.types then malformed "there is not one type for each column";
  List.map2 line names file.types

let shown_claim last file ({ asserted; known } as claim) =
  let is_accepted = is_accepted file claim in
  let text = Statement.assertion last asserted in
  (is_accepted, ((if is_accepted then "accepted  " else "refused   ") ^ text)
                :: List.map (fun proviso -> "          " ^ proviso) (Statement.proviso known))

(* Whether each claim is accepted, and the text that says what was checked *)
let statement file = match file.claims with
  | [] -> ([], ["no claim is certified"])
  | first :: others ->
      let types = types_of_steps first in
      if List.exists (fun other -> types_of_steps other <> types) others then malformed "the claims disagree about the types";
      let names = List.map (fun name -> Some (Statement.name name)) file.names in
      let (requirements, last) = Statement.requirements file.alike 0 names types file.program in
      let claims = List.map (shown_claim last file) file.claims in
      let numbered = List.mapi (fun i text -> Printf.sprintf "%d  %s" (i + 1) text) requirements in
      (List.map fst claims,
       "columns of the table" :: indented (shown_columns file) @ "requirements" :: indented numbered
       @ "claims about the table that a run of these requirements leaves, for any table with these columns and any random numbers"
         :: indented (List.concat_map snd claims))

(* Files *)

let whole_of name =
  let channel = open_in_bin name in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel; text

(* `acompass` reads a policy without its byte order mark. *)
let hash_of_policy name =
  let text = whole_of name in
  let mark = "\xEF\xBB\xBF" in
  Sha256.hex (if String.starts_with ~prefix:mark text then String.sub text 3 (String.length text - 3) else text)

let compared { sha256 } = function
  | None -> (true, ["the policy with the SHA-256 " ^ sha256; "no file was compared with it: use --policy POLICY"])
  | Some policy ->
      if hash_of_policy policy = sha256 then
        (true, [policy ^ " has the SHA-256 of the certificate"; "whether it has the requirements above is for the reader to compare"])
      else (false, [policy ^ " is another policy: its SHA-256 is not that of the certificate"])

let verify name policy =
  let file = certificate (read (whole_of name)) in
  let (is_same, about_policy) = compared file policy in
  let about_policy = "policy" :: indented about_policy in
  let (accepted, lines) = if is_same then statement file else ([], []) in
  List.iter print_endline (lines @ about_policy);
  is_same && accepted <> [] && List.for_all Fun.id accepted

let too_large = "it needs more memory than the stack has: ulimit -s unlimited"

let answer line =
  try
    let file = certificate (read line) in
    let (accepted, lines) = statement file in
    let letters = String.concat "" (List.map (fun yes -> if yes then "a" else "r") accepted) in
    String.concat "\t" (letters :: lines @ "policy" :: indented (snd (compared file None)))
  with Malformed what -> "?\t" ^ what | Stack_overflow -> "?\t" ^ too_large

let trusts = [
  "Coq", "its kernel has checked the proofs in theory/, which use no axiom, correctly";
  "extraction", Printf.sprintf "Coq has translated the function `check` to OCaml correctly, %d lines" Lines.extracted;
  "OCaml", "its compiler and the machine run the translation as it is written";
  "verify", Printf.sprintf "%d lines of OCaml without a proof read JSON (%d of them), call `check` and print what it checked" Lines.unproved Lines.json;
  "definitions", "theory/paper/ says what the language means; it is compared with `semantics` on random programs";
  "policy", "the printed requirements are those of the policy, with its parameters; a reader compares them";
  "SHA-256", "policies with the same hash are the same";
  "table", "it has the printed columns, with values of the printed types and none missing; no other column is read";
  "checks", "those that a claim names held when the run reached them, which the report of the run shows";
  "maps", "labels are texts, a run stops where a value has no label, and BANDS give equal numbers equal labels";
  "run", "the engine that runs the policy follows `semantics`; they are compared on random programs";
]

let () =
  let refuse what = prerr_endline what; exit 2 in
  try match List.tl (Array.to_list Sys.argv) with
    | ["--lines"] -> (try while true do print_endline (answer (input_line stdin)) done with End_of_file -> ())
    | ["--trusts"] ->
        print_endline "an accepted claim holds for the table that a run leaves if all of this is true";
        List.iter (fun (what, why) -> Printf.printf "  %-12s %s\n" what why) trusts
    | [name] when not (String.starts_with ~prefix:"-" name) -> exit (if verify name None then 0 else 1)
    | [name; "--policy"; policy] | ["--policy"; policy; name] -> exit (if verify name (Some policy) then 0 else 1)
    | _ -> refuse "usage: verify CERTIFICATE [--policy POLICY] | verify --trusts"
  with
  | Malformed what -> refuse ("not a certificate: " ^ what)
  | Stack_overflow -> refuse too_large
  | Sys_error what -> refuse what
  | End_of_file -> refuse "the file has changed while it was read"
