"""Prove (ε, δ)-privacy of the whole table by sampling before k-anonymity. See docs/privacy-proofs.md, section 1.

Up to the first requirement about classes, each record is treated independently. If each is rejected often enough,
and that requirement rejects every class of fewer than k identical records, the rest is post-processing.

A class of n records, each kept with probability β, is released if at least k of them are kept (sections 1.3 and 1.4).
The difference between n and n - 1 records is largest for a class that is just large enough. The worst outcome is that
the class is released, or that it is not. Probabilities are exact, or bounds if exact numbers would be too long."""

from collections.abc import Callable, Iterator, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from itertools import islice, product
from math import ceil, prod
from typing import Any

from acompass.dataclasses import dataclass
from acompass.language.program import effects
from acompass.language.program.constants import scale_of
from acompass.language.program.kernels import UnfitValueError
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import Comparison, Process, Program, Requirement
from acompass.language.program.types import Kind, Schema, Type, remaining
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.refute.candidate_tables import example_values
from acompass.reason.privacy.answer import Direction, Refusal, TablePrivacy
from acompass.reason.privacy.mentions import is_record_level
from acompass.reason.privacy.stability import MOST_CELLS, ClassCondition, class_condition, region_values
from acompass.semantics.core import Bag, Record, affected_bag, perform_requirement, trace_of_values

#: the longest exact denominator, in bits
LONGEST = 2**16
#: the significant digits and the least exponent of bounds
_BOUND_DIGITS = 60
_SMALLEST = -9_999
#: the digits of E
_RATIO_DIGITS = 30
#: a larger ε is treated as this one: its E would be too long, and a δ for a smaller ε also holds for it
_LARGEST_EPSILON = 1_000
_ROUNDING_DOWN = Context(prec=_RATIO_DIGITS, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)


@dataclass(frozen=True, slots=True)
class WorstClass:
    delta: Fraction
    size: int  # the size of the smallest class that attains δ, against one record fewer
    direction: Direction
    is_exact: bool  # otherwise δ is rounded up, by less than any digit that is shown


def worst_class(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """The largest hockey-stick divergence at E = `ratio` ≥ 1, over all sizes of a class and both directions,
    for 0 < `beta` < 1."""
    found = _with_record(k, beta, ratio)
    if ratio * (1 - beta) >= 1:
        return found
    return max(found, _without_record(k, beta, ratio), key=lambda worst: worst.delta)


def _with_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n ‖ n - 1): with the record, the class is released more often."""
    size = max(1, ceil((k - 1) * ratio / (ratio - 1 + beta)))
    terms = binomial(size - 1, k, beta)
    delta = beta * terms.point[1] - (ratio - 1) * (1 - terms.below[1])
    return WorstClass(delta, size, Direction.WITH, is_short(size - 1, beta))


def _without_record(k: int, beta: Fraction, ratio: Fraction) -> WorstClass:
    """D(n - 1 ‖ n): without the record, the class is missing more often."""
    size = max(1, ceil((k - 1) / (1 - ratio * (1 - beta))))
    terms = binomial(size - 1, k, beta)
    delta = ratio * beta * terms.point[1] - (ratio - 1) * terms.below[0]
    return WorstClass(delta, size, Direction.WITHOUT, is_short(size - 1, beta))


@dataclass(frozen=True, slots=True)
class Binomial:
    """Two probabilities, each as a lower and an upper bound, which are equal if it is exact."""

    point: tuple[Fraction, Fraction]  # Pr[B = k - 1]
    below: tuple[Fraction, Fraction]  # Pr[B < k]


def binomial(trials: int, k: int, beta: Fraction) -> Binomial:
    """For k - 1 ≤ `trials` and 0 < `beta` < 1."""
    if is_short(trials, beta):
        point, below = _exact_terms(trials, k, beta)
        return Binomial((point, point), (below, below))
    digits = _BOUND_DIGITS + _leading_nines(trials, k, beta)
    points, belows = zip(
        _bounds(trials, k, beta, digits, ROUND_FLOOR), _bounds(trials, k, beta, digits, ROUND_CEILING), strict=True
    )
    return Binomial(points, belows)


def _bounds(trials: int, k: int, beta: Fraction, digits: int, rounding: str) -> tuple[Fraction, Fraction]:
    """Numbers so small that their Fraction would be too long are rounded again."""
    point, below = _rounded_terms(trials, k, beta, _context(digits, rounding))
    short = Context(prec=digits, rounding=rounding, Emin=_SMALLEST)
    return Fraction(short.plus(point)), Fraction(short.plus(below))


def _leading_nines(trials: int, k: int, beta: Fraction) -> int:
    """How many digits to add: above the mean, 1 - Pr[B < k] may be as small as Pr[B = k - 1]."""
    if k - 1 < trials * beta:
        return 0
    point, _ = _rounded_terms(trials, k, beta, _context(_BOUND_DIGITS, ROUND_FLOOR))
    return -point.adjusted()


def is_short(trials: int, beta: Fraction) -> bool:
    """Whether the exact numbers are short enough to compute with."""
    return trials * beta.denominator.bit_length() <= LONGEST


def _exact_terms(trials: int, k: int, beta: Fraction) -> tuple[Fraction, Fraction]:
    """Computes with integers over one denominator: a Fraction would look for common factors in each term."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = miss**trials
    for successes in range(1, k):
        term = term * ((trials - successes + 1) * hit) // (successes * miss)
        total += term
    return Fraction(term, whole**trials), Fraction(total, whole**trials)


