"""The command `measure`: its options, its outputs as text and JSON, its errors and exit codes."""

import datetime
import json
import math
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pandas
import polars
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from acompass import measure
from acompass.cli.app import app
from acompass.cli.inputs import split_names
from acompass.errors.catalog import CODES
from acompass.errors.diagnostics import AcompassError, CallError, TableError
from acompass.measure.answer import SMALLEST, ColumnChange, TableChange
from acompass.measure.distribution import Pair, withhold_counts
from acompass.report.answers.measures import WORDS
from tests.errors.pages import run_blocks
from tests.measure.by_definition import DOCS, csv_table, measure_command
from tests.repo.sources import ROOT

PEOPLE = ("Age,Zip,Disease,Number", (31, "a", "flu", 2), (31, "a", "cold", 1), (44, "b", "flu", 3))


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], []),
        (["Age,Zip"], ["Age", "Zip"]),
        (["Age, Postal Code"], ["Age", "Postal Code"]),
        (["Age", "Zip"], ["Age", "Zip"]),
        (['"Income, yearly",Age'], ["Income, yearly", "Age"]),
    ],
)
def test_names_are_split_at_commas(options: list[str], names: list[str] | None) -> None:
    assert split_names(options) == names


def test_json_is_one_object_with_every_measure() -> None:
    result = measure_command(
        csv_table(*PEOPLE), "--qi", "Age,Zip", "--sensitive", "Disease", "--weight", "Number", "--json"
    )
    assert result.exit_code == 0
    measured = json.loads(result.stdout)
    assert list(measured) == [
        "records",
        "quasi_identifiers",
        "weight",
        "sampling_weight",
        "people",
        "k",
        "classes",
        "risk",
        "sampling",
        "by_quasi_identifier",
        "sensitive",
        "comparison",
        "loss",
        "notes",
    ]
    assert (measured["records"], measured["k"], measured["weight"]) == (6, 3, "Number")
    assert measured["classes"]["sizes"] == [{"size": 3, "classes": 2}]
    assert measured["risk"] == {
        "prosecutor": {"maximum": 1 / 3, "average": 1 / 3},
        "journalist": None,
        "individual": None,
        "marketer": 1 / 3,
    }
    (disease,) = measured["sensitive"]
    assert disease["column"] == "Disease"
    assert (disease["distinct_l"], disease["alpha"]) == (1, 1.0)
    assert disease["enhanced_beta"] is None


def test_below_sets_the_thresholds() -> None:
    result = measure_command(csv_table(*PEOPLE), "--qi", "Age", "--below", "2", "--below", "7", "--json")
    assert json.loads(result.stdout)["classes"]["records_below"] == {"2": 1, "7": 3}


def test_errors_go_to_standard_error_with_code_2() -> None:
    result = measure_command(csv_table(*PEOPLE), "--qi", "Agee")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "unknown column `Agee`" in result.stderr


