"""Where the values of a column that is not text at first are cut.

A policy treats those between two cuts alike, up to the bands or periods that it maps them to.
"""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice

from acompass.checked.convert import to_text
from acompass.checked.maps.bands import Band, Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import Map
from acompass.checked.types import Kind, Type, Value
from acompass.privacy.mentions import LinedMap, Mentions, texts_drawn
from acompass.privacy.undecided import Undecided
from acompass.prove.label_cuts import are_few, band_bounds
from acompass.prove.reading import read_text
from acompass.prove.value_order import order_of

_DATED = (Kind.DATE, Kind.TIMESTAMP)
#: larger integers are not told apart by floats
_LARGEST_IN_FLOAT = 2**53
#: the bands that one RANDOM can draw into
MOST_BANDS = 1_000


def cuts_of(mentions: Mentions) -> list[Value]:
    """Values of the column's type, or constants between them."""
    if mentions.type.is_spelled_decimal:
        raise Undecided(mentions.first_line, "the column keeps the spelling of its numbers (D26)")
    cuts = [*mentions.values, *_ends_of_type(mentions.type)]
    for random in mentions.randoms:
        is_large = max(abs(random.lower), abs(random.upper)) >= _LARGEST_IN_FLOAT
        if mentions.type.kind is Kind.FLOAT and is_large:
            raise Undecided(random.line, "floats do not tell all integers of this RANDOM apart")
        cuts += [random.lower, random.upper + 1]
    if mentions.type.kind in _DATED:
        return _with_periods(mentions, cuts)
    return _with_bands(mentions, cuts)


def _ends_of_type(type_: Type) -> list[Value]:
    """No band without an end contains an infinite float."""
    return [float("-inf"), float("inf")] if type_.kind is Kind.FLOAT else []


def _with_bands(mentions: Mentions, cuts: list[Value]) -> list[Value]:
    texts = mentions.points | texts_drawn(mentions)
    read = (read_text(text, mentions.before_text) for text in texts)
    cuts = [*cuts, *(value for value in read if value is not None)]
    if mentions.type.kind is Kind.FLOAT and 0 in cuts:
        raise Undecided(mentions.first_line, "floats have two zeros, which are not written alike")
    for line in mentions.orders.values():
        raise Undecided(line, "it orders numbers, or bands of them, as text")
    for lined in mentions.maps:
        cuts += _band_cuts(lined, mentions, cuts)
    return cuts


def _band_cuts(lined: LinedMap, mentions: Mentions, cuts: list[Value]) -> list[Value]:
    """The bounds of all bands; if they are too many, of those that a cut, a label or a RANDOM falls into."""
    bands = _as_bands(lined)
    if are_few(bands):
        return [bound for band in bands.bands_between(None, None) for bound in _bounds(band)]
    found = [
        bound for point in mentions.points if bands.label(point) == point for bound in band_bounds(point)
    ]
    finite = [cut for cut in (*cuts, *found) if isinstance(cut, int | Decimal)]
    for cut in finite:
        found += [bound for band in bands.bands_between(cut, cut) for bound in _bounds(band)]
    for random in mentions.randoms:
        reached = list(islice(bands.bands_between(random.lower, random.upper), MOST_BANDS + 1))
        if len(reached) > MOST_BANDS:
            raise Undecided(random.line, f"RANDOM draws into more than {MOST_BANDS:,} bands")
        found += [bound for band in reached for bound in _bounds(band)]
    return found


def _as_bands(lined: LinedMap) -> Bands:
    match lined.map:
        case Bands():
            return lined.map
        case _:
            raise Undecided(lined.line, "it maps numbers as text")


def _bounds(band: Band) -> Iterator[Value]:
    yield from (bound for bound in (band.lower, band.upper) if bound is not None)


def _with_periods(mentions: Mentions, cuts: list[Value]) -> list[Value]:
    """The texts of dates, and of their periods, are in the order of the dates."""
    texts: list[Callable[[Value], str]] = [lambda value: to_text(value, mentions.type)]
    texts += [_label_of(lined, mentions.type) for lined in mentions.maps]
    compared = mentions.points | texts_drawn(mentions) | mentions.orders.keys()
    found = [bound for text in texts for point in compared for bound in _period(mentions.type, text, point)]
    for text in texts[1:]:
        own = [text(value) for value in (*cuts, *found)]
        found += [bound for label in own for bound in _period(mentions.type, text, label)]
    return [*cuts, *found]


def _label_of(lined: LinedMap, type_: Type) -> Callable[[Value], str]:
    map_: Map = lined.map
    match map_:
        case Dates():
            return lambda value: map_.label(to_text(value, type_)) or ""
        case _:
            raise Undecided(lined.line, "it maps dates as other text")


def _period(type_: Type, text: Callable[[Value], str], label: str) -> Iterator[Value]:
    """The first value whose text is not below the label, and the first whose text is above it."""
    yield from _first(type_, lambda value: text(value) >= label)
    yield from _first(type_, lambda value: text(value) > label)


def _first(type_: Type, is_reached: Callable[[Value], bool]) -> Iterator[Value]:
    """Binary search; nothing where no value of the type is reached."""
    order = order_of(type_)
    low, end = order.first_and_last(None, None)
    assert low is not None
    assert end is not None
    high = end + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_reached(order.value(middle)) else (middle + 1, high)
    if low <= end:
        yield order.value(low)
