"""What holds for the text of every suggested policy."""

import acompass
from acompass.policy import Policy
from acompass.syntax.format import format_program


def assert_tidy(policy: Policy) -> None:
    assert format_program(policy.text) == policy.text
    assert max(map(len, policy.text.splitlines())) <= 100
    assert acompass.lint(policy) == ()
    assert {claim.verdict for claim in acompass.prove(policy).claims} == {"proved"}
