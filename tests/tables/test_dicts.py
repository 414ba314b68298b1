"""Dicts and lists are read and returned without pyarrow, with the same result as through Arrow."""

import csv
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.language.program.uses import Use
from acompass.tables.arrow import arrow_columns
from acompass.tables.frames import plain_columns
from tests.repo.sources import ROOT
from tests.tables.tables import fault, loading, round_trip

DAY, TIME = date(2020, 2, 29), datetime(2020, 2, 29, 1, 2, 3, 4)
#: only decimals that Arrow and DuckDB can hold; longer ones have their own test
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=5, min_value=-(10**9), max_value=10**9)
KINDS: tuple[st.SearchStrategy[Any], ...] = (
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-(10**38) + 1, 10**38 - 1),
    st.floats(),
    st.one_of(st.floats(), st.integers(-(2**53), 2**53)),
    st.text(st.characters(codec="utf-8")),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    DECIMALS,
)


def dicts(values: list[Any]) -> list[dict[str, Any]]:
    return [{"a": value} for value in values]


def with_gaps(kind: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.none() | kind, min_size=1, max_size=6)


@given(st.one_of([with_gaps(kind) for kind in KINDS]))
@pytest.mark.slow
def test_values_are_the_same_as_through_arrow(values: list[Any]) -> None:
    through_arrow = arrow_columns(dicts(values)).arrays[0].to_pylist()
    found = [record["a"] for record in round_trip(dicts(values), a=Use.ANY)]
    assert list(map(repr, found)) == list(map(repr, _without_negative_zero(through_arrow)))


def _without_negative_zero(values: list[Any]) -> list[Any]:
    """A policy that names the column reads -0.0 as 0.0."""
    return [value + 0.0 if isinstance(value, float) else value for value in values]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([None], "text"),
        ([1, None], "integer"),
        ([2**63], "decimal(0)"),
        ([1, 2.5], "float"),
        ([float("nan"), 1], "integer"),
        ([Decimal("1.50"), 1, Decimal("1E+3")], "decimal(2)"),
        ([Decimal("NaN"), "a"], "text"),
        ([Decimal("0.000")], "decimal(3)"),
        ([Decimal("1.5"), 2**70], "decimal(1)"),
        ([True], "boolean"),
        ([DAY], "date"),
        ([TIME], "timestamp"),
        (["a\0b", ""], "text"),
    ],
)
def test_the_values_decide_the_type(values: list[Any], type_: str) -> None:
    assert plain_columns(dicts(values)) is not None
    with loading(dicts(values), a=Use.ANY) as table:
        assert table.types == [type_]


@pytest.mark.parametrize("first", [1, 1.5, Decimal(1), True, "1", DAY, TIME], ids=repr)
@pytest.mark.parametrize("second", [1, 1.5, Decimal(1), True, "1", DAY, TIME], ids=repr)
def test_mixtures_are_rejected(first: Any, second: Any) -> None:
    kinds = {type(first), type(second)}
    if len(kinds) > 1 and kinds not in ({int, float}, {int, Decimal}):
        assert fault(dicts([first, second]), a=Use.ANY).code == "AC216"
        assert fault([{"a": first, "b": b"x"}, {"a": second, "b": b"x"}], a=Use.ANY).code == "AC216"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([10**38], "AC215"),
        ([Decimal(10**37), Decimal("0.01")], "AC215"),
        ([Decimal("1E+400000")], "AC215"),
        ([2**53 + 1, 1.5], "AC216"),
        ([Decimal("Infinity")], "AC216"),
        (["secret\ud800"], "AC205"),
    ],
)
def test_values_that_cannot_be_read_are_reported(values: list[Any], code: str) -> None:
    found = fault(dicts(values), a=Use.ANY)
    assert found.code == code
    assert "secret" not in found.message


@pytest.mark.parametrize("value", [b"x", [1], {"b": 1}, timedelta(1), datetime(2020, 1, 1, tzinfo=UTC)], ids=repr)
def test_other_values_go_through_arrow(value: Any) -> None:
    assert plain_columns(dicts([value])) is None
    assert round_trip([{"a": value, "b": 1}], b=Use.ANY) == [{"a": value, "b": 1}]


