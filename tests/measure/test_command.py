"""The command: options to names, JSON, text, exit codes."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from acompass import measure
from acompass.cli.app import app
from acompass.cli.measure import names_in
from acompass.measures import ColumnChange, Comparison
from acompass.report.text.measures import measures_text
from tests.measure.tables import csv_table

PEOPLE = ("Age,Zip,Disease,Number", (31, "a", "flu", 2), (31, "a", "cold", 1), (44, "b", "flu", 3))


def _measure(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["measure", *arguments], catch_exceptions=False)


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], None),
        (["Age,Zip"], ["Age", "Zip"]),
        (["Age, Postal Code"], ["Age", "Postal Code"]),
        (["Age", "Zip"], ["Age", "Zip"]),
        (['"Income, yearly",Age'], ["Income, yearly", "Age"]),
    ],
)
def test_a_list_of_names(options: list[str], names: list[str] | None) -> None:
    assert names_in(options) == names


def test_json_is_one_object_with_every_measure() -> None:
    result = _measure(
        csv_table(*PEOPLE), "--qi", "Age,Zip", "--sensitive", "Disease", "--weight", "Number", "--json"
    )
    assert result.exit_code == 0
    measured = json.loads(result.stdout)
    assert list(measured) == [
        "records",
        "quasi_identifiers",
        "weight",
        "sampling_weight",
        "k",
        "classes",
        "risk",
        "sampling",
        "by_quasi_identifier",
        "sensitive",
        "comparison",
        "loss",
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


def test_thresholds_are_those_asked_for() -> None:
    result = _measure(csv_table(*PEOPLE), "--qi", "Age", "--below", "2", "--below", "7", "--json")
    assert json.loads(result.stdout)["classes"]["records_below"] == {"2": 1, "7": 3}


def test_errors_go_to_standard_error_with_code_2() -> None:
    result = _measure(csv_table(*PEOPLE), "--qi", "Agee")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "unknown column `Agee`" in result.stderr


def test_errors_are_an_object_with_json() -> None:
    result = _measure(csv_table(*PEOPLE), "--qi", "Agee", "--json")
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
    result = _measure(csv_table(*PEOPLE), "--policy", str(policy))
    assert result.exit_code == 0
    assert "Disease" in result.stdout


def test_a_policy_that_does_not_parse_is_shown_as_such(tmp_path: Path) -> None:
    policy = tmp_path / "policy.acp"
    policy.write_text("EACH RESULT Age > 1;", encoding="utf-8")
    result = _measure(csv_table(*PEOPLE), "--policy", str(policy))
    assert result.exit_code == 2
    assert "policy.acp:1" in result.stderr


def test_a_memory_limit_is_a_size() -> None:
    result = _measure(csv_table(*PEOPLE), "--qi", "Age", "--memory-limit", "much")
    assert result.exit_code == 2
    assert "invalid memory size `much`" in result.stderr


def test_a_name_cannot_steer_the_terminal() -> None:
    result = _measure(csv_table("a\x1b[2Jb,s", (1, 2)), "--qi", "a\x1b[2Jb", "--sensitive", "s")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout


def test_nothing_lost_is_not_negative() -> None:
    change = ColumnChange("A", Fraction(0), 3, 3, 1.584962500721156, 1.5849625007211563)
    assert change.information_lost is not None
    assert change.information_lost < 0
    measured = measure(csv_table("A", ("a",)), ["A"])
    comparison = Comparison(1, 1, (change,), (), (), 2.0, 2.0000000000000004, 1)
    text = measures_text(replace(measured, comparison=comparison))
    assert "information lost 0.0%" in text
    assert "-0.0%" not in text
