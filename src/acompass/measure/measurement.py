"""Measure a table: find the columns of the roles, group the records in one pass, then compute every measure.

All tables of a measurement are read by the same engine, where they are stored.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import duckdb

from acompass.engines.duckdb.session import connection, report_failures
from acompass.engines.duckdb.table import DuckDBTable, LoadedInDuckDB, open_in_connection
from acompass.engines.protocol import OpenTable
from acompass.engines.reading import date_formats
from acompass.errors.diagnostics import Span
from acompass.language.program.uses import ColumnUse, Use
from acompass.measure.answer import THRESHOLDS, Measures
from acompass.measure.classes import Grouping, class_sizes, group
from acompass.measure.hierarchy import Values, column_values
from acompass.measure.loss import compare, measure_loss, require_earlier_table
from acompass.measure.models import measure_column
from acompass.measure.records import Records, count_texts, with_unit
from acompass.measure.risk import (
    NOT_SAMPLED,
    journalist_risk,
    refuse_other_populations,
    risk_by_quasi_identifier,
    sampling_risk,
)
from acompass.measure.roles import Positions, Roles, positions, refuse_opaque, same_columns
from acompass.options import DatesArgument, HierarchiesArgument, is_file
from acompass.policy import TableRoles
from acompass.result import Note
from acompass.tables.formats import FileFormat, Options, ReadingOptions

#: the columns to measure, from the names of a table's columns
Find: TypeAlias = Callable[[Sequence[str]], Positions]


class Tables:
    """Tables that stay loaded together."""

    def __init__(
        self,
        stack: ExitStack,
        con: duckdb.DuckDBPyConnection,
        open_table: Callable[[Any], AbstractContextManager[OpenTable]],
    ):
        #: the DuckDB connection that computes the measures; the tables are in it too, unless another engine has them
        self.con = con
        self._stack = stack
        self._open_table = open_table

    def open(self, table: Any, find: Find, every_column: bool, dates: DatesArgument = ()) -> tuple[Records, Positions]:
        return self.load(self._stack.enter_context(self._open_table(table)), find, every_column, dates)

    def load(
        self, table: OpenTable, find: Find, every_column: bool, dates: DatesArgument = ()
    ) -> tuple[Records, Positions]:
        """Without `every_column`, only the columns that `find` returns are read."""
        found = find(table.names)
        wanted = range(len(table.names)) if every_column else sorted(found.all())
        reading = ReadingOptions(dates=date_formats(dates, table.names))
        # a column without a role may have values that a policy could not use
        uses = {p: ColumnUse(Use.ANY, Span(0, 0), overwritten=p not in found.all()) for p in wanted}
        loaded = self._stack.enter_context(table.load(uses, reading))
        refuse_opaque(found, loaded.schema)
        relation = loaded.layout.view if isinstance(loaded, LoadedInDuckDB) else None
        records = Records(loaded.reading, loaded.state, found.weight, relation=relation)
        return with_unit(records), found


def table_to_measure(table: OpenTable, others: Sequence[Any]) -> OpenTable:
    """The table as opened in DuckDB, if DuckDB can also read the others; otherwise the table in its own engine."""
    local = table.duckdb_table
    names = [each for each in others if isinstance(each, str | os.PathLike) and not is_file(each)]
    return table if local is None or (table.about.has_tables and names) else local


@contextmanager
def open_tables(file_format: FileFormat, memory_limit: str | None) -> Iterator[Tables]:
    """Open tables in a new connection."""
    with connection(memory_limit) as con, ExitStack() as stack:
        stack.enter_context(report_failures())
        yield Tables(stack, con, partial(open_in_connection, con, file_format=file_format))


@contextmanager
def tables_with(table: OpenTable, options: Options) -> Iterator[Tables]:
    """Open further tables in the engine of one that is already open."""
    with ExitStack() as stack:
        limit = options.memory_limit
        con = table.con if isinstance(table, DuckDBTable) else stack.enter_context(connection(limit))
        stack.enter_context(report_failures())
        yield Tables(stack, con, partial(table.open_other, options=options))


def measure_table(
    table: OpenTable,
    roles: Roles,
    options: Options,
    *,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    hierarchies: HierarchiesArgument | None = None,
    marked: TableRoles | None = None,
) -> Measures:
    """Measure a table, and compare it with the earlier table `against` and with a population if they are given.

    If `hierarchies` is not None, even if it is empty, the loss against the earlier table is measured too.
    `marked` are the roles of all columns, for the notes.
    `options.dates` are the date formats of the earlier table if there is one: a released table has ISO dates (D28).
    """
    require_earlier_table(hierarchies, against)
    refuse_other_populations(roles, population)
    every_column = against is not None
    dates = options.dates
    here = table_to_measure(table, [against, population])
    with tables_with(here, options) as tables:
        records, found = tables.load(here, partial(positions, roles), every_column, () if every_column else dates)
        measures = measure_records(tables.con, records, found, below)
        measures = replace(measures, notes=tuple(_notes(records, found, marked or TableRoles())))
        if population is not None:
            find = partial(same_columns, roles, table="population")
            people, theirs = tables.open(population, find, every_column)
            ours, others = replace(records, person=found.person), replace(people, person=theirs.person)
            measures = replace(measures, journalist=journalist_risk(ours, found, others, theirs))
        if against is not None:
            find = partial(same_columns, roles, table="earlier table")
            before, theirs = tables.open(against, find, every_column=True, dates=dates)
            pair = (records, found, before, theirs)
            loss = None if hierarchies is None else measure_loss(*pair, hierarchies)
            measures = replace(measures, comparison=compare(*pair), loss=loss)
    return measures


def _notes(records: Records, found: Positions, marked: TableRoles) -> Iterator[Note]:
    """Notes on persons and spellings (D35, D38). Values do not leave another engine to be compared."""
    from acompass.plan.run.doubts import find_repeated_persons, find_spellings

    if found.person is None and not found.weights:
        repeated = find_repeated_persons(records.session, records.state, marked, found.quasi_identifiers)
        yield from (Note(None, text) for text in repeated)
    if records.relation is not None:
        for column in (*found.sensitive, *found.persons):
            for doubt in find_spellings(records.session, records.state, column):
                yield Note(None, str(doubt))


def measure_records(
    con: duckdb.DuckDBPyConnection, records: Records, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """Measure one table. For an empty table, no models of sensitive columns are computed."""
    grouping = Grouping.of(found)
    orders, people = group(con, records, found)
    classes = replace(class_sizes(con, records, grouping), thresholds=tuple(sorted(set(below))))
    names = [column.name for column in records.schema]
    ordered = list(zip(found.sensitive, orders, strict=True)) if classes.sizes else []
    risk, sampling = sampling_risk(records, found, classes.thresholds) if classes.sizes else NOT_SAMPLED
    return Measures(
        quasi_identifiers=tuple(names[position] for position in found.quasi_identifiers),
        weight=None if found.weight is None else names[found.weight],
        classes=classes,
        sensitive=tuple(measure_column(con, grouping, i, names[p], order) for i, (p, order) in enumerate(ordered)),
        journalist=risk,
        sampling=sampling,
        by_quasi_identifier=risk_by_quasi_identifier(con, grouping, records, found.quasi_identifiers),
        people=people,
    )


def distinct_values(table: Any, column: str, file_format: FileFormat, memory_limit: str | None) -> Values:
    with open_tables(file_format, memory_limit) as tables:
        records, found = tables.open(table, partial(positions, Roles((column,))), every_column=False)
        (position,) = found.quasi_identifiers
        texts = count_texts(records, position)
    return column_values(records.schema[position].name, texts.counts, texts.missing)
