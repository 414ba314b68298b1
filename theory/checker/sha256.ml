(* SHA-256, as FIPS 180-4 defines it. *)

let start = [|
    0x6a09e667; 0xbb67ae85; 0x3c6ef372; 0xa54ff53a; 0x510e527f; 0x9b05688c; 0x1f83d9ab; 0x5be0cd19 |]
let constants = [|
    0x428a2f98; 0x71374491; 0xb5c0fbcf; 0xe9b5dba5; 0x3956c25b; 0x59f111f1; 0x923f82a4; 0xab1c5ed5;
    0xd807aa98; 0x12835b01; 0x243185be; 0x550c7dc3; 0x72be5d74; 0x80deb1fe; 0x9bdc06a7; 0xc19bf174;
    0xe49b69c1; 0xefbe4786; 0x0fc19dc6; 0x240ca1cc; 0x2de92c6f; 0x4a7484aa; 0x5cb0a9dc; 0x76f988da;
    0x983e5152; 0xa831c66d; 0xb00327c8; 0xbf597fc7; 0xc6e00bf3; 0xd5a79147; 0x06ca6351; 0x14292967;
    0x27b70a85; 0x2e1b2138; 0x4d2c6dfc; 0x53380d13; 0x650a7354; 0x766a0abb; 0x81c2c92e; 0x92722c85;
    0xa2bfe8a1; 0xa81a664b; 0xc24b8b70; 0xc76c51a3; 0xd192e819; 0xd6990624; 0xf40e3585; 0x106aa070;
    0x19a4c116; 0x1e376c08; 0x2748774c; 0x34b0bcb5; 0x391c0cb3; 0x4ed8aa4a; 0x5b9cca4f; 0x682e6ff3;
    0x748f82ee; 0x78a5636f; 0x84c87814; 0x8cc70208; 0x90befffa; 0xa4506ceb; 0xbef9a3f7; 0xc67178f2 |]

let bits = 0xFFFFFFFF
let rotated n x = ((x lsr n) lor (x lsl (32 - n))) land bits

let padded text =
  let length = String.length text in
  let zeros = (119 - length mod 64) mod 64 in
  let size = String.init 8 (fun i -> Char.chr (((8 * length) lsr (56 - 8 * i)) land 0xFF)) in
  text ^ "\x80" ^ String.make zeros '\000' ^ size

(* The words of the block at a position, and those that follow from them *)
let schedule text at =
  let words = Array.make 64 0 in
  for t = 0 to 63 do
    words.(t) <-
      if t < 16 then Int32.to_int (String.get_int32_be text (at + 4 * t)) land bits
      else
        let x = words.(t - 15) and y = words.(t - 2) in
        let small = rotated 7 x lxor rotated 18 x lxor (x lsr 3) in
        let large = rotated 17 y lxor rotated 19 y lxor (y lsr 10) in
        (words.(t - 16) + small + words.(t - 7) + large) land bits
  done;
  words

let step words (a, b, c, d, e, f, g, h) t =
  let choice = (e land f) lxor (lnot e land g) and majority = (a land b) lxor (a land c) lxor (b land c) in
  let first = h + (rotated 6 e lxor rotated 11 e lxor rotated 25 e) + choice + constants.(t) + words.(t) in
  let second = (rotated 2 a lxor rotated 13 a lxor rotated 22 a) + majority in
  ((first + second) land bits, a, b, c, (d + first) land bits, e, f, g)

let add_block text sums at =
  let words = schedule text at in
  let s = sums in
  let (a, b, c, d, e, f, g, h) =
    List.fold_left (step words) (s.(0), s.(1), s.(2), s.(3), s.(4), s.(5), s.(6), s.(7)) (List.init 64 Fun.id) in
  Array.map2 (fun x y -> (x + y) land bits) sums [| a; b; c; d; e; f; g; h |]

(* The hash of a text, in hexadecimal *)
let hex text =
  let text = padded text in
  let sums = ref start in
  for block = 0 to String.length text / 64 - 1 do sums := add_block text !sums (64 * block) done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list !sums))
