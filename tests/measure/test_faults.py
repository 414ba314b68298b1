"""What can be wrong with a measurement, each with its page."""

import re
import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from acompass.cli.measure import measure_command
from acompass.diagnostics import AcompassError, CallError, TableError
from acompass.diagnostics.codes import CODES
from acompass.measure.flow import measure
from tests.measure.tables import csv_table

PAGES = Path(__file__).parents[2] / "docs" / "errors"
SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OWN_CODES = sorted(code for code in CODES if code.startswith("AC6"))

app = typer.Typer()
app.command("measure")(measure_command)
app.command("other")(lambda: None)  # with one command only, its name would not be an argument


def _codes(section: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, set[str]]:
    """Writes the section's tables and policies, runs its command, and says how that ended."""
    monkeypatch.chdir(folder)
    result = None
    for language, name, content in FENCE.findall(section):
        if language == "python":
            exec(compile(content, name or "page", "exec"), {})
        elif language == "console":
            arguments = shlex.split(content.removeprefix("$ acompass "))
            result = CliRunner().invoke(app, arguments, catch_exceptions=False)
        else:
            (folder / name).write_text(content, encoding="utf-8")
    assert result is not None, "the section runs no command"
    return result.exit_code, set(re.findall(r"\[(AC\d{3})\]", result.stderr))


@pytest.mark.parametrize("code", OWN_CODES)
def test_the_example_of_a_page_gives_its_code_and_the_fix_does_not(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CODES[code]}\n")
    sections = dict(SECTION.findall(text))
    assert list(sections) == ["What", "Why", "Example", "Fix"]
    assert _codes(sections["Example"], tmp_path, monkeypatch) == (2, {code})
    assert _codes(sections["Fix"], tmp_path, monkeypatch) == (0, set())


def _message(error: pytest.ExceptionInfo[AcompassError]) -> str:
    return error.value.diagnostics[0].message


def test_every_unknown_column_is_named_at_once() -> None:
    with pytest.raises(CallError) as error:
        measure(csv_table("Age,Zip", (1, 2)), ["Aeg", "Zip"], ["Sick"], weight="Number")
    assert [each.code for each in error.value.diagnostics] == ["AC602"] * 3
    assert error.value.diagnostics[0].help == "columns: Age, Zip; did you mean `Age`?"


@pytest.mark.parametrize("weight", [0, -2, "1.5", "many", None])
def test_a_weight_is_a_positive_whole_number(weight: object) -> None:
    table = csv_table("q,n,z", ("a", 3, 1), ("a", weight, 1))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], weight="n")
    assert error.value.diagnostics[0].code == "AC605"


def test_no_value_of_a_record_is_in_a_message() -> None:
    with pytest.raises(TableError) as error:
        measure(csv_table("q,n", ("a", -48213)), ["q"], weight="n")
    assert "48213" not in str(error.value)
    assert (
        _message(error) == "`n` cannot be the weight: expected positive whole numbers, 1 of its values is not"
    )


def test_a_population_must_hold_the_table() -> None:
    table, population = csv_table("q", ("a",), ("a",), ("b",)), csv_table("q", ("a",), ("b",))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], population=population)
    assert _message(error).startswith("1 of 2 equivalence classes have more records in the table")


def test_a_population_without_a_quasi_identifier_is_refused() -> None:
    with pytest.raises(CallError) as error:
        measure(csv_table("q", ("a",)), ["q"], population=csv_table("p", ("a",)))
    assert _message(error) == "the population has no column `q` to compare by"
