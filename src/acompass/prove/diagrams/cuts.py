"""The constants that cut the values of each column and aggregate into regions.

GENERALIZE adds cuts: labels that are distinguished, and the values at which the label changes. Every region between
these cuts has a single label, or only labels that the policy and the claims do not distinguish (docs/prove.md, section
7).
"""

import datetime
import math
import operator
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, assert_never

from acompass.language.program.bands import Bands
from acompass.language.program.effects import columns_aggregated, comparisons, write_of
from acompass.language.program.kernels import (
    AddRandom,
    Constant,
    Kernel,
    Labels,
    Map,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
)
from acompass.language.program.label_maps import SUPPRESSED, Dates, Level, Prefix, is_iso_date
from acompass.language.program.program import (
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Filter,
    Not,
    Or,
    Process,
    Program,
    Result,
)
from acompass.language.program.references import Group, Reference
from acompass.language.program.types import EXACT, Kind, Type, Value, to_text
from acompass.language.text.tree import Function, Operator

#: a column, and how many times its type has changed
ColumnVersion: TypeAlias = tuple[int, int]

#: the texts that RANDOM writes are distinguished if there are at most this many
_FEW_DRAWN = 8
#: bands are distinguished up to numbers of this size
_LARGE = 10**15
#: the most labels of bands, and the most texts of a hierarchy, that are distinguished
MOST_BANDS = 400
MOST_TEXTS = 4_000

_EXACT = (Kind.INTEGER, Kind.DECIMAL)
#: the most cuts that NEAREST, ADD RANDOM and SHIFT move
MOST_MOVED = 40
#: surrogates, which no text contains
_SURROGATES = range(0xD800, 0xE000)

_COMPARE: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.EQ: operator.eq,
    Operator.GE: operator.ge,
    Operator.GT: operator.gt,
}

_NUMERAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_NUMBER = r"(-?[0-9]+(?:\.[0-9]+)?)"
_INTEGERS = re.compile(r"(-?[0-9]+)(?:(?:-| to )(-?[0-9]+))?")
_DIGITS = re.compile(r"[0-9]{1,4}")
_HALF_OPEN = re.compile(rf"\[{_NUMBER},{_NUMBER}\)")
_OPEN_ENDED = re.compile(rf"<{_NUMBER}|{_NUMBER}\+")


class Versions(Protocol):
    """The part of `Variables` that `Constants` needs."""

    def version(self, step: int, column: int) -> ColumnVersion: ...

    def versions_of(self, column: int) -> Iterator[tuple[ColumnVersion, Type]]: ...


def zero_value(type_: Type) -> Value:
    return 0.0 if type_.kind is Kind.FLOAT else 0


