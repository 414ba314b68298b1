"""D10: the policy and the values determine the types of CSV columns."""

from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

import acompass
from acompass.checked.uses import Use
from tests.tables.tables import csv_file, fault, loading

BIG = 2**63


@pytest.mark.parametrize(
    ("values", "use", "type_", "read"),
    [
        (["1", "-7", "0"], Use.ANY, "integer", [1, -7, 0]),
        (["1", "-7", "0"], Use.NUMBER, "integer", [1, -7, 0]),
        (["1", "-7", "0"], Use.TEXT, "text", ["1", "-7", "0"]),
        ([str(BIG - 1), str(-BIG), str(2**53 + 1)], Use.ANY, "integer", [BIG - 1, -BIG, 2**53 + 1]),
        ([str(BIG)], Use.ANY, "text", [str(BIG)]),
        ([str(BIG), "-1"], Use.NUMBER, "decimal(0)", [Decimal(BIG), Decimal(-1)]),
        (["9" * 38], Use.NUMBER, "decimal(0)", [Decimal("9" * 38)]),
        (["1", "01"], Use.ANY, "text", ["1", "01"]),
        (["1", "+1"], Use.ANY, "text", ["1", "+1"]),
        (["-0"], Use.ANY, "text", ["-0"]),
        (["1.5", "2", "-0.125"], Use.NUMBER, "decimal(3)", [Decimal("1.500"), Decimal(2), Decimal("-0.125")]),
        (["1.5", "2"], Use.ANY, "text", ["1.5", "2"]),
    ],
)
def test_the_type_of_a_column(
    tmp_path: Path, values: list[str], use: Use, type_: str, read: list[object]
) -> None:
    with loading(csv_file(tmp_path, "a,b\n" + "".join(f"{value},x\n" for value in values)), a=use) as table:
        assert table.types == [type_, "text"]
        assert [record[0] for record in table.records] == read


@pytest.mark.parametrize(
    "bad", ["1e3", ".5", "1.", "0x1", "1_000", "1,000", " 1", "1 ", "٣", "nan", "inf", '""']
)
def test_values_that_are_not_numbers(tmp_path: Path, bad: str) -> None:
    field = f'"{bad}"' if "," in bad else bad
    assert fault(csv_file(tmp_path, f"a;b\n1;x\n{field};x\n"), a=Use.NUMBER).code == "AC210"


def test_unnamed_columns_pass_through_and_are_typed_for_canonical_order_only(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a,b,c\n1,10,010\n2,,x\n"), a=Use.NUMBER) as table:
        assert table.types == ["integer", "text", "text"]
        assert table.records == [(1, "10", "010"), (2, None, "x")]
        assert table.loaded.prepared.order_integers() == {1}


def test_missing_values_do_not_decide(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a,b\n,x\n7,x\n"), a=Use.NUMBER) as table:
        assert table.types[0] == "integer"
        assert table.missing == {0: 1}


@pytest.mark.parametrize(
    ("missing", "use", "type_", "read"),
    [
        ("drop", Use.NUMBER, "integer", [7]),
        ("0", Use.NUMBER, "integer", [0, 7]),
        ("0.5", Use.NUMBER, "decimal(1)", [Decimal("0.5"), Decimal(7)]),
        ("unknown", Use.ANY, "text", ["unknown", "7"]),
        ("it's", Use.TEXT, "text", ["it's", "7"]),
        ("", Use.TEXT, "text", ["", "7"]),
    ],
)
def test_missing_values_dropped_and_filled(
    tmp_path: Path, missing: str, use: Use, type_: str, read: list[object]
) -> None:
    with loading(csv_file(tmp_path, "a,b\n,\n7,\n"), missing=missing, a=use) as table:
        assert table.types[0] == type_
        assert table.records == [(value, None) for value in read]


def test_a_filling_of_another_type(tmp_path: Path) -> None:
    found = fault(csv_file(tmp_path, "a,b\n,\n7,\n"), missing="unknown", a=Use.NUMBER)
    assert found.code == "AC213"


def test_the_engine_stays_usable_for_a_second_table(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a\n1\n", "1.csv"), a=Use.ANY) as first:
        with loading(csv_file(tmp_path, "a\nx\n", "2.csv"), a=Use.ANY) as second:
            assert first.loaded.layout.view != second.loaded.layout.view
            assert (first.records, second.records) == ([(1,)], [("x",)])
        assert isinstance(first.con, duckdb.DuckDBPyConnection)


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_sum_of_too_many_digits_is_an_error_that_says_so(sign: str) -> None:
    table = [{"x": sign + "9" * 38}, {"x": sign + "9" * 38}]
    with pytest.raises(acompass.EngineError) as raised:
        acompass.check("EACH PROCESS SUM(x) AS s : s > 0;", table)
    assert raised.value.diagnostics[0].code == "AC314"


@pytest.mark.parametrize(
    ("ages", "help_"),
    [
        (["9", "85", "100"], "write 80"),
        (["9", "*", "100"], "1 value is `*` or has a leading zero or a plus sign"),
        (
            ["9", "*", "+100", "007"],
            "3 values are `*` or have a leading zero or a plus sign: replace them first",
        ),
    ],
)
def test_the_help_for_numbers_ordered_as_text_is_not_refused_in_turn(ages: list[str], help_: str) -> None:
    table, policy = [{"age": age} for age in ages], "EACH RESULT : age <= '80';"
    with pytest.raises(acompass.TableError) as raised:
        acompass.check(policy, table)
    found = raised.value.diagnostics[0]
    assert (found.code, (found.help or "")[: len(help_)]) == ("AC231", help_)
    fixed = policy.replace("'", "") if help_ == "write 80" else f"-- allow AC231: codes\n{policy}"
    assert not acompass.check(fixed, table).ok
