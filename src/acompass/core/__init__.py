"""A policy in the paper's language, the core (X0)."""
