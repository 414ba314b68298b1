"""What a policy can tell about one column: the values it mentions, and the influence of a record's values on the rest.

A policy treats the values between two cuts alike, up to the bands or periods that it maps them to. If the analysis of
mentions cannot answer a question, it raises `Undecided`. Slicing the policy keeps the lines that the influence of one
record's values in some columns reaches. docs/privacy.md, section "Proofs", has the definitions."""

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import islice
from typing import TypeAlias, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program import effects
from acompass.language.program.bands import Band, Bands
from acompass.language.program.effects import comparisons, process_of, record_comparisons, write_of
from acompass.language.program.kernels import Map
from acompass.language.program.label_maps import Dates, Level, Prefix
from acompass.language.program.program import (
    NEVER,
    And,
    Assertion,
    Comparison,
    Condition,
    Process,
    Program,
    Requirement,
    Result,
)
from acompass.language.program.types import Kind, Type, Value, remaining, to_text
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.diagrams.cuts import band_bounds, has_few_labels, read_text
from acompass.prove.diagrams.regions import value_order
from acompass.prove.proof import require_time


@dataclass(frozen=True, slots=True)
class Influence:
    stop: int  # the first line over classes that reads tainted columns, or that writes what is not followed
    tainted: tuple[frozenset[int], ...]  # for each step, the columns of the record that may depend on the raw value
    live: frozenset[int]  # the columns that matter from `stop` on


def is_record_level(requirement: Requirement) -> bool:
    """Whether the record alone decides what happens to it."""
    return effects.process_of(requirement) is None and requirement.assertion.quantifier is Quantifier.EACH


def column_influence(program: Program, columns: frozenset[int]) -> Influence:
    tainted = [columns]
    is_presence_tainted = False
    for requirement in program.requirements:
        is_read = bool(effects.columns_read(requirement) & tainted[-1])
        if not is_record_level(requirement) and (is_read or is_presence_tainted):
            break
        if not _is_followed(requirement, tainted[-1], is_read=is_read):
            break
        is_presence_tainted |= is_read and effects.removes_records(requirement.action)
        own = effects.written_by(requirement.action) if is_read else frozenset()
        tainted.append((tainted[-1] | own) - columns_cleared(requirement))
    stop = len(tainted) - 1
    return Influence(stop, tuple(tainted), live_columns(program)[stop])


def _is_followed(requirement: Requirement, tainted: frozenset[int], *, is_read: bool) -> bool:
    """Whether the laws of a record go beyond the line. They do not if the written values depend on other records, or on
    tainted columns in another way than by a map: from there on, everything is post-processing."""
    kernel = effects.kernel_of(requirement.action)
    if kernel is None or not kernel.reads_value or kernel.label_map() is not None:
        return True
    touched = effects.written_by(requirement.action) | effects.read_by(requirement.action)
    return not (kernel.reads_others or is_read or touched & tainted)


def columns_cleared(requirement: Requirement) -> frozenset[int]:
    """The columns that lose every earlier value: they are overwritten in every record, or dropped."""
    dropped = (c for c, (_, after) in effects.type_changes(requirement).items() if after.kind is Kind.DROPPED)
    write = effects.write_of(requirement.action)
    is_about_all = effects.is_always(requirement) and effects.is_certain(requirement.action)
    if write is None or write.kernel.reads_value or not is_about_all:
        return frozenset(dropped)
    return frozenset((*write.columns, *dropped))


def live_columns(program: Program) -> list[frozenset[int]]:
    """For each step, the columns that a later line reads, or that are released. GENERALIZE reads its column: without a
    label, nothing is written."""
    live = frozenset(remaining(program.final_schema))
    steps = [live]
    for requirement in reversed(program.requirements):
        own = effects.read_by(requirement.action)
        live = (live - columns_cleared(requirement)) | effects.columns_read(requirement) | own
        steps.append(live)
    return steps[::-1]


