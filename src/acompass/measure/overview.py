"""An overview of a table, or of a table before and after: measures, loss and distributions.

`column_facts` describes each column without its rare values.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import duckdb

from acompass.dataclasses import dataclass
from acompass.engines.duckdb.table import DuckDBTable
from acompass.language.program.types import Column, Kind
from acompass.measure.answer import THRESHOLDS, ColumnFacts, Form, Overview
from acompass.measure.classes import one_row
from acompass.measure.distribution import Showing, distributions
from acompass.measure.loss import PolicyLevels, policy_loss
from acompass.measure.measurement import measure_records, open_tables, tables_with
from acompass.measure.records import Records
from acompass.measure.roles import Positions, Roles, positions
from acompass.options import DatesArgument
from acompass.tables.formats import FileFormat, Options

_DEFAULT = FileFormat()


def overviews(
    tables: Sequence[Any],
    roles: Roles | None,
    showings: Sequence[Showing | None],
    file_format: FileFormat = _DEFAULT,
    memory_limit: str | None = None,
    dates: DatesArgument = (),
    levels: PolicyLevels | None = None,
    below: Sequence[int] = THRESHOLDS,
) -> list[Overview]:
    """An overview for each element of `showings`; without distributions where it is None.

    `tables` is one table, or the table before and the table after; `dates` are the date formats of the first. Without
    roles, nothing is measured. The loss is measured by `levels`; `below` are the thresholds of the measures.
    """
    find = _no_positions if roles is None else partial(positions, roles)
    with open_tables(file_format, memory_limit) as opened:
        loaded = [
            opened.open(table, find, every_column=True, dates=() if place else dates)
            for place, table in enumerate(tables)
        ]
        con, views = opened.con, [records for records, _ in loaded]
        measures = () if roles is None else tuple(measure_records(con, *each, below) for each in loaded)
        loss = None
        if roles is not None and len(loaded) > 1:
            loss = policy_loss(con, *loaded[1], *loaded[0], levels or PolicyLevels(None))
        unique = None if roles is None else _unique_values(con, *loaded[-1])
        return [
            Overview(measures, () if showing is None else distributions(con, views, showing), loss, unique)
            for showing in showings
        ]


def _unique_values(con: duckdb.DuckDBPyConnection, view: Records, found: Positions) -> dict[str, Fraction]:
    """For each column, the share of records, or of persons, with a value that no other has."""
    person = None if found.person is None else view.duckdb_value(found.person)
    counted = "*" if person is None else f"DISTINCT {person}"
    (whole,) = one_row(con, f"SELECT count({counted}) FROM {view.duckdb_source}")
    comparable = [place for place, column in enumerate(view.schema) if column.type.kind is not Kind.OPAQUE]
    return {
        view.schema[place].name: Fraction(one_row(con, _unique_sql(view, place, person))[0], whole or 1)
        for place in comparable
    }


def _unique_sql(view: Records, position: int, person: str | None) -> str:
    value = view.duckdb_value(position)
    if person is None:
        values = f"SELECT {value} AS v FROM {view.duckdb_source} WHERE v IS NOT NULL GROUP BY v HAVING count(*) = 1"
        return f"SELECT count(*) FROM ({values})"
    pairs = f"SELECT DISTINCT {value} AS v, {person} AS p FROM {view.duckdb_source} WHERE v IS NOT NULL"
    return f"SELECT count(DISTINCT p) FROM (SELECT any_value(p) AS p FROM ({pairs}) GROUP BY v HAVING count(*) = 1)"


def _no_positions(_names: Sequence[str]) -> Positions:
    return Positions((), (), None)


#: a text that a policy may use as a number (D10, D25)
_NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CODE = r"[0-9A-Z-]*[0-9][0-9A-Z-]*"
#: a code has at least this many characters, and its column this many values
_SHORTEST_CODE = 3
_FEWEST_CODES = 20


def column_facts(table: DuckDBTable, dates: DatesArgument) -> tuple[ColumnFacts, ...]:
    with tables_with(table, Options()) as tables:
        view, _ = tables.load(table, _no_positions, every_column=True, dates=dates)
        shown = {found.column: found for found in distributions(tables.con, [view])}
        counted = [_Counts(*one_row(tables.con, _question(view, position))) for position in range(len(view.schema))]
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


def _question(view: Records, position: int) -> str:
    """SQL for the counts of a column. It groups first, because each distinct value is then matched only once."""
    if view.schema[position].type.kind is Kind.OPAQUE:
        nothing = ", ".join(["NULL"] * 5)
        return f"SELECT count(*), count(c{position}), 0, {nothing} FROM {view.duckdb_source}"
    forms = (f"bool_and(regexp_full_match(v::VARCHAR, '{form}'))" for form in (_NUMBER, _DATE, _CODE))
    lengths = (f"{function}(length(v::VARCHAR))" for function in ("min", "max"))
    counts = "coalesce(sum(n), 0)::BIGINT, coalesce(sum(n) FILTER (v IS NOT NULL), 0)::BIGINT, count(v)"
    values = f"SELECT {view.duckdb_value(position)} AS v, count(*) AS n FROM {view.duckdb_source} GROUP BY v"
    return f"SELECT {counts}, {', '.join((*forms, *lengths))} FROM ({values})"


def _type(column: Column, counts: _Counts) -> str:
    """The type that a policy may give the column. Text with only numbers becomes decimal if the policy compares it with
    a number (D10)."""
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
    return bool(counts.are_codes and is_even and length >= _SHORTEST_CODE and counts.distinct >= _FEWEST_CODES)
