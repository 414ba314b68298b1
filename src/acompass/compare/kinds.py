"""Kinds of values: no condition of either policy can tell two values of a kind apart, before or after maps.

A kind is given by one or two of its values. A map may have several labels for a kind; then the two have
different ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property

from acompass.checked.convert import convert
from acompass.checked.exact import EXACT
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.checked.program import Program, Random, Requirement
from acompass.checked.types import INTEGER, Kind, Schema, Type, Value
from acompass.compare.prefix_kinds import prefix_kinds
from acompass.privacy.cuts import cuts_of
from acompass.privacy.mentions import LinedMap, Mentions, mentions_of
from acompass.privacy.representatives import Alike, representatives
from acompass.privacy.undecided import Undecided
from acompass.prove.reading import read_text
from acompass.prove.regions import Regions, regions_in
from acompass.prove.value_order import order_of

#: a RANDOM is followed for each of its integers, up to this many
MOST_DRAWN = 64

#: texts that a map of dates has a label for, by their form, and texts that it has none for
_DATED: tuple[Alike, ...] = (
    ("2000-01-01", "2013-05-17"),
    ("2000-01", "2013-05"),
    ("2000-Q1", "2013-Q2"),
    ("2000", "2013"),
    ("2000s", "2010s"),
    (SUPPRESSED,),
    ("a", "b"),
)


class ColumnKinds:
    """The kinds of the values that a column of two policies can have."""

    def __init__(self, schema: Schema, column: int, programs: Sequence[Program]):
        self._type = schema[column].type
        self._column = column
        self._policies = [program.requirements for program in programs]
        self._keeps_type = all(
            requirement.after[column].type.kind in (self._type.kind, Kind.DECIMAL, Kind.FLOAT, Kind.DROPPED)
            for program in programs
            for requirement in program.requirements
        )

    @cached_property
    def _mentions(self) -> Mentions:
        return _mentions(self._type, self._column, self._policies)

    def initial(self) -> tuple[Alike, ...]:
        if self._type.kind is Kind.OPAQUE:
            return ((0, 1),)
        if self._keeps_type and not self._mentions.maps:
            kinds = _kinds_of_regions(Regions(order_of(self._type), self._constants()))
            return tuple((*alike, *_otherwise_written(alike[0], self._type)) for alike in kinds)
        if self._type.kind is Kind.TEXT and self._are_dates():
            return _DATED
        if self.have_lengths:
            return prefix_kinds(self._mentions.points, _lengths(self._mentions.maps))
        return representatives(self._mentions).kinds

    @property
    def have_lengths(self) -> bool:
        """Whether all texts of a kind have the same length, or are longer than every prefix."""
        maps = self._mentions.maps
        return (
            self._type.kind is Kind.TEXT and bool(maps) and all(isinstance(each.map, Prefix) for each in maps)
        )

    def regions(self) -> Regions | None:
        """The regions that the kinds lie in, if the values have an order that the policies can read."""
        if self._type.kind in (Kind.TEXT, Kind.OPAQUE):
            return None
        is_plain = self._keeps_type and not self._mentions.maps
        return Regions(order_of(self._type), self._constants() if is_plain else cuts_of(self._mentions))

    def _constants(self) -> list[Value]:
        bounds = (bound for each in self._mentions.randoms for bound in (each.lower, each.upper))
        return [*self._mentions.values, *self._mentions.points, *bounds]

    def _are_dates(self) -> bool:
        """Whether only maps of dates read the texts, all of which have labels for the same ones."""
        is_compared = self._mentions.points - {SUPPRESSED} or self._mentions.orders
        return not is_compared and all(isinstance(each.map, Dates) for each in self._mentions.maps)

    def drawn(self, action: Random, after: Type, line: int) -> tuple[Alike, ...]:
        """The kinds of the integers that a RANDOM draws, as the column's values after it."""
        integers = range(action.lower, action.upper + 1)
        if action.upper - action.lower < MOST_DRAWN:
            return tuple((_written(each, after),) for each in integers)
        if after.kind is not Kind.TEXT:
            return tuple(
                tuple(_written(each, after) for each in alike if isinstance(each, int))
                for alike in self._integers(integers)
            )
        return self._digits(integers, after, line)

    def _integers(self, integers: range) -> Iterable[Alike]:
        is_number = self._type.is_number
        cuts = self._constants() if self._keeps_type or not is_number else cuts_of(self._mentions)
        numbers = [cut for cut in cuts if isinstance(cut, int | Decimal)]
        regions = Regions(order_of(INTEGER), [integers.start, integers.stop - 1, *numbers])
        return (alike for alike in _kinds_of_regions(regions) if alike[0] in integers)

    def _digits(self, integers: range, after: Type, line: int) -> tuple[Alike, ...]:
        """Integers drawn as text: those that the policies mention, and two of the others."""
        if self._mentions.orders or self._mentions.maps:
            raise Undecided(line, f"the texts of more than {MOST_DRAWN} integers are ordered or mapped")
        read = {read_text(text, INTEGER) for text in self._mentions.points}
        named = [each for each in read if isinstance(each, int) and each in integers]
        others = [each for each in integers[: len(named) + 2] if each not in named][:2]
        kinds = [*((each,) for each in named), tuple(others)]
        return tuple(tuple(_written(each, after) for each in alike) for alike in kinds)


def _kinds_of_regions(regions: Regions) -> tuple[Alike, ...]:
    return tuple(tuple(regions.values(region, 2)) for region in regions_in(regions.full))


def _written(integer: int, type_: Type) -> Value:
    return convert(integer, INTEGER, type_)


def _otherwise_written(value: Value, type_: Type) -> Iterator[Value]:
    """The same number as it may be written otherwise: with one digit more (D26), or as a negative zero."""
    if type_.is_spelled_decimal:
        text = f"{value:f}"
        yield Decimal(f"{text}0" if "." in text else f"{text}.0")
    elif type_.kind is Kind.FLOAT and value == 0:
        yield -0.0


def _mentions(type_: Type, column: int, policies: Sequence[Sequence[Requirement]]) -> Mentions:
    """What either policy tells apart."""
    one, other = (mentions_of(column, type_, requirements) for requirements in policies)
    if one.before_text != other.before_text and (one.points | other.points):
        raise Undecided(one.first_line, "the policies make text of different types of numbers")
    values = [*one.values, *other.values]
    maps = [*one.maps, *other.maps]
    return replace(
        one,
        values=values + [end for lined in maps for end in _ends(lined.map, type_)],
        points=one.points | other.points,
        orders={**one.orders, **other.orders},
        randoms=[*one.randoms, *other.randoms],
        text_randoms=[*one.text_randoms, *other.text_randoms],
        maps=maps,
    )


def _lengths(maps: Iterable[LinedMap]) -> set[int]:
    return {each.map.length for each in maps if isinstance(each.map, Prefix)}


def _ends(map_: Map, type_: Type) -> list[Value]:
    """Where the bands of equal width end: the labels beyond are open."""
    if not isinstance(map_, Bands) or not type_.is_number:
        return []
    ends = [end for end in (map_.cuts.first, map_.cuts.last) if end is not None]
    if map_.integer:
        return list(ends)
    return [Decimal(end).scaleb(-map_.scale, context=EXACT) for end in ends]
