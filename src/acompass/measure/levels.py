"""The levels of a column, from fine to coarse, and every text that its cells can have at one of them.

Labels come from the maps of GENERALIZE, so a level does what the language does. Without a specification, the column's
values determine the levels.
"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import TypeVar, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program import bands
from acompass.language.program.bands import Bands, Steps
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix, prefix_problem
from acompass.language.program.types import shortest_decimal
from acompass.language.text import tree
from acompass.language.text.tree import DateUnit
from acompass.measure.hierarchy import (
    ByBands,
    ByDate,
    ByFile,
    ByPrefix,
    Spec,
    Values,
    invalid_sizes,
    is_integer,
    is_number,
    rows,
    sound_hierarchy,
)

Size = TypeVar("Size")

#: fewer numbers or codes than this get no levels of their own
_FEW = 10
#: about this many bands at the first level
_BANDS = 20
#: integers of the same length with at least this many digits are codes, such as postal codes
_CODE_DIGITS = 5
#: factors of the widths by the first digit of the narrowest: 5, 10, 20 or 2, 10, 20 or 10, 50, 100
_FACTORS = {1: (1, 5, 10), 2: (1, 5, 10), 5: (1, 2, 4)}


@dataclass(frozen=True, slots=True)
class Suppress:
    """`REPLACE column WITH '*'` as a map."""

    def label(self, text: str) -> str:
        return SUPPRESSED


@dataclass(frozen=True, slots=True)
class LevelMap:
    map: Map | Suppress
    tree: tree.Map | None  # the map in `GENERALIZE column TO map`; None for `REPLACE column WITH '*'`


TOP = LevelMap(Suppress(), None)


@dataclass(frozen=True)
class ColumnLevels:
    column: str
    #: level n is `maps[n - 1]`; the last level gives all values the same label
    maps: tuple[LevelMap, ...]
    #: the texts of cells: first the table's values, then further labels
    labels: tuple[str, ...]
    #: the number of the table's values
    values: int
    #: `up[n - 1]` has, for the position of each label, the position of its label at level n
    up: tuple[tuple[int, ...], ...]
    #: for each label, the number of the hierarchy's rows that have it
    sizes: tuple[int, ...]
    #: the number of the hierarchy's rows
    rows: int
    words: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A level that caches its labels, because a column may have millions of values."""

    map: LevelMap
    known: dict[str, str] = field(default_factory=dict)

    def label(self, text: str) -> str:
        found = self.known.get(text) or self.map.map.label(text)
        assert found is not None, "the values fit the levels"
        self.known[text] = found
        return found


@dataclass(frozen=True)
class Levels:
    steps: tuple[_Step, ...]  # including those that change nothing in this table
    hierarchy: Hierarchy  # its rows have the labels

    @property
    def rows(self) -> int:
        return len(self.hierarchy.rows)

    def size(self, label: str) -> int:
        """The number of rows with a label at the lowest level that has it; 0 for a text on no level."""
        if label == SUPPRESSED:
            return self.rows
        lowest = self.hierarchy.lowest_level.get(label)
        return 0 if lowest is None else self.hierarchy.rows_with(label, lowest)


@dataclass(frozen=True, slots=True)
class Choice:
    maps: tuple[Map, ...]
    kind: str  # what values the levels expect, such as `numbers`
    words: str  # the values and their levels, in words


def column_levels(values: Values, spec: Spec | None = None) -> ColumnLevels:
    """The levels of a column; without a specification, the values determine them. Raise if the values do not fit."""
    levels = find_levels(values, spec)
    top = [_Step(TOP)] if SUPPRESSED in values.texts else []
    steps = _effective_steps([*levels.steps, *top], values.texts)
    maps = tuple(step.map for step in steps)
    labels = _reachable_labels(values.texts, steps)
    places = {label: place for place, label in enumerate(labels)}
    return ColumnLevels(
        values.column,
        maps,
        labels,
        len(values.texts),
        tuple(tuple(places[step.label(label)] for label in labels) for step in steps),
        tuple(map(levels.size, labels)),
        levels.rows,
        levels_in_words(maps, values, spec),
    )


def levels_in_words(maps: Sequence[LevelMap], values: Values, spec: Spec | None) -> str:
    if words := describe_levels(maps):
        return words
    count = "1 value" if len(values.texts) == 1 else f"{len(values.texts):,} values"
    return f"{spec.path if isinstance(spec, ByFile) else count}, only level `*`"


def find_levels(values: Values, spec: Spec | None) -> Levels:
    """The levels up to one label for all values. `*` is ignored: no level changes it, and the hierarchy lacks it."""
    plain = replace(values, texts=tuple(text for text in values.texts if text != SUPPRESSED))
    if isinstance(spec, ByFile):
        return _file_levels(plain, spec.path)
    return _levels_of_choice(plain, choose_by_spec(plain, spec))