def _context(digits: int, rounding: str) -> Context:
    return Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _rounded_terms(trials: int, k: int, beta: Fraction, context: Context) -> tuple[Decimal, Decimal]:
    """Every operation is on positive numbers, so rounding each in one direction rounds the result in that direction."""
    hit, whole = beta.numerator, beta.denominator
    miss = whole - hit
    term = total = _power(context.divide(Decimal(miss), Decimal(whole)), trials, context.multiply)
    for successes in range(1, k):
        more = context.multiply(term, Decimal((trials - successes + 1) * hit))
        term = context.divide(more, Decimal(successes * miss))
        total = context.add(total, term)
    return term, total


def _power(base: Decimal, exponent: int, multiply: Callable[[Decimal, Decimal], Decimal]) -> Decimal:
    """Replaces `Context.power`, which does not round in the context's direction."""
    result = Decimal(1)
    for bit in f"{exponent:b}":
        result = multiply(result, result)
        if bit == "1":
            result = multiply(result, base)
    return result


def just_below_exponential(epsilon: Fraction | Decimal) -> Fraction:
    """A rational in [1, e^ε] with the leading digits of e^ε, for ε from 0 to 1,000."""
    exact = min(Fraction(epsilon), Fraction(_LARGEST_EPSILON))
    exponent = _ROUNDING_DOWN.divide(exact.numerator, exact.denominator)
    # Decimal rounds exponentials to the nearest number, so the previous one is below
    below = _ROUNDING_DOWN.next_minus(_ROUNDING_DOWN.exp(exponent))
    return max(Fraction(1), Fraction(below))


@dataclass(frozen=True, slots=True)
class _SampledPolicy:
    before: Sequence[Requirement]  # record-level requirements
    rejecting: Requirement  # rejects the classes of fewer than k records
    classes: Process
    condition: ClassCondition
    k: int
    after: Sequence[Requirement]


@dataclass(frozen=True, slots=True)
class Survival:
    beta: Fraction  # an upper bound on the probability that a record is kept
    sampled: tuple[Requirement, ...]  # the requirements with a probability
    values: dict[int, Any]  # the values, by column, of a record that is kept with this probability


_NO_CLASSES = "no requirement rejects small classes"
_NOT_SAMPLED = "the lines before it always keep some records"
_NOTHING_LEFT = "the lines before it reject every record"
#: kinds of numbers that can be equal and yet written differently
_NOT_ALIKE = (Kind.DECIMAL, Kind.FLOAT)
#: at most this many records are tried as a witness
_MOST_TRIED = 2_000


def table_privacy(program: Program, epsilon: Fraction | Decimal) -> TablePrivacy | Refusal:
    """The privacy of the bag that the program writes, for ε ≥ 0; a refusal if nothing can be claimed."""
    parts = _split_program(program)
    if isinstance(parts, Refusal):
        return parts
    kept = survival(program.schema, parts.before)
    if kept.beta in (0, 1):
        return Refusal(parts.rejecting.line, _NOT_SAMPLED if kept.beta else _NOTHING_LEFT)
    ratio = just_below_exponential(epsilon)
    worst = worst_class(parts.k, kept.beta, ratio)
    witness = _find_witness(program, parts, kept)
    return TablePrivacy(
        epsilon=Fraction(epsilon),
        ratio=ratio,
        delta=worst.delta,
        k=parts.k,
        beta=kept.beta,
        class_size=worst.size,
        direction=worst.direction,
        sampled=tuple(dict.fromkeys(requirement.line for requirement in kept.sampled)),
        rejects=parts.rejecting.line,
        is_exact=worst.is_exact and witness is not None,
        witness=witness,
    )


