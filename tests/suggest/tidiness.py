"""What holds for the text of every suggested policy."""

import acompass
from acompass.policy import Policy
from acompass.syntax.format import format_program


def assert_tidy(policy: Policy, *, may_idle: bool = False) -> None:
    """`may_idle` says that nobody searched for the steps, so that one of them may change nothing (AC512)."""
    assert format_program(policy.text) == policy.text
    assert max(map(len, policy.text.splitlines())) <= 100
    found = {finding.code for finding in acompass.lint(policy)}
    assert found <= ({"AC512"} if may_idle else set())
    assert {claim.verdict for claim in acompass.prove(policy).claims} == {"proved"}
