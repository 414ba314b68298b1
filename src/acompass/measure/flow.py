"""The whole measurement on one page: names to positions, one grouped pass, every model from that."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb

from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Span
from acompass.engines.duckdb import connection, failures
from acompass.measure.change import compare
from acompass.measure.classes import class_sizes, group
from acompass.measure.columns import Positions, Request, positions, refuse_opaque, request, same_columns
from acompass.measure.result import THRESHOLDS, Classes, Journalist, Measures
from acompass.measure.risk import journalist
from acompass.measure.sensitive import measure_column
from acompass.measure.view import View, check_weight
from acompass.policy import Policy, as_policy
from acompass.tables.load import load
from acompass.tables.source import opened


def measure(
    table: Any,
    qi: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    weight: str | None = None,
    *,
    policy: Policy | str | None = None,
    against: Any = None,
    population: Any = None,
    below: Sequence[int] = THRESHOLDS,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    report: str | os.PathLike[str] | None = None,
) -> Measures:
    """Measure a table by its quasi-identifiers; names left out are read off the policy.

    `against` is the table before it was anonymized, `population` a table of everyone its people could be.
    With `report` a page about the table is written there.
    """
    if report is not None:
        from acompass.report.html.make import require_files

        require_files(report, [table, against])
    asked = request(None if policy is None else as_policy(policy).tree, qi, sensitive, weight)
    with ExitStack() as stack:
        stack.enter_context(failures())
        con = stack.enter_context(connection(memory_limit))
        open_ = partial(open_view, stack, con, delimiter=delimiter, every_column=against is not None)
        view, found = open_(table, partial(positions, asked))
        measures = measure_view(con, view, found, below)
        if population is not None:
            people, theirs = open_(population, partial(same_columns, asked, role="population"))
            measures = replace(measures, journalist=journalist(con, view, found, people, theirs))
        if against is not None:
            before, theirs = open_(against, partial(same_columns, asked, role="other table"))
            change = compare(con, view, found, before, theirs, measures.classes)
            measures = replace(measures, comparison=change)
    if report is not None:
        _report(report, asked, table, against, policy, measures.journalist, delimiter, memory_limit)
    return measures


def _report(
    path: str | os.PathLike[str],
    asked: Request,
    table: Any,
    against: Any,
    policy: Policy | str | None,
    journalist: Journalist | None,
    delimiter: str | None,
    memory_limit: str | None,
) -> None:
    from acompass.report.html.make import Subject, write_report

    subject = Subject(
        command="measure",
        before=table if against is None else against,
        after=None if against is None else table,
        policy=None if policy is None else as_policy(policy),
        asked=asked,
        journalist=journalist,
        delimiter=delimiter,
        memory_limit=memory_limit,
    )
    write_report(path, subject)


def measure_view(
    con: duckdb.DuckDBPyConnection, view: View, found: Positions, below: Sequence[int] = THRESHOLDS
) -> Measures:
    """The models of one table; of a table of no records only that it has none."""
    group(con, view, found.quasi_identifiers, found.sensitive)
    classes = Classes(class_sizes(con), tuple(sorted(set(below))))
    columns = [view.schema[position] for position in found.sensitive]
    return Measures(
        quasi_identifiers=tuple(view.schema[position].name for position in found.quasi_identifiers),
        weight=None if found.weight is None else view.schema[found.weight].name,
        classes=classes,
        sensitive=tuple(measure_column(con, i, c) for i, c in enumerate(columns)) if classes.sizes else (),
    )


def open_view(
    stack: ExitStack,
    con: duckdb.DuckDBPyConnection,
    table: Any,
    find: Callable[[Sequence[str]], Positions],
    delimiter: str | None,
    every_column: bool,
) -> tuple[View, Positions]:
    """A copy of standard input lasts as long as `stack`."""
    found: list[Positions] = []

    def uses(names: Sequence[str]) -> Mapping[int, ColumnUse]:
        found.append(find(names))
        wanted = range(len(names)) if every_column else sorted(found[0].named())
        return dict.fromkeys(wanted, ColumnUse(Use.ANY, Span(0, 0)))

    loaded = load(con, stack.enter_context(opened(table, delimiter)), uses)
    refuse_opaque(found[0], loaded.schema)
    view = View(loaded.relation, loaded.schema, found[0].weight)
    check_weight(con, view)
    return view, found[0]
