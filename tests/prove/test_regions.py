"""Regions against brute force: which are empty, which values they have, and their images under conversion."""

import datetime
import itertools
from decimal import Decimal

import pytest

from acompass.checked.convert import convert
from acompass.checked.types import BOOLEAN, DATE, FLOAT, INTEGER, TEXT, Type, Value, decimal
from acompass.prove.conversion import image, image_of_random
from acompass.prove.regions import Regions, regions_in
from acompass.prove.value_order import INFINITE, order_of
from acompass.semantics import compare
from acompass.syntax.tree import Operator

CUTS: list[tuple[Type, list[Value]]] = [
    (INTEGER, [3, 4, 9]),
    (INTEGER, [3, Decimal("3.5"), 5]),
    (decimal(1), [Decimal("0.1"), Decimal("0.2"), Decimal("0.25")]),
    (FLOAT, [0.0, 5e-324, 1.0]),
    (TEXT, ["", "a", "a\0", "b"]),
    (TEXT, ["212**", "21200", "21299"]),
    (BOOLEAN, [False, True]),
    (DATE, [datetime.date(1, 1, 1), datetime.date(2000, 2, 29)]),
]


@pytest.mark.parametrize(("type_", "cuts"), CUTS)
def test_values_of_a_region_are_in_it_and_satisfy_its_comparisons(type_: Type, cuts: list[Value]) -> None:
    regions = Regions(order_of(type_), cuts)
    for region in regions_in(regions.full):
        values = regions.values(region, 3)
        assert values
        assert len(set(values)) == len(values)
        assert {regions.region_of(value) for value in values} == {region}
        for value, cut, operator in itertools.product(values, cuts, Operator):
            assert bool(regions.satisfying(operator, cut) >> region & 1) == compare(value, operator, cut)


@pytest.mark.parametrize(
    ("type_", "cuts", "counts"),
    [
        (INTEGER, [3, 4, 9], [INFINITE, 1, 0, 1, 4, 1, INFINITE]),
        (INTEGER, [Decimal("3.5")], [INFINITE, 0, INFINITE]),
        (decimal(1), [0, 1], [INFINITE, 1, 9, 1, INFINITE]),
        (BOOLEAN, [False], [0, 1, 1]),
        (TEXT, [""], [0, 1, INFINITE]),
        (TEXT, ["a", "a\0", "a\0\0\0"], [INFINITE, 1, 0, 1, 1, 1, INFINITE]),
        (FLOAT, [0.0, 5e-324], [2**63 - 2**52, 1, 0, 1, 2**63 - 2**52 - 1]),
    ],
)
def test_a_region_knows_how_many_values_it_has(type_: Type, cuts: list[Value], counts: list[float]) -> None:
    regions = Regions(order_of(type_), cuts)
    assert [regions.cardinality(1 << region) for region in range(len(counts))] == counts
    assert [bool(regions.full >> region & 1) for region in range(len(counts))] == [bool(c) for c in counts]


@pytest.mark.parametrize(
    ("source", "target", "cuts"),
    [
        (INTEGER, TEXT, ["", "-", "-1", "0", "1", "10", "2", "9", "95", "999", "x"]),
        (INTEGER, decimal(2), [Decimal("-1.5"), 0, Decimal("2.25"), 7]),
        (decimal(1), TEXT, ["-0.5", "0", "0.5", "1.", "12", "9.9"]),
        (decimal(1), decimal(2), [Decimal("-0.55"), Decimal("0.1"), Decimal("0.11")]),
        (DATE, TEXT, ["1999-12-31", "2000", "2000-01-02x", "3"]),
    ],
)
def test_the_image_of_a_region_has_the_images_of_its_values(
    source: Type, target: Type, cuts: list[Value]
) -> None:
    """The window of values is wide enough to reach every region that any value reaches."""
    before = Regions(order_of(source), [order_of(source).value(rank) for rank in _window(source, 3)])
    after = Regions(order_of(target), cuts)
    reached = [0] * (len(bin(before.full)) - 2)
    for rank in _window(source, 1200):
        value = order_of(source).value(rank)
        reached[before.region_of(value)] |= 1 << after.region_of(convert(value, source, target))
    for region in regions_in(before.full):
        found = image(region, before, source, after, target)
        assert found & reached[region] == reached[region]
        if _is_inside_the_window(before, region):
            assert found == reached[region]


def _window(type_: Type, size: int) -> range:
    middle = datetime.date(2000, 1, 1).toordinal() if type_ == DATE else 0
    return range(middle - size, middle + size + 1)


def _is_inside_the_window(regions: Regions, region: int) -> bool:
    return regions.cardinality(1 << region) <= 1_000


@pytest.mark.parametrize("bounds", [(0, 0), (-3, 12), (95, 104), (3000, 4000), (998, 1_002)])
@pytest.mark.parametrize(
    ("type_", "cuts"),
    [
        (INTEGER, [0, 5, 3500]),
        (decimal(1), [Decimal("0.5"), 1, Decimal("99.9")]),
        (FLOAT, [0.5, 1.0, 3000.5]),
        (TEXT, ["", "-", "1", "10", "3", "3500", "4000", "9"]),
    ],
)
def test_the_image_of_a_random_has_exactly_the_values_it_can_draw(
    type_: Type, cuts: list[Value], bounds: tuple[int, int]
) -> None:
    regions = Regions(order_of(type_), cuts)
    lower, upper = bounds
    reached = 0
    for value in range(lower, upper + 1):
        reached |= 1 << regions.region_of(convert(value, INTEGER, type_))
    assert image_of_random(lower, upper, regions, type_) == reached


def test_the_image_of_all_64_bit_integers_is_found_without_enumeration() -> None:
    regions = Regions(order_of(TEXT), ["-", "5", "x"])
    assert image_of_random(-(2**63), 2**63 - 1, regions, TEXT) == 0b10101 & ~1 | 0b1000
