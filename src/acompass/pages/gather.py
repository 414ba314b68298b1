"""Gather the data of a page: measure the tables, prove the policy and hash the files."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, assert_never

from acompass.checked.types import types_by_name
from acompass.measure.columns import Roles, assign_roles
from acompass.measure.distribution import Showing
from acompass.measure.overview import overviews
from acompass.measure.policy_loss import PolicyLevels
from acompass.measures import THRESHOLDS, Overview
from acompass.pages.certify import TableName, certify
from acompass.pages.request import ReportRequest
from acompass.pages.rows import requirement_rows
from acompass.policy import Policy
from acompass.prove import Proof, prove_policy
from acompass.report.certificate import Certificate, Reader
from acompass.report.html.content import PageContent
from acompass.syntax.walk import names_dropped_by, names_written, processes
from acompass.tables.source import is_file

#: larger policies are not proved for a report: the proof could take longer than the run
MOST_PROVED = 60


def page_contents(request: ReportRequest, readers: Sequence[Reader]) -> list[PageContent]:
    """What each reader sees. Tables are measured, and the policy is proved, only once."""
    tables = list(_tables(request))
    proof, certificate = _proof(request), _certificate(request)
    return [
        PageContent(
            command=request.command,
            reader=reader,
            result=request.result,
            requirements=requirement_rows(request.policy, request.result, proof, reader),
            overview=overview,
            series=("before", "after") if _are_compared(request, tables) else ("table",),
            certificate=certificate.for_reader(reader),
        )
        for reader, overview in zip(readers, _overviews(request, tables, readers), strict=True)
    ]


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


def _overviews(request: ReportRequest, tables: list[Any], readers: Sequence[Reader]) -> list[Overview | None]:
    """A table in another engine is not read for a report, so that only its measures are known, if any."""
    if not all(_is_readable(request, table) for table in tables):
        measured = request.measured
        alone = None if measured is None else Overview((measured,), (), measured.loss)
        return [alone] * len(readers)
    levels = PolicyLevels(None if request.policy is None else request.policy.tree)
    found = overviews(
        tables,
        request.roles or _roles_in(request.policy),
        [_showing(request, tables, reader, levels) for reader in readers],
        request.options.file_format,
        request.options.memory_limit,
        request.dates,
        levels,
        THRESHOLDS if request.measured is None else request.measured.classes.thresholds,
    )
    return [_for_reader(request, tables, each, reader) for each, reader in zip(found, readers, strict=True)]


def _for_reader(
    request: ReportRequest, tables: list[Any], found: Overview, reader: Reader
) -> Overview | None:
    """Nobody receives the table of a run that released nothing, so its receivers see nothing of it."""
    if reader == "receiver" and request.command == "run" and len(tables) == 1:
        return None
    if request.measured is None:
        return found
    *before, _ = found.measures
    loss = request.measured.loss or found.loss
    return replace(found, measures=(*before, request.measured), loss=loss)


def _showing(
    request: ReportRequest, tables: list[Any], reader: Reader, levels: PolicyLevels
) -> Showing | None:
    """None if no value may be on the page."""
    curator = reader == "curator"
    if not curator and not _can_be_shown(request, tables):
        return None
    return Showing(curator, _written_names(request), levels.orders())


def _written_names(request: ReportRequest) -> frozenset[str] | None:
    """The columns that a line of the policy writes, without case; None without a policy to tell them."""
    if request.policy is None:
        return None
    return frozenset(name.text.casefold() for name in names_written(request.policy.tree))


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


def _are_compared(request: ReportRequest, tables: list[Any]) -> bool:
    """Whether the page is about two tables: measures of another engine are those of one."""
    is_read = all(_is_readable(request, table) for table in tables)
    return len(tables) == 2 and (is_read or request.measured is None)


def _is_readable(request: ReportRequest, table: Any) -> bool:
    if not isinstance(table, str | os.PathLike):
        return True
    return not _is_in_engine(request, table) and _is_on_disk(os.fspath(table))


def _is_in_engine(request: ReportRequest, table: str | os.PathLike[str]) -> bool:
    return request.has_tables and not is_file(table)


def _is_on_disk(path: str) -> bool:
    return os.path.exists(path) or any(letter in path for letter in "*?[")


def _roles_in(policy: Policy | None) -> Roles | None:
    """The columns that the policy groups by and counts, and does not drop; None if it has no GROUP BY."""
    if policy is None or not any(process.group_by for process in processes(policy.tree)):
        return None
    found = assign_roles(policy.tree, None, None, None)
    dropped = {name.text.casefold() for name in names_dropped_by(policy.tree)}
    grouped = _without(found.quasi_identifiers, dropped)
    sensitive = _without(found.sensitive, {*dropped, *map(str.casefold, grouped)})
    return replace(found, quasi_identifiers=grouped, sensitive=sensitive) if grouped else None


def _without(names: Sequence[str], others: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name.casefold() not in others)


def _proof(request: ReportRequest) -> Proof | None:
    policy = request.policy
    if request.command != "run" or policy is None or request.schema is None:
        return None
    if len(policy.tree.requirements) > MOST_PROVED:
        return None
    schema = types_by_name(request.schema)
    return prove_policy(policy.tree, policy.text, None, schema, request.params)
