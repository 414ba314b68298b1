"""Choose values that represent all values of a column: two of each kind that the policy treats alike.

A kind is a single value that the policy mentions, or the values between two cuts. RANDOM splits these further,
because a seed does not draw all integers equally often. docs/privacy.md explains why two values of each kind are
enough."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, product
from math import ceil, floor, isinf
from typing import Any, TypeAlias

from acompass.dataclasses import dataclass
from acompass.language.program.label_maps import SUPPRESSED, Prefix
from acompass.language.program.program import Requirement
from acompass.language.program.types import INTEGER, Kind, Schema, Type, Value, convert, to_text
from acompass.prove.diagrams.cuts import MOST_TEXTS, read_text
from acompass.prove.diagrams.regions import Regions, TextOrder, regions_in, value_order
from acompass.prove.refute.candidate_tables import example_values
from acompass.reason.privacy.answer import BITS
from acompass.reason.privacy.mentions import (
    LinedMap,
    LinedRandom,
    Mentions,
    Undecided,
    column_cuts,
    drawn_texts,
    find_mentions,
    prefix_in,
)
from acompass.semantics.core import Record

#: one or two values that the policy treats alike
Alike: TypeAlias = tuple[Value, ...]

#: this many integers at either end of a region are searched for those that a seed draws more often
SEARCHED = 2_048
#: distances to values that may have another label
_FAR = tuple(2**power for power in (1, 4, 8, 12, 16, 20, 24, 32, 40, 48, 56, 62))
#: the last letters of texts between two others
_LETTERS = "abxyz0129 !"
#: how many usual and similar values of a column are tried
_FEW = 4
_SIMILAR = 8


@dataclass(frozen=True, slots=True)
class Representatives:
    kinds: tuple[Alike, ...]
    splits: frozenset[int] = frozenset()  # the integers at which another kind begins

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


class Domain:
    def __init__(self, schema: Schema, requirements: Sequence[Requirement]):
        self._schema = schema
        self.requirements = requirements
        self._mentions: dict[int, Mentions] = {}
        self._representatives: dict[int, Representatives] = {}

    def mentions(self, column: int) -> Mentions:
        if column not in self._mentions:
            type_ = self._schema[column].type
            self._mentions[column] = find_mentions(column, type_, self.requirements)
        return self._mentions[column]

    def representatives(self, column: int) -> Representatives:
        unknown = self.mentions(column).unknown
        if unknown is not None:
            raise unknown
        if column not in self._representatives:
            self._representatives[column] = representatives(self.mentions(column))
        return self._representatives[column]


def representatives(mentions: Mentions) -> Representatives:
    match mentions.type.kind:
        case Kind.OPAQUE:
            return Representatives(((0, 1),))
        case Kind.TEXT:
            drawn = _drawn_text_representatives(mentions)
            return Representatives((*text_kinds(mentions), *drawn.kinds), drawn.splits)
        case _:
            return _ordered_representatives(mentions)


def _drawn_text_representatives(mentions: Mentions) -> Representatives:
    """The integers that are drawn as text and not mentioned individually."""
    if has_interpreted_digits(mentions):
        return Representatives(())
    read = (read_text(point, INTEGER) for point in mentions.points)
    values = [value for value in read if value is not None]
    integers = _ordered_representatives(Mentions(INTEGER, INTEGER, None, values, randoms=mentions.text_randoms))
    drawn = [
        tuple(str(each) for each in alike if each not in values)
        for alike in integers.kinds
        if _randoms_over((alike[0], alike[0]), mentions.text_randoms)
    ]
    return Representatives(tuple(alike for alike in drawn if alike), integers.splits)


def _ordered_representatives(mentions: Mentions) -> Representatives:
    cuts: list[Any] = column_cuts(mentions)
    regions = Regions(value_order(mentions.type), cuts)
    kinds = [kind for region in regions_in(regions.full) for kind in _region_kinds(region, regions, mentions)]
    finite = (cut for cut in cuts if mentions.type.is_number and not isinf(cut))
    return Representatives(tuple(kinds), frozenset(ceil(cut) for cut in finite))


def _region_kinds(region: int, regions: Regions, mentions: Mentions) -> Iterator[Alike]:
    constant = regions.constant(region)
    if constant is not None:
        yield (constant,)
    elif drawing := _randoms_over(regions.ends(region), mentions.randoms):
        yield from _kinds_by_weight(region, regions, mentions.type, drawing)
    else:
        yield _most_different(list(_region_candidates(region, regions, mentions.type)), mentions)


def _randoms_over(ends: tuple[Any, Any] | None, randoms: Sequence[LinedRandom]) -> list[LinedRandom]:
    """The RANDOMs that draw all integers of a region; the others draw none, since the region lies between two cuts."""
    if ends is None:
        return []
    first, last = ends
    return [random for random in randoms if random.lower <= first and last < random.upper + 1]


def _region_candidates(region: int, regions: Regions, type_: Type) -> Iterator[Value]:
    """Readable values of a gap, then its ends, then values far away."""
    order = value_order(type_)
    readable = regions.values(region, 2)
    yield from readable
    first, last = regions.first_and_last(region)
    start = order.rank(readable[0])
    far = (rank for distance in _FAR for rank in (start + distance, start - distance))
    for rank in (first, last, *far):
        if rank is not None and (first is None or rank >= first) and (last is None or rank <= last):
            yield order.value(rank)


def _most_different(candidates: Sequence[Value], mentions: Mentions) -> Alike:
    """The first value, and one whose label differs in as many maps as possible."""
    one = candidates[0]
    others = [value for value in candidates if value != one]
    labels = value_labels(one, mentions)

    def differences(value: Value) -> int:
        return sum(a != b for a, b in zip(labels, value_labels(value, mentions), strict=True))

    return (one, max(others, key=differences)) if others else (one,)


def _kinds_by_weight(region: int, regions: Regions, type_: Type, drawing: Sequence[LinedRandom]) -> Iterator[Alike]:
    """Two of the integers that every RANDOM draws equally often, for each combination of weights."""
    ends: Any = regions.ends(region)
    integers = range(ceil(ends[0]), floor(ends[1]) + 1)
    alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for integer in chain(integers[:SEARCHED], integers[SEARCHED:][-SEARCHED:]):
        same = alike[tuple(_weight(random, integer) for random in drawing)]
        if len(same) < 2:
            same.append(integer)
    if integers.stop - integers.start > 2 * SEARCHED:  # `len` raises an error from 2⁶³ on
        _require_all_weights(drawing, alike.values())
    yield from (tuple(convert(each, INTEGER, type_) for each in same) for same in alike.values())
    values: list[Any] = regions.values(region, 8)
    if fractions := tuple(value for value in values if value != floor(value)):
        yield fractions[:2]


def _weight(random: LinedRandom, integer: int) -> int:
    """How many of a seed's 2⁵² numbers draw the integer."""
    low, width = integer - random.lower, random.upper - random.lower + 1
    return -(-((low + 1) << BITS) // width) + (-(low << BITS) // width)


def _require_all_weights(drawing: Sequence[LinedRandom], found: Any) -> None:
    """A seed draws an integer with one of two probabilities, unless the number of integers divides 2⁵²."""
    distinct = {(random.lower, random.upper): random.line for random in drawing}
    uneven = [ends for ends in distinct if 2**BITS % (ends[1] - ends[0] + 1)]
    if sum(len(same) > 1 for same in found) < 2 ** len(uneven):
        raise Undecided(drawing[-1].line, "RANDOM draws too many integers to weigh each")


def value_labels(value: Value, mentions: Mentions) -> tuple[str | None, ...]:
    """The value's label in each map of the column."""
    text = to_text(value, mentions.type)
    return tuple(lined.map.label(text) for lined in mentions.maps)


def text_kinds(mentions: Mentions) -> Iterator[tuple[str, ...]]:
    """Each text that the policy mentions, two texts for each of its prefixes, and two others between ordered texts."""
    prefixes = _prefixes(mentions)
    points = mentions.points.union(*(_distinct_texts(lined) for lined in mentions.maps))
    if has_interpreted_digits(mentions):
        points |= drawn_texts(mentions)
    pairs: list[tuple[str, ...]] = []
    for prefix in reversed(prefixes):
        labels = {prefix.label(point) for point in points}
        points |= labels
        longer = [label for label in sorted(labels) if len(label) > prefix.length]
        pairs += [tuple(label[: prefix.length] + a * (len(label) - prefix.length) for a in "ab") for label in longer]
    yield from ((point,) for point in sorted(points))
    yield from pairs
    known = points.union(*pairs)
    regions = Regions(TextOrder(), mentions.orders)
    for region in regions_in(regions.full):
        if regions.constant(region) is None:
            yield from _other_texts(region, regions, known, mentions)


def has_interpreted_digits(mentions: Mentions) -> bool:
    """Whether integers that are drawn as text are ordered as text or mapped."""
    return bool(mentions.text_randoms and (mentions.orders or mentions.maps))


def _distinct_texts(lined: LinedMap) -> set[str]:
    """The texts that a map treats individually."""
    listed, otherwise = lined.map.listed_texts, lined.map.otherwise
    if prefix_in(lined.map) is not None:
        return set()
    if listed is None:
        raise Undecided(lined.line, "not every text has a label")
    if len(listed) > MOST_TEXTS:
        raise Undecided(lined.line, "the hierarchy has too many texts")
    return {SUPPRESSED, *listed, *(() if otherwise is None else (otherwise,))}


def _prefixes(mentions: Mentions) -> list[Prefix]:
    """Raise Undecided unless texts with the same prefix compare alike with all ordered texts."""
    found = []
    for lined in mentions.maps:
        prefix = prefix_in(lined.map)
        if prefix is not None:
            for text, ordered in mentions.orders.items():
                if len(text) > prefix.length:
                    raise Undecided(ordered, f"it orders texts by more characters than line {lined.line} keeps")
            found.append(prefix)
    return found


def _other_texts(region: int, regions: Regions, known: set[str], mentions: Mentions) -> Iterator[tuple[str, ...]]:
    """Two texts of a gap with different labels, where neither texts nor labels are known or drawn."""
    prefixes = _prefixes(mentions)
    found: list[tuple[str, set[str]]] = []
    for text in _region_texts(region, regions):
        labels = {text, *(prefix.label(text) for prefix in prefixes)}
        is_new = not labels & known and not _is_drawn(text, mentions)
        if is_new and all(labels.isdisjoint(others) for _, others in found):
            found.append((text, labels))
        if len(found) == 2:
            break
    if len(found) < min(2, regions.cardinality(1 << region) - len(known)):
        raise Undecided(None, "too few texts were found between two ordered texts")
    if found:
        yield tuple(text for text, _ in found)


def _is_drawn(text: str, mentions: Mentions) -> bool:
    value = read_text(text, INTEGER)
    return isinstance(value, int) and any(r.lower <= value <= r.upper for r in mentions.text_randoms)


def _region_texts(region: int, regions: Regions) -> Iterator[str]:
    """Texts of a region, readable ones first."""
    yield from map(str, regions.values(region, 30))
    low, _ = regions.bounds(region)
    for size in (2, 3):
        for letters in product(_LETTERS, repeat=size):
            text = f"{low or ''}{''.join(letters)}"
            if regions.region_at(text) == region:
                yield text


def base_record(schema: Schema, domain: Domain) -> Record:
    return tuple(plain_values(column, domain)[0] for column in range(len(schema)))


def plain_values(column: int, domain: Domain) -> list[Value]:
    """Values that have a label in every map of the column, then others."""
    mentions = domain.mentions(column)
    if mentions.type.kind is Kind.OPAQUE:
        return [0, 1]
    found = list(dict.fromkeys(_column_candidates(column, domain, mentions)))
    return sorted(found, key=lambda value: None in value_labels(value, mentions))


def similar_values(value: Value, column: int, domain: Domain) -> list[Value]:
    """Other values of the column, those of the same kind first if the kinds are known."""
    mentions = domain.mentions(column)
    near: list[Value] = []
    with suppress(Undecided):
        if mentions.type.kind not in (Kind.TEXT, Kind.OPAQUE):
            regions = Regions(value_order(mentions.type), column_cuts(mentions))
            near = regions.values(regions.region_of(value), _SIMILAR)
    return [each for each in dict.fromkeys((*near, *plain_values(column, domain))) if each != value]


def _column_candidates(column: int, domain: Domain, mentions: Mentions) -> Iterator[Value]:
    """The representatives if they are known, examples for the column's maps, and usual values of its type."""
    with suppress(Undecided):
        yield from domain.representatives(column).values
    for lined in mentions.maps:
        yield from example_values(lined.map, mentions.type)
    yield from Regions(value_order(mentions.type), ()).values(0, _FEW)
