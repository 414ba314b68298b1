"""The whole flow on one page, from a policy and an open table to a result.

Every command and every Python call goes through here, on a table that `session.open` opened.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from acompass.checked import from_syntax
from acompass.checked.effects import generalize_of, is_always, needs_order, probability_of
from acompass.checked.maps.map import Unlabelled
from acompass.checked.parameters import ParamValue
from acompass.checked.program import Program
from acompass.checked.types import Kind, Schema
from acompass.checked.uses import uses
from acompass.diagnostics import Diagnostic, PolicyError, TableError
from acompass.engines.delivering import checked_destination
from acompass.engines.engine import Destination, Execution, LoadedTable, OpenTable, Outcome
from acompass.engines.local_dates import date_formats
from acompass.engines.missing import missing_options
from acompass.notes import check_notes, run_notes
from acompass.options import ERROR, DatesArgument, MissingArgument, ReadingOptions
from acompass.plan.describe import describe
from acompass.plan.from_checked import plan, without_actions
from acompass.plan.running.trace import TraceExhausted
from acompass.plan.stages import Stage
from acompass.policy import Policy, attach_text
from acompass.randomness import exhausted
from acompass.result import Plan, RequirementOutcome, Result, action_name
from acompass.tables import errors


@dataclass(frozen=True)
class Call:
    """A policy, its parameters, and how to perform it on a table."""

    policy: Policy
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    execution: Execution = field(default_factory=Execution)

    def reading(self, names: Sequence[str]) -> ReadingOptions:
        """How to read a table with columns of these names."""
        return ReadingOptions(missing_options(self.missing, names), date_formats(self.dates, names))


def check(source: OpenTable, call: Call) -> Result:
    """Evaluate every assertion on the table; perform no action (D22)."""
    with loaded_for(source, call, may_be_released=True) as (loaded, program):
        # samples of violations are fetched per requirement, so requirements must not be merged
        rewrites = () if call.execution.show else loaded.rewrites
        stages = plan(without_actions(program), rewrites)
        outcome = loaded.execute(stages, call.execution)
    requirements = _requirements(program, outcome)
    ok = all(each.holds is not False for each in requirements)
    result = _result(loaded, program, outcome, requirements, ok)
    return replace(result, notes=check_notes(program, outcome))


def run(source: OpenTable, call: Call, destination: Destination) -> Result:
    """Perform the requirements one after the other, and write or return the resulting table.

    If a requirement without an action is violated, a file is written only with `destination.force`.
    """
    with loaded_for(source, call) as (loaded, program):
        destination = checked_destination(program, loaded.style.encoding, destination)
        loaded.check_destination(destination)
        outcome = execute(loaded, program, plan(program, loaded.rewrites), call)
        result = _run_result(loaded, program, outcome)
        if not (result.ok or destination.force or destination.path is None):
            return result
        return result.with_table(loaded.deliver(outcome, destination))


def plan_run(source: OpenTable, call: Call) -> Plan:
    """Do everything that `run` does, except for delivering the result."""
    with loaded_for(source, call) as (loaded, program):
        stages = plan(program, loaded.rewrites)
        outcome = execute(loaded, program, stages, call)
        described = tuple(describe(stage, program.schema) for stage in stages)
        return Plan(_run_result(loaded, program, outcome), described, tuple(loaded.statements))


def preview(source: OpenTable, call: Call) -> Result:
    """What `run` would report, without the table."""
    with loaded_for(source, call) as (loaded, program):
        judging = replace(call, execution=replace(call.execution, verdicts_only=True))
        outcome = execute(loaded, program, plan(program, loaded.rewrites), judging)
        return _run_result(loaded, program, outcome)


def checked_for(source: OpenTable, call: Call) -> Program:
    """The policy checked against the table, which has to be complete: all that comes before the first
    requirement."""
    with loaded_for(source, call) as (_, program):
        return program


def schema_of(source: OpenTable, call: Call) -> Schema:
    """The columns of the table, with the types that the policy gives them (D10)."""
    with _loaded(source, call) as loaded:
        return loaded.schema


@contextmanager
def loaded_for(
    source: OpenTable, call: Call, *, may_be_released: bool = False
) -> Iterator[tuple[LoadedTable, Program]]:
    """The table loaded for the policy, and the policy checked against it."""
    with attach_text(call.policy), _loaded(source, call, may_be_released=may_be_released) as loaded:
        program = checked(call.policy, loaded.schema, call.params, may_be_released=may_be_released)
        loaded.require_complete()
        yield loaded, program


@contextmanager
def _loaded(source: OpenTable, call: Call, *, may_be_released: bool = False) -> Iterator[LoadedTable]:
    used = uses(call.policy.tree, source.names, call.params, may_be_released=may_be_released)
    with source.load(used, call.reading(source.names)) as loaded:
        yield loaded


def checked(
    policy: Policy,
    schema: Schema,
    params: Mapping[str, ParamValue] | None,
    *,
    may_be_released: bool = False,
) -> Program:
    program, found = from_syntax.check(
        policy.tree, policy.text, schema, params, may_be_released=may_be_released
    )
    if program is None:
        raise PolicyError(found, policy.text, policy.name)
    return program


def execute(loaded: LoadedTable, program: Program, stages: Sequence[Stage], call: Call) -> Outcome:
    if call.execution.canonical or needs_order(program.requirements):
        _require_order(program.schema)
    try:
        return loaded.execute(stages, call.execution)
    except TraceExhausted as error:
        raise exhausted(error.needed, error.given) from None
    except Unlabelled as error:
        raise _unlabelled(program, error) from None


def _unlabelled(program: Program, error: Unlabelled) -> TableError:
    requirement = program.requirements[error.requirement - 1]
    action = generalize_of(requirement.action)
    assert action is not None, "only a GENERALIZE looks for labels"
    return errors.without_label(requirement.before[action.column].name, error.count, action)


def _require_order(schema: Schema) -> None:
    for column in schema:
        if column.type.kind is Kind.OPAQUE:
            message = f"the values of column `{column.name}` have no order"
            help_ = "leave the column out, or use neither RANDOM nor canonical order"
            raise TableError([Diagnostic("AC226", message, help=help_)])


def _run_result(loaded: LoadedTable, program: Program, outcome: Outcome) -> Result:
    requirements = _requirements(program, outcome)
    ok = all(each.holds is not False for each in requirements if each.action is None)
    result = _result(loaded, program, outcome, requirements, ok)
    notes = run_notes(program, outcome, loaded.respelled)
    return replace(result, notes=notes, performed=True)


def _result(
    loaded: LoadedTable,
    program: Program,
    outcome: Outcome,
    requirements: tuple[RequirementOutcome, ...],
    ok: bool,
) -> Result:
    return Result(
        records_in=outcome.records_in + loaded.dropped,
        records_out=outcome.left.records,
        ok=ok,
        requirements=requirements,
        trace_used=outcome.trace_used,
        dropped=loaded.dropped,
        unnamed=tuple(column.name for i, column in enumerate(program.schema) if i not in program.named),
    )


def _requirements(program: Program, outcome: Outcome) -> tuple[RequirementOutcome, ...]:
    return tuple(
        RequirementOutcome(
            index=requirement.index,
            line=requirement.line,
            text=requirement.text,
            holds=None if is_always(requirement) else verdict.holds,
            affected=verdict.affected if requirement.judged else 0,
            action=action_name(requirement.action),
            records=verdict.records,
            sample=outcome.samples.get(requirement.index),
            probability=probability_of(requirement.action),
        )
        for requirement in program.requirements
        for verdict in [outcome.verdicts[requirement.index]]
    )
