"""Numbers, dates and timestamps as texts (D12): which stretches of text they reach.

Values with the same sign and as many digits before the point are in the same order as their texts, and
all dates and timestamps are. So one search in each such run finds whether a text lies between two others.
"""

from collections.abc import Callable, Iterator

from acompass.checked.convert import to_text
from acompass.checked.types import Kind, Type
from acompass.prove.lines import Place, line_of
from acompass.prove.regions import Regions


def is_monotone(type_: Type) -> bool:
    return type_.kind in (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP)


def reaches(region: int, source: Regions, type_: Type, low: str | None, high: str | None) -> bool:
    """Whether a value of the gap is written as a text strictly between."""
    first, last = source.ends(region)
    longest = max(len(low or ""), len(high or ""), len(str(first)), len(str(last))) + 1
    return any(
        _is_hit(start, stop, sign, type_, low, high)
        for start, stop, sign in _runs(first, last, type_, longest)
    )


def _runs(
    first: Place | None, last: Place | None, type_: Type, longest: int
) -> Iterator[tuple[int, int, int]]:
    """Stretches of magnitudes, with their sign, whose texts ascend.

    Numbers longer than all texts at hand reach nothing new.
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


def _negated(place: Place | None) -> Place | None:
    return None if place is None else -place


def _clipped(
    smallest: int, largest: int, first: Place | None, last: Place | None, sign: int
) -> Iterator[tuple[int, int, int]]:
    start = smallest if first is None else max(smallest, first)
    stop = largest if last is None else min(largest, last)
    if start <= stop:
        yield start, stop, sign


def _is_hit(start: int, stop: int, sign: int, type_: Type, low: str | None, high: str | None) -> bool:
    line = line_of(type_)

    def text(magnitude: int) -> str:
        return to_text(line.value(sign * magnitude), type_)

    if low is not None:
        start = _first_above(start, stop, text, low)
    return start <= stop and (high is None or text(start) < high)


def _first_above(start: int, stop: int, text: Callable[[int], str], low: str) -> int:
    """The least magnitude whose text is above `low`; one past the end where none is."""
    end = stop + 1
    while start < end:
        middle = (start + end) // 2
        if text(middle) > low:
            end = middle
        else:
            start = middle + 1
    return start
