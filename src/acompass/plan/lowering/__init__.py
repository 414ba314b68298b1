"""A plan's conditions, values and classes as SQL trees. Nothing here talks to an engine."""
