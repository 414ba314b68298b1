"""`-- allow AC506: why` silences a finding for one requirement (X9)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acompass.lint import lint_policy
from acompass.syntax.allowances import allowances, allowed
from acompass.syntax.format import format_program
from acompass.syntax.parse import parse

TRIVIAL = "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT"
WHY = "-- allow AC501: why not"


def codes(text: str) -> list[str]:
    program, problems = parse(text)
    assert not problems
    return [finding.code for finding in lint_policy(program, text)]


@pytest.mark.parametrize(
    "text",
    [
        f"{WHY}\n{TRIVIAL};",
        f"{TRIVIAL}; {WHY}",
        f"{TRIVIAL} {WHY}\n;",
        f"{TRIVIAL.replace(':', WHY + chr(10) + ':', 1)};",
        f"{WHY}\n\n-- more\n{TRIVIAL};",
        f"EACH RESULT : Age <= 80;\r\n{WHY}\r\n{TRIVIAL};",
        f"EACH RESULT : Age <= 80;\r{WHY}\r{TRIVIAL};",
        f"EACH RESULT : Age <= 80; {TRIVIAL}; {WHY}",
        f"--ALLOW AC501 , AC501 :x\n{TRIVIAL};",
    ],
)
def test_a_finding_is_silenced(text: str) -> None:
    assert codes(text) == []
    assert codes(text.replace("allow", "note").replace("ALLOW", "note")) == ["AC501"]
    assert codes(format_program(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TRIVIAL};\n{WHY}\n{TRIVIAL};", ["AC501"]),
        (f"{TRIVIAL}; {WHY}\n{TRIVIAL};", ["AC501"]),
        (f"{TRIVIAL};\n{WHY}", ["AC501", "AC511"]),
        (f"{TRIVIAL}; -- allow AC502: wrong code", ["AC501", "AC511"]),
        (f"{TRIVIAL}; -- allow AC501, AC502: one of two", ["AC511"]),
        (f"{TRIVIAL}; -- allow AC999: no such code", ["AC501", "AC511"]),
        (f"{TRIVIAL}; -- allow AC212: it cannot be silenced", ["AC501", "AC511"]),
        ("EACH RESULT : Age <= '80'; -- allow AC231: these are codes", []),
        ("EACH RESULT : Age <= 80 AND Sex = '5'; -- allow AC231: nothing is ordered as text", ["AC511"]),
        ("EACH RESULT : Age <= '80'; \n-- allow AC231: no requirement follows", ["AC511"]),
        (f"{TRIVIAL}; /* allow AC501: not so */", ["AC501"]),
        ("EACH RESULT : Age <= 80; -- allow AC511: itself", ["AC511"]),
    ],
)
def test_only_that_finding_of_that_requirement(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize("comment", ["-- allow AC501", "-- allow AC501:  ", "--allow AC501 why"])
def test_a_reason_is_required_at_the_place_of_the_comment(comment: str) -> None:
    text = f"EACH RESULT : a == 1;\n{TRIVIAL}; {comment}\nEACH RESULT : a == 1;"
    _, found = parse(text)
    assert [finding.code for finding in found] == ["AC031", "AC008", "AC031"]
    span = found[1].labels[0].span
    assert text[span.start : span.end] == comment


def test_other_code_can_ask() -> None:
    text = f"{WHY}\nEACH RESULT : a = 1;\nEACH RESULT : b = 1; -- allow AC227, AC509: why"
    program, _ = parse(text)
    found = {at: {c: text[s.start : s.end] for c, s in each.items()} for at, each in allowed(program).items()}
    last = "-- allow AC227, AC509: why"
    assert found == {0: {"AC501": WHY}, 1: {"AC227": last, "AC509": last}}


PARTS = [f"{WHY}\n", f"{WHY}\r\n", "EACH RESULT", "\n: a = 1", " ;", "\n", " /* x */ ", "-- y\n"]


@example(["EACH RESULT", "\n: a = 1", f"{WHY}\n", " ;", f"{WHY}\n"])
@given(st.lists(st.sampled_from(PARTS), max_size=14))
def test_formatting_keeps_the_requirement_of_every_allow(parts: list[str]) -> None:
    text = "".join(parts)
    program, problems = parse(text)
    if not problems:
        formatted, _ = parse(format_program(text))
        before = [(each.code, each.at) for each in allowances(program)]
        assert [(each.code, each.at) for each in allowances(formatted)] == before
