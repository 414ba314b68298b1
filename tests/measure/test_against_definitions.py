"""On random tables, the engine's measures equal the definitions; rational measures are equal exactly."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from tests.measure import by_definition

pytestmark = pytest.mark.slow

NAMES = ("q", "r", "s", "v")
QI = (0, 1)

quasi_identifier = st.sampled_from([None, "*", "a", "b"])
record = st.tuples(
    quasi_identifier,
    st.integers(0, 1),
    st.sampled_from([None, "*", "x", "y", "z"]),
    st.none() | st.integers(-3, 6),
)
tables = st.lists(record, min_size=1, max_size=40)


def as_table(records: Sequence[Sequence[Any]], names: Sequence[str] = NAMES) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    types = {"q": pyarrow.string(), "s": pyarrow.string(), "Weight": pyarrow.decimal128(9, 3)}
    columns = list(zip(*records, strict=True)) if records else [()] * len(names)
    return pyarrow.table(
        {n: pyarrow.array(c, types.get(n, pyarrow.int64())) for n, c in zip(names, columns, strict=True)}
    )


def missing_first(values: set[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (value is not None, value if value is not None else 0))


@given(tables)
@settings(max_examples=60)
def test_every_model_matches_its_definition(records: list[tuple[Any, ...]]) -> None:
    measures = measure(as_table(records), ["q", "r"], ["s", "v"])
    groups = by_definition.classes(records, QI)
    assert measures.classes.sizes == tuple(sorted(Counter(map(len, groups)).items()))
    assert measures.k == min(map(len, groups))
    assert measures.classes.discernibility == sum(len(each) ** 2 for each in groups)
    for column, found in zip((2, 3), measures.sensitive, strict=True):
        assert found.column == NAMES[column]
        assert found.values == len({r[column] for r in records})
        assert found.alpha == by_definition.alpha(records, QI, column)
        assert found.distinct_l == by_definition.distinct_l(records, QI, column)
        assert found.entropy_l == by_definition.entropy_l(records, QI, column)
        assert found.recursive_c == by_definition.recursive_c(records, QI, column, found.distinct_l)
        assert found.t_equal == by_definition.t_equal(records, QI, column)
        assert found.basic_beta == by_definition.basic_beta(records, QI, column)
        assert found.enhanced_beta == by_definition.enhanced_beta(records, QI, column)
        delta = by_definition.delta(records, QI, column)
        assert found.delta == pytest.approx(delta, rel=1e-12, abs=1e-12)
        strict = found.delta if by_definition.has_every_value(records, QI, column) else None
        assert found.delta_every_value == strict
    order = missing_first({r[3] for r in records})
    assert measures.sensitive[0].t_ordered is None
    assert measures.sensitive[1].t_ordered == by_definition.t_ordered(records, QI, 3, order)


@given(st.lists(st.tuples(record, st.integers(1, 5)), min_size=1, max_size=15))
@settings(max_examples=25)
def test_a_weight_is_equivalent_to_repeating_the_record(weighted: list[tuple[tuple[Any, ...], int]]) -> None:
    grouped = as_table([(*r, n) for r, n in weighted], (*NAMES, "Number"))
    repeated = as_table([r for r, n in weighted for _ in range(n)])
    one = measure(grouped, ["q", "r"], ["s", "v"], weight="Number")
    other = measure(repeated, ["q", "r"], ["s", "v"])
    assert one.classes == other.classes
    assert one.sensitive == other.sensitive


@given(st.lists(st.tuples(record, st.integers(1, 5)), min_size=1, max_size=15))
@settings(max_examples=25)
def test_decimal_weights_scale_the_sizes_and_nothing_else(
    weighted: list[tuple[tuple[Any, ...], int]],
) -> None:
    """An eighth of each weight: three decimals."""
    whole = as_table([(*r, n) for r, n in weighted], (*NAMES, "Number"))
    eighths = as_table([(*r, Decimal(n) / 8) for r, n in weighted], (*NAMES, "Weight"))
    one = measure(whole, ["q", "r"], ["s", "v"], weight="Number")
    other = measure(eighths, ["q", "r"], ["s", "v"], weight="Weight")
    assert other.sensitive == one.sensitive
    assert other.classes.sizes == tuple((Fraction(size, 8), n) for size, n in one.classes.sizes)


@given(tables, tables)
@settings(max_examples=25)
def test_population_risk_matches_its_definition(records: list[Any], others: list[Any]) -> None:
    population = [*records, *others]
    found = measure(as_table(records), ["q", "r"], population=as_table(population)).journalist
    sizes = by_definition.population_sizes(records, population, QI)
    marketer = sum(Fraction(f, big) for f, big in sizes) / len(records)
    assert found is not None
    assert found.marketer == marketer
    assert found.maximum == Fraction(1, min(big for _, big in sizes))
    assert found.average == max(marketer, Fraction(len(sizes), sum(big for _, big in sizes)))


@given(tables, tables)
@settings(max_examples=25)
def test_a_column_changes_by_the_distance_of_its_distributions(after: list[Any], before: list[Any]) -> None:
    comparison = measure(as_table(after), ["q", "r"], against=as_table(before)).comparison
    assert comparison is not None
    for column, change in enumerate(comparison.columns):
        now, then = by_definition.shares(after, column), by_definition.shares(before, column)
        moved = sum(abs(now.get(v, Fraction(0)) - then.get(v, Fraction(0))) for v in {*now, *then})
        assert change.distance == moved / 2
        assert (change.values_before, change.values_after) == (len(then), len(now))
    lost = max(0, len(before) - len(after))
    groups = by_definition.classes(after, QI)
    assert comparison.discernibility == sum(len(each) ** 2 for each in groups) + lost * len(before)