def _split_program(program: Program) -> _SampledPolicy | Refusal:
    at = next((at for at, each in enumerate(program.requirements) if not _is_independent(each)), None)
    if at is None:
        return Refusal(None, _NO_CLASSES)
    before, rejecting = program.requirements[:at], program.requirements[at]
    classes = effects.process_of(rejecting)
    reason = _unfit_reason(rejecting)
    if reason is not None:
        return Refusal(rejecting.line, reason)
    assert classes is not None, "it is about classes, or it is unfit"
    condition = class_condition(rejecting.assertion, classes)
    k = condition.least_count()
    if k is None or k == 1:
        return Refusal(rejecting.line, "it accepts a class of one record" if k else "it accepts no class")
    differing = difference_within(classes, rejecting.before, before)
    if differing is not None:
        return Refusal(rejecting.line, differing)
    return _SampledPolicy(before, rejecting, classes, condition, k, program.requirements[at + 1 :])


def _is_independent(requirement: Requirement) -> bool:
    """Whether the requirement treats each record independently."""
    action = requirement.action
    return action is not None and is_record_level(requirement) and not effects.reads_others(action)


def _unfit_reason(requirement: Requirement) -> str | None:
    """Why a requirement over several records does not reject small classes; None if it may."""
    classes = effects.process_of(requirement)
    if requirement.action is None:
        return "a check decides whether anything is written, and one record can decide its result"
    if effects.reads_others(requirement.action):
        return "it averages records before small classes are rejected, so one record can change others"
    if requirement.assertion.quantifier is Quantifier.SOME:
        return "it affects all records or none, and one record can decide which"
    if not effects.removes_all(requirement.action):
        return "it changes whole classes before small ones are rejected, so one record can change others"
    if classes is not None and classes.where is not None:
        return "`WHERE` exempts records, which may be in small classes"
    return None


def difference_within(classes: Process, schema: Schema, before: Sequence[Requirement]) -> str | None:
    """Why records of one class may differ after the record-level requirements `before`, whose final schema is
    `schema`; None if they are identical."""
    constant, spelled = _constant_columns(before), _spelled_columns(before)
    for column in remaining(schema):
        name = schema[column].name
        if column in constant:
            continue
        if column not in classes.group_by:
            return f"`{name}` is not in `GROUP BY`, so it can distinguish the records of a class"
        if schema[column].type.kind is Kind.FLOAT:
            return f"`{name}` is a float: 0.0 and -0.0 are in one class, and are written differently"
        if schema[column].type.kind is Kind.DECIMAL or column in spelled:
            return f"`{name}` is a decimal: other records decide how its numbers are spelled (D26)"
    return None


def _constant_columns(requirements: Sequence[Requirement]) -> set[int]:
    """The columns that have the same value in all records."""
    constant: set[int] = set()
    for requirement in requirements:
        for written in effects.written_by(requirement.action):
            constant.discard(written)
            if _makes_constant(requirement, written):
                constant.add(written)
    return constant


def _makes_constant(requirement: Requirement, column: int) -> bool:
    """Whether a REPLACE gives every record the same value: it affects every record, or every record without that
    value."""
    value = effects.constant_written(requirement.action)
    if value is None or not effects.is_certain(requirement.action):
        return False
    if isinstance(value, Decimal) and scale_of(value) > 0:
        return False  # other records decide how it is written (D26, spellings)
    others = Comparison(column, Operator.EQ, value)
    before, after = requirement.before[column].type, requirement.after[column].type
    is_about_others = requirement.assertion.condition == others and effects.filter_of(requirement) is None
    return effects.is_always(requirement) or (is_about_others and before == after and after.kind not in _NOT_ALIKE)


def _spelled_columns(requirements: Sequence[Requirement]) -> set[int]:
    """The columns whose values may depend on how a decimal was spelled."""
    spelled: set[int] = set()
    for requirement in requirements:
        spelled.update(at for at, column in enumerate(requirement.before) if column.type.kind is Kind.DECIMAL)
        if _forgets_spelling(requirement):
            spelled -= effects.written_by(requirement.action)
    return spelled


def _forgets_spelling(requirement: Requirement) -> bool:
    """Whether it overwrites every record with a value that depends on no spelling. Bands map numbers; other maps
    map texts."""
    kernel, map_ = effects.kernel_of(requirement.action), effects.map_of(requirement.action)
    is_of_numbers = map_ is not None and map_.of_numbers
    is_independent = kernel is not None and (is_of_numbers or not kernel.reads_value)
    return effects.is_always(requirement) and effects.is_certain(requirement.action) and is_independent


def survival(schema: Schema, requirements: Sequence[Requirement]) -> Survival:
    """An upper bound on how often record-level requirements keep a record. See docs/privacy-proofs.md, section 1.1.

    A line that cannot be judged by a record's initial values is ignored: it can only lower the probability. With a
    seed, a record is rejected with probability ⌈2⁵²q⌉/2⁵² ≥ q (X6, random choice), so it is kept no more often."""
    judged = list(_judged_requirements(requirements))
    if prod(map(len, _column_cells(schema, judged).values())) > MOST_CELLS:
        judged = [requirement for requirement in judged if effects.is_always(requirement)]
    cells = _column_cells(schema, judged)
    records = [dict(zip(cells, cell, strict=True)) for cell in product(*cells.values())]
    beta, values = max(((_kept_probability(schema, judged, own), own) for own in records), key=lambda pair: pair[0])
    sampled = (each for each in judged if effects.probability_of(each.action) is not None)
    return Survival(beta, tuple(sampled), values)


