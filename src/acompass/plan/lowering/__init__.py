"""Conditions, values and classes of a plan as SQL trees. Nothing here talks to an engine."""
