"""Counterexamples to claims. No proof rests on them, and each is replayed through `semantics`."""
