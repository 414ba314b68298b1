"""Divide the values of a column into kinds: no condition of either policy distinguishes two values of one kind.

That holds even after maps. A kind is represented by one or two of its values; if a map has several labels for a
kind, the two values have different ones.

Kinds of texts, for comparisons and PREFIX: how a text compares with the constants depends on the longest beginning
that it shares with one of them, and on the next character. How its prefix compares with them depends on these and
on the text's length, since a `*` replaces each further character."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import EXACT, INTEGER, Kind, Schema, Type, Value, convert
from acompass.prove.diagrams.cuts import read_text
from acompass.prove.diagrams.regions import Regions, regions_in, value_order
from acompass.reason.privacy.mentions import Mentions, Undecided, bands_in, column_cuts, find_mentions, prefix_in
from acompass.reason.privacy.representatives import Alike, representatives

#: a RANDOM over at most this many integers is followed for each of them
MOST_DRAWN = 64
#: the most kinds of texts that are distinguished
MOST_KINDS = 6_000

#: the forms of text that a map of dates has labels for, then texts without a label
_DATE_TEXTS: tuple[Alike, ...] = (
    ("2000-01-01", "2013-05-17"),
    ("2000-01", "2013-05"),
    ("2000-Q1", "2013-Q2"),
    ("2000", "2013"),
    ("2000s", "2010s"),
    (SUPPRESSED,),
    ("a", "b"),
)
#: characters that are preferred for readability
_READABLE = "abcxyz0189ABXYZ -"
_LAST = chr(0x10FFFF)
_SURROGATES = range(0xD800, 0xE000)


class ColumnKinds:
    """The kinds of values of one column, for two policies."""

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
        return _merge_mentions(self._type, self._column, self._policies)

    def initial_kinds(self) -> tuple[Alike, ...]:
        if self._type.kind is Kind.OPAQUE:
            return ((0, 1),)
        if self._keeps_type and not self._mentions.maps:
            kinds = _kinds_of_regions(Regions(value_order(self._type), self._constants()))
            return tuple((*alike, *_other_spellings(alike[0], self._type)) for alike in kinds)
        if self._type.kind is Kind.TEXT and self._are_dates():
            return _DATE_TEXTS
        if self.have_lengths:
            prefixes = (prefix_in(each.map) for each in self._mentions.maps)
            return prefix_kinds(self._mentions.points, {each.length for each in prefixes if each is not None})
        return representatives(self._mentions).kinds

    @property
    def have_lengths(self) -> bool:
        """Whether all texts of a kind have the same length, or are longer than every prefix."""
        maps = self._mentions.maps
        return self._type.kind is Kind.TEXT and bool(maps) and all(prefix_in(each.map) for each in maps)

    def regions(self) -> Regions | None:
        """The regions that contain the kinds; None if the policies do not order the values."""
        if self._type.kind in (Kind.TEXT, Kind.OPAQUE):
            return None
        is_plain = self._keeps_type and not self._mentions.maps
        return Regions(value_order(self._type), self._constants() if is_plain else column_cuts(self._mentions))

    def _constants(self) -> list[Value]:
        bounds = (bound for each in self._mentions.randoms for bound in (each.lower, each.upper))
        return [*self._mentions.values, *self._mentions.points, *bounds]

    def _are_dates(self) -> bool:
        """Whether only maps of dates read the texts: all of these have labels for the same texts."""
        is_compared = self._mentions.points - {SUPPRESSED} or self._mentions.orders
        return not is_compared and all(each.map.of_dates for each in self._mentions.maps)

    def drawn_kinds(self, integers: range, after: Type, line: int) -> tuple[Alike, ...]:
        """The kinds of the integers that a RANDOM draws, converted to the column's type after it."""
        if integers.stop - integers.start <= MOST_DRAWN:
            return tuple((_convert_integer(each, after),) for each in integers)
        if after.kind is not Kind.TEXT:
            return tuple(
                tuple(_convert_integer(each, after) for each in alike if isinstance(each, int))
                for alike in self._integers(integers)
            )
        return self._digits(integers, after, line)

    def _integers(self, integers: range) -> Iterable[Alike]:
        is_number = self._type.is_number
        cuts = self._constants() if self._keeps_type or not is_number else column_cuts(self._mentions)
        numbers = [cut for cut in cuts if isinstance(cut, int | Decimal)]
        regions = Regions(value_order(INTEGER), [integers.start, integers.stop - 1, *numbers])
        return (alike for alike in _kinds_of_regions(regions) if alike[0] in integers)

    def _digits(self, integers: range, after: Type, line: int) -> tuple[Alike, ...]:
        """The kinds of integers drawn as text: each that the policies mention, and all the others."""
        if self._mentions.orders or self._mentions.maps:
            raise Undecided(line, f"the texts of more than {MOST_DRAWN} integers are ordered or mapped")
        read = {read_text(text, INTEGER) for text in self._mentions.points}
        named = [each for each in read if isinstance(each, int) and each in integers]
        others = [each for each in integers[: len(named) + 2] if each not in named][:2]
        kinds = [*((each,) for each in named), tuple(others)]
        return tuple(tuple(_convert_integer(each, after) for each in alike) for alike in kinds)


