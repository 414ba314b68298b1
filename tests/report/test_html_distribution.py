"""Distributions of columns: rare values are pooled, and bounds disclose no record's value."""

import datetime
from typing import Any

from acompass.measure.distribution import MOST_BARS, Showing
from acompass.measure.overview import overviews
from acompass.measures import SMALLEST, Bar, Distribution


def shown(before: list[Any], after: list[Any] | None = None) -> Distribution:
    tables = [[{"A": value} for value in values] for values in (before, after) if values is not None]
    (distribution,) = columns_of(tables, Showing())
    return distribution


def columns_of(tables: list[list[dict[str, Any]]], showing: Showing) -> tuple[Distribution, ...]:
    (overview,) = overviews(tables, None, [showing])
    return overview.columns


def test_frequent_values_come_first_and_rare_ones_are_pooled() -> None:
    found = shown(["a"] * 10 + ["b"] * 30 + ["c"] * 9 + ["d"])
    assert found.bars == (Bar("b", (30,)), Bar("a", (10,)))
    assert (found.other, found.totals) == ((10,), (50,))


def test_only_values_of_the_released_table_have_bars() -> None:
    found = shown(["a"] * 40 + ["c"] * 20, ["a"] * 3 + ["b"] * 20)
    assert found.bars == (Bar("b", (0, 20)),)
    assert found.other == (60, None)


def test_ranges_come_from_the_released_table_alone() -> None:
    ages = [value for value in range(20, 70) for _ in range(20)]
    found = shown([*ages, *range(90, 140)], ages)
    assert found.bars == shown(ages, ages).bars
    assert found.other == (50, 0)


def test_a_small_change_is_not_shown() -> None:
    found = shown(["a"] * 25 + ["b"] * 60 + ["c"] * 90, ["a"] * 24 + ["b"] * 40 + ["c"] * 90)
    assert found.bars == (Bar("c", (90, 90)), Bar("b", (None, 40)), Bar("a", (None, 24)))
    assert found.other == (None, 0)


def test_a_small_count_before_is_not_shown() -> None:
    found = shown(["a"] * 3 + ["b"] * 60, ["a"] * 40 + ["b"] * 23)
    assert [bar.counts[0] for bar in found.bars] == [None, None]


def test_numbers_in_ranges_with_round_bounds() -> None:
    ages = [value for value in range(17, 93) for _ in range(11)]
    found = shown([*ages, 1_000_003])
    assert found.bars[1] == Bar("20 to 29", (110,))
    assert found.bars[-1] == Bar("90 to 99", (33,))
    assert sum(bar.counts[0] or 0 for bar in found.bars) == len(ages)
    assert found.other == (None,)


def test_ranges_of_floats_exclude_their_upper_bound() -> None:
    found = shown([i / 100 for i in range(1, 400)])
    assert "1 to below 1.5" in [bar.label for bar in found.bars]


def test_few_numbers_are_shown_one_by_one() -> None:
    assert shown([1] * 12 + [2] * 11).bars == (Bar("1", (12,)), Bar("2", (11,)))


def test_missing_is_a_value() -> None:
    assert shown(["a"] * 12 + [None] * 20).bars == (Bar("missing", (20,)), Bar("a", (12,)))


def test_dates_are_grouped_by_year() -> None:
    days = [
        datetime.date(year, 1, 1) + datetime.timedelta(days=i) for year in (2019, 2020) for i in range(15)
    ]
    assert shown(days).bars == (Bar("2019", (15,)), Bar("2020", (15,)))


def test_a_column_that_became_text() -> None:
    found = shown([36] * 20, ["30-39"] * 20)
    assert found.bars == (Bar("30-39", (0, 20)),)
    assert found.other == (20, 0)


def test_a_column_of_only_one_table_is_omitted() -> None:
    tables = [[{"A": 1, "B": 2}] * 20, [{"A": 1, "C": 3}] * 20]
    assert [found.column for found in columns_of(tables, Showing())] == ["A"]


def test_no_count_below_the_smallest_is_ever_shown() -> None:
    values = [value for value in range(40) for _ in range(value % 13)]
    for found in (shown(values), shown([str(value) for value in values])):
        counts = [count for bar in found.bars for count in bar.counts]
        assert counts
        assert not [count for count in counts if count is not None and 0 < count < SMALLEST]


def test_ranges_of_thousands_stand_among_wider_labels() -> None:
    found = shown([str(number) for number in range(1000, 10000, 10)] + ["1000-4999"] * 50 + ["<1000"] * 20)
    assert [bar.label for bar in found.bars][:3] == ["<1000", "1000-4999", "1,000 to 1,999"]


def test_numbers_beside_bands_are_pooled_in_ranges_that_contain_them() -> None:
    """As a cascade leaves them: some values, some labels, and wider labels on their own."""
    ages = [str(age) for age in range(20, 60) for _ in range(5)]
    bands = ["20-29"] * 30 + ["30-34"] * 20 + ["20-39"] * 15 + ["80+"] * 11 + ["*"] * 12
    found = shown([*ages, *bands, "100003"])
    assert found.bars == (
        Bar("20-39", (15,)),
        Bar("20-29", (30,)),
        Bar("20 to 24", (25,)),
        Bar("25 to 29", (25,)),
        Bar("30 to 34", (45,)),
        Bar("35 to 39", (25,)),
        Bar("40 to 44", (25,)),
        Bar("45 to 49", (25,)),
        Bar("50 to 54", (25,)),
        Bar("55 to 59", (25,)),
        Bar("80+", (11,)),
        Bar("*", (12,)),
    )
    assert found.other == (None,)


def test_numbers_of_any_size_have_bars() -> None:
    texts = [f"{number}e999" for number in range(1, 30) for _ in range(10)]
    assert len(shown(texts).bars) == MOST_BARS
    assert shown([*map(str, range(100)), *["1e9999"] * 10]).bars[-1] == Bar("1e9999", (10,))
    floats = [sign * number * 1e307 for number in range(1, 18) for sign in (-1, 1) for _ in range(10)]
    assert len(shown(floats).bars) == MOST_BARS
