"""Perform an action on the affected bag: REJECT, REPLACE or RANDOM (Figures 8, 9 and 10), or one of section X.

Each kernel has one function, which gets a `Target` and returns the state after the write. Those of section 7 are in
a module of their own, `computations`, which few runs import."""

from functools import partial
from typing import assert_never

from sqlglot import exp

from acompass.dataclasses import replace
from acompass.language.program.effects import is_always, is_certain, map_of, removes_records, write_of
from acompass.language.program.kernels import (
    ONE,
    AddRandom,
    Constant,
    Kernel,
    Labels,
    Map,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
)
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import NEVER, Action, Assertion, Project, Remove, Requirement, Result, Write
from acompass.language.program.types import INTEGER, TEXT, Kind
from acompass.language.text.tree import Quantifier
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialect import conversions, schema_after
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.run.context import Affected, Context, LookupTable, Merge, Target
from acompass.plan.run.ranks import DecidedOutcomes, decide_outcomes, rank_affected, store_state, unite


def perform(
    context: Context,
    state: State,
    requirement: Requirement,
    affected: Affected,
    labels: LookupTable | None = None,
) -> State:
    """The state after the requirement: types change (D12, retyping), then the action is performed.

    `labels` are the labels of GENERALIZE, if they have been looked up already.
    """
    action = requirement.action
    if action is None:
        return convert_types(context, state, requirement)
    match action.effect:
        case Project():
            return _with_types_after(state, requirement).overwrite(_conversions(context, requirement))
        case Remove() | Write() if affected.count == 0:
            return convert_types(context, state, requirement)
        case Remove() | Write() if not is_certain(action):
            return _perform_sometimes(context, state, requirement, action, affected)
        case Remove():
            rest = state.derive({}, joins=affected.joins, where=sql.negate(affected.predicate))
            return replace(rest, records=state.records - affected.count)
        case Write(columns, kernel):
            return _write(Target(context, state, requirement, affected, columns), kernel, labels)
        case _:
            assert_never(action.effect)


def _write(target: Target, kernel: Kernel, labels: LookupTable | None) -> State:
    match kernel:
        case Constant(value) if is_always(target.requirement):
            return _with_types_after(target.state, target.requirement).overwrite(
                {target.column: target.constant(value)}
            )
        case Constant(value):
            return target.write(target.constant(value))
        case Uniform():
            return _randomize(target, kernel)
        case Weighted():
            return _draw(target, kernel)
        case Labels(map_):
            labels = labels or _look_up(target, map_)
            if not labels.changes:
                return convert_types(target.context, target.state, target.requirement)
            return target.write(labels.result, labels.join(target.context))
        case Nearest() | AddRandom() | Microaggregate() | Pseudonym() | Shift():
            return _write_computed(target, kernel)
        case _:
            assert_never(kernel)


def _write_computed(target: Target, kernel: Nearest | AddRandom | Microaggregate | Pseudonym | Shift) -> State:
    from acompass.plan.run import computations  # most policies only look values up

    match kernel:
        case Nearest():
            return computations.round_numbers(target, kernel)
        case AddRandom():
            return computations.add_random(target, kernel)
        case Microaggregate():
            return computations.average(target, kernel)
        case Pseudonym():
            return computations.pseudonymize(target, kernel)
        case Shift():
            return computations.shift(target, kernel)
        case _:
            assert_never(kernel)


def convert_types(context: Context, state: State, requirement: Requirement) -> State:
    """The state after a requirement that affects no record: only types change."""
    new = _conversions(context, requirement)
    return _with_types_after(state, requirement).derive(new) if new else state


def _conversions(context: Context, requirement: Requirement) -> dict[int, Sql]:
    return conversions(context.session.dialect, (requirement,))


def _with_types_after(state: State, requirement: Requirement) -> State:
    return replace(state, schema=schema_after(state.schema, (requirement,)))


