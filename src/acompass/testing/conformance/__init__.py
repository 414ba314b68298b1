"""Test whether an engine agrees with `semantics` on random programs and tables."""
