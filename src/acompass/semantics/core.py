"""The executable definition of the language: one function for each equation of the paper, with its number.

It follows the paper's order: the data model (section 4.1 and Figure 2), results (Figures 3 to 6, Definition 7),
assertions and affected bags (Figure 7, Definitions 8 to 11), actions and requirements (Figures 8 to 11), and whole
programs. Forms beyond the paper (X1 to X3, X5, X6) are next to the paper's own forms of their kind. Docstrings cite
items of docs/paper.md where the paper has a misprint or leaves something open.

A bag is a list, so that a table keeps its order (D21, output order); only `canonical_order` depends on it. A sub-bag of
a table is the set of its records' positions, so removing positions is the paper's R − V: copies of a record are
interchangeable, and R − V has as many fewer of them as V contains.

Values have no types in the paper. D12 (retyping) gives every column a type, so `convert_types` is a step of its own
between an assertion and its action. The module imports only `language`, so a mistake in a plan or an engine cannot
affect this definition."""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Any, TypeAlias, assert_never

from acompass.language.program.effects import filter_in, map_of
from acompass.language.program.kernels import (
    AddRandom,
    Constant,
    Kernel,
    Labels,
    Map,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    UnfitValueError,
    Uniform,
    Weighted,
    WeightedValue,
)
from acompass.language.program.keys import Key
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import (
    Action,
    Aggregate,
    And,
    Assertion,
    Comparison,
    Condition,
    Effect,
    Filter,
    Not,
    Or,
    Process,
    Program,
    Project,
    Remove,
    Requirement,
    Result,
    ResultForm,
    Verdict,
    Write,
)
from acompass.language.program.types import INTEGER, Column, Kind, Schema, Type, Value, convert, to_text
from acompass.language.text.tree import Function, Quantifier
from acompass.semantics.values import (
    compare,
    date_after,
    days_of_person,
    mean_of,
    nearest_multiple,
    pseudonym,
    share_of_largest,
    share_of_mode,
    sum_with,
    total,
)

#: columns that the policy never names may hold any value, missing values included
Record: TypeAlias = tuple[Any, ...]
Bag: TypeAlias = list[Record]
SubBag: TypeAlias = frozenset[int]


def difference(bag: Bag, removed: SubBag) -> Bag:
    """R − V."""
    return [record for position, record in enumerate(bag) if position not in removed]


def update(record: Record, column: int, value: object) -> Record:
    """Definition 3, record update: r[A → a]."""
    return (*record[:column], value, *record[column + 1 :])


@dataclass(frozen=True, slots=True)
class Trace:
    """Definition 4, the random trace ρ, after its first `used` values have been consumed.

    The seed is a secret (D20), so `repr` shows no values.
    """

    at: Callable[[int], Fraction] = field(repr=False)  # the i-th value of the whole trace, from 1
    length: int | None = None  # None for an infinite trace; a trace read from a file is finite (D19)
    used: int = 0


class TraceExhausted(Exception):
    """A finite trace is too short; `needed` is the length that the failing RANDOM requires."""

    def __init__(self, needed: int):
        super().__init__(needed)
        self.needed = needed


def trace_of_values(values: Iterable[Fraction]) -> Trace:
    known = tuple(values)
    return Trace(lambda i: known[i - 1], len(known))


def trace_of_seed(seed: str) -> Trace:
    """The infinite trace that a seed defines (D19)."""
    return Trace(partial(_seeded_value, seed))


def _seeded_value(seed: str, i: int) -> Fraction:
    digest = hashlib.sha256(f"{seed}:{i}".encode()).hexdigest()
    return Fraction(int(digest[:13], 16), 2**52)


def pref(m: int, rho: Trace) -> tuple[Fraction, ...]:
    """pref_m(ρ) = (ρ₁, …, ρₘ). Raises TraceExhausted if ρ has fewer values."""
    end = rho.used + m
    if rho.length is not None and end > rho.length:
        raise TraceExhausted(end)
    return tuple(rho.at(i) for i in range(rho.used + 1, end + 1))


def tail(m: int, rho: Trace) -> Trace:
    """tail_m(ρ) = (ρₘ₊₁, ρₘ₊₂, …)."""
    return replace(rho, used=rho.used + m)


def random(lower: int, upper: int, rho: Fraction) -> int:
    """random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋, in exact arithmetic (D19); see docs/paper.md, 23."""
    return lower + rho * (upper - lower + 1) // 1


