"""The whole flow, from a policy and an open table to a result.

Every command and every Python call runs through this module, on a table that `session.open` opened."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from acompass.dataclasses import dataclass, field, replace
from acompass.engines.protocol import (
    Destination,
    Execution,
    LoadedTable,
    OpenTable,
    Outcome,
    key_missing,
    key_of_environment,
    resolve_destination,
    trace_too_short,
)
from acompass.engines.reading import date_formats, missing_options
from acompass.errors.diagnostics import Diagnostic, PolicyError, TableError
from acompass.language.program import checker
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import (
    action_name,
    is_always,
    is_promise,
    map_of,
    needs_key,
    needs_order,
    probability_of,
    with_key,
    write_of,
)
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program
from acompass.language.program.types import Kind, Schema
from acompass.language.program.uses import uses
from acompass.notes import Performance, check_notes, formula_notes, run_notes
from acompass.options import ERROR, DatesArgument, MissingArgument
from acompass.plan.planner import plan, without_actions
from acompass.plan.run.context import TraceExhausted
from acompass.plan.stages import Stage, describe
from acompass.policy import Policy, TableRoles, attach_text
from acompass.result import After, Note, Plan, RequirementOutcome, Result
from acompass.tables import errors
from acompass.tables.formats import ReadingOptions

if TYPE_CHECKING:
    from acompass.plan.run.doubts import Doubt
    from acompass.prove.promises import Promise, Promises


@dataclass(frozen=True)
class Call:
    """A policy, its parameters, and how to perform it on a table."""

    policy: Policy
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    execution: Execution = field(default_factory=Execution)
    roles: TableRoles = field(default_factory=TableRoles)
    verify: bool = True  # whether a run evaluates the assertions again on its output (D33); the paper's does not

    def reading(self, names: Sequence[str]) -> ReadingOptions:
        """How to read a table with columns of these names."""
        return ReadingOptions(missing_options(self.missing, names), date_formats(self.dates, names))


def check_policy(source: OpenTable, call: Call) -> Result:
    """Evaluate every assertion on the table; perform no action (D22, check and run)."""
    with load_and_check(source, call, may_be_released=True) as (loaded, program):
        # each requirement has its own sample of violations, so requirements must not be merged
        rewrites = () if call.execution.show else loaded.rewrites
        stages = plan(without_actions(program), rewrites)
        outcome = loaded.execute(stages, call.execution)
        notes = check_notes(Performance(call.policy, call.roles, call.execution, loaded, program, outcome))
    requirements = _requirements(program, outcome)
    ok = all(each.holds is not False for each in requirements)
    return _result(loaded, program, outcome, requirements, ok, notes)


def run_policy(source: OpenTable, call: Call, destination: Destination) -> Result:
    """Perform the requirements one after the other, and write or return the resulting table.

    If a check fails, or the output would violate the policy, write a file only with `destination.force`.
    """
    with load_to_perform(source, call) as (loaded, program):
        destination = resolve_destination(program, loaded.style.encoding, destination)
        loaded.check_destination(destination)
        promises = _promises(program, call)
        outcome = execute(loaded, program, plan(promises.with_checks(program), loaded.rewrites), call)
        result = _run_result(loaded, program, outcome, promises, call)
        if not (result.ok or destination.force or destination.path is None):
            return result
        if destination.is_csv:
            result = replace(result, notes=(*result.notes, *formula_notes(loaded, outcome, destination)))
        return result.with_table(loaded.deliver(outcome, destination))


def plan_policy(source: OpenTable, call: Call) -> Plan:
    """Do everything that `run` does, except deliver the table."""
    with load_to_perform(source, call) as (loaded, program):
        promises = _promises(program, call)
        stages = plan(promises.with_checks(program), loaded.rewrites)
        outcome = execute(loaded, program, stages, call)
        statements = tuple(loaded.statements)  # without those of the notes, which belong to no requirement
        described = tuple(describe(stage, program.schema, len(program.requirements)) for stage in stages)
        result = _run_result(loaded, program, outcome, promises, call)
        return Plan(result, described, statements)


def preview_policy(source: OpenTable, call: Call) -> Result:
    """Return what `run` would report, without the table, even if the roles of the columns do not allow a release."""
    with load_to_perform(source, call) as (loaded, program):
        judging = replace(call, execution=replace(call.execution, verdicts_only=True))
        promises = _promises(program, call)
        outcome = execute(loaded, program, plan(promises.with_checks(program), loaded.rewrites), judging)
        return _run_result(loaded, program, outcome, promises, judging)


def program_for_table(source: OpenTable, call: Call) -> Program:
    """Check the policy against the table and require a complete table, as a run does before its first requirement."""
    with load_and_check(source, call) as (_, program):
        return program


def table_doubts(source: OpenTable, call: Call) -> "tuple[Doubt, ...]":
    """What the table says against the requirements, about persons and spellings (D35, D38)."""
    from acompass.plan.run.doubts import find_doubts

    with _load(source, call) as loaded:
        program = checked_program(call.policy, loaded.schema, call.params)
        return tuple(find_doubts(loaded.reading, loaded.state, loaded.state, program, call.roles))


def policy_schema(source: OpenTable, call: Call) -> Schema:
    """The table's columns with the types that the policy gives them (D10, types from use)."""
    with _load(source, call) as loaded:
        return loaded.schema


@contextmanager
def load_to_perform(source: OpenTable, call: Call) -> Iterator[tuple[LoadedTable, Program]]:
    """Load and check as for a check, and give the program the key that its actions need (X15)."""
    with load_and_check(source, call) as (loaded, program):
        yield loaded, _with_key(program, call.execution)


