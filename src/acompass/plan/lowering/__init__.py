"""Conditions, values and states of a plan as SQL trees. Nothing here talks to an engine."""
