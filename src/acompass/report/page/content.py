"""Gather the content of a page for each reader: measure the tables, prove the policy and hash the files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.constants import ParamValue
from acompass.language.program.types import Schema, types_by_name
from acompass.language.text.tokens import policy_lines
from acompass.language.text.walk import names_written, processes, steps_of
from acompass.measure.answer import THRESHOLDS, Measures, Overview
from acompass.measure.distribution import Showing
from acompass.measure.loss import PolicyLevels
from acompass.measure.overview import overviews
from acompass.measure.roles import Roles, assign_roles, without_dropped
from acompass.options import DatesArgument, is_file
from acompass.policy import Policy, TableRoles
from acompass.prove.proof import Claim, Proof
from acompass.prove.search.claims import policy_assertions
from acompass.prove.search.verdicts import prove_policy
from acompass.report.page.certificate import Certificate, Reader, TableName, certify
from acompass.result import RequirementOutcome, Result
from acompass.tables.formats import Options

Command: TypeAlias = Literal["run", "check", "measure"]


@dataclass(frozen=True, slots=True)
class RequirementRow:
    outcome: RequirementOutcome
    text: str  # only the action for a THEN step after the first
    is_first_step: bool
    claim: Claim | None  # the proof of its assertion


@dataclass(frozen=True, slots=True)
class PageContent:
    command: Command
    reader: Reader
    result: Result | None
    requirements: tuple[RequirementRow, ...]
    overview: Overview | None
    series: tuple[str, ...]  # the names of the tables in `overview`: (before, after), or a single table
    certificate: Certificate

    @property
    def is_internal(self) -> bool:
        return self.reader == "curator"

    @property
    def measures(self) -> tuple[Measures, ...]:
        return () if self.overview is None else self.overview.measures

    @property
    def detailed_tables(self) -> int:
        """How many tables, counted from the last, are shown in detail: a recipient sees only the released table."""
        return len(self.series) if self.is_internal else 1

    @property
    def has_counts(self) -> bool:
        """Whether the page shows how many records each line affected, and notes. In a run, these describe the
        original table; in a check, the table itself."""
        return self.is_internal or self.command == "check"


@dataclass(frozen=True, slots=True)
class ReportRequest:
    command: Command
    before: Any = field(repr=False)
    engine: str  # its name and version
    has_tables: bool = False  # whether a bare name is a table of the engine and not a file
    after: Any = field(default=None, repr=False)  # None without an output table
    policy: Policy | None = None
    params: Mapping[str, ParamValue] | None = None
    schema: Schema | None = None
    result: Result | None = None
    roles: Roles | None = None  # None if the roles of the table or the policy name the columns to measure
    measured: Measures | None = None  # the measures of the last table, if the call computed them
    dates: DatesArgument = ()  # formats of dates in `before`
    table_roles: TableRoles = field(default_factory=TableRoles)
    options: Options = field(default_factory=Options)


#: larger policies are not proved for a report, because the proof could take longer than the run
MOST_PROVED = 60


def page_contents(request: ReportRequest, readers: Sequence[Reader]) -> list[PageContent]:
    """The content for each reader. Tables are measured and the policy is proved only once."""
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
    """The tables to measure. Skip an empty data frame, which may have no columns."""
    yield request.before
    is_empty = request.result is not None and request.result.records_out == 0
    if request.after is not None and (isinstance(request.after, str) or not is_empty):
        yield request.after


def _overviews(request: ReportRequest, tables: list[Any], readers: Sequence[Reader]) -> list[Overview | None]:
    """A table in another engine is not read for a report; only the measures of the call are known."""
    if not all(_is_readable(request, table) for table in tables):
        measured = request.measured
        alone = None if measured is None else Overview((measured,), (), measured.loss)
        return [alone] * len(readers)
    levels = PolicyLevels(None if request.policy is None else request.policy.tree)
    found = overviews(
        tables,
        request.roles or _roles_to_measure(request),
        [_showing(request, tables, reader, levels) for reader in readers],
        replace(request.options.file_format, header=True),  # the call has checked the header
        request.options.memory_limit,
        request.dates,
        levels,
        THRESHOLDS if request.measured is None else request.measured.classes.thresholds,
    )
    return [_reader_overview(request, tables, each, reader) for each, reader in zip(found, readers, strict=True)]


def _reader_overview(request: ReportRequest, tables: list[Any], found: Overview, reader: Reader) -> Overview | None:
    """Show recipients nothing about a run that released no table."""
    if reader == "receiver" and request.command == "run" and len(tables) == 1:
        return None
    if request.measured is None:
        return found
    *before, _ = found.measures
    loss = request.measured.loss or found.loss
    return replace(found, measures=(*before, request.measured), loss=loss)


def _showing(request: ReportRequest, tables: list[Any], reader: Reader, levels: PolicyLevels) -> Showing | None:
    """What to show of the columns; None if no value may be on the page."""
    is_curator = reader == "curator"
    if not is_curator and not _can_be_shown(request, tables):
        return None
    written = None
    if request.policy is not None:
        written = frozenset(name.text.casefold() for name in names_written(request.policy.tree))
    return Showing(is_curator, written, levels.orders())


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
    """Whether the page compares two tables; measures from another engine describe only one."""
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


def _roles_to_measure(request: ReportRequest) -> Roles | None:
    """The columns that the policy does not drop; None if neither the roles of the table nor a GROUP BY of the policy
    name quasi-identifiers."""
    policy, declared = request.policy, request.table_roles
    if policy is None or not (declared.quasi_identifiers or any(each.group_by for each in processes(policy.tree))):
        return None
    roles = without_dropped(assign_roles(policy.tree, declared=declared), policy.tree)
    return roles if roles.quasi_identifiers else None


def _proof(request: ReportRequest) -> Proof | None:
    policy = request.policy
    if request.command != "run" or policy is None or request.schema is None:
        return None
    if len(policy.tree.requirements) > MOST_PROVED:
        return None
    schema = types_by_name(request.schema)
    return prove_policy(policy.tree, policy.text, None, schema, request.params)


def requirement_rows(
    policy: Policy | None, result: Result | None, proof: Proof | None, reader: Reader
) -> tuple[RequirementRow, ...]:
    """Recipients do not see comments of the policy, because they may reveal something about the original table."""
    if policy is None or result is None:
        return ()
    places = [at for at, _ in policy_assertions(policy.tree)]
    claims = {} if proof is None else dict(zip(places, proof.claims, strict=True))
    steps = [
        (step, number == 0)
        for requirement in policy.tree.requirements
        for number, step in enumerate(steps_of(requirement))
    ]
    rows = []
    for at, (outcome, (step, is_first)) in enumerate(zip(result.requirements, steps, strict=True)):
        text = outcome.text if is_first else policy.text[step.span.start : step.span.end]
        text = text if reader == "curator" else policy_lines(text)
        rows.append(RequirementRow(outcome, text, is_first, claims.get(at)))
    return tuple(rows)