class Constants:
    """Collects the constants that each variable is compared with."""

    def __init__(self, variables: Versions):
        self._variables = variables
        self._columns: defaultdict[ColumnVersion, list[Value]] = defaultdict(list)
        self.sums: defaultdict[ColumnVersion, list[Value]] = defaultdict(list)
        self.counts: list[Value] = []
        self.shares: list[Value] = []
        self.aggregated: set[int] = set()

    def column_constants(self, column: int, version: ColumnVersion, type_: Type) -> list[Value]:
        """The cuts of a column. Exact versions share them: numbers keep their order when their type changes."""
        zero = [zero_value(type_)] if column in self.aggregated and type_.is_number else []
        if type_.kind not in _EXACT:
            return [*self._columns[version], *zero]
        alike = [own for own, its_type in self._variables.versions_of(column) if its_type.kind in _EXACT]
        return [value for own in alike for value in self._columns[own]] + zero

    def add_program(self, program: Program) -> None:
        for step, requirement in enumerate(program.requirements):
            self.add_assertion(step, requirement.assertion)
        for step, column, kernel in _writes_by_step(program):
            written = _written_constants(kernel, program.requirements[step].after[column].type)
            self._columns[self._variables.version(step + 1, column)] += written

    def add_maps(self, program: Program) -> None:
        """Add labels, and the values at which labels change or that other kernels turn into cuts. The last line comes
        first: its cuts may be what an earlier one writes."""
        for step, column, map_ in maps_by_step(program):
            self._columns[self._variables.version(step + 1, column)] += label_cuts(map_, self._numbers(column))
        for step, column, kernel in reversed(list(_writes_by_step(program))):
            after = list(dict.fromkeys(self._columns[self._variables.version(step + 1, column)]))
            found = _cuts_before_write(kernel, program.requirements[step].before[column].type, after)
            self._columns[self._variables.version(step, column)] += found

    def _numbers(self, column: int) -> list[int]:
        """The numbers that a column is compared with in any of its types, rounded down."""
        versions = (version for version, type_ in self._variables.versions_of(column) if type_.is_number)
        constants = (value for version in versions for value in self._columns[version])
        numbers = (Decimal(value) for value in constants if isinstance(value, int | float | Decimal))
        return [math.floor(number) for number in numbers if abs(number) < _LARGE]

    def add_assertion(self, step: int, assertion: Assertion) -> None:
        match assertion.result:
            case Result():
                self._add_condition(step, assertion.condition)
            case Filter(condition):
                self._add_condition(step, condition)
                self._add_condition(step, assertion.condition)
            case Process() as query:
                self._add_process(step, query, assertion.condition)
            case _:
                assert_never(assertion.result)

    def _add_condition(self, step: int, condition: Condition) -> None:
        for comparison in comparisons(condition):
            self._columns[self._variables.version(step, comparison.column)].append(comparison.value)

    def _add_process(self, step: int, query: Process, condition: Condition) -> None:
        if query.where is not None:
            self._add_condition(step, query.where)
        self.aggregated |= columns_aggregated(query)
        for comparison in comparisons(without_references(query, condition)):
            self._constants_at(step, query, comparison.column).append(comparison.value)

    def _constants_at(self, step: int, query: Process, position: int) -> list[Value]:
        """The constants of the column or aggregate at a position in the condition after PROCESS (D15, aliases)."""
        if position < len(query.group_by):
            return self._columns[self._variables.version(step, query.group_by[position])]
        return self._aggregate_constants(step, query.aggregates[position - len(query.group_by)])

    def _aggregate_constants(self, step: int, aggregate: Aggregate) -> list[Value]:
        match aggregate.function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self.counts
            case Function.SUM:
                assert aggregate.column is not None
                return self.sums[self._variables.version(step, aggregate.column)]
            case Function.MIN | Function.MAX:
                assert aggregate.column is not None
                return self._columns[self._variables.version(step, aggregate.column)]
            case Function.SHARE_OF_LARGEST | Function.SHARE_OF_MODE:
                return self.shares
            case _:
                assert_never(aggregate.function)


def has_large_reference(query: Process) -> bool:
    """Whether a reference table of the query has too many groups to list (X14)."""
    references = (aggregate.reference for aggregate in query.aggregates)
    return any(reference is not None and reference.has_more_groups_than(MOST_TEXTS) for reference in references)


def without_references(query: Process, condition: Condition) -> Condition:
    """The condition after PROCESS with comparisons of keys in place of totals of reference tables, which depend only on
    the key (X14). Comparisons with tables that are too large are left out."""
    match condition:
        case Comparison(position) if position >= len(query.group_by):
            reference = query.aggregates[position - len(query.group_by)].reference
            return condition if reference is None else _keys_with_total(reference, condition)
        case Comparison():
            return condition
        case Not(operand):
            return Not(without_references(query, operand))
        case And(operands):
            return And(tuple(without_references(query, operand) for operand in operands))
        case Or(operands):
            return Or(tuple(without_references(query, operand) for operand in operands))
        case _:
            assert_never(condition)


def _keys_with_total(reference: Reference, comparison: Comparison) -> Condition:
    """The keys whose total satisfies the comparison. All keys that the table lacks have 0."""
    if reference.has_more_groups_than(MOST_TEXTS):
        return And(())
    is_satisfied = _COMPARE[comparison.operator]
    is_absent_satisfied = is_satisfied(0, comparison.value)
    totals = reference.totals.items()
    others = Or(tuple(_is_key(key) for key, n in totals if is_satisfied(n, comparison.value) != is_absent_satisfied))
    return Not(others) if is_absent_satisfied else others


def _is_key(key: Group) -> Condition:
    parts = tuple(Comparison(at, Operator.EQ, value) for at, value in enumerate(key))
    return parts[0] if len(parts) == 1 else And(parts)


def _written_constants(kernel: Kernel, type_: Type) -> Sequence[Value]:
    """The cuts that what is written into a column of the type adds, except those of maps."""
    integers = kernel.integers()
    if integers is None:
        return kernel.listed_values() or ()
    return _few_drawn_texts(integers) if type_.kind is Kind.TEXT else (integers[0], integers[-1])


