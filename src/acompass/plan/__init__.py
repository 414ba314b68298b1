"""The checked program as stages, and the stages as relational expressions of an engine's dialect.

`from_checked` is the arrow into it, `rewrites` make it fast, `execute` runs it over a `Session`.
"""