def canonical_order(schema: Schema, records: Iterable[Record]) -> Bag:
    """Definition 5, order(R), with the order of records that D18 settles; see docs/paper.md, 24."""
    return sorted(records, key=canonical_key(schema))


def canonical_key(schema: Schema) -> Callable[[Record], tuple[Any, ...]]:
    """A sort key that compares records column by column, in schema order."""
    types = [column.type for column in schema]
    return lambda record: tuple(_value_key(value, type_) for value, type_ in zip(record, types, strict=True))


def _value_key(value: Any, type_: Type) -> tuple[bool, Any]:
    """Missing values come first (D11), None before NaN. Opaque values are ordered by their `repr`, two spellings of one
    number by their text (D26, spelling), and -0.0 comes before 0.0, which it equals."""
    if type_.kind is Kind.OPAQUE:
        return (value is not None, repr(value))
    missing = value is None or value != value
    if missing:
        return (False, value is not None)
    if type_.kind is Kind.FLOAT:
        return (True, (value, math.copysign(1, value)))
    return (True, (value, to_text(value, type_)) if type_.is_spelled_decimal else value)


def result_schema(result: ResultForm, schema: Schema) -> Schema:
    """Figure 2, l(result), on a relation whose schema is l(R) = `schema`; see docs/paper.md, 17."""
    match result:
        case Result() | Filter():
            return schema
        case Process():
            groups = tuple(schema[group] for group in result.group_by)
            return (*groups, *(Column(each.name, each.type) for each in result.aggregates))
        case _:
            assert_never(result)


#: a record (g, f_B(G_g), …) of a process query's result, with a value for each aggregate (X11), and its group
Group: TypeAlias = tuple[Record, SubBag]


def satisfies(record: Record, condition: Condition) -> bool:
    """Figure 3, ⟦φ⟧_η. The environment η of Definition 6 is the record, because names are positions."""
    match condition:
        case Comparison(column, operator, constant):
            return compare(record[column], operator, constant)
        case Not(operand):
            return not satisfies(record, operand)
        case And(operands):
            return all(satisfies(record, operand) for operand in operands)
        case Or(operands):
            return any(satisfies(record, operand) for operand in operands)
        case _:
            assert_never(condition)


def evaluate_result(bag: Bag, result: ResultForm) -> Bag:
    """Figure 4, ⟦result⟧(R)."""
    match result:
        case Result():
            return bag
        case Filter(condition):
            return [bag[position] for position in selected_positions(bag, condition)]
        case Process():
            return [aggregated for aggregated, _ in groups(bag, result)]
        case _:
            assert_never(result)


def selected_positions(bag: Bag, condition: Condition | None) -> list[int]:
    """Figure 5, ⟦FILTER φ⟧, and the filtered bag R' of a process query; R' = R without a condition."""
    return [position for position, record in enumerate(bag) if condition is None or satisfies(record, condition)]


def groups(bag: Bag, query: Process) -> list[Group]:
    """Figure 6, ⟦PROCESS …⟧. Without GROUP BY, the only group key is (). An empty R' has no group (D16, empty tables);
    see docs/paper.md, 18."""
    members: dict[Record, list[int]] = {}
    for position in selected_positions(bag, query.where):
        key = tuple(bag[position][column] for column in query.group_by)
        members.setdefault(key, []).append(position)
    found = []
    for key, positions in members.items():
        group = [bag[position] for position in positions]
        aggregated = (*key, *(aggregate_value(each, group, key) for each in query.aggregates))
        found.append((aggregated, frozenset(positions)))
    return found


def aggregate_value(aggregate: Aggregate, group: Bag, key: Record) -> Any:
    """Definition 7, f_B(G_g), for a nonempty group; see docs/paper.md, 21. COUNT(*) counts the records. X14: the
    records of a reference table that agree with the group in its key g; 0 if there are none."""
    if aggregate.reference is not None:
        added = list(aggregate.reference.records.get(key, ()))
        return total(added) if added else 0
    column = aggregate.column
    values: list[Any] = group if column is None else [record[column] for record in group]
    match aggregate.function:
        case Function.SUM:
            return total(values)
        case Function.MIN:
            return min(values)
        case Function.MAX:
            return max(values)
        case Function.COUNT:
            return len(values)
        case Function.COUNT_DISTINCT:
            return len(set(values))
        case Function.SHARE_OF_LARGEST:
            return share_of_largest(values, aggregate.largest)
        case Function.SHARE_OF_MODE:
            return share_of_mode(values)
        case _:
            assert_never(aggregate.function)