def test_the_order_of_records_and_columns_is_kept() -> None:
    table = [{"b": n, "a": str(n)} for n in range(10_000)]
    result = acompass.run("EACH RESULT : b >= 1 : REPLACE b WITH 1;", table)
    assert result.table == [{"b": max(n, 1), "a": str(n)} for n in range(10_000)]


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80; EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 2 : REJECT;"
RECORDS: list[dict[str, Any]] = [
    {"Age": 54, "Zip": "21201"},
    {"Age": 82, "Zip": "21201", "Born": DAY},
    {"Zip": "21410", "Age": 36},
]
LISTS = {"Age": [54, 82, 36], "Zip": ("21201", "21201", "21410"), "Born": [None, DAY, None]}
RELEASED = [{"Age": 54, "Zip": "21201", "Born": None}, {"Age": 80, "Zip": "21201", "Born": DAY}]
RELEASED_LISTS = {"Age": [54, 80], "Zip": ["21201", "21201"], "Born": [None, DAY]}
#: other kinds of the same table, with the result of a run
OTHER_KINDS: dict[str, tuple[Callable[[], Any], Any]] = {
    "a dict of lists": (lambda: LISTS, RELEASED_LISTS),
    "a generator": (lambda: (dict(record) for record in RECORDS), RELEASED),
    "an iterator": (lambda: iter(RECORDS), RELEASED),
    "a map": (lambda: map(dict, RECORDS), RELEASED),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_other_kinds_give_the_answers_of_a_list_of_dicts(kind: str, tmp_path: Path) -> None:
    make, released = OTHER_KINDS[kind]
    for engine in ("duckdb", "reference"):
        result = acompass.run(POLICY, make(), engine=engine)
        assert (result, result.table) == (acompass.run(POLICY, RECORDS, engine=engine), released)
    assert acompass.check(POLICY, make(), show=2) == acompass.check(POLICY, RECORDS, show=2)
    assert acompass.explain(POLICY, make(), record=2) == acompass.explain(POLICY, RECORDS, record=2)
    assert acompass.prove(POLICY, table=make()) == acompass.prove(POLICY, table=RECORDS)
    assert acompass.lint(POLICY, table=make()) == acompass.lint(POLICY, table=RECORDS)
    assert acompass.compare(POLICY, POLICY, table=make()).equivalent
    assert (
        acompass.suggest(make(), ["Age"], 2, max_lost="50%").policy
        == acompass.suggest(RECORDS, ["Age"], 2, max_lost="50%").policy
    )
    loss = {"qi": ["Zip"], "hierarchies": {"Zip": "prefix:3"}}
    measured = acompass.measure(make(), against=make(), population=make(), **loss)
    assert measured == acompass.measure(RECORDS, against=RECORDS, population=RECORDS, **loss)


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_a_session_on_another_kind_answers_several_calls(kind: str) -> None:
    make, released = OTHER_KINDS[kind]
    with acompass.open(make()) as session, acompass.open(RECORDS) as expected:
        for _ in range(2):
            assert session.run(POLICY).table == released
            assert session.check(POLICY) == expected.check(POLICY)
        with session.sample(2, "seed") as sample, expected.sample(2, "seed") as other:
            assert sample.check(POLICY) == other.check(POLICY)


@pytest.mark.parametrize("kind", OTHER_KINDS)
def test_reports_read_another_kind_again(kind: str, tmp_path: Path) -> None:
    make, _ = OTHER_KINDS[kind]
    pages = []
    for table in (make(), RECORDS):
        acompass.run(POLICY, table, report=tmp_path / "a.html", report_internal=tmp_path / "b.html")
        acompass.measure(
            table_or_new(table, make), ["Zip"], against=table_or_new(table, make), report=tmp_path / "c.html"
        )
        pages.append([(tmp_path / name).read_text(encoding="utf-8") for name in ("a.html", "b.html", "c.html")])
    assert [len(page) for page in pages[0]] == [len(page) for page in pages[1]]


def table_or_new(table: Any, make: Callable[[], Any]) -> Any:
    """The list of dicts, or a new table of the other kind."""
    return table if table is RECORDS else make()


def test_other_values_of_other_kinds_go_through_arrow() -> None:
    values = [b"x", None]
    assert round_trip({"a": values, "b": [1, 2]}, b=Use.ANY) == {"a": values, "b": [1, 2]}
    records = ({"a": value} for value in values)
    assert acompass.run("ALWAYS : DROP b;", ({**record, "b": 1} for record in records)).table == [
        {"a": b"x"},
        {"a": None},
    ]


def test_a_csv_reader_is_an_iterator_of_dicts() -> None:
    """Its values are text, which the policy uses as numbers (D23)."""
    lines = ["Age,Zip", "54,21201", "82,21201"]
    assert acompass.run("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;", csv.DictReader(lines)).table == [
        {"Age": "54", "Zip": "21201"},
        {"Age": "80", "Zip": "21201"},
    ]


def test_an_iterator_is_read_once_and_not_kept_as_dicts() -> None:
    alive: list[weakref.ref[Any]] = []

    class Record(dict[str, Any]):
        pass

    def records() -> Iterator[dict[str, Any]]:
        for age in range(100):
            record = Record(Age=age)
            alive.append(weakref.ref(record))
            assert sum(each() is not None for each in alive) <= 3
            yield record

    assert acompass.run("EACH RESULT : Age >= 50 : REJECT;", records()).records_out == 50
    assert len(alive) == 100


def test_an_error_in_the_policy_does_not_read_the_iterator() -> None:
    records = iter(RECORDS)
    with pytest.raises(acompass.PolicyError):
        acompass.run("EACH RESULT : Age == 80;", records)
    assert acompass.run(POLICY, records).records_in == 3


def test_an_iterator_cannot_be_read_twice() -> None:
    for make in (lambda: iter(RECORDS), lambda: (record for record in RECORDS)):
        records = make()
        assert acompass.check(POLICY, records).records_in == 3
        with pytest.raises(acompass.TableError, match="AC250"):
            acompass.check(POLICY, records)


def test_the_error_of_a_generator_is_not_changed() -> None:
    def fail() -> Iterator[dict[str, Any]]:
        yield {"Age": 1}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        acompass.check(POLICY, fail())


@pytest.mark.parametrize(
    ("table", "code"),
    [
        (dict, "AC204"),
        (lambda: {"Age": [1], "Zip": []}, "AC249"),
        (lambda: {"Age": [1, "secret"]}, "AC216"),
        (lambda: {1: [1]}, "AC219"),
        (lambda: iter([]), "AC250"),
        (lambda: iter(["secret"]), "AC217"),
        (lambda: iter([{"Age": 1}, {"Age": "secret"}]), "AC216"),
        (lambda: {"Age": "secret"}, "AC407"),
        (lambda: {"Age": {"secret"}}, "AC407"),
    ],
)
def test_what_is_wrong_with_another_kind_is_reported_without_values(table: Callable[[], Any], code: str) -> None:
    with pytest.raises(acompass.AcompassError) as raised:
        acompass.check(POLICY, table())
    assert raised.value.diagnostics[0].code == code
    assert "secret" not in str(raised.value)


def test_lists_without_values_are_a_table_without_records() -> None:
    assert acompass.run("EACH RESULT : Age >= 50 : REJECT;", {"Age": [], "Zip": []}).table == {"Age": [], "Zip": []}


@pytest.mark.slow
def test_the_example_of_the_readme_runs_without_pyarrow(tmp_path: Path) -> None:
    """As after `pip install .`, which does not install pyarrow."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (tmp_path / "policy.acp").write_text(_block(readme, "```acompass policy.acp\n"), encoding="utf-8")
    (tmp_path / "example.txt").write_text(_block(readme, "```python\n"), encoding="utf-8")
    code = (
        "import sys; sys.modules['pyarrow'] = None; import doctest\n"
        "failed, tried = doctest.testfile('example.txt', module_relative=False)\n"
        "sys.exit(failed or not tried)"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def _block(page: str, opening: str) -> str:
    return page.partition(opening)[2].partition("```")[0]


@pytest.mark.slow
def test_lists_import_no_table_library(tmp_path: Path) -> None:
    code = (
        "import sys, acompass\n"
        "people = [{'Age': 54, 'Zip': '21201'}, {'Age': None, 'Zip': '21401'}]\n"
        "policy = 'EACH RESULT : Age <= 50 : REPLACE Age WITH 50;'\n"
        "with acompass.open(people, missing=7) as session:\n"
        "    assert session.run(policy).table[1]['Age'] == 7\n"
        "    session.check(policy, show=1), session.plan(policy), session.explain(policy, record=1)\n"
        "    session.measure(qi=['Zip'])\n"
        "acompass.run(policy, people, missing='drop', engine='reference')\n"
        "acompass.run(policy, people, missing='drop', output='out.parquet', report='report.html')\n"
        "acompass.prove(policy, table=people), acompass.lint(policy, table=people)\n"
        "assert acompass.run(policy, {'Age': [54, 7]}).table == {'Age': [50, 7]}\n"
        "assert acompass.run(policy, iter(people), missing='drop').table == [{'Age': 50, 'Zip': '21201'}]\n"
        "print({'pyarrow', 'pandas', 'polars', 'ibis', 'numpy'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "set()", ran.stderr
