"""The levels of a column, from fine to coarse, and every text that its cells can have at one of them.

Labels come from the maps of GENERALIZE, so a level does what the language does. Without a specification, the column's
values determine the levels.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import accumulate, count, pairwise
from typing import Any, TypeVar, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program import bands
from acompass.language.program.bands import Bands, Steps
from acompass.language.program.checker import check
from acompass.language.program.effects import map_of
from acompass.language.program.hierarchies import Hierarchy
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix, prefix_problem
from acompass.language.program.types import INTEGER, TEXT, Column, Type, decimal, shortest_decimal
from acompass.language.text import tree
from acompass.language.text.tree import DateUnit
from acompass.language.text.walk import level_in
from acompass.measure.hierarchy import (
    ByBands,
    ByDate,
    ByFile,
    ByPrefix,
    Spec,
    Values,
    column_values,
    invalid_sizes,
    is_integer,
    is_number,
    rows,
    sound_hierarchy,
)
from acompass.tables.formats import TextShape

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


def map_constants(map_: tree.Map) -> dict[str, Any] | None:
    """The kind of a map and its constants as texts, in the form that the hierarchy editor has; None for NEAREST, which
    makes no groups."""
    match map_:
        case tree.BandsOf(width, start, end):
            ends = {"from": None if start is None else _spell(start), "up_to": None if end is None else _spell(end)}
            return {"kind": "bands", "widths": [_spell(width)], **ends, "level": 1}
        case tree.BandsAt(cuts):
            return {"kind": "at", "cuts": list(map(_spell, cuts)), "level": 1}
        case tree.PrefixOf(length):
            return {"kind": "prefix", "lengths": [_spell(length)], "level": 1}
        case tree.DatePart(unit):
            return {"kind": "dates", "units": [str(unit)], "level": 1}
        case tree.LevelOf(level, file, otherwise):
            label = otherwise.value if isinstance(otherwise, tree.String) else None
            other = _spell(otherwise) if isinstance(otherwise, tree.Number) else label
            return {"kind": "file", "file": file.value, "level": int(level.value), "otherwise": other}
        case tree.Nearest():
            return None
        case _:
            assert_never(map_)


def _spell(number: tree.Number) -> str:
    return f"{number.value:f}"


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
    """Choose levels by the values: codes of one length, numbers, dates, or anything else. Numbers that are codes by the
    name of their column, such as ZIP codes without leading zeros, are never in bands."""
    texts = [text for text in values.texts if text != SUPPRESSED]
    if TextShape.of(texts).is_code(values.column) and not _are_dates(texts):
        if _have_one_length(texts):
            return by_prefix(prefix_lengths(len(texts[0])))
        return Choice((), "values", "codes of several lengths, only level `*`; add levels by hand")
    if _are_numbers(texts):
        return by_bands(values, band_widths(texts))
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


def _have_one_length(texts: Sequence[str]) -> bool:
    return len(set(map(len, texts))) == 1 and len(texts[0]) > 1


def prefix_lengths(length: int) -> list[int]:
    """Up to three lengths of prefixes: each one character shorter for short codes, quarters of the length for long."""
    if length <= _CODE_DIGITS:
        return [each for each in (length - 1, length - 2, length - 3) if each > 0]
    return [length * 3 // 4, length // 2, length // 4]


def band_widths(texts: Sequence[str]) -> list[Decimal]:
    """Round widths, each a multiple of the previous one."""
    numbers = [Decimal(text) for text in texts]
    reach = max(numbers) - min(numbers)
    integer = all(map(is_integer, texts))
    narrowest = round_width(reach, _BANDS, integer)
    if integer:
        narrowest = max(narrowest, Decimal(2))
    factors = _FACTORS[narrowest.as_tuple().digits[0]]
    return [shortest_decimal(narrowest * factor) for factor in factors if factor == 1 or narrowest * factor < reach]


def _round_up(number: Decimal) -> Decimal:
    """Round up to 1, 2 or 5 times a power of ten."""
    power = Decimal(1).scaleb(number.adjusted())
    return next(power * digit for digit in (1, 2, 5, 10) if power * digit >= number)


def cuts_of_equal_width(lowest: Decimal, highest: Decimal, bands: int, integer: bool) -> tuple[Decimal, ...]:
    """The constants of BANDS AT for bands of about equal width. Integers may allow fewer bands."""
    width = (highest - lowest) / bands
    unit = Decimal(1) if integer else Decimal(1).scaleb(width.adjusted() - 1)
    found = (shortest_decimal((lowest + width * place).quantize(unit)) for place in range(1, bands))
    return tuple(sorted({cut for cut in found if lowest < cut <= highest}))


def cuts_of_equal_count(numbers: Mapping[Decimal, int], bands: int) -> tuple[Decimal, ...]:
    """The constants of BANDS AT for bands of about equal counts, from the number of records with each number.

    A frequent number is never divided, so there may be fewer bands. A cut lies above the number before it and is the
    roundest one possible: it need not be a number of the table.
    """
    values = sorted(numbers)
    below = list(accumulate((numbers[value] for value in values), initial=0))
    places = sorted({_nearest_place(below, below[-1] * band / bands) for band in range(1, bands)})
    return tuple(_roundest(values[place - 1], values[place]) for place in places if 0 < place < len(values))


def _nearest_place(below: Sequence[int], records: float) -> int:
    """The position of the value below which the number of records is nearest to `records`."""
    place = bisect_left(below, records)
    return place if below[place] - records < records - below[place - 1] else place - 1


def _roundest(low: Decimal, high: Decimal) -> Decimal:
    """The multiple of the largest power of ten that is above `low` and at most `high`."""
    return next(number for number in _multiples(low, high) if number > low)


def _multiples(low: Decimal, high: Decimal) -> Iterator[Decimal]:
    exponent = high.normalize().as_tuple().exponent
    assert isinstance(exponent, int), "finite numbers"
    for power in range(max(low.adjusted(), high.adjusted()) + 1, min(exponent, 0) - 1, -1):
        step = Decimal(1).scaleb(power)
        yield shortest_decimal((high / step).to_integral_value(ROUND_FLOOR) * step)


def round_width(reach: Decimal, bands: int, integer: bool) -> Decimal:
    """A round width, such as 0.5 or 20, of which about `bands` cover a range of `reach`."""
    width = _round_up(reach / bands) if reach else Decimal(1)
    return max(width, Decimal(1)) if integer else width


@dataclass(frozen=True, slots=True)
class FittingMap:
    """A map that a column's values fit."""

    map: tree.Map
    labels: int  # distinct labels of the values
    example: str | None  # the label with the most records


