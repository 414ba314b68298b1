"""D10: the policy and the values determine the types of CSV columns."""

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import polars
import pyarrow
import pytest

import acompass
from acompass.language.program.types import INTEGER, Column, Type, decimal
from acompass.language.program.uses import Use
from acompass.semantics import core
from tests.plan.fixtures import make_case
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
def test_the_policy_and_the_values_decide_the_type(
    tmp_path: Path, values: list[str], use: Use, type_: str, read: list[object]
) -> None:
    with loading(csv_file(tmp_path, "a,b\n" + "".join(f"{value},x\n" for value in values)), a=use) as table:
        assert table.types == [type_, "text"]
        assert [record[0] for record in table.records] == read


@pytest.mark.parametrize("bad", ["1e3", ".5", "1.", "0x1", "1_000", "1,000", " 1", "1 ", "٣", "nan", "inf", '""'])
def test_values_that_are_not_numbers_are_rejected(tmp_path: Path, bad: str) -> None:
    field = f'"{bad}"' if "," in bad else bad
    assert fault(csv_file(tmp_path, f"a;b\n1;x\n{field};x\n"), a=Use.NUMBER).code == "AC210"


def test_unnamed_columns_pass_through_and_are_typed_for_canonical_order_only(tmp_path: Path) -> None:
    with loading(csv_file(tmp_path, "a,b,c\n1,10,010\n2,,x\n"), a=Use.NUMBER) as table:
        assert table.types == ["integer", "text", "text"]
        assert table.records == [(1, "10", "010"), (2, None, "x")]
        assert table.loaded.prepared.order_integers() == {1}


def test_missing_values_do_not_decide_the_type(tmp_path: Path) -> None:
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
def test_missing_values_are_dropped_or_filled(
    tmp_path: Path, missing: str, use: Use, type_: str, read: list[object]
) -> None:
    with loading(csv_file(tmp_path, "a,b\n,\n7,\n"), missing=missing, a=use) as table:
        assert table.types[0] == type_
        assert table.records == [(value, None) for value in read]


def test_a_fill_value_of_another_type_is_rejected(tmp_path: Path) -> None:
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
def test_the_help_for_numbers_ordered_as_text_leads_to_a_valid_policy(ages: list[str], help_: str) -> None:
    table, policy = [{"age": age} for age in ages], "EACH RESULT : age <= '80';"
    with pytest.raises(acompass.TableError) as raised:
        acompass.check(policy, table)
    found = raised.value.diagnostics[0]
    assert (found.code, (found.help or "")[: len(help_)]) == ("AC231", help_)
    fixed = policy.replace("'", "") if help_ == "write 80" else f"-- allow AC231: codes\n{policy}"
    assert not acompass.check(fixed, table).ok


WIDTHS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]

#: {low}, {high} and {some} are values of the table, {total} is the sum of all
POLICIES = {
    "check": "EACH RESULT : n >= {low} AND n <= {high};",
    "comparison": "EACH FILTER n > {some} : n = {high} : REJECT;",
    "constant": "EACH RESULT : n > {some} : REPLACE n WITH {high};",
    "wider constant": "EACH RESULT : n > {some} : REPLACE n WITH 9223372036854775807;",
    "text": "EACH RESULT : n < {high} : REPLACE n WITH '*';",
    "decimal": "EACH RESULT : n < {high} : REPLACE n WITH 0.5;",
    "random": "EACH RESULT : n > {some} : RANDOM n -9223372036854775808 9223372036854775807;",
    "sum": "EACH PROCESS SUM(n) AS total : total = {total} : REJECT;",
    "groups": "EACH PROCESS COUNT(*) AS c GROUP BY n : c >= 2 : REPLACE n WITH {low};",
    "chain": "EACH RESULT : n > {low} : REPLACE n WITH 0; EACH RESULT : n < {high} : REPLACE n WITH {low};",
}

#: for each kind of table, a function that makes one from numbers and their width
TABLES: dict[str, Callable[[list[int], str], Any]] = {
    "arrow": lambda values, width: pyarrow.table({"n": pyarrow.array(values, width)}),
    "pandas": lambda values, width: pandas.DataFrame({"n": numpy.array(values, width)}),
    "pandas, nullable": lambda values, width: pandas.DataFrame({"n": pandas.array(values, _nullable(width))}),
    "pandas, Arrow": lambda values, width: pandas.DataFrame({"n": pandas.array(values, f"{width}[pyarrow]")}),
    "polars": lambda values, width: polars.DataFrame({"n": numpy.array(values, width)}),
    "dicts": lambda values, width: [{"n": number} for number in numpy.array(values, width)],
}


def _nullable(width: str) -> str:
    return width.replace("uint", "UInt") if width.startswith("u") else width.replace("int", "Int")


def boundary_values(width: str) -> list[int]:
    limits = numpy.iinfo(width)
    rng = random.Random(width)
    low, high = int(limits.min), int(limits.max)
    return [low, high, 0, 1, high - 1, high, *(rng.randint(low, high) for _ in range(4))]


def language_type(width: str) -> Type:
    return decimal(0) if width == "uint64" else INTEGER


