"""A checked program as a plan: stages in the order they run.

`from_checked` builds the plan and `rewrites/` make it fast. `lowering/` writes it as SQL trees, and
`running/` runs it over an engine's session.
"""
