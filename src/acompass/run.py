"""The whole flow, from a policy and an open table to a result.

Every command and every Python call runs through this module, on a table that `session.open` opened."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from acompass.dataclasses import dataclass, field, replace
from acompass.engines.protocol import (
    SHORTEST_SEED,
    Destination,
    Execution,
    LoadedTable,
    OpenTable,
    Outcome,
    key_missing,
    key_of_environment,
    readable_key_text,
    resolve_destination,
    trace_too_short,
)
from acompass.engines.reading import date_formats, missing_options
from acompass.errors.diagnostics import Diagnostic, PolicyError, TableError, option_text
from acompass.language.program import checker
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import (
    action_name,
    aggregates_of,
    columns_overwritten,
    columns_with_pseudonyms,
    is_always,
    is_promise,
    map_of,
    needs_key,
    needs_order,
    probability_of,
    process_of,
    projection_of,
    with_key,
    write_of,
)
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Program
from acompass.language.program.types import Kind, Schema, looks_like_persons
from acompass.language.program.uses import uses
from acompass.options import ERROR, DatesArgument, MissingArgument, NaArgument
from acompass.plan.planner import plan, without_actions
from acompass.plan.run.context import TraceExhausted
from acompass.plan.stages import Stage, describe
from acompass.policy import Policy, TableRoles, attach_text
from acompass.result import After, Note, Plan, RequirementOutcome, Result
from acompass.tables import errors
from acompass.tables.csv import is_formula
from acompass.tables.formats import ReadingOptions

if TYPE_CHECKING:
    from acompass.plan.run.doubts import Doubt
    from acompass.prove.promises import Promise, Promises


@dataclass(frozen=True)
class Performance:
    """A policy that was performed on a table, or checked."""

    policy: Policy
    roles: TableRoles
    execution: Execution
    loaded: LoadedTable
    program: Program
    outcome: Outcome


def check_notes(done: Performance) -> tuple[Note, ...]:
    return (
        *_on_selection(done),
        *_on_labels(done.program),
        *_on_absent_columns(done.program),
        *_on_doubts(done),
        *_on_roles(done),
    )


def run_notes(done: Performance) -> tuple[Note, ...]:
    return (
        *_on_selection(done),
        *_on_empty_table(done),
        *_on_respelling(done),
        *_on_doubts(done),
        *_on_person(done),
        *_on_roles(done),
        *_on_seed(done),
        *_on_key(done),
    )


def formula_notes(loaded: LoadedTable, outcome: Outcome, destination: Destination) -> Iterator[Note]:
    """Note cells of a CSV file that a spreadsheet may run."""
    names = [outcome.left.schema[position].name for position in outcome.positions]
    count = loaded.count_formulas(outcome) + sum(map(is_formula, names))
    if count and destination.escape_formulas:
        cells = (
            "1 cell that begins like a formula has" if count == 1 else f"{count:,} cells that begin like a formula have"
        )
        yield Note(None, f"{cells} `'` in front")
    elif count:
        cells = "1 cell begins" if count == 1 else f"{count:,} cells begin"
        option = option_text("escape_formulas", True)
        yield Note(None, f"{cells} like a formula, which a spreadsheet may run; `{option}` writes `'` in front")


def _on_selection(done: Performance) -> Iterator[Note]:
    for requirement in done.program.requirements:
        if done.outcome.verdicts[requirement.index].selects_none:
            word = "FILTER" if process_of(requirement) is None else "WHERE"
            yield Note(requirement.line, f"{word} selects no record")


def _on_labels(program: Program) -> Iterator[Note]:
    reason = "the column has labels of a later GENERALIZE, and the assertion compares numbers"
    if any(column.type.pseudonyms for column in program.schema):
        reason = "the column has pseudonyms or labels in place of the values that the assertion compares"
    for requirement in program.requirements:
        if not requirement.judged:
            yield Note(requirement.line, f"no verdict: {reason}")


def _on_absent_columns(program: Program) -> Iterator[Note]:
    """Note dropped columns that the table lacks: it may be released already, or DROP may misspell them."""
    for requirement in program.requirements:
        dropped = projection_of(requirement.action)
        absent = [] if dropped is None else [f"`{name}`" for name in dropped.absent]
        if absent:
            columns = "column" if len(absent) == 1 else "columns"
            yield Note(requirement.line, f"nothing to drop: the table has no {columns} {', '.join(absent)}")


def _on_empty_table(done: Performance) -> Iterator[Note]:
    """Note that no record is left, at the line of the last requirement that had records; at none if the first had
    none."""
    if done.outcome.left.records == 0:
        verdicts = done.outcome.verdicts
        lines = [each.line for each in done.program.requirements if verdicts[each.index].records]
        yield Note(lines[-1] if lines else None, "no record is left")


def _on_respelling(done: Performance) -> Iterator[Note]:
    """Note numbers in another spelling (D26), except in columns of which no number is released."""
    schema, requirements = done.loaded.schema, done.program.requirements
    hidden = frozenset[int]().union(*map(columns_overwritten, requirements))
    types = {column.name: column.type for position, column in enumerate(schema) if position not in hidden}
    for name, count in done.loaded.respelled.items():
        if name not in types:
            continue
        numbers, these = ("1 number is", "it") if count == 1 else (f"{count:,} numbers are", "them")
        form, reason = "in the shortest form", f"the table or the policy spells {these} in two ways"
        if not types[name].spelled:
            form, reason = "with all digits after the point", "the policy computes numbers in this column"
        yield Note(None, f"column `{name}`: {numbers} written {form}, because {reason}")


def _on_doubts(done: Performance) -> Iterator[Note]:
    """What the table says against the answer, about persons and spellings (D35, D38). Where the policy dropped a column
    of the question, or only verdicts were computed, the table as read answers it."""
    program, roles = done.program, done.roles
    facts = [each.facts for requirement in program.requirements for each in aggregates_of(requirement)]
    asks_persons = any(each.weighs_records for each in facts) and any(
        looks_like_persons(column.name) for column in program.schema
    )
    if roles == TableRoles() and not asks_persons and not any(each.tells_values_apart for each in facts):
        return
    from acompass.plan.run.doubts import find_doubts

    lines = {each.index: each.line for each in program.requirements}
    before, outcome = done.loaded.state, done.outcome
    after = before if done.execution.verdicts_only else outcome.left
    for doubt in find_doubts(outcome.context.session, before, after, program, roles):
        yield Note(None if doubt.requirement is None else lines[doubt.requirement], str(doubt))


def _on_person(done: Performance) -> Iterator[Note]:
    """Note that the column that tells persons apart is released as it was read, or with a pseudonym for each value."""
    if done.roles.person is not None:
        from acompass.plan.run.doubts import person_position

        schema, outcome = done.program.schema, done.outcome
        place = person_position(done.roles, [column.name for column in schema])
        assert place is not None
        is_pseudonymous = place in columns_with_pseudonyms(done.program.requirements)
        if (place not in outcome.written or is_pseudonymous) and place in outcome.left.kept_columns:
            how = "with pseudonyms" if is_pseudonymous else "unchanged"
            text = f"column `{schema[place].name}` is released {how}: with it, anyone can tell which records are of one"
            yield Note(None, f"{text} person")


def _on_roles(done: Performance) -> Iterator[Note]:
    """Note columns without a role, and quasi-identifiers that the policy does not group by, with the smallest class of
    the table by them (D36, roles act)."""
    if not done.roles.are_given or done.execution.verdicts_only:
        return
    from acompass.roles import grouping_note, locate_roles, size_text, undecided_note

    outcome, policy = done.outcome, done.policy.tree
    roles = locate_roles(done.roles, [column.name for column in outcome.left.schema], policy)
    columns = [place for place in roles.columns("quasi_identifiers") if place in outcome.left.kept_columns]
    notes = undecided_note(roles), grouping_note(roles, columns, policy, partial(size_text, outcome, roles, columns))
    yield from (Note(None, text) for text in notes if text is not None)


def _on_seed(done: Performance) -> Iterator[Note]:
    """Note that values were drawn from a seed that can be guessed (D39). A preview has a fixed seed."""
    trace = done.execution.trace
    if trace is not None and trace.is_guessable and done.outcome.trace_used and not done.execution.verdicts_only:
        problem = f"the seed has fewer than {SHORTEST_SEED} characters"
        yield Note(None, f"{problem}: someone who guesses it can tell which values were drawn")


def _on_key(done: Performance) -> Iterator[Note]:
    """Note that other users can read the file with the key (X15)."""
    key = done.execution.key
    if key is not None and key.readable_file is not None and needs_key(done.program.requirements):
        yield Note(None, readable_key_text(key.readable_file))


@dataclass(frozen=True)
class Call:
    """A policy, its parameters, and how to perform it on a table."""

    policy: Policy
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    missing: MissingArgument = ERROR
    na: NaArgument = ()
    dates: DatesArgument = ()
    execution: Execution = field(default_factory=Execution)
    roles: TableRoles = field(default_factory=TableRoles)
    verify: bool = True  # whether a run evaluates the assertions again on its output (D33); the paper's does not

    def reading(self, names: Sequence[str]) -> ReadingOptions:
        """How to read a table with columns of these names."""
        return ReadingOptions(missing_options(self.missing, names), date_formats(self.dates, names), tuple(self.na))


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
    policy: Policy, schema: Schema, params: Mapping[str, ParamValue] | None, *, may_be_released: bool = False
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
