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
from acompass.measure.opening import Tables, tables_in
from acompass.measure.risk import journalist
from acompass.measure.sensitive import measure_column
from acompass.measure.view import View
from acompass.measures import THRESHOLDS, Classes, Comparison, Journalist, Measures
from acompass.options import DatesArgument


def measure_table(
    table: DuckDBTable,
    roles: Roles,
    *,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    delimiter: str | None = None,
    dates: DatesArgument = (),
) -> Measures:
    """Measure a table, and compare it with an earlier table and with a population if these are not None.

    `dates` are the formats of the earliest table: a released table has ISO dates (D28).
    """
    every_column = against is not None
    with tables_in(table.con, delimiter) as tables:
        view, found = tables.load(
            table, partial(positions, roles), every_column, () if every_column else dates
        )
        measures = measure_view(tables.con, view, found, below)
        if population is not None:
            risk = _journalist(tables, view, found, population, roles, every_column)
            measures = replace(measures, journalist=risk)
        if against is not None:
            change = _comparison(tables, view, found, against, roles, measures.classes, dates)
            measures = replace(measures, comparison=change)
    return measures


def _journalist(
    tables: Tables, view: View, found: Positions, population: Any, roles: Roles, every_column: bool
) -> Journalist | None:
    find = partial(same_columns, roles, table="population")
    people, theirs = tables.open(population, find, every_column)
    return journalist(tables.con, view, found, people, theirs)


def _comparison(
    tables: Tables,
    view: View,
    found: Positions,
    against: Any,
    roles: Roles,
    classes: Classes,
    dates: DatesArgument,
) -> Comparison:
    find = partial(same_columns, roles, table="earlier table")
    before, theirs = tables.open(against, find, every_column=True, dates=dates)
    return compare(tables.con, view, found, before, theirs, classes)


def measure_view(
    con: duckdb.DuckDBPyConnection, view: View, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """The measures of one table. An empty table has no models of sensitive columns."""
    group(con, view, found.quasi_identifiers, found.sensitive)
    sizes = tuple((view.persons(size), number) for size, number in class_sizes(con))
    classes = Classes(sizes, tuple(sorted(set(below))))
    columns = [view.schema[position] for position in found.sensitive]
    return Measures(
        quasi_identifiers=tuple(view.schema[position].name for position in found.quasi_identifiers),
        weight=None if found.weight is None else view.schema[found.weight].name,
        classes=classes,
        sensitive=tuple(measure_column(con, i, c) for i, c in enumerate(columns)) if classes.sizes else (),
    )
