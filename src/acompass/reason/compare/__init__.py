"""Comparison of two policies: whether they are equivalent, and what only the new one can release.

The package builds on `prove` and `reason.privacy`, and imports nothing from the planner or the engines."""
