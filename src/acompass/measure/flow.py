"""A measurement from start to end: roles to positions, one grouped pass, then every model."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb

from acompass.engines.duckdb.read import DuckDBTable
from acompass.measure.change import compare
from acompass.measure.classes import class_sizes, group
from acompass.measure.columns import Positions, Roles, positions, same_columns
from acompass.measure.loss import measure_loss, require_earlier_table
from acompass.measure.opening import Tables, tables_in
from acompass.measure.quasi_identifiers import risk_by_quasi_identifier
from acompass.measure.risk import journalist
from acompass.measure.sampling import NOT_SAMPLED, refuse_other_populations, sampling_risk
from acompass.measure.sensitive import measure_column
from acompass.measure.view import View
from acompass.measures import THRESHOLDS, Classes, Journalist, Measures
from acompass.options import DatesArgument, HierarchiesArgument
from acompass.tables.file_format import FileFormat

_DEFAULT = FileFormat()


def measure_table(
    table: DuckDBTable,
    roles: Roles,
    *,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    file_format: FileFormat = _DEFAULT,
    dates: DatesArgument = (),
    hierarchies: HierarchiesArgument | None = None,
) -> Measures:
    """Measure a table, and compare it with an earlier table and with a population if these are not None.

    With `hierarchies`, even if they are empty, the loss against the earlier table is measured. `dates` are
    the formats of the earliest table: a released table has ISO dates (D28).
    """
    require_earlier_table(hierarchies, against)
    refuse_other_populations(roles, population)
    every_column = against is not None
    with tables_in(table.con, file_format) as tables:
        view, found = tables.load(
            table, partial(positions, roles), every_column, () if every_column else dates
        )
        measures = measure_view(tables.con, view, found, below)
        if population is not None:
            risk = _journalist(tables, view, found, population, roles, every_column)
            measures = replace(measures, journalist=risk)
        if against is not None:
            find = partial(same_columns, roles, table="earlier table")
            before, theirs = tables.open(against, find, every_column=True, dates=dates)
            pair = (tables.con, view, found, before, theirs)
            loss = None if hierarchies is None else measure_loss(*pair, hierarchies)
            measures = replace(measures, comparison=compare(*pair, measures.classes), loss=loss)
    return measures


def _journalist(
    tables: Tables, view: View, found: Positions, population: Any, roles: Roles, every_column: bool
) -> Journalist | None:
    find = partial(same_columns, roles, table="population")
    people, theirs = tables.open(population, find, every_column)
    return journalist(tables.con, view, found, people, theirs)


def measure_view(
    con: duckdb.DuckDBPyConnection, view: View, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """The measures of one table. An empty table has no models of sensitive columns."""
    group(con, view, found.quasi_identifiers, found.sensitive)
    sizes = tuple((view.persons(size), number) for size, number in class_sizes(con))
    classes = Classes(sizes, tuple(sorted(set(below))))
    columns = [view.schema[position] for position in found.sensitive]
    risk, sampling = sampling_risk(con, view, found, classes.thresholds) if classes.sizes else NOT_SAMPLED
    return Measures(
        quasi_identifiers=tuple(view.schema[position].name for position in found.quasi_identifiers),
        weight=None if found.weight is None else view.schema[found.weight].name,
        classes=classes,
        sensitive=tuple(measure_column(con, i, c) for i, c in enumerate(columns)) if classes.sizes else (),
        journalist=risk,
        sampling=sampling,
        by_quasi_identifier=risk_by_quasi_identifier(con, view, found.quasi_identifiers),
    )
