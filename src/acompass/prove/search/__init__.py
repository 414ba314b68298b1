"""The search for proofs, and the verdict on each claim."""
