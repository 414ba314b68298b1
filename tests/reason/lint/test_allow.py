"""`-- allow AC506: why` silences a finding for one requirement (X9)."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import acompass
from acompass.errors.diagnostics import AcompassError, Diagnostic, apply_edits
from acompass.language.text.formatter import format_program
from acompass.language.text.parser import allowances, allowed_codes, parse_text
from acompass.prove.search.verdicts import prove_policy
from acompass.reason.lint.linter import lint_policy
from tests.errors.pages import Page, pages

TRIVIAL = "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT"
WHY = "-- allow AC501: why not"


def codes(text: str) -> list[str]:
    program, problems = parse_text(text)
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
def test_an_allow_silences_only_that_finding_of_that_requirement(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize("comment", ["-- allow AC501", "-- allow AC501:  ", "--allow AC501 why"])
def test_a_reason_is_required_at_the_place_of_the_comment(comment: str) -> None:
    text = f"EACH RESULT : a == 1;\n{TRIVIAL}; {comment}\nEACH RESULT : a == 1;"
    _, found = parse_text(text)
    assert [finding.code for finding in found] == ["AC031", "AC008", "AC031"]
    span = found[1].labels[0].span
    assert text[span.start : span.end] == comment


def test_allowed_codes_are_listed_by_requirement() -> None:
    text = f"{WHY}\nEACH RESULT : a = 1;\nEACH RESULT : b = 1; -- allow AC227, AC509: why"
    program, _ = parse_text(text)
    found = {at: {c: text[s.start : s.end] for c, s in each.items()} for at, each in allowed_codes(program).items()}
    last = "-- allow AC227, AC509: why"
    assert found == {0: {"AC501": WHY}, 1: {"AC227": last, "AC509": last}}


PARTS = [f"{WHY}\n", f"{WHY}\r\n", "EACH RESULT", "\n: a = 1", " ;", "\n", " /* x */ ", "-- y\n"]


@example(["EACH RESULT", "\n: a = 1", f"{WHY}\n", " ;", f"{WHY}\n"])
@given(st.lists(st.sampled_from(PARTS), max_size=14))
def test_formatting_keeps_the_requirement_of_every_allow(parts: list[str]) -> None:
    text = "".join(parts)
    program, problems = parse_text(text)
    if not problems:
        formatted, _ = parse_text(format_program(text))
        before = [(each.code, each.at) for each in allowances(program)]
        assert [(each.code, each.at) for each in allowances(formatted)] == before


#: AC516 and AC556 are run by tests/cli, AC553 to AC555 by tests/reason/privacy
PAGES = [page for page in pages() if page.code.startswith("AC5") and page.code < "AC553" and page.code != "AC516"]


def page_codes(blocks: dict[str, str]) -> set[str]:
    text = blocks["acompass"]
    policy, problems = parse_text(text)
    assert not problems
    schema = dict(line.split(": ") for line in blocks["schema"].splitlines()) if "schema" in blocks else None
    types = dict(line.split(": ") for line in blocks["types"].splitlines()) if "types" in blocks else None
    claims = blocks["claim"].splitlines() if "claim" in blocks else None
    if "csv" in blocks:
        return codes_for_table(blocks)
    try:
        prove_policy(policy, text, claims, schema, types=types)
        return {finding.code for finding in lint_policy(policy, text, schema, types=types)}
    except AcompassError as error:
        return {finding.code for finding in error.diagnostics}


def codes_for_table(blocks: dict[str, str]) -> set[str]:
    """The codes of a policy that is linted with a table and a hierarchy."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "table.csv").write_text(blocks["csv"], encoding="utf-8")
        (folder / "jobs.csv").write_text(blocks.get("hierarchy", ""), encoding="utf-8")
        (folder / "policy.acp").write_text(blocks["acompass"], encoding="utf-8")
        policy = acompass.load(folder / "policy.acp")
        return {finding.code for finding in acompass.lint(policy, table=folder / "table.csv")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_of_a_page_gives_its_finding(page: Page) -> None:
    assert page.code in page_codes(page.example)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_fix_of_a_page_gives_no_finding(page: Page) -> None:
    assert page.fix != page.example
    assert page_codes(page.fix) == set()


def test_every_finding_has_a_page() -> None:
    assert {page.code for page in PAGES} >= {f"AC{number}" for number in range(501, 516)}


FIXES_TRIVIAL = "EACH PROCESS COUNT(*) AS c GROUP BY Zip : c >= 1 : REJECT;"
SHADOWED = "EACH RESULT : Age <= 80 : REJECT;\nEACH RESULT : Age <= 90 : REJECT;\n"
POINTLESS = "ALWAYS : WITH PROBABILITY 0.5 REPLACE Zip WITH 'x';\nALWAYS : DROP Zip;\n"
STALE = "EACH RESULT : Age <= 80;\nEACH RESULT : Zip > 'm' : REPLACE Age WITH 99;\n"


def findings(text: str) -> tuple[Diagnostic, ...]:
    program, problems = parse_text(text)
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
    [(FIXES_TRIVIAL, "AC501"), (SHADOWED, "AC502"), (STALE, "AC505"), (POINTLESS, "AC515")],
)
def test_an_offered_fix_removes_the_finding(text: str, code: str) -> None:
    (finding,) = (each for each in findings(text) if each.code == code)
    (fix,) = finding.fixes
    assert not fix.is_safe
    assert code not in {each.code for each in findings(apply_edits(text, fix.edits))}
