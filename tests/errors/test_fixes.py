"""A safe fix removes its diagnostic and changes nothing else in the policy."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acompass.errors.diagnostics import (
    MOST_ROUNDS,
    Diagnostic,
    Edit,
    Fix,
    Span,
    apply_edits,
    compatible_fixes,
    fix_safely,
)
from acompass.language.program.checker import check
from acompass.language.program.types import INTEGER, TEXT, make_schema
from acompass.language.text.parser import parse_text
from tests.errors.pages import Page, find_codes, pages
from tests.text.mistakes import MISTAKES
from tests.text.trees import PAPER

#: single lines, because an open quote or comment would include the next line
ONE_LINE = [mistake.text for mistake in MISTAKES if mistake.code not in {"AC002", "AC003", "AC004"}]
SOUND = [" ".join(text.split()) for text in PAPER if "--" not in text]
COMMENTS = ["-- Age == 80", "/* a IN (1, 2) */", "-- ;;"]


def diagnose(text: str) -> tuple[Diagnostic, ...]:
    return parse_text(text)[1]


def safe_fix(page: Page) -> Fix | None:
    found = [fix for each in diagnose(page.example["acompass"]) if each.code == page.code for fix in each.fixes]
    return next((fix for fix in found if fix.is_safe), None)


FIXED_PAGES = [page for page in pages() if page.code < "AC1" and "acompass" in page.example and safe_fix(page)]


def test_a_page_says_whether_its_fix_is_safe() -> None:
    said = [page.code for page in pages() if "`acompass lint --fix` makes this correction." in page.sections["Fix"]]
    assert said == [page.code for page in FIXED_PAGES]
    assert len(said) >= 15


@pytest.mark.parametrize("page", FIXED_PAGES, ids=lambda page: page.code)
def test_the_safe_fix_of_an_example_gives_a_policy_that_parses(page: Page, tmp_path: Path) -> None:
    fix = safe_fix(page)
    assert fix is not None
    fixed = apply_edits(page.example["acompass"], fix.edits)
    assert not {code for code in find_codes(page.example | {"acompass": fixed}, tmp_path) if code < "AC1"}


@pytest.mark.parametrize("page", FIXED_PAGES, ids=lambda page: page.code)
def test_the_safe_fix_means_the_same_as_the_fix_on_the_page(page: Page) -> None:
    fixed = fix_safely(page.example["acompass"], diagnose).text
    assert parse_text(fixed) == parse_text(page.fix["acompass"])


def test_several_mistakes_in_one_requirement_are_fixed_in_turn() -> None:
    fixed = fix_safely("EAHC RESULT : Age == 1 && Zip ≠ 'x' REJECT -- why", diagnose)
    assert fixed.text == "EACH RESULT : Age = 1 AND Zip != 'x' : REJECT; -- why"
    assert fixed.applied == 6


def test_a_mistake_with_two_readings_is_not_fixed() -> None:
    text = 'EACH RESULT : a = 1 XOR b = 2;\nEACH RESULT : a = "b";\nEACH RECORD a = 1 : a = 2 : REJECT;'
    assert fix_safely(text, diagnose).text == text


@given(st.lists(st.sampled_from([*ONE_LINE, *SOUND, *COMMENTS]), max_size=8))
def test_fixes_leave_comments_and_other_requirements_unchanged(lines: list[str]) -> None:
    fixed = fix_safely("\n".join(lines), diagnose).text.split("\n") if lines else []
    assert len(fixed) == len(lines)
    kept = {*SOUND, *COMMENTS}
    assert [after for before, after in zip(lines, fixed, strict=True) if before in kept] == [
        line for line in lines if line in kept
    ]


@given(st.text("EACH :=!<>;-/*'\"ab\n", max_size=60))
def test_a_fix_keeps_every_character_outside_its_edits(text: str) -> None:
    for diagnostic in diagnose(text):
        for fix in diagnostic.fixes:
            fixed = apply_edits(text, fix.edits)
            for edit in sorted(fix.edits, key=lambda edit: edit.span.start, reverse=True):
                fixed = _undo(fixed, edit, fix, text)
            assert fixed == text


def _undo(fixed: str, edit: Edit, fix: Fix, text: str) -> str:
    before = [each for each in fix.edits if each.span.start < edit.span.start]
    start = edit.span.start + sum(len(each.text) - (each.span.end - each.span.start) for each in before)
    assert fixed[start : start + len(edit.text)] == edit.text
    return fixed[:start] + text[edit.span.start : edit.span.end] + fixed[start + len(edit.text) :]


def test_overlapping_fixes_wait_for_the_next_round() -> None:
    first, second = (Fix("", (Edit(Span(start, start + 2), "x"),), True) for start in (0, 1))
    assert list(compatible_fixes([first, second])) == [first]


def test_a_fix_that_never_ends_is_applied_a_bounded_number_of_times() -> None:
    endless = Diagnostic("AC001", "m", fixes=(Fix("", (Edit(Span(0, 0), "x"),), True),))
    assert fix_safely("", lambda _: [endless]).text == "x" * MOST_ROUNDS


SCHEMA = make_schema({"Age": INTEGER, "Zip": TEXT, "Postal Code": TEXT, "zip": TEXT})


@pytest.mark.parametrize(
    ("text", "code", "fixed"),
    [
        ("EACH RESULT : Aeg = 1;", "AC101", ["EACH RESULT : Age = 1;"]),
        ("EACH RESULT : Post  code= 'x';", "AC101", ["EACH RESULT : Postal Code= 'x';"]),
        ("EACH RESULT : ZIP = 'x';", "AC102", ["EACH RESULT : Zip = 'x';", "EACH RESULT : zip = 'x';"]),
        (
            "EACH PROCESS COUNT(*) AS n GROUP BY Age, Age : n > 1;",
            "AC105",
            ["EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1;"],
        ),
        ("EACH PROCESS COUNT(*) AS n GROUP BY Age, -- c\n Age : n > 1;", "AC105", []),
        ("EACH RESULT : Age >= kk;", "AC106", ["EACH RESULT : Age >= k;"]),
        ("EACH RESULT : Zip >= kk;", "AC106", ["EACH RESULT : Zip >= k;", "EACH RESULT : Zip >= 'kk';"]),
        ("EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= least;", "AC106", []),
        ("EACH RESULT : Zip = Age;", "AC108", ["EACH RESULT : Zip = 'Age';"]),
        ("EACH RESULT : Age >= '18';", "AC110", ["EACH RESULT : Age >= 18;"]),
        ("EACH RESULT : Zip = 02139;", "AC110", ["EACH RESULT : Zip = '02139';"]),
        ("EACH RESULT : Zip = k;", "AC110", []),
        ("EACH RESULT : Age = 3 : RANDOM Age 9 k;", "AC115", ["EACH RESULT : Age = 3 : RANDOM Age k 9;"]),
    ],
)
def test_fixes_are_offered_for_a_policy_that_does_not_fit_its_table(text: str, code: str, fixed: list[str]) -> None:
    finding = next(each for each in _findings(text) if each.code == code)
    assert [apply_edits(text, fix.edits) for fix in finding.fixes] == fixed
    assert not any(fix.is_safe for fix in finding.fixes)


def test_a_group_by_without_its_space_is_not_part_of_the_name() -> None:
    text = "EACH PROCESS COUNT(*) AS Size GROUPBY Age : Size > 3;"
    fixed = fix_safely(text, _findings).text
    assert fixed == "EACH PROCESS COUNT(*) AS Size GROUP BY Age : Size > 3;"
    assert not [each for each in _findings(fixed) if each.code == "AC103"]


def _findings(text: str) -> tuple[Diagnostic, ...]:
    program, problems = parse_text(text)
    assert not problems
    return check(program, text, SCHEMA, {"k": 3})[1]