def holds(bag: Bag, assertion: Assertion) -> bool:
    """Figure 7, ⟦assertion⟧(R); see docs/paper.md, 3."""
    satisfied = (satisfies(record, assertion.condition) for record in evaluate_result(bag, assertion.result))
    match assertion.quantifier:
        case Quantifier.EACH:
            return all(satisfied)
        case Quantifier.SOME:
            return any(satisfied)
        case _:
            assert_never(assertion.quantifier)


def affected_bag(bag: Bag, assertion: Assertion) -> SubBag:
    """AFF(R, assertion)."""
    match assertion.quantifier:
        case Quantifier.SOME:
            return _affected_by_some(bag, assertion)
        case Quantifier.EACH:
            return _affected_by_each(bag, assertion)
        case _:
            assert_never(assertion.quantifier)


def _affected_by_some(bag: Bag, assertion: Assertion) -> SubBag:
    """The whole relation if the assertion is violated, for every result (D17); see docs/paper.md, 19."""
    return frozenset() if holds(bag, assertion) else frozenset(range(len(bag)))


def _affected_by_each(bag: Bag, assertion: Assertion) -> SubBag:
    match assertion.result:
        case Result():
            return _violating(bag, None, assertion.condition)
        case Filter(condition):
            return _violating(bag, condition, assertion.condition)
        case Process() as query:
            return _violating_groups(bag, query, assertion.condition)
        case _:
            assert_never(assertion.result)


def _violating(bag: Bag, filter_: Condition | None, condition: Condition) -> SubBag:
    """Definition 8, EACH RESULT, and Definition 9, EACH FILTER."""
    return frozenset(
        position for position in selected_positions(bag, filter_) if not satisfies(bag[position], condition)
    )


def _violating_groups(bag: Bag, query: Process, condition: Condition) -> SubBag:
    """Definition 10, EACH PROCESS with GROUP BY, and Definition 11, without: R' is the only group.

    See docs/paper.md, 20.
    """
    violating = (group for aggregated, group in groups(bag, query) if not satisfies(aggregated, condition))
    return frozenset().union(*violating)


def selects_none(bag: Bag, assertion: Assertion) -> bool:
    """Whether no record satisfies the condition of FILTER or WHERE (D29)."""
    condition = filter_in(assertion)
    return condition is not None and not any(satisfies(record, condition) for record in bag)


def judge(bag: Bag, assertion: Assertion) -> Verdict:
    affected = len(affected_bag(bag, assertion))
    return Verdict(holds(bag, assertion), affected, len(bag), selects_none(bag, assertion))


#: (R, ρ): actions and requirements take a state to a state
State: TypeAlias = tuple[Bag, Trace]


