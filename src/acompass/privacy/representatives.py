"""Values that stand for all values of a column: two of each kind that the policy treats alike.

docs/privacy.md says why two are enough. A kind is a single value that the policy mentions, or what lies
between two cuts. RANDOM splits these further: a seed does not draw all integers equally often.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor, isinf
from typing import Any, TypeAlias

from acompass.checked.convert import convert
from acompass.checked.types import INTEGER, Kind, Type, Value
from acompass.privacy.cuts import cuts_of
from acompass.privacy.mentions import LinedRandom, Mentions
from acompass.privacy.text_values import are_digits_told_apart, labels_of, text_kinds
from acompass.privacy.undecided import Undecided
from acompass.privacy.weights import BITS
from acompass.prove.reading import read_text
from acompass.prove.regions import Regions, regions_in
from acompass.prove.value_order import order_of

#: one or two values that the policy treats alike
Alike: TypeAlias = tuple[Value, ...]
#: the integers at either end of a region that are searched for those that a seed draws more often
SEARCHED = 2_048
#: distances to values that may have another label
_FAR = tuple(2**power for power in (1, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 62))


@dataclass(frozen=True, slots=True)
class Representatives:
    """The kinds of values, and the integers at which another kind begins."""

    kinds: tuple[Alike, ...]
    splits: frozenset[int] = frozenset()

    @property
    def values(self) -> tuple[Value, ...]:
        return tuple(value for alike in self.kinds for value in alike)

    @property
    def points(self) -> tuple[Value, ...]:
        """The values that are alone in their kind."""
        return tuple(alike[0] for alike in self.kinds if len(alike) == 1)

    @property
    def one_of_each(self) -> tuple[Value, ...]:
        return tuple(alike[0] for alike in self.kinds)


def representatives(mentions: Mentions) -> Representatives:
    match mentions.type.kind:
        case Kind.OPAQUE:
            return Representatives(((0, 1),))
        case Kind.TEXT:
            drawn = _drawn_as_text(mentions)
            return Representatives((*text_kinds(mentions), *drawn.kinds), drawn.splits)
        case _:
            return _of_ordered_type(mentions)


def _drawn_as_text(mentions: Mentions) -> Representatives:
    """The integers that are drawn as text and not mentioned one by one."""
    if are_digits_told_apart(mentions):
        return Representatives(())
    read = (read_text(point, INTEGER) for point in mentions.points)
    values = [value for value in read if value is not None]
    integers = _of_ordered_type(Mentions(INTEGER, INTEGER, None, values, randoms=mentions.text_randoms))
    drawn = [
        tuple(str(each) for each in alike if each not in values)
        for alike in integers.kinds
        if _drawing_from((alike[0], alike[0]), mentions.text_randoms)
    ]
    return Representatives(tuple(alike for alike in drawn if alike), integers.splits)


def _of_ordered_type(mentions: Mentions) -> Representatives:
    cuts: list[Any] = cuts_of(mentions)
    regions = Regions(order_of(mentions.type), cuts)
    kinds = [kind for region in regions_in(regions.full) for kind in _kinds(region, regions, mentions)]
    finite = (cut for cut in cuts if mentions.type.is_number and not isinf(cut))
    return Representatives(tuple(kinds), frozenset(ceil(cut) for cut in finite))


def _kinds(region: int, regions: Regions, mentions: Mentions) -> Iterator[Alike]:
    constant = regions.constant(region)
    if constant is not None:
        yield (constant,)
    elif drawing := _drawing_from(regions.ends(region), mentions.randoms):
        yield from _by_weight(region, regions, mentions.type, drawing)
    else:
        yield _most_different(list(_candidates(region, regions, mentions.type)), mentions)


def _drawing_from(ends: tuple[Any, Any] | None, randoms: Sequence[LinedRandom]) -> list[LinedRandom]:
    """The RANDOMs that draw the integers of a region: all of them, as the region lies between two cuts."""
    if ends is None:
        return []
    first, last = ends
    return [random for random in randoms if random.lower <= first and last < random.upper + 1]


def _candidates(region: int, regions: Regions, type_: Type) -> Iterator[Value]:
    """Readable values of a gap, then its ends, then values far away."""
    order = order_of(type_)
    readable = regions.values(region, 2)
    yield from readable
    first, last = regions.first_and_last(region)
    start = order.rank(readable[0])
    far = (rank for distance in _FAR for rank in (start + distance, start - distance))
    for rank in (first, last, *far):
        if rank is not None and (first is None or rank >= first) and (last is None or rank <= last):
            yield order.value(rank)


def _most_different(candidates: Sequence[Value], mentions: Mentions) -> Alike:
    """The first value, and one that has other labels in as many maps as possible."""
    one = candidates[0]
    others = [value for value in candidates if value != one]
    labels = labels_of(one, mentions)

    def differences(value: Value) -> int:
        return sum(a != b for a, b in zip(labels, labels_of(value, mentions), strict=True))

    return (one, max(others, key=differences)) if others else (one,)


def _by_weight(region: int, regions: Regions, type_: Type, drawing: Sequence[LinedRandom]) -> Iterator[Alike]:
    """Two of the values that each RANDOM draws equally often, for each way to do so."""
    ends: Any = regions.ends(region)
    integers = range(ceil(ends[0]), floor(ends[1]) + 1)
    alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for integer in chain(integers[:SEARCHED], integers[SEARCHED:][-SEARCHED:]):
        same = alike[tuple(_weight(random, integer) for random in drawing)]
        if len(same) < 2:
            same.append(integer)
    if len(integers) > 2 * SEARCHED:
        _require_all_weights(drawing, alike.values())
    yield from (tuple(convert(each, INTEGER, type_) for each in same) for same in alike.values())
    values: list[Any] = regions.values(region, 8)
    if fractions := tuple(value for value in values if value != floor(value)):
        yield fractions[:2]


def _weight(random: LinedRandom, integer: int) -> int:
    """How many of the 2⁵² values of a seed draw the integer."""
    low, width = integer - random.lower, random.upper - random.lower + 1
    return -(-((low + 1) << BITS) // width) + (-(low << BITS) // width)


def _require_all_weights(drawing: Sequence[LinedRandom], found: Any) -> None:
    """A seed draws an integer with one of two probabilities, unless the number of integers divides 2⁵²."""
    distinct = {(random.lower, random.upper): random.line for random in drawing}
    uneven = [ends for ends in distinct if 2**BITS % (ends[1] - ends[0] + 1)]
    if sum(len(same) > 1 for same in found) < 2 ** len(uneven):
        raise Undecided(drawing[-1].line, "RANDOM draws too many integers to weigh each")