def _levels_of_choice(values: Values, choice: Choice) -> Levels:
    """The levels of a choice. `*` replaces a level with a single label: it loses as much, and fits every table."""
    hierarchy = Hierarchy(rows(values, choice.maps, choice.kind) or ((SUPPRESSED, SUPPRESSED),), digest="")
    texts, *columns = zip(*hierarchy.rows, strict=True)
    steps = (
        _Step(level_map(map_), dict(zip(texts, labels, strict=True)))
        for map_, labels in zip(choice.maps, columns, strict=False)
        if len(set(labels)) > 1
    )
    return Levels((*steps, _Step(TOP)), hierarchy)


def _file_levels(values: Values, path: str) -> Levels:
    hierarchy = sound_hierarchy(path)
    absent = sum(text not in hierarchy.lowest_level for text in values.texts)
    if absent:
        some = "1 value" if absent == 1 else f"{absent:,} values"
        message = f"hierarchy `{path}` lacks {some} of the {len(values.texts):,} in column `{values.column}`"
        help_ = "add a row for each of them to the file, or give another hierarchy"
        raise CallError([Diagnostic("AC611", message, help=help_)])
    _, *columns = map(set, zip(*hierarchy.rows, strict=True))
    last = next((place for place, labels in enumerate(columns) if len(labels) == 1), len(columns))
    steps = [_Step(each) for each in file_level_maps(hierarchy, path)]
    if columns[last:] and columns[last] != {SUPPRESSED}:
        return Levels(tuple(steps[: last + 1]), hierarchy)
    return Levels((*steps[:last], _Step(TOP)), hierarchy)


def _effective_steps(steps: Sequence[_Step], texts: Sequence[str]) -> tuple[_Step, ...]:
    """The levels without those that give every value the same label as the previous level."""
    found, before = [], list(texts)
    for step in steps:
        after = [step.label(text) for text in texts]
        if after != before:
            found.append(step)
            before = after
    return tuple(found)


def _reachable_labels(texts: Sequence[str], steps: Sequence[_Step]) -> tuple[str, ...]:
    """The texts, then every label that levels can give them in any order."""
    found = dict.fromkeys(texts)
    new = list(found)
    while new:
        labels = dict.fromkeys(step.label(text) for step in steps for text in new)
        new = [label for label in labels if label not in found]
        found |= dict.fromkeys(new)
    return tuple(found)


def level_map(map_: Map) -> LevelMap:
    """The level of a map: bands of one width, a prefix or a unit of dates."""
    match map_:
        case Bands(Steps(width), scale=scale):
            return LevelMap(map_, tree.BandsOf(tree.Number(Decimal(bands.numeral(width, scale)))))
        case Prefix(length):
            return LevelMap(map_, tree.PrefixOf(tree.Number(Decimal(length))))
        case Dates(unit):
            return LevelMap(map_, tree.DatePart(unit))
        case Bands() | Level():
            raise AssertionError(f"no line of a policy for {map_}")
        case _:
            assert_never(map_)


def file_level_maps(hierarchy: Hierarchy, path: str) -> tuple[LevelMap, ...]:
    """The levels of a hierarchy file. Values that it lacks become `*`, so that a policy can run on other tables."""
    file, other = tree.String(path), tree.String(SUPPRESSED)
    return tuple(
        LevelMap(Level(hierarchy, number, SUPPRESSED), tree.LevelOf(tree.Number(Decimal(number)), file, other))
        for number in range(1, hierarchy.width)
    )


def describe_levels(maps: Sequence[LevelMap]) -> str:
    """The levels in words; empty without a level below `*`."""
    nodes = [each.tree for each in maps if each.tree is not None]
    if not nodes:
        return ""
    constants = join_words([_level_constant(node) for node in nodes])
    match nodes[0]:
        case tree.BandsOf():
            return f"numbers, bands of {constants}"
        case tree.PrefixOf():
            return f"codes, prefixes of {constants}"
        case tree.DatePart():
            return f"dates, {constants}"
        case tree.LevelOf(_, file):
            return f"{'level' if len(nodes) == 1 else 'levels'} {constants} of {file.value}"
        case tree.BandsAt() | tree.Nearest():
            raise AssertionError("levels never have bands at cuts or rounded numbers")
        case _:
            assert_never(nodes[0])


def _level_constant(node: tree.Map) -> str:
    match node:
        case tree.BandsOf(number) | tree.PrefixOf(number) | tree.LevelOf(number):
            return f"{number.value:f}"
        case tree.DatePart(unit):
            return unit.lower()
        case tree.BandsAt() | tree.Nearest():
            raise AssertionError("levels never have bands at cuts or rounded numbers")
        case _:
            assert_never(node)


def spec_of_map(map_: tree.Map) -> Spec | None:
    """The levels that a map of a policy belongs to; None for bands, whose labels are intervals, and for NEAREST."""
    match map_:
        case tree.BandsOf() | tree.BandsAt() | tree.Nearest():
            return None
        case tree.PrefixOf(length):
            return ByPrefix((int(length.value),))
        case tree.DatePart():
            return ByDate()
        case tree.LevelOf(_, file):
            return ByFile(file.value)
        case _:
            assert_never(map_)


