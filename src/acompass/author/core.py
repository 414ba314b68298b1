"""Rewrite a policy in the paper's language, the core (X0), or give the reasons why that is impossible.

IN, BETWEEN, LIKE and != are expanded (X4); a requirement with several aggregates becomes one for each (X11); an
aggregate over a reference table becomes comparisons of the classes in the file (X14)."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from functools import cache, partial
from typing import Any, assert_never

from acompass.author import core_labels
from acompass.author.core_labels import Values, impossible
from acompass.dataclasses import dataclass, replace
from acompass.engines.registry import connect
from acompass.errors.diagnostics import Diagnostic, PolicyError
from acompass.language.mistakes import habits
from acompass.language.program.constants import ParamValue
from acompass.language.program.effects import process_of
from acompass.language.program.program import And, Comparison, Condition, Not, Or, Process, Requirement
from acompass.language.program.types import Kind, Type, Value, to_text
from acompass.language.text import tree, walk
from acompass.language.text.formatter import format_requirement
from acompass.language.text.parser import allowances
from acompass.language.text.tree import Operator, Quantifier
from acompass.plan.run.queries import distinct_texts
from acompass.policy import Policy
from acompass.prove.search.column_types import inferred_schema
from acompass.run import Call, checked_program, load_and_check
from acompass.semantics.values import compare
from acompass.tables.formats import Options


def core_policy(policy: Policy, table: Any, params: Mapping[str, ParamValue], options: Options) -> str:
    """Write the policy in the core. Raise PolicyError with every step that cannot be, and the reason."""
    refused = refusals(policy.tree)
    if refused:
        raise PolicyError(refused, policy.text, policy.name)
    if not any(generalization(step) or _looks_up(step) for step in walk.steps(policy.tree)):
        return _text(policy, None)
    with _values(policy, table, params, options) as values:
        return _text(policy, values)


def _text(policy: Policy, values: Values | None) -> str:
    steps = list(core_steps(policy.tree, values))
    refused = [each for each in steps if isinstance(each, Diagnostic)]
    if refused:
        raise PolicyError(refused, policy.text, policy.name)
    written = [each for each in steps if not isinstance(each, Diagnostic)]
    assert not any(form for step in written for part in step for form in walk.beyond(part)), "only the paper's forms"
    return core_text(policy.tree, written)


@contextmanager
def _values(policy: Policy, table: Any, params: Mapping[str, ParamValue], options: Options) -> Iterator[Values]:
    if table is None:
        schema = inferred_schema(policy.tree, params)
        yield Values(checked_program(policy, schema, params), None)
        return
    call = Call(policy, params, options.missing, options.na, options.dates)
    with connect(table, options).open(table, options) as source, load_and_check(source, call) as (loaded, program):
        yield Values(program, cache(partial(distinct_texts, loaded.session, loaded.state)))


def refusals(program: tree.Program) -> list[Diagnostic]:
    """The steps that cannot be written in the core for any table."""
    found = (_rewrite(step) for step in walk.steps(program) if not _looks_up(step))
    return [each for each in found if isinstance(each, Diagnostic)]


def core_steps(program: tree.Program, values: Values | None) -> Iterator[list[tree.Requirement] | Diagnostic]:
    """For each step, its requirements in the core. `values` is None if the policy has no GENERALIZE and no reference
    table."""
    for at, step in enumerate(walk.steps(program)):
        action = generalization(step)
        if values is not None and _looks_up(step):
            found = compare_keys(step, values.program.requirements[at])
            yield found if isinstance(found, Diagnostic) else _rewrite(found)
        elif action is None or values is None:
            yield _rewrite(step)
        else:
            yield core_labels.replace_labels(action, at, values)


def generalization(step: tree.Requirement) -> tree.Generalize | None:
    return walk.generalize_in(walk.step_of(step))


def _rewrite(step: tree.Requirement) -> list[tree.Requirement] | Diagnostic:
    """Rewrite a step without knowing its columns' values, and leave ALWAYS : GENERALIZE unchanged."""
    refusal = _refusal(step)
    if refusal is not None:
        return refusal
    draw = walk.draw_in(walk.step_of(step))
    if draw is not None:  # `_refusal` has checked that the core's RANDOM can express it
        step = replace(step, action=habits.core_random(draw))
    if walk.assertion_of(step) is None:
        return [replace(step, assertion=_violated_by_all())]
    parts = with_one_aggregate(step)
    if isinstance(parts, Diagnostic):
        return parts
    return [replace(part, assertion=_core_assertion(part)) for part in parts]


