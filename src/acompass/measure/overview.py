"""An overview of a table, or of a table before and after: measures, loss and distributions.

`column_facts` describes each column without its rare values, `column_effects` what a policy does to each.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import duckdb

from acompass.dataclasses import dataclass, replace
from acompass.engines.duckdb.session import fresh_name
from acompass.engines.duckdb.table import DuckDBTable
from acompass.language.program.label_maps import SUPPRESSED
from acompass.language.program.types import Column, Kind
from acompass.measure.answer import SMALLEST, THRESHOLDS, ColumnEffect, ColumnFacts, Distribution, Form, Overview
from acompass.measure.classes import one_row
from acompass.measure.distribution import Showing, distributions
from acompass.measure.loss import PolicyLevels, policy_loss
from acompass.measure.measurement import measure_records, open_tables, tables_with
from acompass.measure.records import Records
from acompass.measure.roles import Positions, Roles, positions
from acompass.options import DatesArgument, NaArgument
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import ROW_KEY, State, statement_text
from acompass.plan.planner import plan
from acompass.run import Call, execute, load_to_perform
from acompass.tables.formats import CODE, DIGITS, PADDED, FileFormat, Options, TextShape

_DEFAULT = FileFormat()


def overviews(
    tables: Sequence[Any],
    roles: Roles | None,
    showings: Sequence[Showing | None],
    file_format: FileFormat = _DEFAULT,
    memory_limit: str | None = None,
    na: NaArgument = (),
    dates: DatesArgument = (),
    levels: PolicyLevels | None = None,
    below: Sequence[int] = THRESHOLDS,
) -> list[Overview]:
    """An overview for each element of `showings`; without distributions where it is None.

    `tables` is one table, or the table before and the table after; `dates` are the date formats of the first. Without
    roles, nothing is measured. The loss is measured by `levels`; `below` are the thresholds of the measures.
    """
    find = _no_positions if roles is None else partial(positions, roles)
    with open_tables(file_format, memory_limit, na) as opened:
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


def column_facts(table: DuckDBTable, options: Options) -> tuple[ColumnFacts, ...]:
    """`options` are those that the table was opened with."""
    with tables_with(table, options) as tables:
        view, _ = tables.load(table, _no_positions, every_column=True, dates=options.dates)
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
            rare=counts.rare,
            unique=counts.unique,
        )
        for column, counts in zip(view.schema, counted, strict=True)
    )


@dataclass(frozen=True, slots=True)
class _Counts:
    """From `are_numbers` on, None for a column without values; values that cannot be compared are not rare."""

    records: int
    present: int
    distinct: int
    rare: int
    unique: int
    are_numbers: bool | None
    are_dates: bool | None
    are_codes: bool | None
    are_digits: bool | None
    shortest: int | None
    longest: int | None
    padded: int | None
    tens: int | None

    @property
    def shape(self) -> TextShape:
        return TextShape(
            self.distinct,
            self.shortest,
            self.longest,
            bool(self.are_codes),
            bool(self.are_digits),
            bool(self.are_numbers),
            self.padded or 0,
            self.tens or 0,
        )


def _question(view: Records, position: int) -> str:
    """SQL for the counts of a column. It groups first, because each distinct value is then matched only once."""
    if view.schema[position].type.kind is Kind.OPAQUE:
        nothing = ", ".join(["NULL"] * 8)
        return f"SELECT count(*), count(c{position}), 0, 0, 0, {nothing} FROM {view.duckdb_source}"
    forms = (f"bool_and(regexp_full_match(v::VARCHAR, '{form}'))" for form in (_NUMBER, _DATE, CODE, DIGITS))
    lengths = (f"{function}(length(v::VARCHAR))" for function in ("min", "max"))
    ends = (f"count(*) FILTER (regexp_full_match(v::VARCHAR, '{form}'))" for form in (PADDED, ".*0"))
    counts = "coalesce(sum(n), 0)::BIGINT, coalesce(sum(n) FILTER (v IS NOT NULL), 0)::BIGINT, count(v)"
    rare = (f"coalesce(sum(n) FILTER (v IS NOT NULL AND n < {below}), 0)::BIGINT" for below in (SMALLEST, 2))
    values = f"SELECT {view.duckdb_value(position)} AS v, count(*) AS n FROM {view.duckdb_source} GROUP BY v"
    return f"SELECT {counts}, {', '.join((*rare, *forms, *lengths, *ends))} FROM ({values})"


def _type(column: Column, counts: _Counts) -> str:
    """The type that a policy may give the column. Text with only numbers becomes decimal if the policy compares it with
    a number (D10)."""
    if column.type.kind is Kind.TEXT and counts.are_numbers:
        return str(Kind.DECIMAL)
    return str(column.type)


def _form(column: Column, counts: _Counts) -> Form:
    if column.type.kind in (Kind.DATE, Kind.TIMESTAMP) or counts.are_dates:
        return "date"
    if counts.shape.is_code(column.name):
        return "code"
    return "number" if column.type.is_number or counts.are_numbers else "text"


def column_effects(table: DuckDBTable, call: Call) -> tuple[ColumnEffect, ...]:
    """What a policy does to each column, as `run` would, without writing the table."""
    with load_to_perform(table, call) as (loaded, program):
        outcome = execute(loaded, program, plan(program, loaded.rewrites), call)
        with (
            _stored(table.con, Records(loaded.session, loaded.state)) as before,
            _stored(table.con, Records(loaded.session, outcome.left)) as after,
        ):
            written = frozenset(program.schema[position].name.casefold() for position in outcome.written)
            return tuple(_effects(table.con, before, after, written))


@contextmanager
def _stored(con: duckdb.DuckDBPyConnection, records: Records) -> Iterator[Records]:
    """The records in a temporary table, without dropped columns."""
    state, name = records.state, fresh_name("compared")
    columns = ", ".join(f"c{position} AS c{place}" for place, position in enumerate(state.kept_columns))
    chosen = f"{columns}, {ROW_KEY}" if columns else ROW_KEY
    con.execute(f"CREATE TEMP TABLE {name} AS SELECT {chosen} FROM ({statement_text(state.select, 'duckdb')})")
    try:
        schema = tuple(state.schema[position] for position in state.kept_columns)
        stored = State(sql.select_all(sql.table(name)), schema, has_row_key=True, records=state.records)
        yield Records(records.session, stored, relation=name)
    finally:
        con.execute(f"DROP TABLE IF EXISTS {name}")


def _effects(
    con: duckdb.DuckDBPyConnection, before: Records, after: Records, written: frozenset[str]
) -> Iterator[ColumnEffect]:
    shown: dict[str, list[Distribution]] = {}
    for each in distributions(con, [before, after], Showing(curator=True, written=written)):
        shown.setdefault(each.column, []).append(_pool_rare(each))
    kept = {column.name: place for place, column in enumerate(after.schema)}
    counted = _changes(con, before, after, kept)
    for column in before.schema:
        changed, suppressed = counted.get(column.name, (after.state.records, 0))
        found = tuple(shown.get(column.name, ()))
        yield ColumnEffect(column.name, column.name in kept, changed, suppressed, after.state.records, found)


def _pool_rare(found: Distribution) -> Distribution:
    """The distribution without the values that are rare in every table: they may belong to one person."""
    is_shown = [any(count is None or count >= SMALLEST for count in bar.counts) for bar in found.bars]
    rare = [bar.counts for bar, shown in zip(found.bars, is_shown, strict=True) if not shown]
    other = tuple((total or 0) + sum(counts[side] or 0 for counts in rare) for side, total in enumerate(found.other))
    bars = tuple(bar for bar, shown in zip(found.bars, is_shown, strict=True) if shown)
    return replace(found, bars=bars, other=other, smallest=SMALLEST)


def _changes(
    con: duckdb.DuckDBPyConnection, before: Records, after: Records, kept: dict[str, int]
) -> dict[str, tuple[int, int]]:
    """For each released column, the cells of released records that changed, and those that are `*` since."""
    places = [(place, kept[column.name]) for place, column in enumerate(before.schema) if column.name in kept]
    if not places:
        return {}
    pairs = [(before.text(one).sql("duckdb"), after.text(other).sql("duckdb")) for one, other in places]
    sides = [
        f"(SELECT {', '.join(f'{pair[side]} AS v{at}' for at, pair in enumerate(pairs))}, {ROW_KEY} "
        f"FROM {view.duckdb_source})"
        for side, view in enumerate((before, after))
    ]
    counts = ", ".join(
        f"count(*) FILTER (b.v{at} IS DISTINCT FROM a.v{at}), "
        f"count(*) FILTER (b.v{at} IS DISTINCT FROM a.v{at} AND a.v{at} = '{SUPPRESSED}')"
        for at in range(len(pairs))
    )
    found = one_row(con, f"SELECT {counts} FROM {sides[1]} AS a JOIN {sides[0]} AS b USING ({ROW_KEY})")
    numbers = list(map(int, found))
    return {before.schema[place].name: (numbers[2 * at], numbers[2 * at + 1]) for at, (place, _) in enumerate(places)}
