"""Gather the content of a page for each reader: measure the tables, prove the policy and hash the files."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, assert_never

from acompass.arguments import is_file
from acompass.author.answers import RuleCheck
from acompass.dataclasses import dataclass, field, replace
from acompass.engines.reading import date_formats, missing_options
from acompass.language.program import program as p
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import (
    columns_with_pseudonyms,
    is_always,
    least_count,
    process_of,
    projection_of,
    required_comparisons,
    written_by,
)
from acompass.language.program.types import Kind, Names, Schema, types_by_name
from acompass.language.text.tokens import policy_lines
from acompass.language.text.tree import Quantifier
from acompass.language.text.walk import names_written, processes, steps_of
from acompass.measure.answer import THRESHOLDS, Measures, Overview
from acompass.measure.distribution import Showing
from acompass.measure.loss import PolicyLevels
from acompass.measure.overview import overviews
from acompass.measure.roles import Roles, assign_roles, person_released, without_dropped
from acompass.options import DROP, ERROR, DatesArgument, MissingArgument, NaArgument
from acompass.policy import Policy, PolicySettings, TableRoles, policy_settings
from acompass.prove.proof import Claim, ClaimVerdict, Proof
from acompass.prove.search.claims import policy_assertions
from acompass.prove.search.verdicts import prove_policy
from acompass.report.answers.results import action_effect
from acompass.report.page.certificate import Certificate, Reader, TableName, certify
from acompass.result import After, RequirementOutcome, Result
from acompass.run import checked_program
from acompass.tables.formats import Options

Command: TypeAlias = Literal["run", "check", "measure"]


@dataclass(frozen=True, slots=True)
class RequirementRow:
    outcome: RequirementOutcome
    text: str  # only the action for a THEN step after the first
    is_first_step: bool
    claim: Claim | None  # the proof of its assertion

    @property
    def assurance(self) -> After:
        """Why the assertion holds for the table that the page describes: it is proved, or it was evaluated."""
        if self.claim is not None and self.claim.verdict is ClaimVerdict.PROVED:
            return "proved"
        return self.outcome.after


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """What a policy does to a column."""

    name: str
    role: str | None  # None if no role was declared for it
    fate: str  # empty for a table that no policy was performed on
    is_dropped: bool = False
    is_unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Threshold:
    """A lower bound for all classes that an assertion of the policy demands."""

    index: int  # of the requirement
    line: int
    least: int
    counted: str | None  # the column whose distinct values are counted; None for records
    columns: tuple[str, ...]  # that form the classes; empty for the whole table
    is_partial: bool  # about the records that its WHERE selects


@dataclass(frozen=True, slots=True)
class FrontPage:
    settings: PolicySettings
    columns: tuple[ColumnRow, ...]
    thresholds: tuple[Threshold, ...]
    roles: TableRoles  # as declared
    person: str | None  # the column that tells persons apart, unless a line splits its values
    pseudonyms: tuple[str, ...]  # columns of the released table


@dataclass(frozen=True, slots=True)
class PageContent:
    command: Command
    reader: Reader
    result: Result | None
    requirements: tuple[RequirementRow, ...]
    overview: Overview | None
    series: tuple[str, ...]  # the names of the tables in `overview`: (before, after), or a single table
    certificate: Certificate
    front: FrontPage
    rule: RuleCheck | None = None  # in place of a result, if a table is checked against a rule

    @property
    def is_internal(self) -> bool:
        return self.reader == "curator"

    @property
    def measures(self) -> tuple[Measures, ...]:
        return () if self.overview is None else self.overview.measures

    @property
    def achieved(self) -> Measures | None:
        """The measures of the table that the page is about: for a run, the released table."""
        is_measured = self.measures and (self.command != "run" or len(self.series) == 2)
        return self.measures[-1] if is_measured else None

    @property
    def uncounted_person(self) -> str | None:
        """The column that tells persons apart, if the measured table lacks it: its records are counted."""
        return self.front.roles.person if self.measures and self.measures[-1].people is None else None

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
    na: NaArgument = ()
    dates: DatesArgument = ()  # formats of dates in `before`
    missing: MissingArgument = ERROR
    names: Sequence[str] = ()  # of the columns of the table that the call is about
    table_roles: TableRoles = field(default_factory=TableRoles)
    rule: RuleCheck | None = None
    options: Options = field(default_factory=Options)


#: larger policies are not proved for a report, because the proof could take longer than the run
MOST_PROVED = 60


def page_contents(request: ReportRequest, readers: Sequence[Reader]) -> list[PageContent]:
    """The content for each reader. Tables are measured and the policy is proved only once."""
    tables = list(_tables(request))
    proof, certificate, front = _proof(request), _certificate(request), _front_page(request)
    return [
        PageContent(
            command=request.command,
            reader=reader,
            result=request.result,
            requirements=requirement_rows(request.policy, request.result, proof, reader),
            overview=overview,
            series=("before", "after") if _are_compared(request, tables) else ("table",),
            certificate=certificate.for_reader(reader),
            front=front,
            rule=request.rule,
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
        {"input": _file_or_table(request, request.before), "output": _file_or_table(request, request.after)},
        request.result or request.rule,
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
        request.na,
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
            answer = request.result or request.rule
            return answer is not None and answer.ok
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
    """The columns that the policy does not drop, or that the checked table has; None if neither the roles of the table
    nor a GROUP BY of the policy name quasi-identifiers."""
    policy, declared = None if request.rule is not None else request.policy, request.table_roles
    if policy is None or not (declared.quasi_identifiers or any(each.group_by for each in processes(policy.tree))):
        return None
    columns = request.names if request.command == "check" else ()
    roles = assign_roles(policy.tree, declared=declared)
    if request.command == "run":
        roles = replace(roles, person=person_released(roles.person, policy.tree))
    roles = without_dropped(roles, policy.tree, columns)
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


def report_settings(policy: Policy | None) -> PolicySettings:
    """The settings of a policy that is a file."""
    return policy_settings(policy.name if policy is not None and os.path.isfile(policy.name) else None)


_ROLES = (
    ("identifier", "identifiers"),
    ("quasi-identifier", "quasi_identifiers"),
    ("sensitive", "sensitive"),
    ("other", "other"),
)
#: the order of the roles on the front page; a column without a role comes last
ROLE_ORDER = (*(word for word, _ in _ROLES), None)


def _front_page(request: ReportRequest) -> FrontPage:
    program, person = None, request.table_roles.person
    if request.policy is not None and request.command == "run":
        person = person_released(person, request.policy.tree)
    if request.policy is not None and request.schema is not None:
        is_check = request.command == "check"
        program = checked_program(request.policy, request.schema, request.params, may_be_released=is_check)
    return FrontPage(
        settings=report_settings(request.policy),
        columns=tuple(_column_rows(request, program)),
        thresholds=() if program is None else tuple(thresholds(program)),
        roles=request.table_roles,
        person=person,
        pseudonyms=() if program is None or request.command != "run" else tuple(_pseudonyms(program)),
    )


def _pseudonyms(program: p.Program) -> Iterator[str]:
    for position in sorted(columns_with_pseudonyms(program.requirements)):
        if program.final_schema[position].type.kind is not Kind.DROPPED:
            yield program.schema[position].name


def _column_rows(request: ReportRequest, program: p.Program | None) -> Iterator[ColumnRow]:
    names = request.names if program is None else [column.name for column in program.schema]
    roles = _roles_by_position(request, names)
    is_run = program is not None and request.result is not None and request.result.performed
    for position, name in enumerate(names):
        row = ColumnRow(name, roles.get(position), "")
        yield _with_fate(request, program, position, row) if is_run and program is not None else row


def _roles_by_position(request: ReportRequest, names: Sequence[str]) -> dict[int, str]:
    """The declared roles. A measurement also declares those of the columns that it is about; if none are declared, the
    columns that the policy groups by and counts have the roles that they are measured with."""
    columns, found = Names(names), dict[int, str]()
    given = request.table_roles
    asked = request.roles or (None if given.are_given else _roles_to_measure(request))
    own = () if asked is None else (("quasi-identifier", asked.quasi_identifiers), ("sensitive", asked.sensitive))
    declared = ((word, getattr(given, field_)) for word, field_ in _ROLES)
    for word, listed in (*own, *declared):
        for position in (position for name in listed for position in columns.find(name)):
            found.setdefault(position, word)
    return found


def _with_fate(request: ReportRequest, program: p.Program, position: int, row: ColumnRow) -> ColumnRow:
    assert request.result is not None
    pairs = list(zip(program.requirements, request.result.requirements, strict=True))
    if program.final_schema[position].type.kind is Kind.DROPPED:
        lines = [each.line for each, _ in pairs if position in _dropped_columns(each)]
        return replace(row, fate=f"removed ({_lines(lines)})", is_dropped=True)
    effects: dict[tuple[str, bool], list[int]] = {}
    for requirement, outcome in pairs:
        if outcome.affected and position in written_by(requirement.action):
            effects.setdefault((action_effect(outcome), is_always(requirement)), []).append(requirement.line)
    parts = [_effect_text(*effect, lines) for effect, lines in effects.items()]
    parts += _reading_effects(request, position, position in program.named)
    return replace(row, fate=", ".join(parts) or "kept as it was", is_unchanged=not parts)


def _dropped_columns(requirement: p.Requirement) -> tuple[int, ...]:
    dropped = projection_of(requirement.action)
    return () if dropped is None else dropped.columns


def _effect_text(effect: str, is_of_all: bool, lines: Sequence[int]) -> str:
    return f"{effect} {'in every record' if is_of_all else 'where needed'} ({_lines(lines)})"


def _lines(lines: Sequence[int]) -> str:
    """The steps of a THEN on one line are named once."""
    numbers = list(dict.fromkeys(lines))
    return f"line {numbers[0]}" if len(numbers) == 1 else f"lines {', '.join(map(str, numbers))}"


def _reading_effects(request: ReportRequest, position: int, is_named: bool) -> Iterator[str]:
    """How the options that read a table change a column; only missing values of columns that the policy names are
    filled (D11)."""
    if position in date_formats(request.dates, request.names):
        yield "dates in ISO format"
    if is_named and missing_options(request.missing, request.names).for_column(position) not in (ERROR, DROP):
        yield "missing values filled"


def thresholds(program: p.Program) -> Iterator[Threshold]:
    """The least class sizes and numbers of distinct values that EACH PROCESS … demands. The steps of a THEN share one
    assertion, and so do a requirement and a later check of the same."""
    seen: set[tuple[int, str | None, tuple[str, ...], bool]] = set()
    for requirement in program.requirements:
        process, names = process_of(requirement), [column.name for column in requirement.before]
        if process is None or requirement.assertion.quantifier is not Quantifier.EACH:
            continue
        columns = tuple(names[position] for position in process.group_by)
        for comparison in required_comparisons(requirement.assertion.condition):
            aggregate = _aggregate(process, comparison.column)
            least = least_count(comparison)
            if aggregate is None or least is None:
                continue
            counted = None if aggregate.column is None else names[aggregate.column]
            bound = (least, counted, columns, process.where is not None)
            if bound not in seen:
                seen.add(bound)
                yield Threshold(requirement.index, requirement.line, *bound)


def _aggregate(process: p.Process, column: int) -> p.Aggregate | None:
    """The aggregate at a position of the process query's result, if it counts records or distinct values."""
    place = column - len(process.group_by)
    found = process.aggregates[place] if place >= 0 else None
    return found if found is not None and found.facts.is_count else None
