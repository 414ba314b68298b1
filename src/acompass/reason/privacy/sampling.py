"""Prove (ε, δ)-privacy of the whole table by sampling before k-anonymity. See docs/privacy-proofs.md, section 1.

Up to the first requirement about classes, each record is treated independently. If each is rejected often enough,
and that requirement rejects every class of fewer than k identical records, the rest is post-processing."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from math import prod
from typing import Any, assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.bands import Bands
from acompass.language.program.constants import scale_of
from acompass.language.program.effects import (
    as_generalize,
    column_written,
    columns_read,
    columns_written,
    draws,
    drops_records,
    filter_of,
    is_always,
    is_certain,
    plain_of,
    probability_of,
    process_of,
    record_comparisons,
)
from acompass.language.program.label_maps import UnlabeledValueError
from acompass.language.program.program import (
    Action,
    Comparison,
    Draw,
    Drop,
    Generalize,
    Process,
    Program,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.language.program.types import Kind, Schema, Type, Value, remaining
from acompass.language.text.tree import Operator, Quantifier
from acompass.prove.refute.column_values import example_values
from acompass.reason.privacy.answer import Refusal, TablePrivacy
from acompass.reason.privacy.delta import just_below_exponential, worst_class
from acompass.reason.privacy.influence import is_record_level
from acompass.reason.privacy.stability import MOST_CELLS, ClassCondition, class_condition, region_values
from acompass.semantics.core import Bag, Record, affected_bag, perform_requirement, trace_of_values


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
    others = (at for at, each in enumerate(program.requirements) if each.action is None or not is_record_level(each))
    at = next(others, None)
    if at is None:
        return Refusal(None, _NO_CLASSES)
    before, rejecting = program.requirements[:at], program.requirements[at]
    classes = process_of(rejecting)
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


def _unfit_reason(requirement: Requirement) -> str | None:
    """Why a requirement over several records does not reject small classes; None if it may."""
    classes = process_of(requirement)
    if requirement.action is None:
        return "a check decides whether anything is written, and one record can decide its result"
    if requirement.assertion.quantifier is Quantifier.SOME:
        return "it affects all records or none, and one record can decide which"
    if not (drops_records(requirement.action) and is_certain(requirement.action)):
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
        written = column_written(requirement.action)
        if written is not None:
            constant.discard(written)
            if _makes_constant(requirement, written):
                constant.add(written)
    return constant


def _makes_constant(requirement: Requirement, column: int) -> bool:
    """Whether a REPLACE gives every record the same value: it affects every record, or every record without that
    value."""
    value = _replacement(requirement.action)
    if value is None or not is_certain(requirement.action):
        return False
    if isinstance(value, Decimal) and scale_of(value) > 0:
        return False  # other records decide how it is written (D26, spellings)
    others = Comparison(column, Operator.EQ, value)
    before, after = requirement.before[column].type, requirement.after[column].type
    is_about_others = requirement.assertion.condition == others and filter_of(requirement) is None
    return is_always(requirement) or (is_about_others and before == after and after.kind not in _NOT_ALIKE)


def _replacement(action: Action | None) -> Value | None:
    plain = plain_of(action)
    match plain:
        case Replace(_, value):
            return value
        case None | Reject() | Random() | Draw() | Generalize() | Drop():
            return None
        case _:
            assert_never(plain)


def _spelled_columns(requirements: Sequence[Requirement]) -> set[int]:
    """The columns whose values may depend on how a decimal was spelled."""
    spelled: set[int] = set()
    for requirement in requirements:
        spelled.update(at for at, column in enumerate(requirement.before) if column.type.kind is Kind.DECIMAL)
        written = column_written(requirement.action)
        if written is not None and _forgets_spelling(requirement):
            spelled.discard(written)
    return spelled


def _forgets_spelling(requirement: Requirement) -> bool:
    """Whether it overwrites every record with a value that depends on no spelling. Bands map numbers; other maps
    map texts."""
    generalize = as_generalize(requirement.action)
    is_of_numbers = generalize is None or isinstance(generalize.map, Bands)
    return is_always(requirement) and is_certain(requirement.action) and is_of_numbers


def survival(schema: Schema, requirements: Sequence[Requirement]) -> Survival:
    """An upper bound on how often record-level requirements keep a record. See docs/privacy-proofs.md, section 1.1.

    A line that cannot be judged by a record's initial values is ignored: it can only lower the probability. With a
    seed, a record is rejected with probability ⌈2⁵²q⌉/2⁵² ≥ q (X6, random choice), so it is kept no more often."""
    judged = list(_judged_requirements(requirements))
    if prod(map(len, _column_cells(schema, judged).values())) > MOST_CELLS:
        judged = [requirement for requirement in judged if is_always(requirement)]
    cells = _column_cells(schema, judged)
    records = [dict(zip(cells, cell, strict=True)) for cell in product(*cells.values())]
    beta, values = max(((_kept_probability(schema, judged, own), own) for own in records), key=lambda pair: pair[0])
    sampled = (each for each in judged if probability_of(each.action) is not None)
    return Survival(beta, tuple(sampled), values)


def _judged_requirements(requirements: Sequence[Requirement]) -> Iterator[Requirement]:
    """The requirements that drop records and read only columns that no earlier line writes."""
    for at, requirement in enumerate(requirements):
        earlier = columns_written(requirements[:at])
        if drops_records(requirement.action) and not columns_read(requirement) & earlier:
            yield requirement


def _column_cells(schema: Schema, requirements: Sequence[Requirement]) -> dict[int, list[Any]]:
    constants: dict[int, list[Any]] = {}
    for requirement in requirements:
        for comparison in record_comparisons(requirement):
            constants.setdefault(comparison.column, []).append(comparison.value)
    return {column: region_values(schema[column].type, own) for column, own in constants.items()}


def _kept_probability(schema: Schema, requirements: Sequence[Requirement], values: dict[int, Any]) -> Fraction:
    record: Record = tuple(values.get(column) for column in range(len(schema)))
    affecting = (each for each in requirements if affected_bag([record], each.assertion))
    return prod((1 - action_probability(each) for each in affecting), start=Fraction(1))


def action_probability(requirement: Requirement) -> Fraction:
    """The probability that the action is performed on an affected record."""
    probability = probability_of(requirement.action)
    return Fraction(1) if probability is None else probability


def _find_witness(program: Program, parts: _SampledPolicy, kept: Survival) -> Record | None:
    """A record whose copies attain δ through the outcome that some copies are kept; None if none was found."""
    if any(drops_records(each.action) or each.action is None for each in parts.after):
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
    fitting = [[value for value in own if _fits(type_, value)] for type_, own in zip(types, values, strict=True)]
    return product(*fitting)


def _fits(type_: Type, value: Any) -> bool:
    """Whether a column of the type can hold the value: a decimal may have too many decimal places."""
    return not isinstance(value, Decimal) or scale_of(value) <= type_.scale


def _candidate_values(column: int, type_: Type, before: Sequence[Requirement]) -> list[Any]:
    """Values for which maps have labels, and values that conditions distinguish."""
    if type_.kind is Kind.OPAQUE:
        return [None]
    constants = [
        comparison.value
        for requirement in before
        if requirement.before[column].type == type_
        for comparison in record_comparisons(requirement)
        if comparison.column == column
    ]
    maps = (as_generalize(requirement.action) for requirement in before)
    own = [each.map for each in maps if each is not None and each.column == column]
    labelled = [value for map_ in own for value in example_values(map_, type_)]
    return [*labelled, *region_values(type_, constants)]


def _follow(record: Record, requirements: Sequence[Requirement]) -> tuple[Record, Fraction] | None:
    """The record after the requirements, and the probability that it is kept; None if anything else about it is
    random, if it is never kept, or if a map has no label for it."""
    bag, kept = [record], Fraction(1)
    for requirement in requirements:
        if affected_bag(bag, requirement.assertion):
            if draws(requirement.action) and not drops_records(requirement.action):
                return None
            kept *= 1 - action_probability(requirement) if drops_records(requirement.action) else 1
        bag = _spare_record(requirement, bag)
        if not bag:
            return None
    return bag[0], kept


def _spare_record(requirement: Requirement, bag: Bag) -> Bag:
    """Perform the requirement on the only record; a WITH PROBABILITY misses it."""
    probability = probability_of(requirement.action)
    trace = trace_of_values([] if probability is None else [probability])
    try:
        left, _, _ = perform_requirement(requirement, bag, trace)
    except UnlabeledValueError:
        return []
    return left