def map_words(map_: tree.Map) -> str:
    """A map in words, such as `first 3 characters`."""
    match map_:
        case tree.BandsOf(width, start, end):
            bounds = [("from", start), ("up to", end)]
            return " ".join(["bands of", f"{width.value:f}", *(f"{word} {n.value:f}" for word, n in bounds if n)])
        case tree.BandsAt(cuts):
            return f"bands at {', '.join(f'{cut.value:f}' for cut in cuts)}"
        case tree.PrefixOf(length):
            return "first character" if length.value == 1 else f"first {length.value:f} characters"
        case tree.DatePart(unit):
            return unit.lower()
        case tree.LevelOf(level):
            return f"level {level.value:f}"
        case tree.Nearest(number):
            return f"nearest {number.value:f}"
        case _:
            assert_never(map_)


def fitting_maps(
    column: str, counts: Mapping[str, int], named: Sequence[tree.Map], spec: Spec | None, program: tree.Program
) -> tuple[FittingMap, ...]:
    """The levels of a column's values, from fine to coarse: the maps that the policy names for it, and proposed ones.

    `counts` has the number of records with each value, `program` the folder of LEVEL's files. A map that does not fit
    the values is left out; so is one that gives them the labels of another. A file that LEVEL names has all its levels.
    """
    type_ = _type_of(counts)
    found: dict[tuple[str, ...], FittingMap] = {}

    def add(map_: tree.Map, is_named: bool) -> bool:
        labels = _labels(map_, column, type_, counts, program)
        if labels is not None and (is_named or set(labels) != {SUPPRESSED}) and labels != tuple(counts):
            found.setdefault(labels, _fitting_map(map_, labels, counts))
        return labels is not None

    for map_ in named:
        add(map_, is_named=True)
    for level in dict.fromkeys(replace(each, level=_FIRST) for each in map(level_in, named) if each is not None):
        numbers = (replace(level, level=tree.Number(Decimal(number))) for number in count(1))
        next(each for each in numbers if not add(each, is_named=False))
    for map_ in _proposed_maps(column, counts, spec):
        add(map_, is_named=False)
    return tuple(sorted(found.values(), key=lambda level: -level.labels))


_FIRST = tree.Number(Decimal(1))


def _fitting_map(map_: tree.Map, labels: Sequence[str], counts: Mapping[str, int]) -> FittingMap:
    records: dict[str, int] = {}
    for label, number in zip(labels, counts.values(), strict=True):
        records[label] = records.get(label, 0) + number
    shown = {label: number for label, number in records.items() if label != SUPPRESSED}
    return FittingMap(map_, len(records), max(shown, key=lambda label: shown[label], default=None))


def _proposed_maps(column: str, counts: Mapping[str, int], spec: Spec | None) -> Iterator[tree.Map]:
    """Those of the specification, or else those that the values suggest."""
    for each in dict.fromkeys((spec, None)):
        try:
            levels = column_levels(column_values(column, counts), each)
        except CallError:  # no values, or values that the specification does not fit
            continue
        yield from (level.tree for level in levels.maps if level.tree is not None)
        return


def _type_of(counts: Mapping[str, int]) -> Type:
    values = [text for text in counts if text != SUPPRESSED]
    if all(map(is_integer, values)):
        return INTEGER
    if not all(map(is_number, values)):
        return TEXT
    return decimal(max(len(text.partition(".")[2]) for text in values))


def _labels(
    map_: tree.Map, column: str, type_: Type, values: Collection[str], program: tree.Program
) -> tuple[str, ...] | None:
    """The label of each value; None if the map does not fit the column."""
    name = tree.Name(column)
    for each in dict.fromkeys((type_, TEXT)):
        one = replace(
            program, requirements=(tree.Requirement(tree.Always(), tree.Generalize(name, map_)),), comments=()
        )
        checked, _ = check(one, "", (Column(column, each),))
        used = None if checked is None else map_of(checked.requirements[0].action)
        labels = () if used is None else tuple(used.label(value) or "" for value in values)
        if labels and all(labels):
            return labels
    return None