def _judged_requirements(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """The requirements that drop records and read only columns that no earlier line writes."""
    for at, requirement in enumerate(requirements):
        earlier = effects.columns_written(requirements[:at])
        if effects.removes_records(requirement.action) and not effects.columns_read(requirement) & earlier:
            yield requirement


def _column_cells(schema: Schema, requirements: Sequence[Requirement]) -> dict[int, list[Any]]:
    constants: dict[int, list[Any]] = {}
    for requirement in requirements:
        for comparison in effects.record_comparisons(requirement):
            constants.setdefault(comparison.column, []).append(comparison.value)
    return {column: region_values(schema[column].type, own) for column, own in constants.items()}


def _kept_probability(schema: Schema, requirements: Sequence[Requirement], values: dict[int, Any]) -> Fraction:
    record: Record = tuple(values.get(column) for column in range(len(schema)))
    affecting = (each for each in requirements if affected_bag([record], each.assertion))
    return prod((1 - action_probability(each) for each in affecting), start=Fraction(1))


def action_probability(requirement: Requirement) -> Fraction:
    """The probability that the action is performed on an affected record."""
    probability = effects.probability_of(requirement.action)
    return Fraction(1) if probability is None else probability


def _find_witness(program: Program, parts: _SampledPolicy, kept: Survival) -> Record | None:
    """A record whose copies attain δ through the outcome that some copies are kept; None if none was found."""
    if any(effects.removes_records(each.action) or each.action is None for each in parts.after):
        return None
    found = find_attaining_record(program, parts.before, kept)
    if found is None:
        return None
    record, left = found
    group = tuple(left[column] for column in parts.classes.group_by)
    return record if parts.condition.is_about_at_least(parts.k, group) else None


def find_attaining_record(
    program: Program, before: Sequence[Requirement], kept: Survival
) -> tuple[Record, Record] | None:
    """A record that the requirements keep with probability β, and the record after them; None if none was found."""
    for record in islice(_candidate_records(program, before, kept), _MOST_TRIED):
        followed = _follow(record, before)
        if followed is not None and followed[1] == kept.beta:
            return record, followed[0]
    return None


def _candidate_records(program: Program, before: Sequence[Requirement], kept: Survival) -> Iterator[Record]:
    values = [
        [kept.values[column]] if column in kept.values else _candidate_values(column, each.type, before)
        for column, each in enumerate(program.schema)
    ]
    types = [column.type for column in program.schema]
    # a decimal may have more decimal places than the column's type
    fitting = (
        [value for value in own if not isinstance(value, Decimal) or scale_of(value) <= type_.scale]
        for type_, own in zip(types, values, strict=True)
    )
    return product(*fitting)


def _candidate_values(column: int, type_: Type, before: Sequence[Requirement]) -> list[Any]:
    """Values for which maps have labels, and values that conditions distinguish."""
    if type_.kind is Kind.OPAQUE:
        return [None]
    constants = [
        comparison.value
        for requirement in before
        if requirement.before[column].type == type_
        for comparison in effects.record_comparisons(requirement)
        if comparison.column == column
    ]
    maps = (
        effects.map_of(requirement.action) for requirement in before if column in effects.written_by(requirement.action)
    )
    labelled = [value for map_ in maps if map_ is not None for value in example_values(map_, type_)]
    return [*labelled, *region_values(type_, constants)]


def _follow(record: Record, requirements: Sequence[Requirement]) -> tuple[Record, Fraction] | None:
    """The record after the requirements, and the probability that it is kept; None if anything else about it is
    random, if it is never kept, or if a map has no label for it."""
    bag, kept = [record], Fraction(1)
    for requirement in requirements:
        if affected_bag(bag, requirement.assertion):
            if effects.draws(requirement.action) and not effects.removes_records(requirement.action):
                return None
            kept *= 1 - action_probability(requirement) if effects.removes_records(requirement.action) else 1
        bag = _spare_record(requirement, bag)
        if not bag:
            return None
    return bag[0], kept


def _spare_record(requirement: Requirement, bag: Bag) -> Bag:
    """Perform the requirement on the only record; a WITH PROBABILITY misses it."""
    probability = effects.probability_of(requirement.action)
    trace = trace_of_values([] if probability is None else [probability])
    try:
        left, _, _ = perform_requirement(requirement, bag, trace)
    except (UnlabeledValueError, UnfitValueError):
        return []
    return left
