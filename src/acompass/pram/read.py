"""Read one column of a table, wherever the table is: its type, and the records that have each value."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from acompass.checked.types import Kind, Type
from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import CallError, Diagnostic, Span
from acompass.engines.engine import OpenTable
from acompass.measure.columns import Roles, positions
from acompass.options import ReadingOptions
from acompass.plan.running.value_counts import ValueCount, value_counts

#: the most values that a column may have: a policy lists them, and an estimate inverts a matrix of them
MOST_VALUES = 1_000
#: a column that no policy uses in any way
UNUSED = ColumnUse(Use.ANY, Span(0, 0))


@dataclass(frozen=True, slots=True)
class CountedColumn:
    """`counts` are by the texts of the values, in the order of the values."""

    name: str
    type: Type
    counts: Mapping[str, ValueCount]

    @property
    def records(self) -> int:
        return sum(each.records for each in self.counts.values())

    @property
    def most_frequent(self) -> str:
        """The text of a value that no other value has more records than."""
        return max(self.counts, key=lambda text: self.counts[text].records)


def column_position(column: str, source: OpenTable) -> int:
    """Raises if the table has no such column, or several."""
    (position,) = positions(Roles((column,)), source.names).quasi_identifiers
    return position


def counted_column(
    source: OpenTable, position: int, use: ColumnUse, reading: ReadingOptions
) -> CountedColumn:
    """Raises if values are missing, have no order, or are too many."""
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
    """Raises unless the column has several values, and all of them can stand in a policy."""
    if len(column.counts) < 2:
        found = "one value" if column.counts else "no values"
        message = f"column `{column.name}` has {found}, expected at least two"
        raise _unsuitable(message, "choose a column with several values")
    if column.type.kind is Kind.FLOAT and not all(map(math.isfinite, map(float, column.counts))):
        message = f"column `{column.name}` has values that are infinite"
        raise _unsuitable(message, "replace them by numbers first")


def _unsuitable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC631", message, help=help_)])
