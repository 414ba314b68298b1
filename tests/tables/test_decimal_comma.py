"""A file with decimal commas gives what the same file with decimal points gives, with decimal commas."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import acompass
from acompass.diagnostics import AcompassError, Diagnostic
from acompass.tables.decimal_comma import swapped

POLICY = """
EACH RESULT : Score <= 5 : REPLACE Score WITH 4.5;
EACH PROCESS COUNT(*) AS n GROUP BY Dose : n >= 2 : REPLACE Dose WITH 2.50;
ALWAYS : GENERALIZE Weight TO BANDS OF 0.5;
EACH RESULT : Age <= 60 : REPLACE Age WITH 60.5;
EACH RESULT : Code != '1,5' : REPLACE Code WITH '9.9,9';
"""
NAMES = "Score;Dose;Weight;Age;Code;Other"
#: the columns with numbers
NUMBERS = 4

DECIMAL = st.from_regex(r"-?(0|[1-9][0-9]?)(\.[0-9]{1,3})?", fullmatch=True)
FRACTION = st.from_regex(r"-?[0-9]\.[0-9]{1,2}", fullmatch=True)
TEXT = st.sampled_from(["1,5", "1.5", "[0.5,1.0)", "a", "12.05.2020"])
RECORDS = st.lists(
    st.tuples(DECIMAL, DECIMAL, FRACTION, st.integers(0, 99).map(str), TEXT, TEXT), min_size=1, max_size=6
)


def with_commas(line: str) -> str:
    """The same line with decimal commas in the columns of numbers, also in labels of bands."""
    fields = re.findall(r'(?:"[^"]*"|[^;])+', line)
    numbers = (re.sub(r"\.", ",", re.sub(r"(\d),(?=[-\d])", r"\1;", field)) for field in fields[:NUMBERS])
    quoted = (f'"{each}"' if ";" in each and not each.startswith('"') else each for each in numbers)
    return ";".join([*quoted, *fields[NUMBERS:]])


def released(path: Path, policy: str = POLICY, **options: Any) -> list[str]:
    output = path.with_name("out.csv")
    acompass.run(policy, path, output=output, **options)
    return output.read_text(encoding="utf-8").splitlines()


def table(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def fault(path: Path, policy: str, **options: Any) -> Diagnostic:
    with pytest.raises(AcompassError) as raised:
        acompass.check(policy, path, **options)
    return raised.value.diagnostics[0]


@settings(max_examples=15)
@given(records=RECORDS)
def test_the_same_with_commas(tmp_path_factory: pytest.TempPathFactory, records: Any) -> None:
    folder = tmp_path_factory.mktemp("law")
    lines = [";".join(record) for record in records]
    expected = [with_commas(line) for line in released(table(folder, NAMES, *lines))]
    with_comma = table(folder, NAMES, *map(with_commas, lines))
    for engine in ("duckdb", "reference"):
        assert released(with_comma, decimal=",", engine=engine) == expected


@given(st.text("0123456789.,;[)+-<", max_size=12))
@example("[0,5;1)")
@example("[0.5,1)")
@example("-1,5")
def test_exchanging_twice_changes_nothing(text: str) -> None:
    assert swapped(swapped(text)) == text


@pytest.mark.parametrize("value", ["1.5", "1.234,5", "1,234,567", "1 234,5", "1,", ",5"])
def test_other_numbers_are_not_numbers(tmp_path: Path, value: str) -> None:
    found = fault(table(tmp_path, "Dose;x", f"{value};1"), "EACH RESULT : Dose <= 5;", decimal=",")
    assert (found.code, value in found.message, "(on line 2 of " in found.message) == ("AC210", False, True)


def test_an_unexpected_comma_has_a_help(tmp_path: Path) -> None:
    path = table(tmp_path, "Dose;x", "1,5;1", "2;1")
    found = fault(path, "EACH RESULT : Dose <= 5;")
    assert (found.code, found.help) == ("AC210", "read numbers with a decimal comma: `--decimal ,`")
    mixed = fault(table(tmp_path, "Dose;x", "1,5;1", "a;1"), "EACH RESULT : Dose <= 5;")
    assert "--decimal" not in (mixed.help or "")


def test_a_delimiter_that_is_the_decimal_mark_too(tmp_path: Path) -> None:
    policy = "EACH RESULT : Dose <= 1.75 : REPLACE Dose WITH 1.75;"
    assert fault(table(tmp_path, "Dose,x", "1,5"), policy, decimal=",").code == "AC242"
    quoted = table(tmp_path, "Dose,x", '"1,5",1', "2,2")
    assert released(quoted, policy, decimal=",") == ["Dose,x", '"1,5",1', '"1,75",2']


def test_parquet_has_decimals(tmp_path: Path) -> None:
    path, output = table(tmp_path, NAMES, "1,50;x;0,75;3;a;b"), tmp_path / "out.parquet"
    acompass.run(POLICY, path, output=output, decimal=",")
    found = pyarrow.parquet.read_table(output)
    assert str(found.schema.field("Score").type) == "decimal128(38, 2)"
    assert found.column("Weight").to_pylist() == ["[0,5;1,0)"]


def test_constants_of_the_call_have_a_point(tmp_path: Path) -> None:
    path = table(tmp_path, "Dose;x", ";1", "1,5;2")
    policy = "EACH RESULT : Dose <= k : REPLACE Dose WITH k;"
    assert released(path, policy, decimal=",", missing="0.25", params={"k": Decimal("1.25")}) == [
        "Dose;x",
        "0,25;1",
        "1,25;2",
    ]


def test_other_calls_read_the_comma(tmp_path: Path) -> None:
    path = table(tmp_path, "Dose;x", "1,5;1", "1,50;2")
    policy = "EACH RESULT : Dose <= 1.5;"
    assert acompass.check(policy, path, decimal=",").ok
    assert acompass.plan(policy, path, decimal=",").result.ok
    assert acompass.measure(path, ["x"], ["Dose"], decimal=",").classes.k == 1
    assert acompass.prove(policy, table=path, decimal=",").types["Dose"] == "decimal(2)"


def test_unknown_marks(tmp_path: Path) -> None:
    assert fault(table(tmp_path, "Dose", "1"), "EACH RESULT : Dose <= 5;", decimal=";").code == "AC242"