def _with_key(program: Program, execution: Execution) -> Program:
    action = next((each.action for each in program.requirements if needs_key([each])), None)
    if action is None:
        return program
    found = execution.key or key_of_environment()
    if found is None:
        raise key_missing(str(action_name(action)), action.span)
    return with_key(program, found.key)


@contextmanager
def load_and_check(
    source: OpenTable, call: Call, *, may_be_released: bool = False
) -> Iterator[tuple[LoadedTable, Program]]:
    """Load the table for the policy, and check the policy against it."""
    with attach_text(call.policy), _load(source, call, may_be_released=may_be_released) as loaded:
        program = checked_program(call.policy, loaded.schema, call.params, may_be_released=may_be_released)
        loaded.require_complete()
        yield loaded, program


@contextmanager
def _load(source: OpenTable, call: Call, *, may_be_released: bool = False) -> Iterator[LoadedTable]:
    used = uses(call.policy.tree, source.names, call.params, may_be_released=may_be_released)
    with source.load(used, call.reading(source.names)) as loaded:
        yield loaded


def checked_program(
    policy: Policy,
    schema: Schema,
    params: Mapping[str, ParamValue] | None,
    *,
    may_be_released: bool = False,
) -> Program:
    program, found = checker.check(policy.tree, policy.text, schema, params, may_be_released=may_be_released)
    if program is None:
        raise PolicyError(found, policy.text, policy.name)
    return program


def execute(loaded: LoadedTable, program: Program, stages: Sequence[Stage], call: Call) -> Outcome:
    if call.roles.are_given and not call.execution.verdicts_only:
        from acompass.roles import require_roles  # most tables have no roles

        require_roles(program, call.policy, call.roles)
    if call.execution.canonical or needs_order(program.requirements):
        _require_order(program.schema)
    try:
        return loaded.execute(stages, call.execution)
    except TraceExhausted as error:
        raise trace_too_short(error.needed, error.given) from None
    except UnlabeledValueError as error:
        raise _missing_label(program, error) from None
    except UnfitValueError as error:
        raise _values_not_written(program, error) from None


def _missing_label(program: Program, error: UnlabeledValueError) -> TableError:
    requirement = program.requirements[error.requirement - 1]
    action, write, map_ = requirement.action, write_of(requirement.action), map_of(requirement.action)
    assert map_ is not None, "only a GENERALIZE looks for labels"
    assert action is not None
    assert write is not None
    return errors.values_without_label(requirement.before[write.column].name, error.count, map_, action.span)


def _values_not_written(program: Program, error: UnfitValueError) -> TableError:
    requirement = program.requirements[error.requirement - 1]
    action, write = requirement.action, write_of(requirement.action)
    assert action is not None
    assert write is not None, "only a write can fail"
    columns = [requirement.before[column] for column in write.columns]
    return errors.values_not_written(columns, error.count, write.kernel, action.span)


def _require_order(schema: Schema) -> None:
    for column in schema:
        if column.type.kind is Kind.OPAQUE:
            message = f"the values of column `{column.name}` have no order"
            help_ = "leave the column out, or use neither random actions, nor MICROAGGREGATE, nor canonical order"
            raise TableError([Diagnostic("AC226", message, help=help_)])


def _promises(program: Program, call: Call) -> "Promises":
    """The assertions that must hold for the output, and how to find out (D33, what is written has been verified)."""
    from acompass.prove.promises import Promises, prove_promises  # a check needs none

    policy = call.policy
    return prove_promises(policy.tree, policy.text, program, call.params) if call.verify else Promises()


def _run_result(loaded: LoadedTable, program: Program, outcome: Outcome, promises: "Promises", call: Call) -> Result:
    if not outcome.left.records:  # nothing is promised about a table without records
        promises = replace(promises, proved=(), checks=())
    violated = [promise for promise, check in promises.checks if not outcome.verdicts[check.index].holds]
    requirements = tuple(_with_promises(_requirements(program, outcome), promises, violated))
    failing = [requirements[each.steps.start] for each in violated if not each.is_accepted]
    broken = tuple(each.line for each in failing if not each.is_failed_check)
    ok = not broken and not any(each.is_failed_check for each in requirements)
    notes = run_notes(Performance(call.policy, call.roles, call.execution, loaded, program, outcome))
    result = _result(loaded, program, outcome, requirements, ok, notes)
    return replace(result, performed=True, broken=broken)


def _with_promises(
    requirements: Sequence[RequirementOutcome], promises: "Promises", violated: "Sequence[Promise]"
) -> Iterator[RequirementOutcome]:
    """The outcomes, with what is known about each assertion on the final table."""
    after: dict[int, After] = {step: "proved" for promise in promises.proved for step in promise.steps}
    for promise, _ in promises.checks:
        after |= dict.fromkeys(promise.steps, "violated" if promise in violated else "holds")
    accepted = {step for promise in violated if promise.is_accepted for step in promise.steps}
    for step, each in enumerate(requirements):
        yield replace(each, after=after.get(step), is_accepted=step in accepted)


def _result(
    loaded: LoadedTable,
    program: Program,
    outcome: Outcome,
    requirements: tuple[RequirementOutcome, ...],
    ok: bool,
    notes: tuple[Note, ...],
) -> Result:
    return Result(
        records_in=outcome.records_in + loaded.dropped,
        records_out=outcome.left.records,
        ok=ok,
        requirements=requirements,
        trace_used=outcome.trace_used,
        dropped=loaded.dropped,
        unnamed=tuple(column.name for i, column in enumerate(program.schema) if i not in program.named),
        notes=notes,
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
            is_promise=is_promise(requirement),
        )
        for requirement in program.requirements
        for verdict in [outcome.verdicts[requirement.index]]
    )
