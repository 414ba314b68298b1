"""A list of dicts is read and returned without pyarrow, with the same result as through Arrow."""

import subprocess
import sys
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
        assert fault(dicts([first, second])).code == "AC216"
        assert fault([{"a": first, "b": b"x"}, {"a": second, "b": b"x"}]).code == "AC216"


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
    found = fault(dicts(values))
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
        "print({'pyarrow', 'pandas', 'polars', 'ibis', 'numpy'} & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "set()", ran.stderr
