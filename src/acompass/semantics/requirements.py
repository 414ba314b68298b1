"""Figures 8 to 11, X1 to X3, X5 and X6: actions and requirements, which take a state (R, ρ) to a state, and
whole programs.

Values have no types in the paper. D12 gives every column a type, so `convert_types` stands between an
assertion and its action as a step of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, assert_never

from acompass.checked.convert import convert
from acompass.checked.maps.map import Unlabelled
from acompass.checked.program import (
    Action,
    Draw,
    Drop,
    Generalize,
    Program,
    Random,
    Reject,
    Replace,
    Requirement,
    Sometimes,
)
from acompass.checked.types import INTEGER, Kind, Schema, Type, Value
from acompass.checked.verdict import Verdict
from acompass.semantics.assertions import affected_bag, holds, judge
from acompass.semantics.model import (
    Bag,
    Record,
    SubBag,
    Trace,
    canonical_key,
    difference,
    pref,
    random,
    tail,
    update,
)

State: TypeAlias = tuple[Bag, Trace]


class NoLabel(Exception):
    """A map has no label for the values of `count` records."""

    def __init__(self, count: int):
        self.count = count
        super().__init__(f"{count} values without a label")


def act(action: Action, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """⟦action⟧(R, ρ, V), where R is a relation on `schema`."""
    match action:
        case Reject():
            return reject(bag, rho, affected)
        case Replace():
            return replace(action, bag, rho, affected)
        case Random():
            return randomize(action, schema, bag, rho, affected)
        case Draw():
            return draw(action, schema, bag, rho, affected)
        case Generalize():
            return generalize(action, bag, rho, affected)
        case Drop():
            return drop(action, bag, rho)
        case Sometimes():
            return sometimes(action, schema, bag, rho, affected)
        case _:
            assert_never(action)


def reject(bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 8: (R − V, ρ)."""
    return difference(bag, affected), rho


