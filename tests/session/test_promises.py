"""D33 and D34 through the public calls: what is written has been verified; `force` and `replace` are separate."""

import json
from pathlib import Path

import pandas
import pyarrow
import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.dbt import NotReleased, release

UNDONE = """\
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REJECT;
EACH RESULT : Illness != 'rare' : REJECT;
"""
ACCEPTED = f"-- allow AC330: published as it is\n{UNDONE}"
PEOPLE = "Age,Illness\n31,flu\n31,rare\n42,flu\n42,cold\n"
MESSAGE = "line 1 does not hold for the table that would be written (AC330)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)
    Path("policy.acp").write_text(UNDONE)
    return tmp_path


def _frame() -> pandas.DataFrame:
    return pandas.read_csv("people.csv")


def _after(result: acompass.Result) -> list[str | None]:
    return [each.after for each in result.requirements]


def _invoke(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
def test_a_broken_promise_leaves_no_file(engine: str) -> None:
    result = acompass.run(UNDONE, "people.csv", output="out.csv", engine=engine)
    assert (result.ok, result.broken, _after(result)) == (False, (1,), ["violated", "proved"])
    assert result.objection == MESSAGE
    assert not Path("out.csv").exists()


def test_a_frame_is_returned_all_the_same() -> None:
    result = acompass.run(UNDONE, _frame())
    assert not result.ok
    assert result.table["Age"].tolist() == [31, 42, 42]


def test_an_earlier_output_stays_as_it_is() -> None:
    Path("out.csv").write_text("earlier\n")
    acompass.run(UNDONE, "people.csv", output="out.csv")
    assert Path("out.csv").read_text() == "earlier\n"


def test_force_writes_and_stays_honest() -> None:
    result = acompass.run(UNDONE, "people.csv", output="out.csv", force=True)
    assert (result.ok, _after(result)) == (False, ["violated", "proved"])
    assert Path("out.csv").read_text() == "Age,Illness\n31,flu\n42,flu\n42,cold\n"


def test_replace_does_not_force() -> None:
    assert not acompass.run(UNDONE, "people.csv", output="out.csv", replace=True).ok
    assert not Path("out.csv").exists()


def test_an_accepted_line_stays_violated_and_is_ok() -> None:
    result = acompass.run(ACCEPTED, "people.csv", output="out.csv")
    assert (result.ok, result.broken, result.objection) == (True, (), None)
    assert (_after(result), result.requirements[0].is_accepted) == (["violated", "proved"], True)
    assert Path("out.csv").exists()


def test_plan_and_preview_say_the_same() -> None:
    planned = acompass.plan(UNDONE, "people.csv")
    assert (planned.result.ok, _after(planned.result)) == (False, ["violated", "proved"])
    assert planned.stages[-1] == "requirement 1 on the output: one aggregation grouped by `Age`"
    with acompass.open("people.csv") as session:
        assert _after(session.preview(UNDONE)) == ["violated", "proved"]


def test_a_proved_policy_is_not_evaluated_again() -> None:
    policy = "EACH RESULT : Illness != 'rare' : REJECT; EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REJECT;"
    planned = acompass.plan(policy, "people.csv")
    assert _after(planned.result) == ["proved", "proved"]
    assert not [stage for stage in planned.stages if "on the output" in stage]


def test_the_checks_of_the_output_share_an_aggregation() -> None:
    policy = """\
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 1 : REJECT;
EACH PROCESS COUNT DISTINCT(Illness) AS l GROUP BY Age : l >= 2 : REJECT;
EACH RESULT : Illness != 'rare' : REJECT;
EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2;
"""
    stages = acompass.plan(policy, "people.csv").stages
    (last,) = [stage for stage in stages if "on the output" in stage]
    assert "requirement 4, and requirements 2, 4 on the output: one aggregation grouped by `Age`" in last


def test_the_paper_does_not_verify() -> None:
    core = UNDONE.replace("!= 'rare'", "= 'flu'")
    assert _after(acompass.run(core, "people.csv", paper=True)) == [None, None]
    assert acompass.run(core, "people.csv", paper=True, output="out.csv").ok
    assert not acompass.run(core, "people.csv").ok


def test_a_check_of_a_table_has_no_answer_about_an_output() -> None:
    found = acompass.check(UNDONE, "people.csv").to_json()
    assert all("after" not in each for each in found["requirements"])


def test_the_command_writes_nothing_and_says_why() -> None:
    code, output, errors = _invoke("run", "policy.acp", "people.csv", "-o", "out.csv", "--json")
    assert (code, errors) == (1, f"`out.csv` not written: {MESSAGE}; use `--force` to write it anyway\n")
    assert [each["after"] for each in json.loads(output)["requirements"]] == ["violated", "proved"]
    assert json.loads(output)["ok"] is False
    assert not Path("out.csv").exists()


def test_a_dry_run_exits_with_the_same_code() -> None:
    code, output, _ = _invoke("run", "policy.acp", "people.csv", "--dry-run")
    assert code == 1
    assert "violated" in output.splitlines()[1]


def test_force_of_the_command_writes_and_exits_with_1() -> None:
    code, _, errors = _invoke("run", "policy.acp", "people.csv", "-o", "out.csv", "--force")
    assert (code, errors, Path("out.csv").exists()) == (1, "", True)


def test_several_lines_and_a_failed_check_are_named() -> None:
    policy = f"EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2;\n{UNDONE}EACH RESULT : Age < 40;\n"
    result = acompass.run(policy, "people.csv")
    assert result.objection == (
        "a requirement without an action is violated and lines 1 and 2 do not hold for the table that would be written "
        "(AC330)"
    )


def test_dbt_keeps_the_table_of_an_earlier_run() -> None:
    table = pyarrow.Table.from_pandas(_frame())
    with pytest.raises(NotReleased, match="line 1 does not hold for the table that would be released"):
        release(table, UNDONE, "policy.acp", {}, {}, {})
    assert release(table, ACCEPTED, "policy.acp", {}, {}, {}).num_rows == 3


@pytest.mark.parametrize(
    ("policy", "is_stale"),
    [
        (ACCEPTED, False),
        (UNDONE.replace("EACH RESULT", "-- allow AC330: why\nEACH RESULT"), True),  # proved
        ("-- allow AC330: why\nALWAYS : REPLACE Age WITH 1;", True),  # promises nothing
        ("EACH RESULT : Age <= 9 : REPLACE Age WITH 99; -- allow AC330: why", False),
    ],
)
def test_an_allow_is_stale_where_the_line_is_proved(policy: str, is_stale: bool) -> None:
    assert ("AC511" in {each.code for each in acompass.lint(policy)}) == is_stale


def test_a_report_says_how_each_line_was_verified() -> None:
    policy = "EACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 2 : REJECT; EACH RESULT : Illness != 'x' : REJECT;"
    acompass.run(policy, "people.csv", output="out.csv", report="report.html")
    page = Path("report.html").read_text()
    assert "checked on the output" in page
    assert "proved" in page
    acompass.run(UNDONE, "people.csv", output="none.csv", report="report.html")
    page = Path("report.html").read_text()
    assert "the output violates the policy" in page
    assert "violated on the output" in page
    assert "No table was written." in page