def _refusal(step: tree.Requirement) -> Diagnostic | None:
    action = walk.step_of(step)
    chance, draw, generalize = walk.chance_in(action), walk.draw_in(action), walk.generalize_in(action)
    if chance is not None:
        reason = "every action of the paper is performed on the whole affected bag"
        return impossible("`WITH PROBABILITY`", chance.span, reason)
    if action is not None and walk.names_dropped(action):
        reason = "no action of the paper removes a column"
        return impossible("`DROP`", action.span, reason, "leave the column out of the table instead")
    if generalize is not None and walk.assertion_of(step) is not None:
        reason = "a REPLACE for one label can change which records violate the assertion"
        return impossible("`GENERALIZE` under an assertion", generalize.span, reason)
    if draw is not None and habits.core_random(draw) is None:
        reason = "the paper draws integers between two bounds, each with the same probability"
        return impossible("`RANDOM … FROM`", draw.span, reason)
    unknown = habits.unknown_function(walk.plain_of(action))
    if action is not None and unknown is not None:
        return impossible(f"`{unknown[0]}`", action.span, unknown[1])
    return _unknown_aggregate(walk.process_of(step))


def _unknown_aggregate(process: tree.Process | None) -> Diagnostic | None:
    for named in () if process is None else process.aggregates:
        aggregate = named.aggregate
        if walk.is_beyond_aggregate(aggregate):
            return impossible(f"`{aggregate.function}`", aggregate.span, "no aggregate of the paper is a share")
    return None


def _looks_up(step: tree.Requirement) -> bool:
    """Whether a step has an aggregate over a reference table."""
    process = walk.process_of(step)
    return process is not None and any(named.aggregate.file is not None for named in process.aggregates)


#: the most classes of a reference table that are compared with constants
_MOST_CLASSES = 1_000


def compare_keys(step: tree.Requirement, checked: Requirement) -> tree.Requirement | Diagnostic:
    """Replace aggregates over reference tables (X14), which depend only on the columns of GROUP BY, by comparisons of
    these columns."""
    process, assertion, query = walk.process_of(step), walk.assertion_of(step), process_of(checked)
    assert process is not None
    assert assertion is not None
    assert query is not None
    for named, aggregate in zip(process.aggregates, query.aggregates, strict=True):
        reference = aggregate.reference
        if reference is not None and reference.has_more_groups_than(_MOST_CLASSES):
            reason = f"the file has more than {_MOST_CLASSES:,} classes"
            return impossible(f"an aggregate over `{reference.file}`", named.aggregate.span, reason)
        if reference is not None and any(type_.kind is Kind.FLOAT for type_ in reference.types):
            reason = "no constant of the paper is equal to every float"
            return impossible(f"an aggregate over `{reference.file}`", named.aggregate.span, reason)
    own = [named for named in process.aggregates if named.aggregate.file is None]
    # without another aggregate, the classes are those of records with the same keys; without keys, there is one class
    count = tree.NamedAggregate(tree.Aggregate(tree.Function.COUNT), process.alias)
    first, *others = own or [count]
    keys = _Keys(process.group_by, query, first.alias)
    condition = keys.compare(core_condition(assertion.condition), checked.assertion.condition)
    result: tree.ResultForm = replace(process, aggregate=first.aggregate, alias=first.alias, others=tuple(others))
    if not own and process.group_by:
        result = tree.Result() if process.where is None else tree.Filter(process.where)
    return replace(step, assertion=replace(assertion, result=result, condition=condition))


