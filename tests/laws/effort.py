"""How hard a law is tried. No deadline: a loaded machine is not a counterexample."""

from hypothesis import settings

LAW = settings(max_examples=300, deadline=None)
