"""A measurement from start to end: roles to positions, one grouped pass, then every model."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb

from acompass.engines.engine import OpenTable
from acompass.measure.change import compare
from acompass.measure.classes import class_sizes, group
from acompass.measure.columns import Positions, Roles, positions, same_columns
from acompass.measure.loss import measure_loss, require_earlier_table
from acompass.measure.opening import Tables, tables_beside, where_measured
from acompass.measure.quasi_identifiers import risk_by_quasi_identifier
from acompass.measure.records import Records
from acompass.measure.risk import journalist
from acompass.measure.sampling import NOT_SAMPLED, refuse_other_populations, sampling_risk
from acompass.measure.sensitive import measure_column
from acompass.measures import THRESHOLDS, Classes, Journalist, Measures
from acompass.options import HierarchiesArgument, Options


def measure_table(
    table: OpenTable,
    roles: Roles,
    options: Options,
    *,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    hierarchies: HierarchiesArgument | None = None,
) -> Measures:
    """Measure a table where it is, and compare it with an earlier table and with a population if these are
    not None.

    With `hierarchies`, even if they are empty, the loss against the earlier table is measured. The dates of
    `options` are the formats of the earliest table: a released table has ISO dates (D28).
    """
    require_earlier_table(hierarchies, against)
    refuse_other_populations(roles, population)
    every_column = against is not None
    dates = options.dates
    here = where_measured(table, [against, population])
    with tables_beside(here, options) as tables:
        records, found = tables.load(
            here, partial(positions, roles), every_column, () if every_column else dates
        )
        measures = measure_view(tables.con, records, found, below)
        if population is not None:
            risk = _journalist(tables, records, found, population, roles, every_column)
            measures = replace(measures, journalist=risk)
        if against is not None:
            find = partial(same_columns, roles, table="earlier table")
            before, theirs = tables.open(against, find, every_column=True, dates=dates)
            pair = (records, found, before, theirs)
            loss = None if hierarchies is None else measure_loss(*pair, hierarchies)
            measures = replace(measures, comparison=compare(*pair, measures.classes), loss=loss)
    return measures


def _journalist(
    tables: Tables, records: Records, found: Positions, population: Any, roles: Roles, every_column: bool
) -> Journalist | None:
    find = partial(same_columns, roles, table="population")
    people, theirs = tables.open(population, find, every_column)
    return journalist(records, found, people, theirs)


def measure_view(
    con: duckdb.DuckDBPyConnection, records: Records, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """The measures of one table. An empty table has no models of sensitive columns."""
    orders = group(con, records, found.quasi_identifiers, found.sensitive)
    sizes = tuple((records.persons(size), number) for size, number in class_sizes(con))
    classes = Classes(sizes, tuple(sorted(set(below))))
    names = [column.name for column in records.schema]
    ordered = list(zip(found.sensitive, orders, strict=True)) if sizes else []
    risk, sampling = sampling_risk(records, found, classes.thresholds) if sizes else NOT_SAMPLED
    return Measures(
        quasi_identifiers=tuple(names[position] for position in found.quasi_identifiers),
        weight=None if found.weight is None else names[found.weight],
        classes=classes,
        sensitive=tuple(measure_column(con, i, names[p], order) for i, (p, order) in enumerate(ordered)),
        journalist=risk,
        sampling=sampling,
        by_quasi_identifier=risk_by_quasi_identifier(con, records, found.quasi_identifiers),
    )
