"""The texts of numbers, dates and timestamps (D12): which intervals of text they fall into.

Values with the same sign and the same number of digits before the point are in the same order as their texts.
So are all dates and all timestamps. One binary search in each such run therefore tells whether a value's text
lies between two given texts.
"""

from collections.abc import Callable, Iterator

from acompass.checked.convert import to_text
from acompass.checked.types import Kind, Type
from acompass.prove.regions import Regions
from acompass.prove.value_order import Rank, order_of

#: intervals of text that include every text of a number
_NUMERALS = (("-", "."), ("0", ":"))


def has_ordered_texts(type_: Type) -> bool:
    """Whether the type's values fall into such runs."""
    return type_.kind in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP)


def may_be_number(low: str | None, high: str | None) -> bool:
    """Whether a text strictly between `low` and `high` can begin with a minus sign or a digit."""
    return any((low is None or low < end) and (high is None or high > first) for first, end in _NUMERALS)


def reaches_between(region: int, source: Regions, type_: Type, low: str | None, high: str | None) -> bool:
    """Whether the text of some value in the gap `region` lies strictly between `low` and `high`."""
    first, last = source.first_and_last(region)
    longest = max(len(low or ""), len(high or ""), len(str(first)), len(str(last))) + 1
    return any(
        _run_reaches(start, stop, sign, type_, low, high)
        for start, stop, sign in _runs(first, last, type_, longest)
    )


def _runs(first: Rank | None, last: Rank | None, type_: Type, longest: int) -> Iterator[tuple[int, int, int]]:
    """Runs of magnitudes, each with its sign, whose texts ascend.

    Numbers with more than `longest` digits can be left out: they reach no further interval.
    """
    if type_.kind in (Kind.DATE, Kind.TIMESTAMP):
        assert first is not None
        assert last is not None
        yield first, last, 1
        return
    for digits in range(1, longest + 1):
        smallest = 0 if digits == 1 else 10 ** (digits - 1 + type_.scale)
        largest = 10 ** (digits + type_.scale) - 1
        yield from _clipped(smallest, largest, first, last, 1)
        yield from _clipped(max(smallest, 1), largest, _negated(last), _negated(first), -1)


def _negated(rank: Rank | None) -> Rank | None:
    return None if rank is None else -rank


def _clipped(
    smallest: int, largest: int, first: Rank | None, last: Rank | None, sign: int
) -> Iterator[tuple[int, int, int]]:
    start = smallest if first is None else max(smallest, first)
    stop = largest if last is None else min(largest, last)
    if start <= stop:
        yield start, stop, sign


def _run_reaches(start: int, stop: int, sign: int, type_: Type, low: str | None, high: str | None) -> bool:
    order = order_of(type_)

    def text(magnitude: int) -> str:
        return to_text(order.value(sign * magnitude), type_)

    if low is not None:
        start = _first_above(start, stop, text, low)
    return start <= stop and (high is None or text(start) < high)


def _first_above(start: int, stop: int, text: Callable[[int], str], low: str) -> int:
    """The least magnitude whose text is above `low`, or `stop + 1`."""
    end = stop + 1
    while start < end:
        middle = (start + end) // 2
        if text(middle) > low:
            end = middle
        else:
            start = middle + 1
    return start
