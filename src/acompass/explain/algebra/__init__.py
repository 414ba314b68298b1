"""A policy as relational algebra over bags: expressions, the arrow from a tree, and their text."""

from acompass.explain.algebra.to_text import to_algebra

__all__ = ["to_algebra"]
