"""Conformance of an engine: whether it agrees with `semantics` on random programs and tables."""
