"""The whole flow on one page: text -> syntax -> checked -> plan -> engine -> result.

The CLI and the public API both call it.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from acompass.checked import program as checked
from acompass.checked.from_syntax import check as check_types
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Kind, Schema, Type
from acompass.checked.uses import ColumnUse, uses
from acompass.diagnostics import AcompassError, CallError, Diagnostic, PolicyError, TableError
from acompass.policy import Policy, as_policy, load, parse
from acompass.randomness import TraceValue, exhausted, trace_source
from acompass.result import Plan, RequirementOutcome, Result, action_name
from acompass.syntax.format import format_program as format  # noqa: A004

if TYPE_CHECKING:
    from acompass.engines.engine import Evaluated, OpenTable
    from acompass.prove import Proof

__all__ = ["Policy", "check", "format", "lint", "load", "parse", "plan", "prove", "run"]

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class _Job:
    """A policy bound to an open table of an engine."""

    policy: Policy
    table: "OpenTable"
    program: checked.Program


def check(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    missing: str | None = None,
    engine: Any = None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    show: int = 0,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Evaluates every assertion on the table as given; no action is performed (D22).

    With `report` a page about it is written there.
    """
    if report is not None:
        _require_files(report, table)
    with _opened(policy, table, params, missing, engine, delimiter, memory_limit) as job:
        evaluated = job.table.check(job.program, show, progress)
    requirements = _outcomes(job.program, evaluated)
    ok = all(requirement.holds for requirement in requirements)
    result = _result(job, evaluated, ok, requirements)
    if report is not None:
        _report(report, "check", job, result, (table, None), params, engine, delimiter, memory_limit)
    return result


