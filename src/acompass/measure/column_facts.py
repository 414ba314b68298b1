"""What is known about each column of a table, without the values of few records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from acompass.checked.types import Column, Kind
from acompass.engines.duckdb.read import DuckDBTable
from acompass.measure.columns import Positions
from acompass.measure.distribution import distributions
from acompass.measure.opening import tables_in
from acompass.measure.query import one_row
from acompass.measure.view import View
from acompass.measures import ColumnFacts, Form
from acompass.options import DatesArgument

#: a number of text that a policy may use as one (D10, D25)
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CODE = r"[0-9A-Z-]*[0-9][0-9A-Z-]*"
#: a code has at least this many characters, and its column this many values
_SHORTEST_CODE = 3
_FEWEST_CODES = 20


def column_facts(table: DuckDBTable, dates: DatesArgument) -> tuple[ColumnFacts, ...]:
    """Facts about every column, in the order of the table."""
    with tables_in(table.con) as tables:
        view, _ = tables.load(table, _nothing, every_column=True, dates=dates)
        shown = {found.column: found for found in distributions(tables.con, [view])}
        counted = _counted(tables.con, view)
    return tuple(
        ColumnFacts(
            name=column.name,
            type=_type(column, counts),
            form=_form(column, counts),
            missing=counts.records - counts.present,
            distinct=counts.distinct,
            distribution=shown.get(column.name),
        )
        for column, counts in zip(view.schema, counted, strict=True)
    )


def _nothing(_names: Sequence[str]) -> Positions:
    return Positions((), (), None)


@dataclass(frozen=True, slots=True)
class _Counts:
    """The last five are None for a column without values."""

    records: int
    present: int
    distinct: int
    are_numbers: bool | None
    are_dates: bool | None
    are_codes: bool | None
    shortest: int | None
    longest: int | None


def _counted(con: duckdb.DuckDBPyConnection, view: View) -> list[_Counts]:
    return [_Counts(*one_row(con, _question(view, position))) for position in range(len(view.schema))]


def _question(view: View, position: int) -> str:
    """Distinct values are few, so that they are found first and looked at once each."""
    if view.schema[position].type.kind is Kind.OPAQUE:
        nothing = ", ".join(["NULL"] * 5)
        return f"SELECT count(*), count(c{position}), 0, {nothing} FROM {view.relation}"
    forms = (f"bool_and(regexp_full_match(v::VARCHAR, '{form}'))" for form in (_NUMBER, _DATE, _CODE))
    lengths = (f"{function}(length(v::VARCHAR))" for function in ("min", "max"))
    counts = "coalesce(sum(n), 0)::BIGINT, coalesce(sum(n) FILTER (v IS NOT NULL), 0)::BIGINT, count(v)"
    values = f"SELECT {view.value(position)} AS v, count(*) AS n FROM {view.relation} GROUP BY v"
    return f"SELECT {counts}, {', '.join((*forms, *lengths))} FROM ({values})"


def _type(column: Column, counts: _Counts) -> str:
    """The type that a policy may give the column: text that is all numbers is decimal where it is compared
    with a number (D10)."""
    if column.type.kind is Kind.TEXT and counts.are_numbers:
        return str(Kind.DECIMAL)
    return str(column.type)


def _form(column: Column, counts: _Counts) -> Form:
    if column.type.kind in (Kind.DATE, Kind.TIMESTAMP) or counts.are_dates:
        return "date"
    if _are_codes(counts):
        return "code"
    return "number" if column.type.is_number or counts.are_numbers else "text"


def _are_codes(counts: _Counts) -> bool:
    length: Any = counts.shortest
    is_even = length is not None and length == counts.longest
    return bool(
        counts.are_codes and is_even and length >= _SHORTEST_CODE and counts.distinct >= _FEWEST_CODES
    )
