"""Results as text in a terminal and as a table in a notebook."""

from dataclasses import replace
from fractions import Fraction

from acompass.errors.display import PLAIN, Style
from acompass.report import Context, render
from acompass.result import Plan, Result
from tests.report.pages import EMPTY, MIXED

#: the result of a run, whose actions were performed
PERFORMED = replace(MIXED, performed=True)
RAN = """\
line  verdict     affected  action        requirement
   2  repaired  3 of 1,000  replaced      EACH RESULT : Age <= 80 : REPLACE Age WITH 80
   6  holds     0 of 1,000  nothing       EACH PROCESS COUNT(*) AS Size GROUP BY Age : Size >= 2 : REJECT
   7  violated  1 of 1,000  only checked  EACH RESULT : Name < '<b>&' OR Name > '\\x07'

1,000 records in, 1,000 out, 1 value of the trace used
"""


def run_text(result: Result, style: Style = PLAIN) -> str:
    return render(replace(result, performed=True), "text", Context(style=style))


def check_text(result: Result) -> str:
    return render(result, "text")


def test_a_run_shows_a_line_for_each_requirement_and_the_records_in_and_out() -> None:
    assert run_text(PERFORMED) == RAN


def test_a_check_shows_the_number_of_violations_and_the_intended_actions() -> None:
    lines = check_text(MIXED).splitlines()
    assert lines[1].split()[:6] == ["2", "violated", "3", "of", "1,000", "REPLACE"]
    assert lines[-1] == "1,000 records, 2 of 3 requirements violated"


def test_a_plan_says_what_would_be_repaired() -> None:
    lines = render(Plan(PERFORMED, (), ()), "text").splitlines()
    assert [line[6:23].rstrip() for line in lines[1:4]] == ["would be repaired", "holds", "violated"]


def test_only_the_display_of_a_run_says_repaired() -> None:
    assert PERFORMED._repr_html_().count(">repaired<") == 1
    assert PERFORMED._repr_html_().count(">violated<") == 1
    assert MIXED._repr_html_().count(">violated<") == 2


def test_an_action_is_shown_with_its_probability() -> None:
    first = replace(MIXED.requirements[0], probability=Fraction(1, 4))
    line = run_text(replace(PERFORMED, requirements=(first,))).splitlines()[1]
    assert line.startswith("   2  repaired  3 of 1,000  replaced with probability 0.25  EACH RESULT")


def test_dropped_records_are_reported() -> None:
    result = replace(EMPTY, records_in=3, dropped=2)
    assert run_text(result) == "3 records in, 2 dropped as incomplete, 1 out\n"
    assert check_text(result) == "3 records, 2 dropped as incomplete, every requirement holds\n"


def test_a_policy_without_requirements_has_no_table() -> None:
    assert run_text(EMPTY) == "1 record in, 1 out\n"
    assert check_text(EMPTY) == "1 record, every requirement holds\n"


def test_comments_inside_a_requirement_are_not_shown() -> None:
    first = replace(MIXED.requirements[0], text="EACH RESULT -- old people\n : Age /* in years */ <= '-- 80'")
    line = run_text(replace(MIXED, requirements=(first,))).splitlines()[1]
    assert line.endswith("EACH RESULT : Age <= '-- 80'")


def test_a_terminal_cuts_long_lines_and_colors_only_the_verdict() -> None:
    repaired, _, violated = run_text(PERFORMED, Style(color=True, width=60)).splitlines()[1:4]
    assert "\x1b[31mviolated\x1b[0m" in violated
    assert "\x1b[33mrepaired\x1b[0m" in repaired
    plain = repaired.replace("\x1b[33m", "").replace("\x1b[0m", "")
    assert len(plain) == 60
    assert plain.endswith("…")


def test_the_steps_of_a_then_differ_even_if_lines_are_cut() -> None:
    assertion = "EACH PROCESS COUNT(*) AS n GROUP BY age, education, marital-status : n >= 5"
    steps = ("GENERALIZE age TO BANDS OF 5", "GENERALIZE age TO BANDS OF 10", "REJECT")
    (first, *_) = MIXED.requirements
    outcomes = [replace(first, line=line, text=f"{assertion} : {step}") for line, step in enumerate(steps, 1)]
    lines = run_text(replace(MIXED, requirements=tuple(outcomes)), Style(width=80)).splitlines()
    assert [line[38:] for line in lines[1:4]] == [
        "EACH PROCESS COUNT(*) AS n GROUP BY age, …",
        "… : GENERALIZE age TO BANDS OF 10",
        "… : REJECT",
    ]


def test_any_width_is_accepted() -> None:
    assert len(run_text(MIXED, Style(width=1)).splitlines()) == len(RAN.splitlines())
