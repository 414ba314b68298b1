"""Algebra as plain SQL of DuckDB, from the same expressions that `acompass explain --algebra` prints."""
