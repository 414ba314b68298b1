"""Counterexamples to claims. No proof depends on them, and each is replayed through `semantics`."""