def join_words(items: Sequence[object]) -> str:
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def choose_by_spec(values: Values, spec: ByBands | ByPrefix | ByDate | None) -> Choice:
    """Choose levels by a specification; without one, by the values."""
    match spec:
        case ByBands(widths):
            return by_bands(values, widths)
        case ByPrefix(lengths):
            return by_prefix(lengths)
        case ByDate():
            return by_date(values)
        case None:
            return choose(values)


def choose(values: Values) -> Choice:
    """Choose levels by the values: codes of one length, numbers, dates, or anything else."""
    texts = [text for text in values.texts if text != SUPPRESSED]
    if _are_codes(texts):
        return by_prefix(_lengths(len(texts[0])))
    if _are_numbers(texts):
        return by_bands(values, _widths(texts))
    if _are_dates(texts):
        return by_date(values)
    return by_value(values)


def by_bands(values: Values, widths: Sequence[Decimal]) -> Choice:
    """Bands of each width; bands of integers if all numbers are integers."""
    integer = all(is_integer(text) for text in values.texts if is_number(text))
    for width in widths:
        if problem := bands.bands_problem(width, None, None, integer):
            raise invalid_sizes(problem, "give widths from narrow to wide, such as `5,10,20`")
    maps = tuple(Bands.of(width, None, None, integer) for width in widths)
    for width, next_width in _not_nested(maps, widths):
        message = f"bands of {next_width:f} cannot be composed of bands of {width:f}"
        raise invalid_sizes(message, "each width must be a multiple of the one before, such as `5,10,20`")
    return Choice(maps, "numbers", f"numbers, bands of {join_words([f'{width:f}' for width in widths])}")


def by_prefix(lengths: Sequence[int]) -> Choice:
    help_ = "give lengths from long to short, such as `4,3,2`"
    for length in lengths:
        if problem := prefix_problem(length):
            raise invalid_sizes(problem, help_)
    maps = tuple(Prefix(length) for length in lengths)
    for length, next_length in _not_nested(maps, lengths):
        message = f"a prefix of {next_length} characters cannot be taken from a prefix of {length}"
        raise invalid_sizes(message, help_)
    return Choice(maps, "texts", f"codes of one length, prefixes of {join_words(lengths)}")


def _not_nested(maps: Sequence[Map], sizes: Sequence[Size]) -> list[tuple[Size, Size]]:
    """The pairs of consecutive sizes whose second level cannot be made from the first."""
    pairs = zip(pairwise(maps), pairwise(sizes), strict=True)
    return [pair for (earlier, later), pair in pairs if not later.follows(earlier)]


def by_date(values: Values) -> Choice:
    """By the units that change a value: a column of months has no level of months."""
    units = (Dates(unit) for unit in DateUnit)
    maps = tuple(each for each in units if any(each.label(text) != text for text in values.texts))
    return Choice(maps, "ISO dates", f"dates, {join_words([each.unit.lower() for each in maps] or ['*'])}")


def by_value(values: Values) -> Choice:
    count = "1 value" if len(values.texts) == 1 else f"{len(values.texts):,} values"
    return Choice((), "values", f"{count} of no recognized form, only level `*`; add levels by hand")


def _are_numbers(texts: Sequence[str]) -> bool:
    return len(texts) >= _FEW and all(map(is_number, texts)) and len(set(map(Decimal, texts))) > 1


def _are_dates(texts: Sequence[str]) -> bool:
    """Whether all texts are dates. Years alone are numbers, and texts that are all decades have no coarser level."""
    labels = [Dates(DateUnit.DECADE).label(text) for text in texts]
    return None not in labels and labels != list(texts) and not any(map(is_number, texts))


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether all values have the same length and look like codes, not like words, small numbers or dates."""
    if len({len(text) for text in texts}) != 1 or len(texts) < _FEW:
        return False
    length = len(texts[0])
    if all(map(is_number, texts)):
        return length >= _CODE_DIGITS and all(map(str.isdecimal, texts))
    has_digits = all(any(map(str.isdecimal, text)) and not any(map(str.isspace, text)) for text in texts)
    return length > 1 and has_digits and not _are_dates(texts)


def _lengths(length: int) -> list[int]:
    """Up to three lengths of prefixes: each one character shorter for short codes, quarters of the length for long."""
    if length <= _CODE_DIGITS:
        return [each for each in (length - 1, length - 2, length - 3) if each > 0]
    return [length * 3 // 4, length // 2, length // 4]


def _widths(texts: Sequence[str]) -> list[Decimal]:
    """Round widths, each a multiple of the previous one."""
    numbers = [Decimal(text) for text in texts]
    reach = max(numbers) - min(numbers)
    narrowest = _round_up(reach / _BANDS)
    if all(map(is_integer, texts)):
        narrowest = max(narrowest, Decimal(2))
    factors = _FACTORS[narrowest.as_tuple().digits[0]]
    return [shortest_decimal(narrowest * factor) for factor in factors if factor == 1 or narrowest * factor < reach]


def _round_up(number: Decimal) -> Decimal:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = Decimal(1).scaleb(number.adjusted())
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= number)
