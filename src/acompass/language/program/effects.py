"""The effects of a requirement: the columns it reads and writes, and whether it drops records, draws or needs order.

Every stage gets its answers here, so a new node of the language is described in one place; until it is, every function
raises an error for it (invariant 8)."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import ceil
from typing import assert_never

from acompass.language.program.program import (
    NEVER,
    Action,
    And,
    Assertion,
    Comparison,
    Condition,
    Draw,
    Drop,
    Filter,
    Generalize,
    Not,
    Or,
    Plain,
    Process,
    Random,
    Reject,
    Replace,
    Requirement,
    Result,
    Sometimes,
)
from acompass.language.program.types import Type, Value
from acompass.language.text.tree import Function, Operator


def comparisons(condition: Condition) -> Iterator[Comparison]:
    """Every comparison of a condition, in the order of the text."""
    match condition:
        case Comparison():
            yield condition
        case Not(operand):
            yield from comparisons(operand)
        case And(operands) | Or(operands):
            for operand in operands:
                yield from comparisons(operand)
        case _:
            assert_never(condition)


def split_equalities(operands: Iterable[Condition]) -> tuple[dict[int, list[Value]], list[Condition]]:
    """The operands of an OR: for each column, the constants that it is compared with by `=`; and the other operands."""
    equal: dict[int, list[Value]] = {}
    others = []
    for operand in operands:
        if isinstance(operand, Comparison) and operand.operator is Operator.EQ:
            equal.setdefault(operand.column, []).append(operand.value)
        else:
            others.append(operand)
    return equal, others


def is_always(requirement: Requirement) -> bool:
    """Whether the requirement asserts nothing and affects every record (X1)."""
    return requirement.assertion.condition == NEVER and process_of(requirement) is None


def process_of(requirement: Requirement) -> Process | None:
    """The process query of a class-level requirement; None for a record-level one."""
    return process_in(requirement.assertion)


def process_in(assertion: Assertion) -> Process | None:
    result = assertion.result
    match result:
        case Process():
            return result
        case Result() | Filter():
            return None
        case _:
            assert_never(result)


def filter_of(requirement: Requirement) -> Condition | None:
    """The condition of FILTER or WHERE; None if the assertion is about every record."""
    return filter_in(requirement.assertion)


def filter_in(assertion: Assertion) -> Condition | None:
    result = assertion.result
    match result:
        case Filter(condition):
            return condition
        case Process():
            return result.where
        case Result():
            return None
        case _:
            assert_never(result)


def record_comparisons(requirement: Requirement) -> Iterator[Comparison]:
    """The comparisons of the table's own columns: in FILTER or WHERE, and after RESULT or FILTER."""
    selected = filter_of(requirement)
    if selected is not None:
        yield from comparisons(selected)
    if process_of(requirement) is None:
        yield from comparisons(requirement.assertion.condition)


def columns_read(requirement: Requirement) -> frozenset[int]:
    """The columns of the table that decide which records are affected."""
    read = {comparison.column for comparison in record_comparisons(requirement)}
    process = process_of(requirement)
    if process is not None:
        read.update(process.group_by)
        read.update(columns_aggregated(process))
    return frozenset(read)


def columns_aggregated(process: Process) -> frozenset[int]:
    columns = (aggregate.column for aggregate in process.aggregates)
    return frozenset(column for column in columns if column is not None)


def columns_of_classes(requirements: Iterable[Requirement]) -> frozenset[int]:
    """The columns that requirements group by or count the distinct values of. Their numbers have one spelling (D26)."""
    found: set[int] = set()
    for process in filter(None, map(process_of, requirements)):
        found.update(process.group_by)
        counted = (each.column for each in process.aggregates if each.function is Function.COUNT_DISTINCT)
        found.update(column for column in counted if column is not None)
    return frozenset(found)


def columns_touched(requirement: Requirement) -> frozenset[int]:
    """The columns that the requirement reads, writes, or changes the type of."""
    written = column_written(requirement.action)
    own = frozenset() if written is None else frozenset({written})
    return columns_read(requirement) | own | type_changes(requirement).keys()