def test_json_errors_are_one_object() -> None:
    result = measure_command(csv_table(*PEOPLE), "--qi", "Agee", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["diagnostics"][0]["code"] == "AC602"


def test_standard_input_is_a_table() -> None:
    result = CliRunner().invoke(app, ["measure", "-", "--qi", "Age"], input="Age\n1\n1\n2\n")
    assert result.stdout.startswith("3 records in 2 equivalence classes by Age\n")


def test_every_aggregate_of_a_policy_names_a_sensitive_column(tmp_path: Path) -> None:
    policy = tmp_path / "policy.acp"
    policy.write_text(
        "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age : n >= 2 AND d >= 2 : REJECT;",
        encoding="utf-8",
    )
    result = measure_command(csv_table(*PEOPLE), "--policy", str(policy))
    assert result.exit_code == 0
    assert "Disease" in result.stdout


def test_a_policy_that_does_not_parse_is_reported(tmp_path: Path) -> None:
    policy = tmp_path / "policy.acp"
    policy.write_text("EACH RESULT Age > 1;", encoding="utf-8")
    result = measure_command(csv_table(*PEOPLE), "--policy", str(policy))
    assert result.exit_code == 2
    assert "policy.acp:1" in result.stderr


def test_an_invalid_memory_limit_is_rejected() -> None:
    result = measure_command(csv_table(*PEOPLE), "--qi", "Age", "--memory-limit", "much")
    assert result.exit_code == 2
    assert "invalid memory size `much`" in result.stderr


def test_a_column_name_cannot_control_the_terminal() -> None:
    result = measure_command(csv_table("a\x1b[2Jb,s", (1, 2)), "--qi", "a\x1b[2Jb", "--sensitive", "s")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout


def test_a_rounding_error_is_not_shown_as_a_negative_loss() -> None:
    change = ColumnChange("A", 0.0, 3, 3, 1.584962500721156, 1.5849625007211563)
    assert change.information_lost == 0
    measured = measure(csv_table("A", ("a",)), ["A"])
    comparison = TableChange(1, 1, (change,), (), (), 2.0, 2.0000000000000004, 1)
    text = str(replace(measured, comparison=comparison))
    assert "information lost 0.0%" in text
    assert "-0.0%" not in text


COLUMNS = {"q": ["a", "a", None, "b"], "s": [1.5, math.nan, 2.5, 1.5]}


@pytest.fixture(params=["parquet", "pandas", "polars", "pyarrow"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    arrow = pyarrow.table(COLUMNS)
    match request.param:
        case "pandas":
            return pandas.DataFrame(COLUMNS, index=[7, 7, 3, 1])
        case "polars":
            return polars.DataFrame(COLUMNS, strict=False)
        case "pyarrow":
            return arrow
        case _:
            pyarrow.parquet.write_table(arrow, tmp_path / "table.parquet")
            return tmp_path / "table.parquet"


def test_every_kind_of_table_measures_the_same(table: object) -> None:
    measures = measure(table, ["q"], ["s"])
    assert measures.classes.sizes == ((1, 2), (2, 1))
    found = measures.sensitive[0]
    assert (found.values, found.alpha, found.basic_beta) == (3, 1, 3)
    assert found.t_ordered == Fraction(1, 2)


def test_dates_have_an_order() -> None:
    days = [datetime.date(2024, 1, day) for day in (1, 2, 30)]
    found = measure(pyarrow.table({"q": ["a", "a", "b"], "s": days}), ["q"], ["s"]).sensitive[0]
    assert found.t_ordered == Fraction(1, 2)


def test_booleans_have_no_order() -> None:
    found = measure(pyarrow.table({"q": ["a", "a"], "s": [True, False]}), ["q"], ["s"]).sensitive[0]
    assert found.t_ordered is None


def test_names_may_be_anything() -> None:
    odd = pyarrow.table({'a"; DROP TABLE x; --': [1, 1], "": ["u", "v"], "c0": [5, 6]})
    measures = measure(odd, ['a"; DROP TABLE x; --'], ["", "c0"])
    assert (measures.k, [each.column for each in measures.sensitive]) == (2, ["", "c0"])


SECTION = re.compile(r"^## (\w+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
OWN_CODES = sorted(code for code in CODES if code.startswith(("AC60", "AC61")))


def _ending(section: str) -> tuple[int, set[str]]:
    """The exit code of the single command in a section, and the codes that it reports."""
    (ran,) = run_blocks(section)
    return ran.exit_code, set(ran.codes)


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


def test_weights_with_too_many_decimals_are_rejected() -> None:
    table = csv_table("q,n", ("a", "3124.82130972459"), ("a", 12))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], weight="n")
    assert error.value.diagnostics[0].code == "AC606"
    assert _message(error) == "the weights in `n` have 11 decimals and add up to more than 2,814"


def test_a_population_must_contain_the_table() -> None:
    table, population = csv_table("q", ("a",), ("a",), ("b",)), csv_table("q", ("a",), ("b",))
    with pytest.raises(TableError) as error:
        measure(table, ["q"], population=population)
    assert _message(error).startswith("1 of 2 equivalence classes have more records in the table")


def test_a_population_without_a_quasi_identifier_is_rejected() -> None:
    with pytest.raises(CallError) as error:
        measure(csv_table("q", ("a",)), ["q"], population=csv_table("p", ("a",)))
    assert _message(error) == "the population has no column `q`"


#: more than any total below, so that the other records can always account for a change
MOST = 80

Changes = tuple[int, ...]


def _worlds(afters: Sequence[int], possible: range) -> dict[object, list[Changes]]:
    """All changes of the counts `afters`, grouped by what a reader sees: the counts before and their total.

    The last of `afters` is the number of other records.
    """
    seen = defaultdict(list)
    for changes in product(*[possible] * (len(afters) - 1), range(-afters[-1], MOST)):
        before = [after + change for after, change in zip(afters, changes, strict=True)]
        *bars, other = map(Pair, before, afters)
        if min(before) >= 0:
            counts, other_count = withhold_counts(bars, other)
            seen[(*counts, other_count, sum(before))].append(changes)
    return seen


@pytest.mark.parametrize("afters", [(24, 0), (24, 30, 0), (24, 30, 12), (12, 11, 30)])
@pytest.mark.parametrize(
    "possible",
    [
        pytest.param(range(25), id="only rejected"),
        pytest.param(range(-30, 25), id="any change", marks=pytest.mark.slow),
    ],
)
def test_a_reader_who_knows_the_rule_cannot_compute_a_small_change(afters: tuple[int, ...], possible: range) -> None:
    for worlds in _worlds(afters, possible).values():
        if max(changes[-1] for changes in worlds) < MOST // 2:
            for bar in range(len(afters) - 1):
                changes = {world[bar] for world in worlds}
                assert len(changes) > 1 or not 0 < abs(min(changes)) < SMALLEST


def test_large_changes_are_shown() -> None:
    assert withhold_counts([Pair(60, 40), Pair(30, 30)], Pair(25, 10)) == ([60, 30], 25)


def test_the_page_about_measures_lists_the_names_with_their_sentences() -> None:
    """Roles, `k`, `l`, `t`, a class and the styles of a search are explained where they are chosen."""
    page = (ROOT / "docs" / "measure.md").read_text(encoding="utf-8")
    listed = {name: sentence for name, sentence in WORDS.items() if f"| {name} | {sentence} |" in page}
    assert set(WORDS) - set(listed) == {
        *("identifier", "quasi-identifier", "sensitive"),
        *("k", "l", "t", "class", "cascade", "uniform", "stars"),
    }
