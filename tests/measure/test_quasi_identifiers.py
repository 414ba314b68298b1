"""Risk by quasi-identifier."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from acompass.measures import Classes
from acompass.report.html.quasi_identifiers import quasi_identifiers_section
from acompass.report.markdown.measures import measures_markdown
from acompass.report.notebook.measures import measures_html
from acompass.report.text.measures import measures_text
from tests.measure import by_definition
from tests.measure.tables import csv_table

NAMES = ("q", "r", "s")
values = st.sampled_from([None, "*", "a", "b"])
tables = st.lists(st.tuples(values, values, st.integers(0, 3)), min_size=1, max_size=25)
weights = st.decimals("0.1", "3", places=1)


def _sizes(records: Sequence[Sequence[Any]], columns: Sequence[int]) -> tuple[tuple[Fraction, int], ...]:
    """The sizes of the classes, of which the last value of a record is the weight."""
    groups = by_definition.classes(records, columns)
    return tuple(sorted(Counter(sum(Fraction(r[-1]) for r in each) for each in groups).items()))


@pytest.mark.slow
@given(
    st.lists(st.tuples(values, values, st.integers(0, 3), weights), min_size=1, max_size=25),
    st.integers(1, 3),
)
@settings(max_examples=40)
def test_each_column_is_measured_alone_and_left_out(table: list[tuple[Any, ...]], columns: int) -> None:
    qi = range(columns)
    found = measure(csv_table("q,r,s,w", *table), NAMES[:columns], weight="w").by_quasi_identifier
    assert [each.column for each in found] == list(NAMES[:columns])
    for column, each in zip(qi, found, strict=True):
        assert each.alone == Classes(_sizes(table, [column]))
        assert each.without == Classes(_sizes(table, [other for other in qi if other != column]))


PEOPLE = csv_table("Age,Sex,Zip", (31, "f", 1), (31, "m", 1), (42, "f", 1), (57, "f", 2))


def test_the_figures_of_a_small_table() -> None:
    measures = measure(PEOPLE, ["Age", "Sex", "Zip"])
    age, sex, _ = measures.by_quasi_identifier
    assert (age.alone.number, age.alone.uniques) == (3, 2)
    assert (age.without.k, age.without.uniques, age.without.prosecutor_average) == (1, 2, Fraction(3, 4))
    assert (sex.alone.number, sex.without.uniques) == (2, 2)
    found: Any = measures.to_json()
    assert found["by_quasi_identifier"][0] == {
        "column": "Age",
        "values": 3,
        "uniques": 2,
        "without": {"k": 1, "uniques": 2, "average_risk": 0.75},
    }


def test_without_the_only_quasi_identifier_all_records_are_equal() -> None:
    measures = measure(PEOPLE, ["Age"])
    (age,) = measures.by_quasi_identifier
    assert age.without == Classes(((4, 1),))
    assert "without it" not in measures_text(measures)


def test_renderers() -> None:
    measures = measure(PEOPLE, ["Age", "Sex", "Zip"])
    rows = [line.split() for line in measures_text(measures).splitlines()]
    assert ["Age", "3", "2", "1", "2", "0.75"] in rows
    page = quasi_identifiers_section([measures, measures], ["before", "after"])
    assert page.count("75\N{NO-BREAK SPACE}%") >= 2
    assert "Risk by quasi-identifier, after" in page
    assert "Risk by quasi-identifier" in measures_html(measures)
    assert "| `Age` | 3 | 2 | 1 | 2 | 0.75 |" in measures_markdown(measures)


def test_decimal_weights_are_exact() -> None:
    table = csv_table("q,r,w", *[("a", "x", Decimal("0.1"))] * 30, ("b", "x", 2))
    first, second = measure(table, ["q", "r"], weight="w").by_quasi_identifier
    assert first.alone.sizes == ((2, 1), (3, 1))
    assert second.alone.sizes == ((5, 1),)
