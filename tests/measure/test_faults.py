"""Errors of measurements, and their pages."""

import re
from pathlib import Path

import pytest

from acompass import measure
from acompass.diagnostics import AcompassError, CallError, TableError
from acompass.diagnostics.codes import CODES
from tests.measure.pages import DOCS, run_blocks
from tests.measure.tables import csv_table

SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
OWN_CODES = sorted(code for code in CODES if code.startswith(("AC60", "AC61")))


def _ending(section: str) -> tuple[int, set[str]]:
    """The exit code of the single command in a section, and the codes that it reports."""
    (ran,) = run_blocks(section)
    return ran.exit_code, set(re.findall(r"\[(AC\d{3})\]", ran.errors))


@pytest.mark.parametrize("code", OWN_CODES)
def test_the_example_of_a_page_gives_its_code_and_the_fix_does_not(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "errors" / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CODES[code]}\n")
    sections = dict(SECTION.findall(text))
    assert list(sections) == ["What", "Why", "Example", "Fix"]
    assert _ending(sections["Example"]) == (2, {code})
    assert _ending(sections["Fix"]) == (0, set())


def _message(error: pytest.ExceptionInfo[AcompassError]) -> str:
    return error.value.diagnostics[0].message


def test_every_unknown_column_is_named_at_once() -> None:
    with pytest.raises(CallError) as error:
        measure(csv_table("Age,Zip", (1, 2)), ["Aeg", "Zip"], ["Sick"], weight="Number")
    assert [each.code for each in error.value.diagnostics] == ["AC602"] * 3
    assert error.value.diagnostics[0].help == "columns: Age, Zip; did you mean `Age`?"


@pytest.mark.parametrize("weight", [0, "0.0", -2, "-1.5", "many", "1,5", "1e3", None])
def test_a_weight_is_a_positive_number(weight: object) -> None:
    table = csv_table("q,n,z", ("a", 3, 1), ("a", weight, 1))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], weight="n")
    assert error.value.diagnostics[0].code == "AC605"


def test_no_value_of_a_record_is_in_a_message() -> None:
    with pytest.raises(TableError) as error:
        measure(csv_table("q,n", ("a", -48213)), ["q"], weight="n")
    assert "48213" not in str(error.value)
    expected = "column `n` cannot be the weight: expected positive numbers, found 1 other value"
    assert _message(error) == expected


def test_weights_with_too_many_decimals() -> None:
    table = csv_table("q,n", ("a", "3124.82130972459"), ("a", 12))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], weight="n")
    assert error.value.diagnostics[0].code == "AC606"
    assert _message(error) == "the weights in `n` have 11 decimals and add up to more than 2,814"


def test_a_population_must_hold_the_table() -> None:
    table, population = csv_table("q", ("a",), ("a",), ("b",)), csv_table("q", ("a",), ("b",))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], population=population)
    assert _message(error).startswith("1 of 2 equivalence classes have more records in the table")


def test_a_population_without_a_quasi_identifier_is_refused() -> None:
    with pytest.raises(CallError) as error:
        measure(csv_table("q", ("a",)), ["q"], population=csv_table("p", ("a",)))
    assert _message(error) == "the population has no column `q`"
