"""Count missing values in the columns that a policy names, and drop or fill them (D11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlglot import exp

from acompass.checked.constants import replacement
from acompass.checked.convert import to_text
from acompass.checked.types import Column
from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Diagnostic, Span, TableError
from acompass.engines.facts import Facts, count_where
from acompass.options import DROP, ERROR
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.syntax import tree
from acompass.tables import errors
from acompass.tables.numbers import is_number

_NOWHERE = Span(0, 0)


@dataclass(frozen=True)
class Missing:
    """The number of missing values in each named column that has any, and how they are handled.

    `is_missing` is an SQL condition per column; `option` is ERROR, DROP, or the text to fill with.
    """

    counts: Mapping[int, int]
    is_missing: Mapping[int, Sql]
    option: str

    @property
    def unresolved(self) -> Mapping[int, int]:
        """The counts of missing values that remain after dropping or filling."""
        return self.counts if self.option == ERROR else {}

    @property
    def complete(self) -> Sql | None:
        """The condition of the records that are kept; None if all are."""
        if self.option != DROP or not self.counts:
            return None
        present = (exp.Not(this=exp.paren(self.is_missing[position].copy())) for position in self.counts)
        return sql.all_of(*present)

    def filled(self, position: int, value: Sql, column: Column) -> Sql:
        """SQL for the value of a typed column, with missing values filled."""
        if not self._fills(position):
            return value
        return self._filled(position, _constant_of(self.option, column), value)

    def filled_text(self, position: int, value: Sql, name: str, use: ColumnUse) -> Sql:
        """SQL for the value of a text column before typing: the fill value also determines the type."""
        if not self._fills(position):
            return value
        if use.use is Use.NUMBER and not is_number(self.option):
            raise errors.unfit_filling(name, "used as a number", self.option)
        return self._filled(position, exp.Literal.string(self.option), value)

    def _fills(self, position: int) -> bool:
        return self.option not in (ERROR, DROP) and position in self.counts

    def _filled(self, position: int, fill: Sql, value: Sql) -> Sql:
        return exp.Case(ifs=[exp.If(this=self.is_missing[position].copy(), true=fill)], default=value)


def count_missing(facts: Facts, is_missing: Mapping[int, Sql], option: str) -> Missing:
    positions = sorted(is_missing)
    counts = facts.ask(missing_counts([is_missing[position] for position in positions]))
    found = {p: int(count) for p, count in zip(positions, counts, strict=True) if count}
    return Missing(found, is_missing, option)


def missing_counts(is_missing: Sequence[Sql]) -> list[Sql]:
    return [count_where(each.copy()) for each in is_missing]


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