def _randomize(target: Target, kernel: Uniform) -> State:
    """Rank, change and store only the affected records. They are stored so that no later stage ranks them again."""
    context = target.context
    others, bag = rank_affected(target)
    drawn = context.trace.draw(context.session, context.trace_used, bag.records, kernel.lower, kernel.upper)
    context.trace_used += bag.records
    new_value = target.dialect.convert(drawn.value, INTEGER, target.type)
    return unite(others, store_state(context, bag.derive({target.column: new_value}, joins=[drawn.join])))


def _draw(target: Target, kernel: Weighted) -> State:
    cuts = kernel.trace_cuts()
    decided = decide_outcomes(target, cuts).store(target.context)
    value = decided.drawn_value([target.constant(each.value) for each in kernel.values], target.column)
    return unite(decided.others, decided.affected.derive({target.column: value}))


def _perform_sometimes(
    context: Context, state: State, requirement: Requirement, action: Action, affected: Affected
) -> State:
    """Perform the action on the records that WITH PROBABILITY draws (X5)."""
    target = Target(context, state, requirement, affected, ())
    decided = decide_outcomes(target, (action.probability,))
    if removes_records(action):
        return _without_drawn(context, requirement, decided)
    decided = decided.store(context)
    drawn = decided.affected.derive({}, where=decided.is_below(0))
    drawn = replace(drawn, records=_count(context, drawn))
    missed = decided.affected.derive({}, where=sql.negate(decided.is_below(0)))
    missed = replace(missed, records=affected.count - drawn.records)
    context.missed[requirement.index] = missed
    return unite(decided.others, missed, _perform_on_all(context, drawn, requirement, action))


def _without_drawn(context: Context, requirement: Requirement, decided: DecidedOutcomes) -> State:
    """Drop the drawn records, and store only the others: they may be few."""
    missed = store_state(context, decided.affected.derive({}, where=sql.negate(decided.is_below(0))))
    missed = replace(missed, records=_count(context, missed))
    context.missed[requirement.index] = missed
    return unite(decided.others, missed)


def _perform_on_all(context: Context, drawn: State, requirement: Requirement, action: Action) -> State:
    """Perform the action on all records of a state, whose types have changed already."""
    every_record = Assertion(Quantifier.EACH, Result(), NEVER, requirement.after)
    certain = replace(action, probability=ONE)
    inner = replace(requirement, assertion=every_record, action=certain, before=requirement.after)
    return perform(context, drawn, inner, Affected(sql.TRUE.copy(), drawn.records))


def _count(context: Context, state: State) -> int:
    return int(context.session.fetch(sql.query([state.count()], state.source()))[0][0])


def look_up_labels(context: Context, state: State, requirement: Requirement, affected: Affected) -> LookupTable | None:
    """The labels that a requirement writes into its affected records; None if it writes none."""
    write, map_ = write_of(requirement.action), map_of(requirement.action)
    if write is None or map_ is None or affected.count == 0:
        return None
    return _look_up(Target(context, state, requirement, affected, write.columns), map_)


def _look_up(target: Target, map_: Map) -> LookupTable:
    """The labels of the affected values. A value without a label ends the run."""
    is_integer = target.state.schema[target.column].type.kind is Kind.INTEGER
    labels = target.look_up(target.column, map_.label, TEXT, _merge(map_) if is_integer else None)
    if labels.missing:
        raise UnlabeledValueError(target.requirement.index, labels.missing)
    return labels


def _merge(map_: Map) -> Merge | None:
    """Makes integers equal only if they have the same label; None if the map has no step of 64 bits above 1."""
    return partial(_between_multiples, step=map_.step) if map_.step is not None and 1 < map_.step < 2**63 else None


def _between_multiples(value: Sql, step: int) -> Sql:
    """The multiple of the step toward 0, less 1 for an integer below 0 that is not a multiple.

    Integers with different neighboring multiples differ in it, and it has 64 bits where they have."""
    rest = exp.paren(exp.Mod(this=exp.paren(value.copy()), expression=sql.integer(step)))
    is_below = exp.If(this=exp.LT(this=rest.copy(), expression=sql.integer(0)), true=sql.integer(1))
    multiple = exp.Sub(this=exp.paren(value.copy()), expression=rest)
    return exp.Sub(this=multiple, expression=exp.Case(ifs=[is_below], default=sql.integer(0)))
