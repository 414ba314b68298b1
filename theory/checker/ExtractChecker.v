(** Extracts the certificate checker to OCaml, in certificates.ml, with the texts of constants and the kinds of columns, for
    printing what was checked. Numbers stay Coq's own. *)
From Coq Require Import Extraction ExtrOcamlBasic ZArith.
From Acompass Require Import Values ClassFacts Typing Certificates.

Extraction Language OCaml.
Extraction "certificates.ml" check value_of text_of tag_of kind_of_type kind_of_aggregate Z.div Z.modulo.
