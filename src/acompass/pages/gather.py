"""Gather the data of a page: measure the tables, prove the policy and hash the files."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, assert_never

from acompass.checked.types import types_by_name
from acompass.measure.columns import Roles, assign_roles
from acompass.measure.overview import overview
from acompass.measures import Overview
from acompass.pages.certify import TableName, certify
from acompass.pages.request import ReportRequest
from acompass.policy import Policy
from acompass.prove import Proof, prove_policy
from acompass.report.certificate import Certificate
from acompass.report.html.content import PageContent
from acompass.syntax.walk import names_drawn, processes
from acompass.tables.source import is_file

#: larger policies are not proved for a report: the proof could take longer than the run
MOST_PROVED = 60


def page_content(request: ReportRequest) -> PageContent:
    tables = list(_tables(request))
    return PageContent(
        command=request.command,
        result=request.result,
        proof=_proof(request),
        overview=_overview(request, tables),
        series=("before", "after") if len(tables) == 2 else ("table",),
        certificate=_certificate(request),
    )


def _certificate(request: ReportRequest) -> Certificate:
    return certify(
        request.command,
        request.policy,
        request.params or {},
        request.dates,
        request.engine,
        {
            "input": _file_or_table(request, request.before),
            "output": _file_or_table(request, request.after),
        },
        request.result,
    )


def _file_or_table(request: ReportRequest, table: Any) -> str | TableName | None:
    """None for data frames and for files that only the engine can read."""
    if not isinstance(table, str | os.PathLike):
        return None
    text = os.fspath(table)
    if _is_in_engine(request, table):
        return TableName(text)
    return text if _is_on_disk(text) else None


def _tables(request: ReportRequest) -> Iterator[Any]:
    """The tables to measure. A data frame without records may not even have columns, so it is skipped."""
    yield request.before
    is_empty = request.result is not None and request.result.records_out == 0
    if request.after is not None and (isinstance(request.after, str) or not is_empty):
        yield request.after


def _overview(request: ReportRequest, tables: list[Any]) -> Overview | None:
    """None if a table is in another engine; such tables are not read for a report."""
    if not all(_is_readable(request, table) for table in tables):
        return None
    roles = request.roles or _roles_in(request.policy)
    found = overview(
        tables,
        roles,
        request.options.file_format,
        request.options.memory_limit,
        with_columns=_can_be_shown(request, tables),
        dates=request.dates,
        drawn=_drawn_names(request),
    )
    if request.journalist is None:
        return found
    *before, last = found.measures
    return replace(found, measures=(*before, replace(last, journalist=request.journalist)))


def _drawn_names(request: ReportRequest) -> frozenset[str]:
    """The columns whose values a run draws, without case: the report does not tell how many (X5)."""
    if request.command != "run" or request.policy is None:
        return frozenset()
    return frozenset(name.text.casefold() for name in names_drawn(request.policy.tree))


def _can_be_shown(request: ReportRequest, tables: list[Any]) -> bool:
    """Whether values of the last table may be on the page: it is released, or it satisfies the policy."""
    match request.command:
        case "run":
            return len(tables) == 2
        case "check":
            return request.result is not None and request.result.ok
        case "measure":
            return True
        case _:
            assert_never(request.command)


def _is_readable(request: ReportRequest, table: Any) -> bool:
    if not isinstance(table, str | os.PathLike):
        return True
    return not _is_in_engine(request, table) and _is_on_disk(os.fspath(table))


def _is_in_engine(request: ReportRequest, table: str | os.PathLike[str]) -> bool:
    return request.has_tables and not is_file(table)


def _is_on_disk(path: str) -> bool:
    return os.path.exists(path) or any(letter in path for letter in "*?[")


def _roles_in(policy: Policy | None) -> Roles | None:
    """The columns that the policy groups by and counts; None if it has no GROUP BY."""
    if policy is None or not any(process.group_by for process in processes(policy.tree)):
        return None
    found = assign_roles(policy.tree, None, None, None)
    grouped = {name.casefold() for name in found.quasi_identifiers}
    return replace(found, sensitive=tuple(name for name in found.sensitive if name.casefold() not in grouped))


def _proof(request: ReportRequest) -> Proof | None:
    policy = request.policy
    if request.command != "run" or policy is None or request.schema is None:
        return None
    if len(policy.tree.requirements) > MOST_PROVED:
        return None
    schema = types_by_name(request.schema)
    return prove_policy(policy.tree, policy.text, None, schema, request.params)