def columns_involved(
    requirements: Iterable[Requirement], influence: Influence, *, with_rejects: bool
) -> frozenset[int]:
    """The tainted columns and those that influence them; `with_rejects` adds those that decide whether the record is
    kept."""
    lines = [
        (requirement, tainted)
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        if is_record_level(requirement)
    ]
    involved = frozenset().union(*influence.tainted)
    while True:
        more = involved.union(
            *(
                effects.columns_read(requirement)
                for requirement, tainted in lines
                if matters(requirement, involved, tainted, with_rejects=with_rejects)
            )
        )
        if more == involved:
            return involved
        involved = more


def matters(requirement: Requirement, involved: frozenset[int], tainted: frozenset[int], *, with_rejects: bool) -> bool:
    """Whether a record-level line changes the columns, or rejects the record or fails because of them."""
    if (effects.type_changes(requirement).keys() | effects.written_by(requirement.action)) & involved:
        return True
    return is_about_presence(requirement) and (with_rejects or bool(effects.columns_read(requirement) & tainted))


def is_about_presence(requirement: Requirement) -> bool:
    """Whether the line can drop the record, or keep any table from being written."""
    return requirement.action is None or effects.removes_records(requirement.action)


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that may drop or change the record, and reads nothing of it that depends on the raw value."""

    columns: tuple[int, ...]  # the columns that it may read


#: the line itself; for a line over classes, two variants: other records decide whether the record is affected
Line: TypeAlias = tuple[Marker | Requirement, ...]


@dataclass(frozen=True, slots=True)
class Slice:
    lines: tuple[Line, ...]
    columns: frozenset[int]  # the columns that matter for the raw value
    kept: tuple[int, ...]  # those that are visible at the end


def policy_slice(program: Program, influence: Influence, *, with_rejects: bool) -> Slice:
    requirements = program.requirements[: influence.stop]
    columns = columns_involved(requirements, influence, with_rejects=with_rejects)
    lines = [
        line
        for requirement, tainted in zip(requirements, influence.tainted, strict=False)
        for line in _lines(requirement, columns, tainted, with_rejects)
    ]
    return Slice(tuple(lines), columns, tuple(sorted(columns & influence.live)))


def _lines(
    requirement: Requirement, columns: frozenset[int], tainted: frozenset[int], with_rejects: bool
) -> Iterator[Line]:
    seen = (Marker(tuple(sorted(columns - tainted))),)
    if is_record_level(requirement):
        if matters(requirement, columns, tainted, with_rejects=with_rejects):
            yield (requirement,)
        elif is_about_presence(requirement):
            yield seen
        return
    yield seen
    if not effects.written_by(requirement.action).isdisjoint(columns):
        # an And without operands is true: no record violates it
        yield (_replace_condition(requirement, And(())), _replace_condition(requirement, NEVER))


def _replace_condition(requirement: Requirement, condition: Condition) -> Requirement:
    assertion = Assertion(Quantifier.EACH, Result(), condition, requirement.before)
    return replace(requirement, assertion=assertion)


#: a RANDOM that draws text is followed for each of its integers, up to this many
MOST_DRAWN = 2_000
#: floats do not distinguish larger integers
_LARGEST_IN_FLOAT = 2**53
#: the most bands that one RANDOM may draw into
MOST_BANDS = 1_000
_DATE_KINDS = (Kind.DATE, Kind.TIMESTAMP)


class Undecided(Exception):
    """`line` is None if no line of the policy is the cause."""

    def __init__(self, line: int | None, reason: str):
        super().__init__(line, reason)
        self.line = line
        self.reason = reason


class Budget:
    """Limits the work on one question. Spending also fails after the call's deadline."""

    def __init__(self, limit: int):
        self._limit = limit
        self.spent = 0

    def spend(self, work: int, line: int | None) -> None:
        require_time()
        self.spent += work
        if self.spent > self._limit:
            raise Undecided(line, f"there are more than {self._limit:,} cases to compare")


@dataclass(frozen=True, slots=True)
class LinedRandom:
    line: int
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class LinedMap:
    line: int
    map: Map


