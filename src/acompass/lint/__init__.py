"""Probable mistakes in a policy. Each finding has a code, a page and a fix.

It builds on `prove`, so every finding is true of some table, or of all.
"""

from acompass.lint.policy import INCOMPLETE, lint_policy

__all__ = ["INCOMPLETE", "lint_policy"]
