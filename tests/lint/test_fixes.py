"""The fixes that lint offers remove the finding, and none is applied unasked."""

import pytest

from acompass.diagnostics import Diagnostic
from acompass.diagnostics.fixing import apply_edits
from acompass.lint import lint_policy
from acompass.syntax.parse import parse

TRIVIAL = "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT;"
SHADOWED = "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT : Age <= 90 : REJECT;\n"
POINTLESS = "ALWAYS : WITH PROBABILITY 0.5 REPLACE Zip WITH 'x';\nALWAYS : DROP Zip;\n"
STALE = "EACH RESULT : Age <= 80;\nEACH RESULT : Zip > 'm' : REPLACE Age WITH 99;\n"


def findings(text: str) -> tuple[Diagnostic, ...]:
    program, problems = parse(text)
    assert not problems
    return lint_policy(program, text)


#: findings about a step of a THEN, which cannot be removed or moved alone
STEPS = (
    "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : GENERALIZE Zip TO PREFIX OF 2 THEN REJECT;",
    "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 3 : REJECT THEN REPLACE Zip WITH '*';",
    "ALWAYS : GENERALIZE Zip TO PREFIX OF 3 THEN GENERALIZE Zip TO PREFIX OF 3;",
)


@pytest.mark.parametrize("text", STEPS)
def test_no_fix_is_offered_for_a_step(text: str) -> None:
    assert findings(text)
    assert not any(finding.fixes for finding in findings(text))


@pytest.mark.parametrize(
    ("text", "code"),
    [(TRIVIAL, "AC501"), (SHADOWED, "AC502"), (STALE, "AC505"), (POINTLESS, "AC515")],
)
def test_an_offered_fix_removes_the_finding(text: str, code: str) -> None:
    (finding,) = (each for each in findings(text) if each.code == code)
    (fix,) = finding.fixes
    assert not fix.is_safe
    assert code not in {each.code for each in findings(apply_edits(text, fix.edits))}
