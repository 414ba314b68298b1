"""Compute the exact probabilities with which a policy turns each value of a column into others.

An estimate inverts this matrix. Lines through which a value cannot be traced are errors. The values are those of one
column of a table on any engine, which are counted, and written as constants of a policy."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import count, islice, pairwise
from typing import TypeAlias

from acompass.dataclasses import dataclass
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, Label, Span
from acompass.language.program import effects
from acompass.language.program.constants import compared_value, scale_of
from acompass.language.program.kernels import ONE, Kernel
from acompass.language.program.program import Action, Program, Requirement
from acompass.language.program.types import Column, Kind, Type, Value, at_scale, convert, decimal, to_text
from acompass.language.program.uses import ColumnUse, Use
from acompass.language.text import tree
from acompass.language.text.tree import Operator
from acompass.measure.roles import Roles, positions
from acompass.plan.run.queries import ValueCount, value_counts
from acompass.prove.diagrams.regions import value_order
from acompass.reason.privacy.mentions import is_record_level
from acompass.semantics.core import affected_bag
from acompass.tables.formats import ReadingOptions, is_number

#: the maximum number of values of a column: a policy lists them, and an estimate inverts a matrix of them
MOST_VALUES = 1_000
#: the use of a column that the policy does not mention
UNUSED = ColumnUse(Use.ANY, Span(0, 0))


@dataclass(frozen=True, slots=True)
class CountedColumn:
    name: str
    type: Type
    counts: Mapping[str, ValueCount]  # by the value's text, in the order of the values

    @property
    def records(self) -> int:
        return sum(each.records for each in self.counts.values())

    @property
    def most_frequent(self) -> str:
        """The text of the most frequent value."""
        return max(self.counts, key=lambda text: self.counts[text].records)


def column_position(column: str, source: OpenTable) -> int:
    """Raise unless the table has exactly one column of this name."""
    (position,) = positions(Roles((column,)), source.names).quasi_identifiers
    return position


def counted_column(source: OpenTable, position: int, use: ColumnUse, reading: ReadingOptions) -> CountedColumn:
    """Raise if values are missing, if there are too many, or if policies do not support their type."""
    with source.load({position: use}, reading) as loaded:
        column = loaded.schema[position]
        if column.type.kind is Kind.OPAQUE:
            message = f"column `{column.name}` has a type that policies do not support"
            raise _unsuitable(message, "convert it to text, numbers or dates first")
        loaded.require_complete()
        counts = value_counts(loaded.session, loaded.state, position, MOST_VALUES)
    if len(counts) > MOST_VALUES:
        message = f"column `{column.name}` has more than {MOST_VALUES:,} values"
        raise _unsuitable(message, "make the column coarser first, for example with GENERALIZE")
    return CountedColumn(column.name, column.type, counts)


def require_values(column: CountedColumn) -> None:
    """Raise unless the column has several values, all of which can be written in a policy."""
    if len(column.counts) < 2:
        found = "one value" if column.counts else "no values"
        message = f"column `{column.name}` has {found}, expected at least two"
        raise _unsuitable(message, "choose a column with several values")
    if column.type.kind is Kind.FLOAT and not all(map(math.isfinite, map(float, column.counts))):
        message = f"column `{column.name}` has infinite values"
        raise _unsuitable(message, "replace them with numbers first")


def _unsuitable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC631", message, help=help_)])


_MARK = "~"


def to_constant(text: str, type_: Type) -> tree.Number | tree.String:
    """The constant that represents a value of a column."""
    return tree.Number(Decimal(text)) if type_.is_number else tree.String(text)


def to_value(text: str, type_: Type) -> Value | None:
    """The value of this type that has the text; None if there is none."""
    if type_.is_number and not _is_number(text, type_):
        return None
    value = compared_value(to_constant(text, type_), Column("", type_))
    if isinstance(value, Diagnostic) or (type_.kind is Kind.INTEGER and not isinstance(value, int)):
        return None
    if type_.kind is Kind.DECIMAL and not type_.spelled:
        assert isinstance(value, Decimal)
        return at_scale(value, type_.scale) if scale_of(value) <= type_.scale else None
    return value


def _is_number(text: str, type_: Type) -> bool:
    if type_.kind is not Kind.FLOAT:
        return is_number(text)
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def codes_for(texts: Sequence[str], values: Sequence[str], type_: Type) -> Sequence[tree.Number | tree.String]:
    """A code for each text that is not a value of the column: a number for a number, so that the column keeps
    its type (D12, retyping)."""
    if type_.is_number:
        taken = {Decimal(text) for text in values}
        free = (number for number in map(Decimal, count(-1, -1)) if number not in taken)
        return list(map(tree.Number, islice(free, len(texts))))
    mark = _MARK
    while any(mark + text in values for text in texts):
        mark += _MARK
    return [tree.String(mark + text) for text in texts]


@dataclass(frozen=True, slots=True)
class Transitions:
    values: Mapping[str, Value]
    rows: Mapping[str, Mapping[str, Fraction]]  # by a value's text, the probabilities of the released texts
    #: texts of values that represent all values in neither the policy nor the released table
    unnamed: frozenset[str]
    #: the unnamed values that cannot have been in the table, because a text that only they produce was not released
    absent: frozenset[str]

    @property
    def rates(self) -> frozenset[Fraction]:
        """The probabilities with which values are released at all."""
        return frozenset(sum(row.values(), Fraction(0)) for row in self.rows.values())


@dataclass(frozen=True, slots=True)
class Lines:
    before: tuple[Requirement, ...]
    #: the first line that draws for the column or drops records at random, and all later lines; what they do to a
    #: record depends only on the column
    drawing: tuple[Requirement, ...]


#: a value's text, which distinguishes two spellings of a number, the value, and its probability
Outcome: TypeAlias = tuple[str, Value, Fraction]


class Stopped(Exception):
    """A check fails for a drawn value, so the draw decides whether anything is released."""

    def __init__(self, line: Requirement):
        super().__init__(line)
        self.line = line


class TooMany(Exception):
    """A line draws from more values than an estimate can handle."""

    def __init__(self, values: int):
        super().__init__(values)
        self.values = values


def transitions(program: Program, lines: Lines, column: int, seen: Mapping[str, Value]) -> Transitions:
    """Raise Stopped if a check depends on a drawn value."""
    type_ = program.schema[column].type
    texts = {*seen, *named_texts(program.requirements, column)}
    named = [value for text in texts if (value := seen.get(text, to_value(text, type_))) is not None]
    others = other_values(program.requirements, column, type_, named)
    known = values_left(lines.before, column, type_, named)
    further = values_left(lines.before, column, type_, others)
    # a line may turn an unnamed value into one that the policy names
    unnamed = further.keys() - known.keys() - texts
    middle = lines.drawing[0].before[column].type if lines.drawing else program.final_schema[column].type
    drawing = DrawingLines(lines.drawing, column)
    values = _in_order({**further, **known}, unnamed)
    rows = {text: drawing.row(value, middle) for text, value in values.items()}
    return Transitions(values, rows, frozenset(unnamed), _absent(rows, unnamed, seen.keys()))


def _in_order(values: Mapping[str, Value], last: Collection[str]) -> dict[str, Value]:
    return dict(sorted(values.items(), key=lambda item: (item[0] in last, item[1], item[0])))


def _absent(rows: Mapping[str, Mapping[str, Fraction]], unnamed: Iterable[str], seen: Iterable[str]) -> frozenset[str]:
    """The unnamed values to omit from the answer, because their estimated count is 0."""
    sources = Counter(text for row in rows.values() for text in row)
    missing = {text for text, number in sources.items() if number == 1} - set(seen)
    return frozenset(text for text in unnamed if missing & rows[text].keys())


class DrawingLines:
    """The lines that change a column. The outcomes of each line for each value are computed once."""

    def __init__(self, lines: Sequence[Requirement], column: int):
        self._lines = [line for line in lines if matters(line, column)]
        self._column = column
        self._seen: dict[tuple[int, str], list[Outcome]] = {}

    def row(self, value: Value, type_: Type) -> dict[str, Fraction]:
        """The probability of each text released for the value; the remainder to 1 is the probability of a drop."""
        reached = {to_text(value, type_): (value, ONE)}
        for at in range(len(self._lines)):
            after: dict[str, tuple[Value, Fraction]] = {}
            for text, (before, probability) in reached.items():
                for new, result, share in self._outcomes(at, text, before):
                    total = after[new][1] if new in after else Fraction(0)
                    after[new] = (result, total + probability * share)
            reached = after
        return {text: probability for text, (_, probability) in reached.items()}

    def _outcomes(self, at: int, text: str, value: Value) -> list[Outcome]:
        if (at, text) not in self._seen:
            line, column = self._lines[at], self._column
            after = line.after[column].type
            found = line_outcomes(line, column, value)
            self._seen[at, text] = [(to_text(new, after), new, share) for new, share in found]
        return self._seen[at, text]


def line_outcomes(line: Requirement, column: int, value: Value) -> Iterator[tuple[Value, Fraction]]:
    """The possible values after a line that reads only this column; none if it drops the record."""
    before, after = line.before[column].type, line.after[column].type
    converted = convert(value, before, after)
    if not is_affected(line, column, value):
        yield converted, ONE
    elif line.action is None:
        raise Stopped(line)
    else:
        yield from outcomes(line.action, converted, after)


def is_affected(line: Requirement, column: int, value: Value) -> bool:
    """Whether a line that reads only this column affects a record with the value."""
    record = (*[None] * column, value)
    return bool(affected_bag([record], line.assertion))


def outcomes(action: Action, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
    """The possible results, for a value of the column, of an action that writes it or drops records."""
    kernel, probability = effects.kernel_of(action), effects.probability_of(action)
    assert kernel is not None or effects.removes_records(action)
    if probability is not None:
        yield value, 1 - probability
    if kernel is not None:
        written = _written_values(kernel, value, type_)
        yield from ((new, action.probability * share) for new, share in written)


def _written_values(kernel: Kernel, value: Value, type_: Type) -> Iterator[tuple[Value, Fraction]]:
    integers = kernel.integers()
    if integers is not None and integers.stop - integers.start > MOST_VALUES:
        raise TooMany(integers.stop - integers.start)
    return kernel.outcomes(value, type_)


def named_texts(lines: Sequence[Requirement], column: int) -> Iterator[str]:
    """The texts of the constants that lines compare with the column or write to it."""
    for line in lines:
        before, after = line.before[column].type, line.after[column].type
        compared = (each.value for each in effects.record_comparisons(line) if each.column == column)
        yield from (to_text(constant, before) for constant in compared)
        write = effects.write_of(line.action)
        if write is not None and column in write.columns and not write.kernel.reads_value:
            yield from (to_text(new, after) for new, _ in _written_values(write.kernel, "", after))


def other_values(lines: Sequence[Requirement], column: int, type_: Type, named: Iterable[Value]) -> list[Value]:
    """Unnamed values: one from each range between named ones, or a single one if no line orders values."""
    order = value_order(decimal(type_.scale + 1) if type_.is_spelled_decimal else type_)
    cuts = sorted({order.rank(value) for value in named})
    gaps = (gap for gap in pairwise([None, *cuts, None]) if order.count(*gap))
    found = (value for gap in gaps for value in order.examples(*gap, 1))
    comparisons = (each for line in lines for each in effects.record_comparisons(line) if each.column == column)
    orders = any(each.operator is not Operator.EQ for each in comparisons)
    return list(found if orders else islice(found, 1))


def values_left(lines: Sequence[Requirement], column: int, type_: Type, values: Iterable[Value]) -> dict[str, Value]:
    """The possible values, by their texts, after lines that draw nothing for the column.

    If other columns or records decide whether a line affects a record, both cases are possible.
    """
    reached = {to_text(value, type_): value for value in values}
    for line in lines:
        after = line.after[column].type
        left = [new for value in reached.values() for new in _remaining_values(line, column, value)]
        reached = {to_text(value, after): value for value in left}
    return reached


def _remaining_values(line: Requirement, column: int, value: Value) -> Iterator[Value]:
    before, after = line.before[column].type, line.after[column].type
    converted = convert(value, before, after)
    is_known = reads_only(line, column)
    is_hit = is_known and is_affected(line, column, value)
    if not (is_hit and matters(line, column)):
        yield converted
    if line.action is not None and decides(line, column) and (is_hit or not is_known):
        yield from (new for new, _ in outcomes(line.action, converted, after))


def deciding_lines(program: Program, column: int) -> Lines | list[Diagnostic]:
    """Split the lines at the first draw, or return an error for each line that values cannot be traced through."""
    lines = program.requirements
    first = next((at for at, line in enumerate(lines) if effects.draws(line.action) and decides(line, column)), None)
    at = len(lines) if first is None else first
    found = [
        *_dropped_column_errors(lines, column),
        *_unlisted_values_errors(lines, column),
        *_untraceable_errors(lines[at:], column, program),
    ]
    return found or Lines(lines[:at], lines[at:])


def decides(line: Requirement, column: int) -> bool:
    """Whether the action writes the column or drops records."""
    return effects.changes(line.action, {column})


def matters(line: Requirement, column: int) -> bool:
    """Whether the line changes the column, drops records or checks the column."""
    return decides(line, column) or (line.action is None and reads_only(line, column))


def reads_only(line: Requirement, column: int) -> bool:
    """Whether only this column decides if the line affects a record."""
    return is_record_level(line) and line.judged and effects.columns_read(line) <= {column}


def _dropped_column_errors(lines: tuple[Requirement, ...], column: int) -> Iterator[Diagnostic]:
    for line in lines:
        if line.after[column].type.kind is Kind.DROPPED:
            yield untraceable_error(line, "it drops the column", "use the table that this policy has released")
            return


def _unlisted_values_errors(lines: tuple[Requirement, ...], column: int) -> Iterator[Diagnostic]:
    """Reject lines whose results for a value cannot be listed. NEAREST is a function of the value, as a map is."""
    for line in lines:
        kernel = effects.kernel_of(line.action)
        if kernel is None or column not in effects.written_by(line.action):
            continue
        help_ = "estimate another column"
        if kernel.needs_key:
            yield untraceable_error(line, f"each {kernel.noun} that it writes depends on the key", help_)
        elif kernel.reads_others:
            yield untraceable_error(line, f"each {kernel.noun} that it writes depends on other records", help_)
        elif kernel.draws and kernel.reads_value:
            why = "it adds what it draws to a value, and not every value is known"
            yield untraceable_error(line, why, f"draw from a list with `RANDOM … FROM`, or {help_}")


def _untraceable_errors(lines: tuple[Requirement, ...], column: int, program: Program) -> Iterator[Diagnostic]:
    """`following` collects the columns whose values may depend on what was drawn for the column."""
    following, is_sampled = {column}, False
    for line in lines:
        if decides(line, column):
            yield from _dependency_errors(line, column, program)
            is_sampled |= effects.removes_records(line.action)
        elif line.action is None:
            yield from _stopping_errors(line, column, following, is_sampled)
        elif not _is_independent(line, following):
            following |= effects.written_by(line.action)


def _is_independent(line: Requirement, following: set[int]) -> bool:
    """Whether what an action writes does not depend on these columns."""
    if effects.process_of(line) is not None or effects.reads_others(line.action) or not line.judged:
        return False
    return not (effects.columns_read(line) | effects.read_by(line.action)) & following


def _dependency_errors(line: Requirement, column: int, program: Program) -> Iterator[Diagnostic]:
    """Reject a line whose effect depends on more than the column."""
    name = program.schema[column].name
    kernel = effects.kernel_of(line.action)
    if kernel is not None and kernel.reads_value and column in effects.written_by(line.action):
        if kernel.keyword != "GENERALIZE":
            return  # `_unlisted_values_errors` rejects it
        help_ = f"generalize `{name}` before it is drawn"
        yield untraceable_error(line, "it generalizes the column after it was drawn", help_)
    elif not reads_only(line, column):
        others = sorted(program.schema[each].name for each in effects.columns_read(line) - {column})
        listed = " and ".join(f"`{other}`" for other in others)
        why = f"it depends on {listed}" if listed else "it depends on other records"
        yield untraceable_error(line, why, f"move it above the first line that draws for `{name}`")


def _stopping_errors(line: Requirement, column: int, following: set[int], is_sampled: bool) -> Iterator[Diagnostic]:
    """Reject a check after a draw if the drawn value can decide whether anything is released."""
    if reads_only(line, column):
        return  # `transitions` raises if a value fails it
    is_apart = is_record_level(line) and line.judged and not effects.columns_read(line) & following
    if is_sampled or not is_apart:
        yield stopping_error(line)


def stopping_error(line: Requirement) -> Diagnostic:
    why = "the drawn value can decide whether this check passes and anything is released"
    return untraceable_error(line, why, "move the check above the line that draws")


def untraceable_error(line: Requirement, why: str, help_: str) -> Diagnostic:
    labels = () if line.span is None else (Label(line.span),)
    return Diagnostic("AC635", f"values cannot be traced through line {line.line}: {why}", labels, help_)