@dataclass(slots=True)
class Mentions:
    type: Type  # the column's initial type
    before_text: Type  # its last type before it becomes text
    first_line: int | None = None
    #: while the column is not text: the values that are compared or written, and the RANDOMs
    values: list[Value] = field(default_factory=list)
    randoms: list[LinedRandom] = field(default_factory=list)
    #: once it is text: the texts that are compared or written, those compared by order (with a line), and the RANDOMs
    points: set[str] = field(default_factory=set)
    orders: dict[str, int] = field(default_factory=dict)
    text_randoms: list[LinedRandom] = field(default_factory=list)
    maps: list[LinedMap] = field(default_factory=list)
    #: a line that writes values about which nothing is known here
    unknown: Undecided | None = None


def find_mentions(column: int, type_: Type, requirements: Iterable[Requirement]) -> Mentions:
    found = Mentions(type_, type_)
    for requirement in requirements:
        before, after = requirement.before[column].type, requirement.after[column].type
        if before.kind is not Kind.TEXT:
            found.before_text = before
        for comparison in _comparisons(requirement, column):
            _add_comparison(found, comparison, before, requirement.line)
        _add_action(found, requirement, column, after)
    return found


def _comparisons(requirement: Requirement, column: int) -> Iterator[Comparison]:
    """The comparisons of the column, and of its minima, maxima and sums."""
    yield from (each for each in record_comparisons(requirement) if each.column == column)
    process = process_of(requirement)
    if process is not None:
        seen = comparisons(requirement.assertion.condition)
        yield from (each for each in seen if _visible_column(process, each.column) == column)


def _visible_column(process: Process, position: int) -> int | None:
    """The column whose values, or their sums, are at a position after PROCESS (D15, results)."""
    groups = len(process.group_by)
    if position < groups:
        return process.group_by[position]
    aggregate = process.aggregates[position - groups]
    return aggregate.column if aggregate.facts.is_value or aggregate.facts.adds else None


def _add_comparison(found: Mentions, comparison: Comparison, type_: Type, line: int) -> None:
    found.first_line = found.first_line or line
    value = comparison.value
    if type_.kind is not Kind.TEXT:
        found.values.append(value)
    else:
        assert isinstance(value, str)
        found.points.add(value)
        if comparison.operator is not Operator.EQ:
            found.orders.setdefault(value, line)


def _add_action(found: Mentions, requirement: Requirement, column: int, after: Type) -> None:
    write = write_of(requirement.action)
    if write is None or column not in write.columns:
        return
    found.first_line = found.first_line or requirement.line
    kernel, is_text = write.kernel, after.kind is Kind.TEXT
    values, integers, map_ = kernel.listed_values(), kernel.integers(), kernel.label_map()
    if values is not None and is_text:
        found.points.update(map(str, values))
    elif values is not None:
        found.values.extend(values)
    elif integers is not None:
        randoms = found.text_randoms if is_text else found.randoms
        randoms.append(LinedRandom(requirement.line, integers.start, integers.stop - 1))
    elif map_ is not None:
        found.maps.append(LinedMap(requirement.line, map_))
    else:
        reason = f"{kernel.keyword} writes values that are not followed"
        found.unknown = found.unknown or Undecided(requirement.line, reason)


def drawn_texts(mentions: Mentions) -> set[str]:
    """The digits of every integer that is drawn as text."""
    drawn: set[str] = set()
    for random in mentions.text_randoms:
        if random.upper - random.lower >= MOST_DRAWN:
            raise Undecided(random.line, f"RANDOM draws more than {MOST_DRAWN:,} texts")
        drawn.update(map(str, range(random.lower, random.upper + 1)))
    return drawn


def column_cuts(mentions: Mentions) -> list[Value]:
    """The cuts of a column that is not text initially: values of its type, or constants between them."""
    if mentions.type.is_spelled_decimal:
        raise Undecided(mentions.first_line, "the column keeps the spelling of its numbers (D26)")
    # no open band contains an infinite float
    infinite = [float("-inf"), float("inf")] if mentions.type.kind is Kind.FLOAT else []
    cuts: list[Value] = [*mentions.values, *infinite]
    for random in mentions.randoms:
        is_large = max(abs(random.lower), abs(random.upper)) >= _LARGEST_IN_FLOAT
        if mentions.type.kind is Kind.FLOAT and is_large:
            raise Undecided(random.line, "floats cannot represent all integers of this RANDOM")
        cuts += [random.lower, random.upper + 1]
    if mentions.type.kind in _DATE_KINDS:
        return _with_periods(mentions, cuts)
    return _with_bands(mentions, cuts)


