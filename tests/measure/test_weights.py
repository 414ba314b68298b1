"""Decimal weights, such as those of a sample."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from acompass import measure
from acompass.report.json.measures import measures_object
from acompass.report.text.measures import measures_text
from tests.measure.tables import csv_table

RECORDS = (("a", "12.5", "flu"), ("a", "0.75", "cold"), ("b", "7", "flu"))
SAMPLE = ("q,w,s", *RECORDS)


def _arrow(type_: pyarrow.DataType, weights: list[Any]) -> pyarrow.Table:
    return pyarrow.table(
        {"q": ["a", "a", "b"], "w": pyarrow.array(weights, type_), "s": ["flu", "cold", "flu"]}
    )


TABLES = {
    "CSV": csv_table(*SAMPLE),
    "text": _arrow(pyarrow.string(), ["12.5", "0.75", "7"]),
    "decimal": _arrow(pyarrow.decimal128(9, 4), [Decimal("12.5"), Decimal("0.75"), Decimal(7)]),
    "float": _arrow(pyarrow.float64(), [12.5, 0.75, 7.0]),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_sizes_are_exact_sums_of_weights(table: Any) -> None:
    measured = measure(table, ["q"], ["s"], weight="w")
    assert measured.classes.sizes == ((7, 1), (Fraction(53, 4), 1))
    assert (measured.k, measured.records) == (7, Fraction(81, 4))
    assert measured.sensitive[0].alpha == 1
    assert measured.classes.prosecutor_maximum == Fraction(1, 7)
    assert measured.classes.prosecutor_average == Fraction(2) / Fraction(81, 4)


def test_tenths_do_not_round() -> None:
    table = csv_table("q,w", *(("a", "0.1") for _ in range(30)))
    assert measure(table, ["q"], weight="w").classes.sizes == ((3, 1),)


def test_decimals_below_one() -> None:
    table = _arrow(pyarrow.decimal128(2, 2), [Decimal("0.25"), Decimal("0.5"), Decimal("0.99")])
    measured = measure(table, ["q"], weight="w")
    assert measured.classes.sizes == ((Fraction(3, 4), 1), (Fraction(99, 100), 1))
    assert (measured.classes.prosecutor_maximum, measured.classes.prosecutor_average) == (1, 1)
    assert "below 1" in measures_text(measured)


def test_a_population_without_weights_or_with_others() -> None:
    table = csv_table("q,w", ("a", "1.5"), ("b", "2.25"))
    weighted = csv_table("q,w", ("a", "3"), ("b", "4.125"))
    found = measure(table, ["q"], weight="w", population=weighted).journalist
    assert found is not None
    assert found.maximum == Fraction(1, 3)
    counted = csv_table("q", *([("a",)] * 2 + [("b",)] * 3))
    found = measure(table, ["q"], weight="w", population=counted).journalist
    assert found is not None
    assert found.maximum == Fraction(1, 2)


def test_renderers(tmp_path: Path) -> None:
    measured = measure(
        csv_table(*SAMPLE), ["q"], ["s"], weight="w", against=csv_table(*SAMPLE), report=tmp_path / "r.html"
    )
    text = measures_text(measured)
    assert text.startswith("20.25 records in 2 equivalence classes by q, weighted by w\n")
    assert "k = 7" in text
    value = measures_object(measured)
    assert (value["records"], value["k"]) == (20.25, 7)
    assert "20.25" in (tmp_path / "r.html").read_text(encoding="utf-8")