def _few_drawn_texts(integers: range) -> list[Value]:
    """The texts that RANDOM writes if there are few of them, so that each has a single label."""
    return [str(number) for number in integers] if integers.stop - integers.start <= _FEW_DRAWN else []


def _cuts_before_write(kernel: Kernel, type_: Type, after: Sequence[Value]) -> list[Value]:
    """Cuts of a column of the type before a write: all values of a region become values of the same regions after it,
    as far as a value alone decides. `after` are the cuts then."""
    match kernel:
        case Labels(map_):
            return cuts_before(map_, type_, list(dict.fromkeys(map(str, after))))  # maps of a column share labels
        case Nearest(step) if type_.kind in _EXACT:
            multiples = [f(number / Fraction(step)) for number in _exact(after) for f in (math.floor, math.ceil)]
            halves = (Fraction(2 * multiple + by, 2) for multiple in multiples for by in (-1, 1))
            return _exact_cuts((half * Fraction(step) for half in halves), type_)
        case AddRandom(lower, upper) if type_.kind in _EXACT:
            return _exact_cuts((number - by for number in _exact(after) for by in (lower, upper)), type_)
        case Shift(days=days):
            return [moved for value in after[:MOST_MOVED] for moved in _moved_dates(value, days)]
        case Nearest() | AddRandom() | Constant() | Uniform() | Weighted() | Pseudonym() | Microaggregate():
            return []
        case _:
            assert_never(kernel)


def _exact(values: Sequence[Value]) -> list[Fraction]:
    return [Fraction(value) for value in values[:MOST_MOVED] if isinstance(value, int | Decimal)]


def _exact_cuts(numbers: Iterable[Fraction], type_: Type) -> list[Value]:
    """The numbers that have a finite scale which the type can hold. A cut between two integers changes nothing."""
    fitting = (number for number in numbers if (number * 10**type_.scale).denominator == 1)
    return [EXACT.divide(Decimal(number.numerator), Decimal(number.denominator)) for number in dict.fromkeys(fitting)]


def _moved_dates(value: Value, days: int) -> list[Value]:
    try:
        match value:
            case datetime.date():
                return [value + datetime.timedelta(by) for by in (-days, days)]
            case str() if is_iso_date(value):
                date = datetime.date.fromisoformat(value[:10])
                return [(date + datetime.timedelta(by)).isoformat() for by in (-days, days)]
            case _:
                return []
    except OverflowError:
        return []


def maps_by_step(program: Program) -> Iterator[tuple[int, int, Map]]:
    """The step, the column and the map of every GENERALIZE."""
    for step, column, kernel in _writes_by_step(program):
        map_ = kernel.label_map()
        if map_ is not None:
            yield step, column, map_


def _writes_by_step(program: Program) -> Iterator[tuple[int, int, Kernel]]:
    """The step, the column and the kernel of every write."""
    for step, requirement in enumerate(program.requirements):
        write = write_of(requirement.action)
        if write is not None:
            yield from ((step, column, write.kernel) for column in write.columns)


def label_cuts(map_: Map, numbers: Iterable[int]) -> list[Value]:
    """Cuts of the column after the map. `numbers` are those that the policy compares the column with."""
    match map_:
        case Level():
            return [SUPPRESSED, *(hierarchy_texts(map_) if is_small_hierarchy(map_) else map_.labels()[:MOST_TEXTS])]
        case Bands():
            return [SUPPRESSED, *_bands(map_, numbers)]
        case Prefix() | Dates():
            return [SUPPRESSED]
        case _:
            assert_never(map_)


def is_small_hierarchy(map_: Level) -> bool:
    """Whether all texts of the hierarchy are distinguished."""
    return len(map_.hierarchy.lowest_level) <= MOST_TEXTS


def hierarchy_texts(map_: Level) -> list[str]:
    return [*map_.hierarchy.lowest_level, *(() if map_.otherwise is None else (map_.otherwise,))]


def maps_of_numbers(program: Program) -> Iterator[Map]:
    """The BANDS of columns that start as numbers and have had no labels of other maps since."""
    others: set[int] = set()
    for _, column, map_ in maps_by_step(program):
        if map_.of_numbers and program.schema[column].type.is_number and column not in others:
            yield map_
        else:
            others.add(column)


@lru_cache(maxsize=64)
def has_few_labels(map_: Bands) -> bool:
    """Whether all labels of numbers are distinguished."""
    labels = map_.labels()
    return labels is not None and len(labels) <= MOST_BANDS


