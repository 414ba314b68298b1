"""The laws and rules of proofs (docs/prove.md, sections 2 to 6): all that the soundness of a proof rests on."""
