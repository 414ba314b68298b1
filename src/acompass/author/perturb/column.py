"""Count the values of one column of a table on any engine, and write them as constants of a policy."""

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import count, islice

from acompass.dataclasses import dataclass
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, Span
from acompass.language.program.constants import compared_value, scale_of
from acompass.language.program.types import Column, Kind, Type, Value, at_scale
from acompass.language.program.uses import ColumnUse, Use
from acompass.language.text import tree
from acompass.measure.roles import Roles, positions
from acompass.plan.run.queries import ValueCount, value_counts
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
