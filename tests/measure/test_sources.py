"""All kinds of tables give the same numbers."""

import datetime
import math
from fractions import Fraction
from pathlib import Path

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from acompass import measure

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


def test_booleans_have_none() -> None:
    found = measure(pyarrow.table({"q": ["a", "a"], "s": [True, False]}), ["q"], ["s"]).sensitive[0]
    assert found.t_ordered is None


def test_names_may_be_anything() -> None:
    odd = pyarrow.table({'a"; DROP TABLE x; --': [1, 1], "": ["u", "v"], "c0": [5, 6]})
    measures = measure(odd, ['a"; DROP TABLE x; --'], ["", "c0"])
    assert (measures.k, [each.column for each in measures.sensitive]) == (2, ["", "c0"])
