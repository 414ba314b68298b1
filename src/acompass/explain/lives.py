"""Explain what a policy does to chosen records of an open table: their lives.

A `Follower` observes the stages of a run and collects what each requirement does to these records.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.engines.protocol import OpenTable
from acompass.errors.diagnostics import CallError, Diagnostic, PolicyError, option_text
from acompass.explain.answer import Change, ClassSeen, Explanation, Life, Pair, Step
from acompass.explain.counterfactual import Nearest
from acompass.language.program import effects
from acompass.language.program import program as checked
from acompass.language.program.checker import check
from acompass.language.program.program import Program, Requirement
from acompass.language.program.types import Schema, remaining
from acompass.language.program.uses import ColumnUse, uses
from acompass.language.text import tree
from acompass.language.text.parser import parse_text
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering.state import State
from acompass.plan.planner import plan
from acompass.plan.run import queries
from acompass.plan.run.context import Context
from acompass.plan.stages import CascadeStage, ChainStage, DependentStage, GroupStage, RecordStage, ScanStage, Stage
from acompass.run import Call, execute, load_to_perform
from acompass.semantics.core import Record, convert_types, satisfies, trace_of_values, update, write
from acompass.tables.formats import MissingOptions, ReadingOptions

#: finds the row keys of the chosen records
Choice: TypeAlias = Callable[[OpenTable, Call], list[int]]


def explain_records(table: OpenTable, call: Call, choice: Choice, *, knows_trace: bool) -> Explanation:
    with table.with_row_keys() as keyed, load_to_perform(keyed, call) as (loaded, program):
        _require_randomness(program, knows_trace)
        keys = choice(keyed, call)
        given = queries.records_by_key(loaded.session, loaded.state, keys) if keys else {}
        follower = Follower(call.policy.tree, program, given)
        following = replace(call, execution=replace(call.execution, observe=follower))
        execute(loaded, program, plan(program, loaded.rewrites), following)
        with keyed.load({}, ReadingOptions()) as whole:
            places = queries.input_positions(whole.session, whole.state, keys)
    return Explanation(tuple(_life(program, given, follower, key, places[key]) for key in keys))


def pair_records(table: OpenTable, call: Call, first: int, count: int) -> tuple[Pair, ...]:
    """Some records before and after the policy, in the order of the input, beginning with the record `first`, counted
    from 0. Records that missing values drop before the policy are left out."""
    with table.with_row_keys() as keyed, load_to_perform(keyed, call) as (loaded, program):
        keys = queries.row_keys_from(loaded.session, loaded.state, first, count)
        given = queries.records_by_key(loaded.session, loaded.state, keys) if keys else {}
        left: dict[int, tuple[Any, ...]] = {}
        if keys:
            outcome = execute(loaded, program, plan(program, loaded.rewrites), call)
            left = queries.records_by_key(loaded.session, outcome.left, keys)
    final = program.final_schema
    return tuple(
        Pair(_named_values(program.schema, given[key]), _named_values(final, left[key]) if key in left else None)
        for key in keys
    )


def choose_records(record: int | None, where: str | None, limit: int) -> Choice:
    if record is not None and where is None:
        return partial(_choose_nth, record)
    if where is not None and record is None:
        return partial(_choose_matching, _Where(where), limit)
    help_ = f"`{option_text('record', 5)}` or `{option_text('where', 'Age = 86')}`"
    raise _call_problem("AC701", "expected either a record or a condition", help_)


def _choose_nth(record: int, table: OpenTable, _call: Call) -> list[int]:
    keys: list[int] = []
    if record > 0:
        with table.load({}, ReadingOptions()) as whole:
            keys = queries.nth_row_key(whole.session, whole.state, record)
    if not keys:
        raise _call_problem("AC702", f"the table has no record {record:,}", "records are numbered from 1")
    return keys


def _choose_matching(where: "_Where", limit: int, table: OpenTable, call: Call) -> list[int]:
    """Load the table separately: the condition must not influence the types that the policy sees."""
    reading = replace(call.reading(table.names), missing=MissingOptions())
    with table.load(where.uses(table.names), reading) as loaded:
        return queries.matching_row_keys(loaded.session, loaded.state, where.condition(loaded.schema), limit)


def _life(program: Program, given: Mapping[int, tuple[Any, ...]], follower: "Follower", key: int, place: int) -> Life:
    """The life of a record. If it is not in `given`, it was dropped because of a missing value."""
    if key not in given:
        return Life(place, None, (), None)
    left = follower.alive.get(key)
    return Life(
        record=place,
        given=_named_values(program.schema, given[key]),
        steps=follower.steps(key),
        left=None if left is None else _named_values(program.final_schema, left),
    )


def _named_values(schema: Schema, record: tuple[Any, ...]) -> dict[str, Any]:
    return {schema[position].name: record[position] for position in remaining(schema)}


def _require_randomness(program: Program, knows_trace: bool) -> None:
    drawing = [requirement for requirement in program.requirements if effects.draws(requirement.action)]
    if drawing and not knows_trace:
        word = effects.action_name(drawing[0].action) if effects.is_certain(drawing[0].action) else "WITH PROBABILITY"
        line = drawing[0].line
        message = f"{word} on line {line} cannot be explained without the seed or the trace of the run"
        raise _call_problem("AC703", message, f"add `{option_text('seed')}` or `{option_text('trace')}`, as for `run`")


class _Where:
    """A condition on the input table, given outside the policy."""

    def __init__(self, text: str):
        self._source = f"EACH RESULT : {text};"
        program, problems = parse_text(self._source)
        if problems or len(program.requirements) != 1 or program.requirements[0].action is not None:
            raise PolicyError(problems or [_not_a_condition(text)], self._source, "condition")
        self._program = program

    def uses(self, names: Sequence[str]) -> dict[int, ColumnUse]:
        return uses(self._program, names)

    def condition(self, schema: Schema) -> checked.Condition:
        program, problems = check(self._program, self._source, schema)
        if program is None:
            raise PolicyError(problems, self._source, "condition")
        return program.requirements[0].assertion.condition


def _not_a_condition(text: str) -> Diagnostic:
    return Diagnostic("AC704", f"`{text}` is not a single condition", help="`Age > 80 AND Zip = '21000'`")


def _call_problem(code: str, message: str, help_: str) -> CallError:
    return CallError([Diagnostic(code, message, help=help_)])


class Follower:
    def __init__(self, policy: tree.Program, program: Program, records: Mapping[int, Record]):
        #: the current state of the followed records, by row key
        self.alive = dict(records)
        self._steps: dict[int, list[Step]] = {key: [] for key in records}
        self._nearest = Nearest(policy, program)

    def steps(self, row_key: int) -> tuple[Step, ...]:
        """The steps in the order of the policy; a plan may run independent requirements in another order."""
        return tuple(sorted(self._steps[row_key], key=lambda step: step.index))

    def __call__(self, context: Context, stage: Stage, before: State, after: State) -> None:
        if not self.alive:
            return
        keys = sorted(self.alive)
        classes = _classes(context, stage, before, keys)
        for requirement in stage.requirements:
            kernel = effects.kernel_of(requirement.action)
            is_known = kernel is None or not (kernel.draws or kernel.reads_others)
            written = {} if is_known else queries.records_by_key(context.session, after, keys)
            missed = _missed_records(context, requirement, keys)
            holds = context.verdicts[requirement.index].holds
            for key in sorted(self.alive):
                seen = _class_seen(requirement, self.alive[key], classes.get(key))
                self._add_step(key, requirement, holds, seen, key not in missed, written.get(key))

    def _add_step(
        self,
        key: int,
        requirement: Requirement,
        holds: bool,
        seen: ClassSeen | None,
        drawn: bool,
        written: Record | None,
    ) -> None:
        record = self.alive.pop(key)
        affected = _is_affected(requirement, record, holds, seen)
        (converted,) = convert_types([record], requirement.before, requirement.after)
        acted = affected and drawn
        left = _perform(requirement, converted, written) if acted else converted
        if left is not None:
            self.alive[key] = left
        step = Step(
            index=requirement.index,
            line=requirement.line,
            text=requirement.text,
            action=effects.action_name(requirement.action),
            holds=None if effects.is_always(requirement) else holds,
            affected=affected,
            drawn=drawn if affected and not effects.is_certain(requirement.action) else None,
            seen=seen,
            changes=_changes(requirement, record, left) if acted else (),
            dropped=left is None,
            nearest=self._nearest.changes(requirement, record, seen) if affected else (),
        )
        self._steps[key].append(step)


def _classes(context: Context, stage: Stage, before: State, keys: list[int]) -> dict[int, queries.ClassValues]:
    match stage:
        case GroupStage():
            return queries.classes_by_key(context.session, before, stage.requirements, keys)
        case RecordStage() | ScanStage() | DependentStage() | ChainStage():
            return {}
        case CascadeStage():
            raise AssertionError("a cascade is observed stage by stage")
        case _:
            assert_never(stage)


def _missed_records(context: Context, requirement: Requirement, keys: list[int]) -> set[int]:
    """The affected records that WITH PROBABILITY did not draw."""
    missed = context.missed.get(requirement.index)
    return set() if missed is None else set(queries.records_by_key(context.session, missed, keys))


def _class_seen(requirement: Requirement, record: Record, found: queries.ClassValues | None) -> ClassSeen | None:
    process = effects.process_of(requirement)
    if found is None or process is None:
        return None
    records, values = found
    key = {requirement.before[g].name: record[g] for g in process.group_by}
    names = (aggregate.name for aggregate in process.aggregates)
    return ClassSeen(key, records, dict(zip(names, values[requirement.index], strict=True)))


def _is_affected(requirement: Requirement, record: Record, holds: bool, seen: ClassSeen | None) -> bool:
    assertion = requirement.assertion
    if assertion.quantifier is Quantifier.SOME:
        return not holds
    match assertion.result:
        case checked.Result():
            return not satisfies(record, assertion.condition)
        case checked.Filter(condition):
            return satisfies(record, condition) and not satisfies(record, assertion.condition)
        case checked.Process():
            return seen is not None and not satisfies(seen.row, assertion.condition)
        case _:
            assert_never(assertion.result)


def _perform(requirement: Requirement, record: Record, written: Record | None) -> Record | None:
    """The record after the action; None if it is dropped.

    `written` is the record in the table after if its values do not follow from the record: they are drawn or averaged.
    """
    effect = effects.effect_of(requirement.action)
    match effect:
        case None | checked.Project():
            return record
        case checked.Remove():
            return None
        case checked.Write(columns, kernel) if written is None:
            (left,), _ = write(columns, kernel, requirement.after, [record], trace_of_values(()), frozenset((0,)))
            return left
        case checked.Write(columns):
            for column in columns:
                record = update(record, column, written[column])
            return record
        case _:
            assert_never(effect)


def _changes(requirement: Requirement, before: Record, after: Record | None) -> tuple[Change, ...]:
    write = effects.write_of(requirement.action)
    if after is None or write is None:
        return ()
    return tuple(Change(requirement.after[column].name, before[column], after[column]) for column in write.columns)