@dataclass(frozen=True)
class _Keys:
    """The columns of GROUP BY, in conditions after a PROCESS with reference tables."""

    names: Sequence[tree.Name]
    query: Process
    alias: tree.Name  # of a count, if there are no columns

    def compare(self, written: tree.Condition, meant: Condition) -> tree.Condition:
        """The written condition with comparisons of keys in place of those of totals; `meant` is its checked form."""
        match meant:
            case Comparison():
                return self._compare_total(written, meant)
            case Not(operand):
                (own,) = walk.operands(written)
                return tree.Not(self.compare(own, operand))
            case And(operands):
                return tree.And(tuple(map(self.compare, walk.operands(written), operands)))
            case Or(operands):
                return tree.Or(tuple(map(self.compare, walk.operands(written), operands)))
            case _:
                assert_never(meant)

    def _compare_total(self, written: tree.Condition, meant: Comparison) -> tree.Condition:
        place = meant.column - len(self.query.group_by)
        reference = self.query.aggregates[place].reference if place >= 0 else None
        if reference is None:
            return written
        holds = {key: compare(total, meant.operator, meant.value) for key, total in reference.totals.items()}
        others_hold = compare(0, meant.operator, meant.value)
        if not self.names:
            is_true = holds.get((), others_hold)
            return tree.Comparison(self.alias, Operator.GE if is_true else Operator.LT, tree.Number(Decimal(1)))
        listed = [self._is_key(key, reference.types) for key, found in holds.items() if found != others_hold]
        if not listed:
            return self._constant(others_hold, reference.types[0])
        among = listed[0] if len(listed) == 1 else tree.Or(tuple(listed))
        return tree.Not(among) if others_hold else among

    def _is_key(self, key: Sequence[Value], types: Sequence[Type]) -> tree.Condition:
        equal = [
            tree.Comparison(name, Operator.EQ, _constant(value, type_))
            for name, value, type_ in zip(self.names, key, types, strict=True)
        ]
        return equal[0] if len(equal) == 1 else tree.And(tuple(equal))

    def _constant(self, holds: bool, type_: Type) -> tree.Condition:
        """A condition that holds for every key, or for none."""
        examples: dict[Kind, Value] = {
            Kind.BOOLEAN: True,
            Kind.DATE: date(2000, 1, 1),
            Kind.TIMESTAMP: datetime(2000, 1, 1),
        }
        value = examples.get(type_.kind, 0 if type_.is_number else "")
        equal = tree.Comparison(self.names[0], Operator.EQ, _constant(value, type_))
        parts = (equal, tree.Not(equal))
        return tree.Or(parts) if holds else tree.And(parts)


def _constant(value: Value, type_: Type) -> tree.Constant:
    return tree.Number(Decimal(to_text(value, type_))) if type_.is_number else tree.String(to_text(value, type_))


def _core_assertion(requirement: tree.Requirement) -> tree.Assertion:
    assertion = walk.assertion_of(requirement)
    assert assertion is not None, "`_rewrite` handles ALWAYS"
    return in_core(assertion)


def _violated_by_all() -> tree.Assertion:
    """ALWAYS: a single class of all records is never empty. No column, and so no type, is involved."""
    count = tree.Process(tree.Aggregate(tree.Function.COUNT), tree.Name("Records"))
    none = tree.Comparison(tree.Name("Records"), Operator.LT, tree.Number(Decimal(1)))
    return tree.Assertion(Quantifier.EACH, count, none)


def in_core(assertion: tree.Assertion) -> tree.Assertion:
    result = assertion.result
    match result:
        case tree.Result():
            pass
        case tree.Filter(condition):
            result = replace(result, condition=core_condition(condition))
        case tree.Process(where=where):
            result = replace(result, where=None if where is None else core_condition(where))
        case _:
            assert_never(result)
    return replace(assertion, result=result, condition=core_condition(assertion.condition))


def core_condition(condition: tree.Condition) -> tree.Condition:
    core = walk.core(condition)
    match core:
        case tree.Comparison():
            return core
        case tree.Not(operand):
            return tree.Not(core_condition(operand))
        case tree.And(operands):
            return tree.And(tuple(map(core_condition, operands)))
        case tree.Or(operands):
            return tree.Or(tuple(map(core_condition, operands)))
        case _:
            assert_never(core)


def orders_digits(requirement: tree.Requirement) -> bool:
    """Whether a LIKE expands to comparisons with numbers as text, which D24 (order of numbers) rejects."""
    return any(
        _is_number(comparison)
        for condition in walk.all_conditions(requirement)
        for leaf in walk.leaves(condition)
        if walk.is_like(leaf)
        for comparison in walk.comparisons(leaf)
    )


def _is_number(comparison: tree.Comparison) -> bool:
    try:
        return isinstance(comparison.constant, tree.String) and Decimal(comparison.constant.value).is_finite()
    except InvalidOperation:
        return False


def with_one_aggregate(requirement: tree.Requirement) -> list[tree.Requirement] | Diagnostic:
    """Split a requirement of `walk.steps` into requirements with one aggregate each."""
    process, assertion = walk.process_of(requirement), walk.assertion_of(requirement)
    if process is None or assertion is None or not process.others:
        return [requirement]
    named = _mentioned_aggregates(process, assertion.condition)
    if len(named) <= 1:
        at = min(named, default=0)
        return [_keep_aggregate(requirement, assertion, process, at, assertion.condition)]
    parts = _parts(process, assertion.condition)
    if assertion.quantifier is Quantifier.SOME:
        reason = "after `SOME`, a single class must satisfy the whole condition"
    elif parts is None:
        reason = "a part of the condition uses two of them"
    elif not _keeps_classes(walk.step_of(requirement)):
        reason = "the action for one of them would change the classes of the next"
    else:
        return [
            _keep_aggregate(requirement, assertion, process, at, _conjunction(conditions))
            for at, conditions in sorted(parts.items())
        ]
    return impossible("a second aggregate", process.others[0].aggregate.span, reason)


