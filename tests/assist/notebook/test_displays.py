"""What a notebook displays for each answer."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

import acompass
from acompass import Policy, Result
from acompass.assist.notebook import CellError
from acompass.errors.display import Answer
from acompass.prove.proof import Proof
from acompass.report import render
from acompass.result import Plan
from tests.assist.notebook import answers
from tests.assist.notebook.conftest import Cell
from tests.report.pages import Element, read_page

KINDS = ["run", "check", "plan", "proof", "comparison", "measures", "suggestion", "estimate", "explanation"]


@pytest.fixture(scope="module")
def displays() -> dict[str, str]:
    found = {**answers.without_records(), "explanation": answers.explanation()}
    return {kind: answer._repr_html_() for kind, answer in found.items()}


def _read(html: str, folder: Path) -> Element:
    page = folder / "display.html"
    page.write_text(html, encoding="utf-8")
    return read_page(page)


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_values_are_text(displays: dict[str, str], kind: str, tmp_path: Path) -> None:
    display = _read(displays[kind], tmp_path)
    assert display.all("script") == display.all("b") == []
    assert answers.SCRIPT in display.words


@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_captions_and_scopes(displays: dict[str, str], kind: str, tmp_path: Path) -> None:
    tables = _read(displays[kind], tmp_path).all("table")
    assert tables
    for table in tables:
        assert [caption.text.strip() != "" for caption in table.all("caption")] == [True]
        assert {header.attributes.get("scope") for header in table.all("th")} == {"col", "row"}
        widths = {len(row.children) for row in table.all("tr")}
        assert len(widths) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_display_has_no_colors(displays: dict[str, str], kind: str) -> None:
    assert "#" not in displays[kind].replace("&#x27;", "").replace("&#39;", "")
    assert "class=" not in displays[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_only_an_explanation_shows_records(displays: dict[str, str], kind: str) -> None:
    assert ("Zebulon" in displays[kind]) == (kind == "explanation")


def test_a_result_says_what_each_requirement_did(displays: dict[str, str], tmp_path: Path) -> None:
    words = _read(displays["run"], tmp_path).words
    assert "101 records in" in words
    assert "REPLACE" in words
    assert "columns that the policy never names, released unchanged:  Name" in words


def test_a_plan_has_its_stages_and_says_that_nothing_was_written(displays: dict[str, str], tmp_path: Path) -> None:
    plan = _read(displays["plan"], tmp_path)
    assert "nothing was written" in plan.words
    (stages,) = plan.all("details")
    assert "requirement" in stages.words


def test_a_refuted_claim_shows_its_counterexample(displays: dict[str, str], tmp_path: Path) -> None:
    claims, before, after, types = _read(displays["proof"], tmp_path).all("table")
    assert [word for word in claims.words.split() if word in ("refuted", "proved", "undecided")][-2:] == [
        "refuted",
        "proved",
    ]
    assert "Before" in before.words
    assert "After" in after.words
    assert "inferred from the policy" in types.words


def test_privacy_has_a_row_for_each_column_and_its_witnesses(displays: dict[str, str], tmp_path: Path) -> None:
    display = _read(displays["privacy"], tmp_path)
    captions = [caption.text for caption in display.all("caption")]
    assert "Privacy by column" in captions
    assert captions.count("Neighbor") == 3
    assert "no bound" in display.words
    assert "Stability" in display.words
    assert "several records of one person" in display.words


def test_measures_have_a_table_for_each_question(displays: dict[str, str], tmp_path: Path) -> None:
    captions = [caption.text for caption in _read(displays["measures"], tmp_path).all("caption")]
    assert len(captions) == 8
    assert captions[-1].startswith("Loss ")


def test_a_suggestion_shows_its_policy(displays: dict[str, str], tmp_path: Path) -> None:
    display = _read(displays["suggestion"], tmp_path)
    (policy,) = display.all("pre")
    assert ">= 3" in policy.words
    assert "k = 3" in display.words


def test_an_explanation_shows_the_record_before_and_after(displays: dict[str, str], tmp_path: Path) -> None:
    first = _read(displays["explanation"], tmp_path).all("table")[0]
    age = next(row for row in first.all("tr") if row.words.split()[0] == "Age")
    assert age.words.split() == ["Age", "97", "80"]


def test_an_explanation_says_that_a_record_was_not_drawn(tmp_path: Path) -> None:
    policy, people = "ALWAYS : WITH PROBABILITY 0.5 REJECT;", [{"Age": 30}, {"Age": 40}]
    explained = acompass.explain(policy, people, record=2, trace=["0.1", "0.7"])
    assert "affected: not drawn, so unchanged" in _read(explained._repr_html_(), tmp_path).words


def test_an_answer_of_another_kind_is_rejected() -> None:
    with pytest.raises(TypeError, match="no report for Answer"):
        render(Answer(), "html")


TOP_CODES = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
REJECTS = "EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Area : Class Size >= k : REJECT;\n"
CHECKS = "EACH RESULT : Age <= 80;\n"


def test_a_cell_runs_on_a_frame_and_shows_the_result(cell: Cell, shell: InteractiveShell) -> None:
    ran = cell(f"%%acompass people --set k=2 --out released\n{TOP_CODES}{REJECTS}")
    assert ran.succeeded
    assert isinstance(ran.value, Result)
    shown, _ = shell.display_formatter.format(ran.value)
    assert "5 records in, 4 out" in shown["text/html"]
    assert list(shell.user_ns["released"]["Age"]) == [54, 54, 80, 80]


def test_a_parameter_can_take_its_value_from_a_variable(cell: Cell, shell: InteractiveShell) -> None:
    shell.user_ns["least"] = 3
    assert cell(f"%%acompass people --set k={{least}}\n{REJECTS}").value.records_out == 0


def test_the_answer_and_the_policy_are_assigned(cell: Cell, shell: InteractiveShell) -> None:
    ran = cell(f"%%acompass people --result r --policy p\n{TOP_CODES}")
    assert shell.user_ns["r"] is ran.value
    assert isinstance(shell.user_ns["p"], Policy)
    assert shell.user_ns["p"].text == TOP_CODES


@pytest.mark.parametrize(
    ("line", "kind"),
    [("people --check", Result), ("people --plan", Plan), ("people --prove", Proof), ("--prove", Proof)],
)
def test_a_cell_can_check_plan_or_prove(cell: Cell, shell: InteractiveShell, line: str, kind: type) -> None:
    before = shell.user_ns["people"].copy()
    assert isinstance(cell(f"%%acompass {line}\n{TOP_CODES}").value, kind)
    pd.testing.assert_frame_equal(shell.user_ns["people"], before)


def test_a_table_can_be_a_file(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "my people.csv").write_text("Age\n90\n", encoding="utf-8")
    assert cell(f'%%acompass "my people.csv"\n{TOP_CODES}').value.requirements[0].affected == 1


def test_the_table_options_of_the_command_line_work(cell: Cell, shell: InteractiveShell) -> None:
    shell.user_ns["stays"] = pd.DataFrame({"Day": ["31.01.2024", None]})
    policy = "EACH RESULT : Day <= '2024-01-01' : REJECT;\n"
    ran = cell(f"%%acompass stays --dates Day=%d.%m.%Y --missing drop --engine reference\n{policy}")
    assert (ran.value.dropped, ran.value.records_out) == (1, 0)


def test_an_error_is_shown_as_diagnostics(cell: Cell) -> None:
    ran = cell("%%acompass people\nEACH RESULT : Aeg <= 80;\n")
    assert not ran.succeeded
    assert "Traceback" not in ran.output + ran.errors
    assert ran.output.startswith("error[AC101]: unknown column `Aeg`\n --> <cell>:1:15")


def test_an_error_stops_the_cells_that_follow(shell: InteractiveShell) -> None:
    ran = shell.run_cell("%%acompass people\nEACH;\n", silent=True)
    assert isinstance(ran.error_in_exec, CellError)
    assert ran.error_in_exec.diagnostics


WRONG_CALLS = {
    "peopel": "did you mean `people`?",
    "absent": "assign a frame to it first",
    "": "AC411",
    "people --set k": "AC109",
    "people --engine nowhere": "nowhere",
}
UNREADABLE = {
    "people --check --plan": "not allowed with",
    "people --check --out x": "--out has no effect with --check",
    "people --prove --seed x": "--seed has no effect with --prove",
    "people --out 2x": "`2x` is not the name of a variable",
    "people --out 'x": "No closing quotation",
    "people --best": "unrecognized arguments",
}


@pytest.mark.parametrize(
    ("line", "found", "start"),
    [
        *((*case, "error[AC") for case in WRONG_CALLS.items()),
        *((*case, "UsageError: ") for case in UNREADABLE.items()),
    ],
)
def test_a_wrong_call_is_a_short_error(cell: Cell, line: str, found: str, start: str) -> None:
    ran = cell(f"%%acompass {line}\n{TOP_CODES}")
    assert not ran.succeeded
    printed = ran.output + ran.errors
    assert printed.startswith(start)
    assert found in printed


def test_a_violated_check_assigns_no_table_and_removes_an_earlier_one(cell: Cell, shell: InteractiveShell) -> None:
    shell.user_ns["released"] = "that of an earlier run"
    ran = cell(f"%%acompass people --out released\n{CHECKS}")
    assert not ran.value.ok
    assert "released" not in shell.user_ns
    assert "`released` not assigned" in ran.errors
    cell(f"%%acompass people --out people\n{CHECKS}")
    assert len(shell.user_ns["people"]) == 5
    cell(f"%%acompass people --out released --force\n{CHECKS}")
    assert len(shell.user_ns["released"]) == 5


def test_the_help_lists_the_options(shell: InteractiveShell) -> None:
    assert "--set NAME=VALUE" in shell.find_cell_magic("acompass").__doc__


def test_ipython_is_imported_only_when_the_extension_is_loaded() -> None:
    code = "import sys, acompass, acompass.api, acompass.session; print('IPython' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
