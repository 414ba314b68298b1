"""What is probably a mistake in a policy, each finding with a code, a page and a fix.

It stands on `prove`: what is reported is so on some table, or on all.
"""

from acompass.lint.policy import lint_policy

__all__ = ["lint_policy"]