def _mentioned_aggregates(process: tree.Process, condition: tree.Condition) -> set[int]:
    """The positions of the aggregates that a condition uses."""
    found = (_aggregate_called(process, each.name.text) for each in walk.comparisons(condition))
    return {at for at in found if at is not None}


def _aggregate_called(process: tree.Process, name: str) -> int | None:
    """None for a column of GROUP BY. An exact match has precedence over one that ignores case (D3, names)."""
    aliases = [named.alias.text for named in process.aggregates]
    groups = [group.text for group in process.group_by]
    if name in aliases:
        return aliases.index(name)
    if name in groups:
        return None
    folded = [alias.casefold() for alias in aliases]
    return folded.index(name.casefold()) if name.casefold() in folded else None


def _parts(process: tree.Process, condition: tree.Condition) -> dict[int, list[tree.Condition]] | None:
    """The parts of a conjunction by their aggregate; None if a part uses several."""
    parts: dict[int, list[tree.Condition]] = {}
    for part in _conjuncts(walk.core(condition)):
        named = _mentioned_aggregates(process, part)
        if len(named) > 1:
            return None
        parts.setdefault(min(named, default=0), []).append(part)
    return parts


def _conjuncts(condition: tree.Condition) -> list[tree.Condition]:
    match condition:
        case tree.And(operands):
            return [part for operand in operands for part in _conjuncts(operand)]
        case tree.Comparison() | tree.Unequal() | tree.In() | tree.Between() | tree.Like() | tree.Not() | tree.Or():
            return [condition]
        case _:
            assert_never(condition)


def _conjunction(conditions: list[tree.Condition]) -> tree.Condition:
    return conditions[0] if len(conditions) == 1 else tree.And(tuple(conditions))


def _keeps_classes(action: tree.Step | None) -> bool:
    """Whether the action leaves the remaining classes unchanged for the next aggregate."""
    parts = walk.parts_of(action)
    return not parts.written and not parts.dropped and walk.chance_in(action) is None


def _keep_aggregate(
    requirement: tree.Requirement, assertion: tree.Assertion, process: tree.Process, at: int, condition: tree.Condition
) -> tree.Requirement:
    chosen = process.aggregates[at]
    result = replace(process, aggregate=chosen.aggregate, alias=chosen.alias, others=())
    return replace(requirement, assertion=replace(assertion, result=result, condition=condition))


#: the code of numbers ordered as text (D24), which does not apply to LIKE
_ORDERED_AS_TEXT = "AC231"


def core_text(program: tree.Program, steps: Sequence[list[tree.Requirement]]) -> str:
    """Format each step's requirements, repeating an `allow` before every requirement of its steps."""
    comments, allowed = _comments(program), _allowed_codes(program)
    blocks, above = [], []
    for at, (step, requirements) in enumerate(zip(walk.steps(program), steps, strict=True)):
        above += comments.get(at, [])
        for requirement in requirements:
            by_like = [f"-- allow {_ORDERED_AS_TEXT}: written for LIKE"] if orders_digits(step) else []
            lines = [*above, *allowed.get(at, []), *by_like, format_requirement(requirement)]
            blocks.append("\n".join(lines))
            above = []
    above += comments.get(len(steps), [])
    return "\n\n".join([*blocks, *(["\n".join(above)] if above else [])]) + "\n"


def _comments(program: tree.Program) -> dict[int, list[str]]:
    """The comments, except `allow`, by the index of the step that they precede or follow."""
    steps = walk.steps(program)
    starts, ends = [step.span.start for step in steps], [step.span.end for step in steps]
    allowing = {each.span for each in allowances(program)}
    found: dict[int, list[str]] = {}
    for comment in program.comments:
        if comment.span in allowing:
            continue
        behind = bisect_right(starts, comment.span.start) - 1
        at = behind if comment.follows_code and behind >= 0 else bisect_right(ends, comment.span.start)
        found.setdefault(at, []).append(comment.text)
    return found


def _allowed_codes(program: tree.Program) -> dict[int, list[str]]:
    """The `allow` comments by the index of each step that they belong to."""
    texts = {comment.span: comment.text for comment in program.comments}
    found: dict[int, dict[str, None]] = {}
    for each in allowances(program):
        for step in each.steps:
            found.setdefault(step, {})[texts[each.span]] = None
    return {step: list(lines) for step, lines in found.items()}