def _kinds_of_regions(regions: Regions) -> tuple[Alike, ...]:
    return tuple(tuple(regions.values(region, 2)) for region in regions_in(regions.full))


def _convert_integer(integer: int, type_: Type) -> Value:
    return convert(integer, INTEGER, type_)


def _other_spellings(value: Value, type_: Type) -> Iterator[Value]:
    """Another spelling of the same number: with one more digit (D26, spellings), or as a negative zero."""
    if type_.is_spelled_decimal:
        text = f"{value:f}"
        yield Decimal(f"{text}0" if "." in text else f"{text}.0")
    elif type_.kind is Kind.FLOAT and value == 0:
        yield -0.0


def _merge_mentions(type_: Type, column: int, policies: Sequence[Sequence[Requirement]]) -> Mentions:
    """Everything that either policy distinguishes."""
    one, other = (find_mentions(column, type_, requirements) for requirements in policies)
    if one.before_text != other.before_text and (one.points | other.points):
        raise Undecided(one.first_line, "the policies convert different types of numbers to text")
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


def _ends(map_: Map, type_: Type) -> list[Value]:
    """Where the bands of equal width end and the open bands begin."""
    bands = bands_in(map_)
    if bands is None or not type_.is_number:
        return []
    ends = [end for end in (bands.cuts.first, bands.cuts.last) if end is not None]
    if bands.integer:
        return list(ends)
    return [Decimal(end).scaleb(-bands.scale, context=EXACT) for end in ends]


def prefix_kinds(constants: Collection[str], lengths: Collection[int]) -> tuple[Alike, ...]:
    """`lengths` are the lengths of the prefixes."""
    longest = max(map(len, constants), default=0)
    end = max(longest, *lengths) + 1
    beginnings = {constant[:size] for constant in constants for size in range(len(constant) + 1)} | {""}
    if len(beginnings) * end > MOST_KINDS:
        raise Undecided(None, "there are too many kinds of texts to compare")
    return tuple(kind for beginning in sorted(beginnings) for kind in _kinds_by_length(beginning, beginnings, end))


def _kinds_by_length(beginning: str, beginnings: Collection[str], end: int) -> Iterator[Alike]:
    """The text itself, and its continuations that no constant shares, by their length."""
    yield (beginning,)
    size = len(beginning)
    following = sorted(other[size] for other in beginnings if other[:size] == beginning and len(other) == size + 1)
    for low, high in pairwise((None, *following, None)):
        letters = _characters_between(low, high)
        for length in range(size + 1, end + 1):
            if letters:
                yield _texts(beginning, letters, length)


def _texts(beginning: str, letters: str, length: int) -> Alike:
    rest = length - len(beginning) - 1
    found = (f"{beginning}{letter}{filler * rest}" for letter in letters for filler in "ab")
    return tuple(dict.fromkeys(found))


def _characters_between(low: str | None, high: str | None) -> str:
    """Up to two characters strictly between two others."""
    readable = [each for each in _READABLE if (low is None or each > low) and (high is None or each < high)]
    first = 0 if low is None else ord(low) + 1
    last = ord(_LAST) if high is None else ord(high) - 1
    near = (chr(code) for code in range(first, min(first + 2 + len(_SURROGATES), last + 1)))
    any_ = (letter for letter in near if ord(letter) not in _SURROGATES)
    found = dict.fromkeys((*readable[:2], *(letter for letter, _ in zip(any_, "ab", strict=False))))
    return "".join(found)[:2]