def replace(action: Replace, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 9: ((R − V) ∪ V_a, ρ)."""
    return _overwrite(bag, action.column, dict.fromkeys(affected, action.value)), rho


def randomize(action: Random, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 10: ((R − V) ∪ V_r, tail_m(ρ)), where rᵢ of order(V) gets random(l, u, ρᵢ).

    See docs/paper.md, 22. The integer is written as the column's type (D14).
    """
    written = {
        position: convert(random(action.lower, action.upper, rho_i), INTEGER, schema[action.column].type)
        for position, rho_i in _in_order(schema, bag, rho, affected)
    }
    return _overwrite(bag, action.column, written), tail(len(affected), rho)


def draw(action: Draw, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X6: ((R − V) ∪ V_r, tail_m(ρ)), where rᵢ of order(V) gets the first vⱼ with ρᵢ < (w₁ + … + wⱼ) / Σw."""
    written = {position: pick(action, rho_i) for position, rho_i in _in_order(schema, bag, rho, affected)}
    return _overwrite(bag, action.column, written), tail(len(affected), rho)


def pick(action: Draw, rho: Fraction) -> Value:
    """The first vⱼ with ρ < (w₁ + … + wⱼ) / Σw; the last cut is 1, which every ρ is below."""
    return next(ball.value for ball, cut in zip(action.balls, action.cuts, strict=True) if rho < cut)


def sometimes(action: Sometimes, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X5: ⟦a⟧(R, tail_m(ρ), {rᵢ | ρᵢ < q}), where order(V) = (r₁, …, rₘ)."""
    pairs = _in_order(schema, bag, rho, affected)
    hit = frozenset(position for position, rho_i in pairs if rho_i < action.probability)
    return act(action.action, schema, bag, tail(len(affected), rho), hit)


def _in_order(schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> list[tuple[int, Fraction]]:
    """The positions of order(V) = (r₁, …, rₘ), each with its ρᵢ."""
    key = canonical_key(schema)
    order = sorted(affected, key=lambda position: key(bag[position]))
    return list(zip(order, pref(len(affected), rho), strict=True))


def generalize(action: Generalize, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X2: ((R − V) ∪ {r[A → g(⟦A⟧r)] | r ∈ V}, ρ). Raises NoLabel where g is not defined."""
    column = action.column
    labels = {position: action.map.label(bag[position][column]) for position in affected}
    known = {position: label for position, label in labels.items() if label is not None}
    if len(known) < len(labels):
        raise NoLabel(len(labels) - len(known))
    return _overwrite(bag, column, known), rho


def drop(action: Drop, bag: Bag, rho: Trace) -> State:
    """X3: (π(R), ρ), the projection on all other columns. A dropped column keeps its place, but no values."""
    for column in action.columns:
        bag = [update(record, column, None) for record in bag]
    return bag, rho


def _overwrite(bag: Bag, column: int, values: Mapping[int, Value]) -> Bag:
    """(R − V) ∪ {r[A → a], …}. Each record stays in its place, so the table keeps its order."""
    return [
        update(record, column, values[position]) if position in values else record
        for position, record in enumerate(bag)
    ]


def perform(requirement: Requirement, bag: Bag, rho: Trace) -> State:
    """Figure 11: ⟦r⟧(R, ρ), with D12 before the action. Without an action, nothing changes (D6)."""
    converted = convert_types(bag, requirement.before, requirement.after)
    if requirement.action is None or holds(bag, requirement.assertion):
        return converted, rho
    affected = affected_bag(bag, requirement.assertion)
    return act(requirement.action, requirement.after, converted, rho, affected)


def convert_types(bag: Bag, before: Schema, after: Schema) -> Bag:
    """D12: where a column's type changes, the values of all records are converted, affected or not."""
    for column, (old, new) in enumerate(zip(before, after, strict=True)):
        if old.type != new.type:
            bag = [update(record, column, _converted(record[column], old.type, new.type)) for record in bag]
    return bag


def _converted(value: Any, source: Type, target: Type) -> Any:
    """A column that ALWAYS overwrites may have missing values (D27); a dropped one has no others (X3)."""
    if value is None or target.kind is Kind.DROPPED:
        return None
    return convert(value, source, target)


def perform_requirement(requirement: Requirement, bag: Bag, rho: Trace) -> tuple[Bag, Trace, Verdict]:
    """Figure 11 and the verdict. Raises Unlabelled if a map is not defined on a value to label."""
    verdict = judge(bag, requirement.assertion)
    # an assertion that holds is not evaluated again: the search for counterexamples spends its time here
    if verdict.holds:
        return convert_types(bag, requirement.before, requirement.after), rho, verdict
    try:
        left, rest = perform(requirement, bag, rho)
    except NoLabel as error:
        raise Unlabelled(requirement.index, error.count) from None
    return left, rest, verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records that a program leaves, in the order of the input, and a verdict for each requirement."""

    records: Bag
    requirements: tuple[Verdict, ...]
    trace_used: int


def run_program(program: Program, records: Iterable[Record], rho: Trace) -> Outcome:
    """Theorem 2: ⟦r₁; …; rₙ⟧ = ⟦rₙ⟧ ∘ … ∘ ⟦r₁⟧. Raises TraceExhausted if ρ is too short."""
    bag, rest = list(records), rho
    verdicts = []
    for requirement in program.requirements:
        bag, rest, verdict = perform_requirement(requirement, bag, rest)
        verdicts.append(verdict)
    return Outcome(bag, tuple(verdicts), rest.used - rho.used)


def check_program(program: Program, records: Iterable[Record]) -> tuple[Verdict, ...]:
    """Every assertion on the input table (D22). Actions are not performed, but types change (D12)."""
    bag = list(records)
    verdicts = []
    for requirement in program.requirements:
        verdicts.append(judge(bag, requirement.assertion))
        bag = convert_types(bag, requirement.before, requirement.after)
    return tuple(verdicts)