def _bands(map_: Bands, numbers: Iterable[int]) -> list[str]:
    """All labels; if there are too many, those between the numbers that matter, or none if these are too many."""
    if has_few_labels(map_):
        return list(map_.labels() or ())
    ends = [end // 10**map_.scale for end in (map_.cuts.first, map_.cuts.last) if end is not None]
    inside = [*ends, *numbers, 0]
    found: list[str] = []
    for band in map_.bands_between(min(inside), max(inside)):
        found.append(band.label)
        if len(found) > MOST_BANDS:
            return []
    return found


def cuts_before(map_: Map, type_: Type, labels: Sequence[str]) -> list[Value]:
    """Cuts of the column before the map: all values of a region have the same one of the labels, or none of them."""
    own = [label for label in labels if map_.label(label) == label]
    match map_:
        case Bands() if type_.is_number:
            return [bound for label in own for bound in band_bounds(label)]
        case Dates() if type_.kind in (Kind.DATE, Kind.TIMESTAMP):
            dates = [date for label in own for date in period_bounds(label)]
            return [_start(date, type_) for date in (*dates, *_first_days(labels))]
        case Prefix(length) if type_.kind is Kind.TEXT:
            prefixes = [label[:length] for label in own]
            return [cut for prefix in prefixes for cut in (prefix, after_prefix(prefix)) if cut is not None]
        case Bands() | Dates() | Prefix() | Level():
            read = (read_text(label, type_) for label in labels)
            return [value for value in read if value is not None]
        case _:
            assert_never(map_)


def after_prefix(prefix: str) -> str | None:
    """The least text above every text with the prefix; None if it cannot be written."""
    following = ord(prefix[-1]) + 1 if prefix else _SURROGATES.start
    return None if following in _SURROGATES or following > sys.maxunicode else prefix[:-1] + chr(following)


def band_bounds(label: str) -> list[Value]:
    """The first number of a band and the first above it, where they exist; empty if the label is not a band."""
    if integers := _INTEGERS.fullmatch(label):
        return [int(integers[1]), int(integers[2] or integers[1]) + 1]
    if numbers := _HALF_OPEN.fullmatch(label) or _OPEN_ENDED.fullmatch(label):
        return [Decimal(number) for number in numbers.groups() if number is not None]
    return []


def period_bounds(label: str) -> list[datetime.date]:
    """The first day of a period and the first after it, if it exists; empty if the label is not a period."""
    year, month, months = int(label[:4]) if label[:4].isdecimal() else 0, 1, 12
    if not year:
        return []
    if label.endswith("s"):
        year, months = year // 10 * 10, 120
    elif label[5:6] == "Q":
        month, months = 3 * int(label[6:]) - 2, 3
    elif len(label) > 4:
        month, months = int(label[5:7]), 1
    end = 12 * year + month - 1 + months
    first = datetime.date(max(year, 1), month, 1)
    return [first, datetime.date(end // 12, end % 12 + 1, 1)] if end // 12 <= datetime.MAXYEAR else [first]


def _first_days(texts: Iterable[str]) -> Iterator[datetime.date]:
    """For each text, the first day whose text starts like it; it may be part of a year: `20` for LIKE '20%'."""
    for text in texts:
        digits = _DIGITS.match(text)
        if digits is not None and int(digits[0].ljust(4, "0")):
            yield datetime.date(int(digits[0].ljust(4, "0")), 1, 1)


def _start(date: datetime.date, type_: Type) -> Value:
    return date if type_.kind is Kind.DATE else datetime.datetime(date.year, date.month, date.day)


def read_text(text: str, type_: Type) -> Value | None:
    """The value with this text; None if there is none."""
    value = _read_candidate(text, type_)
    return value if value is not None and to_text(value, type_) == text else None


def _read_candidate(text: str, type_: Type) -> Value | None:
    try:
        match type_.kind:
            case Kind.INTEGER:
                return int(text) if _NUMERAL.fullmatch(text) else None
            case Kind.DECIMAL:
                return Decimal(text) if _NUMERAL.fullmatch(text) else None
            case Kind.FLOAT:
                return float(text)
            case Kind.DATE:
                return datetime.date.fromisoformat(text)
            case Kind.TIMESTAMP:
                return datetime.datetime.fromisoformat(text)
            case Kind.BOOLEAN | Kind.TEXT | Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
                return None
            case _:
                assert_never(type_.kind)
    except (ValueError, InvalidOperation):
        return None
