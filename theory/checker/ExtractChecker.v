(** Extracts the certificate checker to OCaml, in certificates.ml. Numbers stay Coq's own. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From Acompass Require Import Values Certificates.

Extraction Language OCaml.
Extraction "certificates.ml" check value_of.