def run_semantics(policy: str, values: list[int], type_: Type) -> tuple[list[Any], list[tuple[bool | None, int]]]:
    records = [(Decimal(value) if type_ != INTEGER else value,) for value in values]
    program = make_case(policy, (Column("n", type_),), records).program()
    outcome = core.run_program(program, records, core.trace_of_seed("a seed"))
    verdicts = [(verdict.holds, verdict.affected) for verdict in outcome.requirements]
    return [value for (value,) in core.canonical_order(program.final_schema, outcome.records)], verdicts


def read_column(table: Any) -> list[Any]:
    if isinstance(table, list):
        return [record["n"] for record in table]
    if isinstance(table, pyarrow.Table):
        return table.column("n").to_pylist()
    return list(table["n"].to_list())


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_width_means_the_same(width: str, policy: str) -> None:
    assert_as_in_semantics("arrow", width, POLICIES[policy])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_means_the_same(kind: str, width: str) -> None:
    assert_as_in_semantics(kind, width, "\n".join(POLICIES[name] for name in ("sum", "constant", "text")))


def assert_as_in_semantics(kind: str, width: str, policy: str) -> None:
    values = boundary_values(width)
    low, high, some = min(values), max(values), values[-1]
    text = policy.format(low=low, high=high, some=some, total=sum(values))
    result = acompass.run(text, TABLES[kind](values, width), seed="a seed", order="canonical")
    records, verdicts = run_semantics(text, values, language_type(width))
    assert read_column(result.table) == records
    assert [(each.holds, each.affected) for each in result.requirements] == verdicts


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["arrow", "pandas", "polars"])
def test_a_check_keeps_the_width(kind: str, width: str) -> None:
    table = TABLES[kind](boundary_values(width), width)
    kept = acompass.run("EACH RESULT : n >= 0 OR n < 0;", table).table
    assert kept.equals(table)


MIXED = "Age,Zip,Note\n34,01234,NA\nNA,01235,x\n54,NA,\n61,01236,?\n"


def test_words_for_missing_values_count_in_every_answer(tmp_path: Path) -> None:
    """`na` in a call, in the opening of a session, and in measures, explanations and suggestions (D11)."""
    path = csv_file(tmp_path, MIXED)
    policy = "EACH RESULT : Age <= 60 : REPLACE Age WITH 60;"
    with acompass.open(path, na=["NA"]) as session:
        assert [str(column.type) for column in session.schema(policy, missing="drop")][:2] == ["integer", "text"]
        assert session.check(policy, missing="drop").records_in == 4
        assert session.run(policy, missing="drop").dropped == 1
        assert {fact.name: fact.missing for fact in session.column_facts()} == {"Age": 1, "Zip": 1, "Note": 2}
        with pytest.raises(acompass.TableError, match="1 value is not a number"):
            session.check(policy, na=[], missing="drop")
    assert acompass.measure(path, qi=["Age"], na=["NA"]).classes.records == 4
    life = acompass.explain(policy, path, where="Zip <> '0'", na=["NA"], missing="drop").lives
    assert [each.record for each in life] == [1, 2, 4]
    assert acompass.suggest(path, qi=["Age"], k=2, max_lost="100%", na=["NA"], missing="drop").records_in == 4
    assert acompass.prove(policy, ["EACH RESULT : Age <= 60"], table=path, na=["NA"], missing="drop").ok


def test_words_for_missing_values_in_every_kind_of_frame() -> None:
    columns: dict[str, list[Any]] = {"Age": ["34", "NA", None], "Zip": ["NA", "a", "b"]}
    policy = "EACH RESULT : Age <= 60 : REPLACE Age WITH 60;"
    frames: list[Any] = [pandas.DataFrame(columns), polars.DataFrame(columns), pyarrow.table(columns)]
    frames.append(pandas.DataFrame(columns).astype("category"))
    for frame in frames:
        left = acompass.run(policy, frame, na=["NA"], missing={"Age": "0"}).table
        pairs = zip(left["Age"], left["Zip"], strict=True)
        assert [tuple(map(str, pair)) for pair in pairs] == [("34", "NA"), ("0", "a"), ("0", "b")]


def test_a_word_for_missing_values_may_be_the_empty_text(tmp_path: Path) -> None:
    path = csv_file(tmp_path, 'Age,Zip\n"",1\n34,2\n')
    policy = "EACH RESULT : Age <= 60 : REJECT;"
    assert acompass.run(policy, path, na=[""], missing="drop").dropped == 1
    with pytest.raises(acompass.TableError, match="1 value is not a number"):
        acompass.run(policy, path, missing="drop")


def test_the_help_counts_words_for_missing_values(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "Age,Zip\nNA,a\nNA,NA\nold,\n")
    for policy, help_ in (
        (
            "EACH RESULT : Age <= 60;",
            'the column has the text `NA` 2 times: if this means a missing value, add `na=["NA"]`; a number has',
        ),
        (
            "EACH RESULT : Zip = 'a';",
            'or fill them with `missing="VALUE"`; the column has the text `NA` once: if',
        ),
    ):
        with pytest.raises(acompass.TableError) as raised:
            acompass.check(policy, path)
        assert help_ in (raised.value.diagnostics[0].help or "")