def plain_of(action: Action | None) -> Plain | None:
    """The action itself, or the one that is performed with a probability (X5)."""
    return action.action if isinstance(action, Sometimes) else action


def is_certain(action: Action | None) -> bool:
    """Whether the action is performed on every affected record."""
    return not isinstance(action, Sometimes)


def probability_of(action: Action | None) -> Fraction | None:
    """The probability with which an action is performed on an affected record; None if it is certain."""
    return action.probability if isinstance(action, Sometimes) else None


def column_written(action: Action | None) -> int | None:
    """The column whose values an action writes."""
    plain = plain_of(action)
    match plain:
        case None | Reject() | Drop():
            return None
        case Replace(column) | Random(column) | Draw(column) | Generalize(column):
            return column
        case _:
            assert_never(plain)


def columns_written(requirements: Iterable[Requirement]) -> frozenset[int]:
    written = (column_written(requirement.action) for requirement in requirements)
    return frozenset(column for column in written if column is not None)


def drops_records(action: Action | None) -> bool:
    """Whether an action drops affected records: all of them if it `is_certain`."""
    plain = plain_of(action)
    match plain:
        case Reject():
            return True
        case None | Replace() | Random() | Draw() | Generalize() | Drop():
            return False
        case _:
            assert_never(plain)


def draws(action: Action | None) -> bool:
    """Whether an action consumes the trace, one value or more for each affected record in canonical order."""
    return not is_certain(action) or as_random(action) is not None


def as_random(action: Action | None) -> Random | Draw | None:
    """The RANDOM that an action performs."""
    plain = plain_of(action)
    match plain:
        case Random() | Draw():
            return plain
        case None | Reject() | Replace() | Generalize() | Drop():
            return None
        case _:
            assert_never(plain)


def outcome_cuts(action: Action | None) -> tuple[Fraction, ...]:
    """The values of the trace at which the outcome changes: a probability, the cuts of RANDOM … FROM."""
    probability, random = probability_of(action), as_random(action)
    own = () if probability is None else (probability,)
    return (*own, *random.cuts) if isinstance(random, Draw) else own


def shortest_trace_value(low: Fraction, high: Fraction) -> Fraction:
    """The value of the trace with the fewest digits that is at least `low` and below `high`."""
    scale = 1
    while ceil(low * scale) >= high * scale:
        scale *= 10
    return Fraction(ceil(low * scale), scale)


def absent_columns(action: Action | None) -> tuple[str, ...]:
    """The columns that DROP names and a released table no longer has (D32)."""
    plain = plain_of(action)
    return plain.absent if isinstance(plain, Drop) else ()


def as_generalize(action: Action | None) -> Generalize | None:
    """The GENERALIZE that an action performs."""
    plain = plain_of(action)
    match plain:
        case Generalize():
            return plain
        case None | Reject() | Replace() | Random() | Draw() | Drop():
            return None
        case _:
            assert_never(plain)


def texts_written(action: Action | None) -> tuple[str, ...]:
    """The texts that an action may write, including the labels of a map that can list them."""
    plain = plain_of(action)
    match plain:
        case Replace(value=value):
            return (value,) if isinstance(value, str) else ()
        case Draw(values=values):
            return tuple(each.value for each in values if isinstance(each.value, str))
        case Generalize(map=map_):
            return map_.labels() or ()
        case None | Reject() | Random() | Drop():
            return ()
        case _:
            assert_never(plain)


def needs_order(requirements: Iterable[Requirement]) -> bool:
    """Whether the result depends on canonical order."""
    return any(draws(requirement.action) for requirement in requirements)


def type_changes(requirement: Requirement) -> dict[int, tuple[Type, Type]]:
    """The columns whose type the requirement changes (D12), with the types before and after."""
    if requirement.before is requirement.after:
        return {}
    pairs = enumerate(zip(requirement.before, requirement.after, strict=True))
    return {i: (b.type, a.type) for i, (b, a) in pairs if b.type != a.type}
