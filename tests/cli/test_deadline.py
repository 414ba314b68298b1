"""`--deadline`: what is not decided in time is undecided, and never an error."""

import json
import re
from pathlib import Path

import pytest

import acompass as api
from acompass.cli import hints
from acompass.diagnostics import CallError
from tests.errors.pages import FOLDER, Page, read_page
from tests.measure.pages import run_blocks
from tests.waiting import PATIENCE

POLICY = (
    "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
    "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REJECT;"
)
#: the second line has no effect
REDUNDANT = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH RESULT : Age <= 90 : REPLACE Age WITH 90;"
LATE = "not decided within 0 s"


def test_undecided_claims_say_why_and_exit_with_1(acompass, policy):
    ran = acompass("prove", policy(POLICY), "--deadline", "0")
    assert (ran.exit_code, ran.stderr) == (1, "")
    assert ran.stdout.count(f"\n  {LATE}\n") == 2


def test_the_reason_is_in_the_json(acompass, policy):
    ran = acompass("prove", policy(POLICY), "--deadline", "0", "--json")
    claims = json.loads(ran.stdout)["claims"]
    assert [(claim["verdict"], claim["reason"]) for claim in claims] == [("undecided", LATE)] * 2


def test_a_deadline_may_have_a_fraction(acompass, policy):
    assert acompass("prove", policy(POLICY), "--deadline", f"{PATIENCE}.5").exit_code == 0


@pytest.mark.parametrize("deadline", ["soon", "-1", "nan", "inf", ""])
def test_a_deadline_that_is_no_number_of_seconds(acompass, policy, deadline):
    for command in ("prove", "lint"):
        ran = acompass(command, policy(POLICY), "--deadline", deadline)
        assert ran.exit_code == 2
        assert f"error[AC556]: `{deadline}` is not a deadline" in ran.stderr


def test_lint_without_time_is_incomplete(acompass, policy):
    ran = acompass("lint", policy(REDUNDANT), "--deadline", "0", "--json")
    assert ran.exit_code == 1
    assert [each["code"] for each in json.loads(ran.stdout)["diagnostics"]] == ["AC516"]


def test_a_run_does_not_wait_for_its_hint(acompass, policy, monkeypatch):
    assert "hint: " in acompass("check", policy(REDUNDANT), "people.csv").stderr
    monkeypatch.setattr(hints, "DEADLINE", 0)
    assert acompass("check", policy(REDUNDANT), "people.csv").stderr == ""


def test_privacy_is_undecided_without_time(acompass, policy):
    text = "ALWAYS : WITH PROBABILITY 0.25 RANDOM Disease FROM ('flu', 'asthma');"
    arguments = ("prove", policy(text), "--types", "Disease=text", "--privacy", "--json")
    (column,) = json.loads(acompass(*arguments, "--deadline", "0").stdout)["privacy"]["columns"]
    assert (column["verdict"], column["ratio"]) == ("undecided", None)
    (column,) = json.loads(acompass(*arguments).stdout)["privacy"]["columns"]
    assert column["verdict"] == "none"


def test_the_deadline_of_a_call_from_python():
    assert {claim.reason for claim in api.prove(POLICY, deadline=0).claims} == {LATE}
    assert api.prove(POLICY, deadline=PATIENCE).ok
    assert [finding.code for finding in api.lint(POLICY, deadline=0)] == ["AC516"]
    for deadline, code in (("soon", "AC556"), (-1, "AC556"), ([], "AC407")):
        with pytest.raises(CallError) as raised:
            api.prove(POLICY, deadline=deadline)
        assert [each.code for each in raised.value.diagnostics] == [code]


@pytest.mark.parametrize("page", [read_page(FOLDER / f"{code}.md") for code in ("AC516", "AC556")])
def test_the_example_of_its_page_gives_the_code_and_the_fix_does_not(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ran,) = run_blocks(page.sections["Example"])
    assert ran.exit_code
    assert re.findall(r"\[(AC\d{3})\]", ran.output + ran.errors) == [page.code]
    (ran,) = run_blocks(page.sections["Fix"])
    assert (ran.exit_code, ran.errors) == (0, "")