def run(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: Iterable[TraceValue] | None = None,
    missing: str | None = None,
    order: str | None = None,
    engine: Any = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    report: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Result:
    """Performs the requirements one after the other.

    With `output` the table is written there, unless a requirement without an action is violated and `force`
    is not given. Without, it comes back in the result. With `report` a page about it is written there.
    """
    from acompass.engines.engine import Destination

    if report is not None:
        _require_files(report, table, output)

    canonical = _is_canonical(order)
    path = None if output is None else os.fspath(output)
    with _opened(policy, table, params, missing, engine, delimiter, memory_limit) as job:
        destination = Destination(path, canonical, force)
        job.table.prepare(destination)
        evaluated = _perform(job, seed, trace, canonical, progress)
        requirements = _outcomes(job.program, evaluated)
        ok = all(each.holds for each in requirements if each.action is None)
        table_out = job.table.deliver(destination) if ok or force or path is None else None
    result = _result(job, evaluated, ok, requirements, table_out)
    if report is not None:
        left = table_out if path is None else path if ok or force else None
        _report(report, "run", job, result, (table, left), params, engine, delimiter, memory_limit)
    return result


def _result(
    job: _Job,
    evaluated: "Evaluated",
    ok: bool,
    requirements: tuple[RequirementOutcome, ...],
    table: Any = None,
) -> Result:
    given = evaluated.records_in + job.table.dropped
    left, used = evaluated.records_out, evaluated.trace_used
    return Result(given, left, ok, requirements, used, job.table.dropped, table)


def _require_files(report: str | os.PathLike[str], before: Any, after: Any = None) -> None:
    from acompass.pages.write import require_files

    require_files(report, [before], after)


def _report(
    path: str | os.PathLike[str],
    command: Literal["run", "check"],
    job: _Job,
    result: Result,
    tables: tuple[Any, Any],
    params: Mapping[str, ParamValue] | None,
    engine: Any,
    delimiter: str | None,
    memory_limit: str | None,
) -> None:
    from acompass.pages.request import ReportRequest
    from acompass.pages.write import write_report

    request = ReportRequest(
        command=command,
        before=tables[0],
        after=tables[1],
        policy=job.policy,
        params=params,
        schema=job.program.schema,
        result=result,
        engine=engine,
        delimiter=delimiter,
        memory_limit=memory_limit,
    )
    write_report(path, request)


def plan(
    policy: Policy | str,
    table: Any,
    *,
    params: Mapping[str, ParamValue] | None = None,
    seed: str | None = None,
    trace: Iterable[TraceValue] | None = None,
    missing: str | None = None,
    order: str | None = None,
    engine: Any = None,
    delimiter: str | None = None,
    memory_limit: str | None = None,
    progress: Progress | None = None,
) -> Plan:
    """What `run` would do: everything but the writing."""
    from acompass.plan.describe import describe
    from acompass.plan.from_checked import plan as plan_stages

    with _opened(policy, table, params, missing, engine, delimiter, memory_limit) as job:
        evaluated = _perform(job, seed, trace, _is_canonical(order), progress)
        stages = tuple(describe(stage, job.program.schema) for stage in plan_stages(job.program))
        statements = tuple(job.table.statements)
    requirements = _outcomes(job.program, evaluated)
    ok = all(each.holds for each in requirements if each.action is None)
    return Plan(_result(job, evaluated, ok, requirements), stages, statements)


def prove(
    policy: Policy | str,
    claims: Sequence[str] | None = None,
    schema: Mapping[str, str | Type] | None = None,
    *,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    engine: Any = None,
    delimiter: str | None = None,
) -> "Proof":
    """What holds of every table that the policy leaves; `table` is looked at for its schema only."""
    from acompass.prove import prove_policy

    parsed = as_policy(policy)
    with pointing_into(parsed):
        if table is not None:
            schema = _types_of_table(parsed, table, params, delimiter, engine)
        return prove_policy(parsed.tree, parsed.text, claims, schema, params)


def lint(
    policy: Policy | str,
    schema: Mapping[str, str | Type] | None = None,
    *,
    params: Mapping[str, ParamValue] | None = None,
    table: Any = None,
    engine: Any = None,
    delimiter: str | None = None,
) -> tuple[Diagnostic, ...]:
    """What is probably a mistake in the policy; `table` is looked at for its schema only."""
    from acompass.lint import lint_policy

    parsed = as_policy(policy)
    with pointing_into(parsed):
        if table is not None:
            schema = _types_of_table(parsed, table, params, delimiter, engine)
        return lint_policy(parsed.tree, parsed.text, schema, params)


def _types_of_table(
    policy: Policy,
    table: Any,
    params: Mapping[str, ParamValue] | None,
    delimiter: str | None,
    engine: Any,
) -> dict[str, str | Type]:
    columns = schema_of_table(policy, table, params, delimiter, engine)
    return {column.name: column.type for column in columns}


def schema_of_table(
    policy: Policy,
    table: Any,
    params: Mapping[str, ParamValue] | None = None,
    delimiter: str | None = None,
    engine: Any = None,
) -> Schema:
    """The columns of a table with the types that the policy gives them (D10)."""
    with _table(policy, table, params, None, engine, delimiter, None) as open_table:
        return open_table.schema


@contextmanager
def _opened(
    policy: Policy | str,
    table: Any,
    params: Mapping[str, ParamValue] | None,
    missing: str | None,
    engine: Any,
    delimiter: str | None,
    memory_limit: str | None,
) -> Iterator[_Job]:
    parsed = as_policy(policy)
    with (
        pointing_into(parsed),
        _table(parsed, table, params, missing, engine, delimiter, memory_limit) as open_table,
    ):
        program = checked_program(parsed, open_table.schema, params)
        open_table.require_complete()
        yield _Job(parsed, open_table, program)


def _table(
    policy: Policy,
    table: Any,
    params: Mapping[str, ParamValue] | None,
    missing: str | None,
    engine: Any,
    delimiter: str | None,
    memory_limit: str | None,
) -> AbstractContextManager["OpenTable"]:
    from acompass.engines.connect import connect
    from acompass.engines.engine import TableRequest

    def uses_of(names: Sequence[str]) -> dict[int, ColumnUse]:
        return uses(policy.tree, names, params)

    request = TableRequest(table, uses_of, missing or "error", delimiter)
    return connect(engine, table, memory_limit).open(request)


def checked_program(
    policy: Policy, schema: Schema, params: Mapping[str, ParamValue] | None
) -> checked.Program:
    program, found = check_types(policy.tree, policy.text, schema, params)
    if program is None:
        raise PolicyError(found, policy.text, policy.name)
    return program


@contextmanager
def pointing_into(policy: Policy) -> Iterator[None]:
    """Gives errors that point at a place in the policy the text to show it in."""
    try:
        yield
    except AcompassError as error:
        if error.source is None and any(finding.labels for finding in error.diagnostics):
            error.source, error.name = policy.text, policy.name
        raise


def _perform(
    job: _Job,
    seed: str | None,
    trace: Iterable[TraceValue] | None,
    canonical: bool,
    progress: Progress | None,
) -> "Evaluated":
    from acompass.plan.running.trace import TraceExhausted

    source = trace_source(seed, trace)
    if canonical or any(isinstance(r.action, checked.Random) for r in job.program.requirements):
        require_order(job.program.schema)
    try:
        return job.table.run(job.program, source, canonical, progress)
    except TraceExhausted as error:
        raise exhausted(error.needed, error.given) from None


def require_order(schema: Schema) -> None:
    for column in schema:
        if column.type.kind is Kind.OPAQUE:
            message = f"the values of the column `{column.name}` have no order"
            help_ = "leave the column out, or use neither RANDOM nor canonical order"
            raise TableError([Diagnostic("AC226", message, help=help_)])


def _is_canonical(order: str | None) -> bool:
    if order not in (None, "canonical"):
        help_ = "leave it out, or use `canonical`"
        raise CallError([Diagnostic("AC406", f"unknown order `{order}`", help=help_)])
    return order == "canonical"


def _outcomes(program: checked.Program, evaluated: "Evaluated") -> tuple[RequirementOutcome, ...]:
    return tuple(
        RequirementOutcome(
            index=requirement.index,
            line=requirement.line,
            text=requirement.text,
            holds=verdict.holds,
            affected=verdict.affected,
            action=action_name(requirement.action),
            records=verdict.records,
            sample=evaluated.samples.get(requirement.index),
        )
        for requirement in program.requirements
        for verdict in [evaluated.verdicts[requirement.index]]
    )