def act(action: Action, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """⟦action⟧(R, ρ, V), where R is a relation on `schema`. X5, WITH PROBABILITY q a:
    ⟦a⟧(R, tail_m(ρ), {rᵢ | ρᵢ < q}), where order(V) = (r₁, …, rₘ)."""
    if action.probability == 1:
        return perform_effect(action.effect, schema, bag, rho, affected)
    pairs = _pair_with_trace(schema, bag, rho, affected)
    hit = frozenset(position for position, rho_i in pairs if rho_i < action.probability)
    return perform_effect(action.effect, schema, bag, tail(len(affected), rho), hit)


def perform_effect(effect: Effect, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    match effect:
        case Remove():
            return reject(bag, rho, affected)
        case Write(columns, kernel):
            return write(columns, kernel, schema, bag, rho, affected)
        case Project(columns):
            return drop(columns, bag, rho)
        case _:
            assert_never(effect)


def write(columns: tuple[int, ...], kernel: Kernel, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    column, *_ = columns
    match kernel:
        case Constant(value):
            return replace_value(column, value, bag, rho, affected)
        case Uniform(lower, upper):
            return randomize(column, lower, upper, schema, bag, rho, affected)
        case Weighted(values):
            return draw(column, values, schema, bag, rho, affected)
        case Labels(map_):
            return generalize(column, map_, bag, rho, affected)
        case Nearest(step):
            return round_to_nearest(column, step, schema, bag, rho, affected)
        case Pseudonym(type_, key):
            return pseudonymize(column, type_, key, bag, rho, affected)
        case Shift(by, days, key):
            return shift(columns, by, days, key, schema, bag, rho, affected)
        case AddRandom(lower, upper):
            return add_random(column, lower, upper, schema, bag, rho, affected)
        case Microaggregate(size):
            return microaggregate(column, size, schema, bag, rho, affected)
        case _:
            assert_never(kernel)


def reject(bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 8: (R − V, ρ)."""
    return difference(bag, affected), rho


def replace_value(column: int, value: Value, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 9: ((R − V) ∪ V_a, ρ)."""
    return _overwrite(bag, column, dict.fromkeys(affected, value)), rho


def randomize(column: int, lower: int, upper: int, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """Figure 10: ((R − V) ∪ V_r, tail_m(ρ)), where rᵢ of order(V) gets random(l, u, ρᵢ).

    See docs/paper.md, 22. The integer is converted to the column's type (D14).
    """
    written = {
        position: convert(random(lower, upper, rho_i), INTEGER, schema[column].type)
        for position, rho_i in _pair_with_trace(schema, bag, rho, affected)
    }
    return _overwrite(bag, column, written), tail(len(affected), rho)


def draw(column: int, values: Sequence[WeightedValue], schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X6: ((R − V) ∪ V_r, tail_m(ρ)), where rᵢ of order(V) gets the first vⱼ with ρᵢ < (w₁ + … + wⱼ) / Σw."""
    written = {position: pick(values, rho_i) for position, rho_i in _pair_with_trace(schema, bag, rho, affected)}
    return _overwrite(bag, column, written), tail(len(affected), rho)


def pick(values: Sequence[WeightedValue], rho: Fraction) -> Value:
    """The first vⱼ with ρ < (w₁ + … + wⱼ) / Σw. There is one: the last quotient is 1, and ρ < 1."""
    total_weight = sum(each.weight for each in values)
    sums = accumulate(each.weight for each in values)
    return next(each.value for each, weight in zip(values, sums, strict=True) if rho * total_weight < weight)


def _pair_with_trace(schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> list[tuple[int, Fraction]]:
    """The positions of order(V) = (r₁, …, rₘ), each with its ρᵢ."""
    key = canonical_key(schema)
    order = sorted(affected, key=lambda position: key(bag[position]))
    return list(zip(order, pref(len(affected), rho), strict=True))


def generalize(column: int, map_: Map, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X2: ((R − V) ∪ {r[A → g(⟦A⟧r)] | r ∈ V}, ρ). Raises Unwritable where g is not defined."""
    labels = {position: map_.label(bag[position][column]) for position in affected}
    return _overwrite(bag, column, _require_all(labels)), rho


class Unwritable(Exception):
    """The values of `count` affected records cannot be written: a map has no label, or a value does not exist."""

    def __init__(self, count: int):
        super().__init__(count)
        self.count = count


def _require_all(values: Mapping[int, Any]) -> Mapping[int, Any]:
    """The values to write. Raises Unwritable if some do not exist."""
    missing = sum(value is None for value in values.values())
    if missing:
        raise Unwritable(missing)
    return values


def round_to_nearest(column: int, step: Decimal, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X12: ((R − V) ∪ {r[A → n · ⟦A⟧r / n rounded] | r ∈ V}, ρ), with halves away from zero."""
    written = {position: nearest_multiple(bag[position][column], step, schema[column].type) for position in affected}
    return _overwrite(bag, column, _require_all(written)), rho


def pseudonymize(column: int, type_: Type, key: Key | None, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X15: ((R − V) ∪ {r[A → p_K(⟦A⟧r)] | r ∈ V}, ρ). The values are text already; `type_` is the type they had."""
    assert key is not None, "PSEUDONYM has a key"
    written = {position: pseudonym(key, bag[position][column], type_) for position in affected}
    return _overwrite(bag, column, written), rho


def shift(
    columns: Sequence[int], by: int, days: int, key: Key | None, schema: Schema, bag: Bag, rho: Trace, affected: SubBag
) -> State:
    """X16: ((R − V) ∪ {r[A → ⟦A⟧r + s_K(⟦P⟧r) days, …] | r ∈ V}, ρ). All columns are read before any is written.
    Raises Unwritable for records in which some date leaves the years 1 to 9999 or some text is not a date."""
    assert key is not None, "SHIFT has a key"
    moved = {}
    for position in affected:
        record = bag[position]
        distance = days_of_person(key, record[by], days)
        moved[position] = tuple(date_after(record[column], distance) for column in columns)
    _require_all({position: None if None in dates else dates for position, dates in moved.items()})
    for index, column in enumerate(columns):
        bag = _overwrite(bag, column, {position: dates[index] for position, dates in moved.items()})
    return bag, rho


def add_random(column: int, lower: int, upper: int, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X17: ((R − V) ∪ V_r, tail_m(ρ)), where rᵢ of order(V) gets ⟦A⟧rᵢ + random(l, u, ρᵢ)."""
    written = {
        position: sum_with(bag[position][column], random(lower, upper, rho_i), schema[column].type)
        for position, rho_i in _pair_with_trace(schema, bag, rho, affected)
    }
    return _overwrite(bag, column, _require_all(written)), tail(len(affected), rho)


def microaggregate(column: int, size: int, schema: Schema, bag: Bag, rho: Trace, affected: SubBag) -> State:
    """X18: the affected records in the order of A, equal ones in canonical order, in groups of n, the last one of n to
    2n − 1; each gets the mean of its group's A, rounded to the column's type."""
    key = canonical_key(schema)
    order = sorted(affected, key=lambda position: (bag[position][column], key(bag[position])))
    # WITH PROBABILITY may leave no record
    count = max(len(order) // size, min(len(order), 1))
    written: dict[int, Any] = {}
    for index in range(count):
        group = order[index * size : (index + 1) * size] if index < count - 1 else order[index * size :]
        mean = mean_of([bag[position][column] for position in group], schema[column].type)
        written.update(dict.fromkeys(group, mean))
    return _overwrite(bag, column, _require_all(written)), rho


def drop(columns: Iterable[int], bag: Bag, rho: Trace) -> State:
    """X3: (π(R), ρ), the projection on all other columns. A dropped column keeps its position, but not its values."""
    for column in columns:
        bag = [update(record, column, None) for record in bag]
    return bag, rho


def _overwrite(bag: Bag, column: int, values: Mapping[int, Value]) -> Bag:
    """(R − V) ∪ {r[A → a], …}. Each record keeps its position, so the table keeps its order."""
    return [
        update(record, column, values[position]) if position in values else record
        for position, record in enumerate(bag)
    ]


def perform(requirement: Requirement, bag: Bag, rho: Trace) -> State:
    """Figure 11: ⟦r⟧(R, ρ), with types converted before the action (D12). Without an action, no record changes (D6)."""
    converted = convert_types(bag, requirement.before, requirement.after)
    if requirement.action is None or holds(bag, requirement.assertion):
        return converted, rho
    affected = affected_bag(bag, requirement.assertion)
    return act(requirement.action, requirement.after, converted, rho, affected)


def convert_types(bag: Bag, before: Schema, after: Schema) -> Bag:
    """D12, retyping: where a column's type changes, the values of all records are converted, affected or not."""
    for column, (old, new) in enumerate(zip(before, after, strict=True)):
        if old.type != new.type:
            bag = [update(record, column, _convert_value(record[column], old.type, new.type)) for record in bag]
    return bag


def _convert_value(value: Any, source: Type, target: Type) -> Any:
    """A column that ALWAYS overwrites may have missing values (D27); a dropped one has only these (X3)."""
    if value is None or target.kind is Kind.DROPPED:
        return None
    return convert(value, source, target)


def perform_requirement(requirement: Requirement, bag: Bag, rho: Trace) -> tuple[Bag, Trace, Verdict]:
    """Figure 11 and the verdict. Raises UnlabeledValueError if a map has no label for an affected value, and
    UnfitValueError if a value cannot be written."""
    verdict = judge(bag, requirement.assertion)
    # do not evaluate the assertion again if it holds: the search for counterexamples spends most of its time here
    if verdict.holds:
        return convert_types(bag, requirement.before, requirement.after), rho, verdict
    try:
        left, rest = perform(requirement, bag, rho)
    except Unwritable as error:
        wrong = UnfitValueError if map_of(requirement.action) is None else UnlabeledValueError
        raise wrong(requirement.index, error.count) from None
    return left, rest, verdict


@dataclass(frozen=True, slots=True)
class Outcome:
    records: Bag  # those that are left, in the order of the input
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
    """Judges every assertion on the input table (D22). No action is performed, but types change (D12)."""
    bag = list(records)
    verdicts = []
    for requirement in program.requirements:
        verdicts.append(judge(bag, requirement.assertion))
        bag = convert_types(bag, requirement.before, requirement.after)
    return tuple(verdicts)
