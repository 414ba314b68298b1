"""`%%acompass` in a real IPython shell."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell

from acompass import Policy, Result
from acompass.notebook import CellError
from acompass.prove.proof import Proof
from acompass.result import Plan
from tests.notebook.conftest import Cell

TOP_CODES = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n"
REJECTS = "EACH PROCESS COUNT(*) AS Class Size GROUP BY Age, Area : Class Size >= k : REJECT;\n"
CHECKS = "EACH RESULT : Age <= 80;\n"


def test_a_cell_is_performed_on_a_frame_and_shows_the_result(cell: Cell, shell: InteractiveShell) -> None:
    ran = cell(f"%%acompass people --set k=2 --out released\n{TOP_CODES}{REJECTS}")
    assert ran.succeeded
    assert isinstance(ran.value, Result)
    shown, _ = shell.display_formatter.format(ran.value)
    assert "5 records in, 4 out" in shown["text/html"]
    assert list(shell.user_ns["released"]["Age"]) == [54, 54, 80, 80]


def test_a_parameter_can_be_the_value_of_a_variable(cell: Cell, shell: InteractiveShell) -> None:
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
def test_other_questions_are_answered(cell: Cell, shell: InteractiveShell, line: str, kind: type) -> None:
    before = shell.user_ns["people"].copy()
    assert isinstance(cell(f"%%acompass {line}\n{TOP_CODES}").value, kind)
    pd.testing.assert_frame_equal(shell.user_ns["people"], before)


def test_a_table_can_be_a_file(cell: Cell, tmp_path: Path) -> None:
    (tmp_path / "my people.csv").write_text("Age\n90\n", encoding="utf-8")
    assert cell(f'%%acompass "my people.csv"\n{TOP_CODES}').value.requirements[0].affected == 1


def test_options_of_the_table_are_those_of_the_command_line(cell: Cell, shell: InteractiveShell) -> None:
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
    "nobody": "assign a frame to it first",
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


def test_a_violated_check_assigns_no_table_and_leaves_none_of_an_earlier_run(
    cell: Cell, shell: InteractiveShell
) -> None:
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