def _with_bands(mentions: Mentions, cuts: list[Value]) -> list[Value]:
    texts = mentions.points | drawn_texts(mentions)
    read = (read_text(text, mentions.before_text) for text in texts)
    cuts = [*cuts, *(value for value in read if value is not None)]
    if mentions.type.kind is Kind.FLOAT and 0 in cuts:
        raise Undecided(mentions.first_line, "floats have two zeros, which are written differently")
    for line in mentions.orders.values():
        raise Undecided(line, "it orders numbers, or bands of them, as text")
    for lined in mentions.maps:
        cuts += _band_cuts(lined, mentions, cuts)
    return cuts


def _band_cuts(lined: LinedMap, mentions: Mentions, cuts: list[Value]) -> list[Value]:
    """The bounds of all bands; if there are too many, of those that contain a cut, a label or a RANDOM's integers."""
    bands = bands_in(lined.map)
    if bands is None:
        raise Undecided(lined.line, "it maps numbers as text")
    if has_few_labels(bands):
        return [bound for band in bands.bands_between(None, None) for bound in _bounds(band)]
    found = [bound for point in mentions.points if bands.label(point) == point for bound in band_bounds(point)]
    finite = [cut for cut in (*cuts, *found) if isinstance(cut, int | Decimal)]
    for cut in finite:
        found += [bound for band in bands.bands_between(cut, cut) for bound in _bounds(band)]
    for random in mentions.randoms:
        reached = list(islice(bands.bands_between(random.lower, random.upper), MOST_BANDS + 1))
        if len(reached) > MOST_BANDS:
            raise Undecided(random.line, f"RANDOM draws into more than {MOST_BANDS:,} bands")
        found += [bound for band in reached for bound in _bounds(band)]
    return found


def bands_in(map_: Map) -> Bands | None:
    """The bands of a map of numbers; None for any other map."""
    match map_:
        case Bands():
            return map_
        case Prefix() | Dates() | Level():
            return None
        case _:
            assert_never(map_)


def prefix_in(map_: Map) -> Prefix | None:
    """The prefix that a map keeps, with a `*` for each further character; None for any other map."""
    match map_:
        case Prefix():
            return map_
        case Bands() | Dates() | Level():
            return None
        case _:
            assert_never(map_)


def _bounds(band: Band) -> Iterator[Value]:
    yield from (bound for bound in (band.lower, band.upper) if bound is not None)


def _with_periods(mentions: Mentions, cuts: list[Value]) -> list[Value]:
    """Add the bounds of periods. Dates and their periods sort like their texts."""
    texts: list[Callable[[Value], str]] = [lambda value: to_text(value, mentions.type)]
    texts += [_label_function(lined, mentions.type) for lined in mentions.maps]
    compared = mentions.points | drawn_texts(mentions) | mentions.orders.keys()
    found = [bound for text in texts for point in compared for bound in _period(mentions.type, text, point)]
    for text in texts[1:]:
        own = [text(value) for value in (*cuts, *found)]
        found += [bound for label in own for bound in _period(mentions.type, text, label)]
    return [*cuts, *found]


def _label_function(lined: LinedMap, type_: Type) -> Callable[[Value], str]:
    if not lined.map.of_dates:
        raise Undecided(lined.line, "it maps dates as other text")
    return lambda value: lined.map.label(to_text(value, type_)) or ""


def _period(type_: Type, text: Callable[[Value], str], label: str) -> Iterator[Value]:
    """The first value whose text is at least the label, and the first whose text is greater."""
    yield from _first_value(type_, lambda value: text(value) >= label)
    yield from _first_value(type_, lambda value: text(value) > label)


def _first_value(type_: Type, is_reached: Callable[[Value], bool]) -> Iterator[Value]:
    """Search by bisection; nothing if `is_reached` holds for no value of the type."""
    order = value_order(type_)
    low, end = order.first_and_last(None, None)
    assert low is not None
    assert end is not None
    high = end + 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_reached(order.value(middle)) else (middle + 1, high)
    if low <= end:
        yield order.value(low)
