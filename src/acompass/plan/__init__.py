"""A checked program as a plan: stages in the order they run.

`planner` builds the plan and applies the rewrites, which make it fast. `lowering/` writes it as SQL trees, and `run/`
runs it over an engine's session."""
