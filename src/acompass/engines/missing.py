"""Count missing values in the columns that a policy names, and drop or fill them (D11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from acompass.checked.constants import replacement
from acompass.checked.convert import to_text
from acompass.checked.maps.map import SUPPRESSED
from acompass.checked.names import Names
from acompass.checked.types import TEXT, Column
from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Diagnostic, Span, TableError
from acompass.engines.facts import Facts
from acompass.options import DROP, ERROR, MissingArgument, MissingOptions
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.syntax import tree
from acompass.tables import errors
from acompass.tables.numbers import is_number

_NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Missing:
    """The number of missing values in each named column that has any, and how they are handled.

    `is_missing` is an SQL condition per column.
    """

    counts: Mapping[int, int]
    is_missing: Mapping[int, Sql]
    options: MissingOptions

    @property
    def unresolved(self) -> Mapping[int, int]:
        """The counts of missing values that remain after dropping or filling."""
        return {p: count for p, count in self.counts.items() if self.options.of(p) == ERROR}

    @property
    def dropped_for(self) -> list[int]:
        """The columns in which a missing value drops the record."""
        return [position for position in self.counts if self.options.of(position) == DROP]

    @property
    def complete(self) -> Sql | None:
        """The condition of the records that are kept; None if all are."""
        present = [exp.Not(this=exp.paren(self.is_missing[p].copy())) for p in self.dropped_for]
        return sql.all_of(*present) if present else None

    def filled(self, position: int, value: Sql, column: Column, use: ColumnUse | None) -> Sql:
        """SQL for the value of a column, with missing values filled. In a text column, the fill value also
        takes part in deciding the type (D10)."""
        text = self.options.of(position)
        if position not in self.counts or text in (ERROR, DROP):
            return value
        if column.type == TEXT and use is not None and use.use is Use.NUMBER and not _fits_number(text, use):
            raise errors.unfit_filling(column.name, "used as a number", text)
        fill = exp.If(this=self.is_missing[position].copy(), true=_constant_of(text, column))
        return exp.Case(ifs=[fill], default=value)


def _fits_number(text: str, use: ColumnUse) -> bool:
    """Beside numbers that BANDS maps, `*` may stand (X2)."""
    return is_number(text) or (use.banded and text == SUPPRESSED)


def missing_options(given: MissingArgument, names: Sequence[str]) -> MissingOptions:
    """The options for a table's columns (D27). A text such as `Zip=?` is for a column if it names one."""
    if isinstance(given, str):
        return MissingOptions(given)
    columns = Names(names)
    if isinstance(given, Mapping):
        return MissingOptions(by_position={_position(columns, name): value for name, value in given.items()})
    parts = [(text, *text.split("=", 1)) for text in given]
    for_columns = {p[1]: p[2] for p in parts if len(p) == 3 and columns.find(p[1])}
    others = [text for text, *split in parts if len(split) == 1 or not columns.find(split[0])]
    if len(others) > 1:
        raise errors.missing_given_twice(others[1])
    by_position = {_position(columns, name): value for name, value in for_columns.items()}
    return MissingOptions(others[0] if others else ERROR, by_position)


def _position(columns: Names, name: str) -> int:
    match columns.find(name):
        case (position,):
            return position
        case _:
            raise errors.unknown_missing_column(name, columns.listing())


def count_missing(facts: Facts, is_missing: Mapping[int, Sql], options: MissingOptions) -> Missing:
    positions = sorted(is_missing)
    counts = facts.ask(missing_counts([is_missing[position] for position in positions]))
    found = {p: int(count) for p, count in zip(positions, counts, strict=True) if count}
    return Missing(found, is_missing, options)


def missing_counts(is_missing: Sequence[Sql]) -> list[Sql]:
    return [sql.count_where(each.copy()) for each in is_missing]


def _constant_of(text: str, column: Column) -> Sql:
    """SQL for the fill value, which must be one that REPLACE could write without changing the type."""
    constant = _constant(text, column)
    found = None if constant is None else replacement(constant, column)
    if found is None or isinstance(found, Diagnostic) or found[1] != column.type:
        raise _unfit(text, column)
    value, type_ = found
    return sql.cast(exp.Literal.string(to_text(value, type_)), sql.type_name(type_))


def _constant(text: str, column: Column) -> tree.Number | tree.String | None:
    if not column.type.is_number:
        return tree.String(text, _NOWHERE)
    return tree.Number(Decimal(text), _NOWHERE) if is_number(text) else None


def _unfit(text: str, column: Column) -> TableError:
    return errors.unfit_filling(column.name, str(column.type), text)
