"""The effects of a requirement: the columns it reads and writes, and whether it drops records, draws or needs order.

Every stage gets its answers here, so a new node of the language is described in one place; until it is, every function
raises an error for it (invariant 8)."""

import math
from collections.abc import Iterable, Iterator, Set
from decimal import Decimal
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.language.program import program as p
from acompass.language.program.kernels import ONE, Kernel, Keyword, Map, Pseudonym, Shift
from acompass.language.program.keys import Key
from acompass.language.program.types import Type, Value
from acompass.language.text.tree import Operator

ActionName: TypeAlias = Literal["REJECT", "DROP"] | Keyword


def comparisons(condition: p.Condition) -> Iterator[p.Comparison]:
    """Every comparison of a condition, in the order of the text."""
    match condition:
        case p.Comparison():
            yield condition
        case p.Not(operand):
            yield from comparisons(operand)
        case p.And(operands) | p.Or(operands):
            for operand in operands:
                yield from comparisons(operand)
        case _:
            assert_never(condition)


def required_comparisons(condition: p.Condition) -> Iterator[p.Comparison]:
    """The comparisons that hold wherever the condition does: it may also require others with NOT and OR."""
    match condition:
        case p.Comparison():
            yield condition
        case p.And(operands):
            for operand in operands:
                yield from required_comparisons(operand)
        case p.Not() | p.Or():
            return
        case _:
            assert_never(condition)


def least_count(comparison: p.Comparison) -> int | None:
    """The least count that satisfies a lower bound; None for another comparison."""
    value = comparison.value
    if isinstance(value, str | bool) or not isinstance(value, int | Decimal):
        return None
    match comparison.operator:
        case Operator.GE | Operator.EQ:
            return math.ceil(value)
        case Operator.GT:
            return math.floor(value) + 1
        case Operator.LT | Operator.LE:
            return None
        case _:
            assert_never(comparison.operator)


def split_equalities(operands: Iterable[p.Condition]) -> tuple[list[p.Condition], dict[int, list[Value]]]:
    """The operands of an OR that are not equalities, and the constants that the others equate each column with.

    Taken one by one, the n constants of an IN cost SQL engines and decision diagrams time in proportion to n².
    """
    others: list[p.Condition] = []
    equal: dict[int, list[Value]] = {}
    for operand in operands:
        if isinstance(operand, p.Comparison) and operand.operator is Operator.EQ:
            equal.setdefault(operand.column, []).append(operand.value)
        else:
            others.append(operand)
    return others, equal


def is_always(requirement: p.Requirement) -> bool:
    """Whether the requirement asserts nothing and affects every record (X1)."""
    return requirement.assertion.condition == p.NEVER and process_of(requirement) is None


def aggregates_of(requirement: p.Requirement) -> tuple[p.Aggregate, ...]:
    process = process_of(requirement)
    return () if process is None else process.aggregates


def process_of(requirement: p.Requirement) -> p.Process | None:
    """The process query of a class-level requirement; None for a record-level one."""
    return process_in(requirement.assertion)


def process_in(assertion: p.Assertion) -> p.Process | None:
    result = assertion.result
    match result:
        case p.Process():
            return result
        case p.Result() | p.Filter():
            return None
        case _:
            assert_never(result)


def filter_of(requirement: p.Requirement) -> p.Condition | None:
    """The condition of FILTER or WHERE; None if the assertion is about every record."""
    return filter_in(requirement.assertion)


def filter_in(assertion: p.Assertion) -> p.Condition | None:
    result = assertion.result
    match result:
        case p.Filter(condition):
            return condition
        case p.Process():
            return result.where
        case p.Result():
            return None
        case _:
            assert_never(result)


def record_comparisons(requirement: p.Requirement) -> Iterator[p.Comparison]:
    """The comparisons of the table's own columns: in FILTER or WHERE, and after RESULT or FILTER."""
    selected = filter_of(requirement)
    if selected is not None:
        yield from comparisons(selected)
    if process_of(requirement) is None:
        yield from comparisons(requirement.assertion.condition)


def columns_read(requirement: p.Requirement) -> frozenset[int]:
    """The columns of the table that decide which records are affected."""
    read = {comparison.column for comparison in record_comparisons(requirement)}
    process = process_of(requirement)
    if process is not None:
        read.update(process.group_by)
        read.update(columns_aggregated(process))
    return frozenset(read)


def columns_aggregated(process: p.Process) -> frozenset[int]:
    columns = (aggregate.column for aggregate in process.aggregates)
    return frozenset(column for column in columns if column is not None)


def columns_compared(assertion: p.Assertion) -> frozenset[int]:
    """The columns whose types matter to an assertion, which compares them or aggregates their values."""
    selected = filter_in(assertion)
    found = set() if selected is None else {each.column for each in comparisons(selected)}
    seen = {each.column for each in comparisons(assertion.condition)}
    process = process_in(assertion)
    if process is None:
        return frozenset(found | seen)
    is_looked_up = any(each.reference is not None for each in process.aggregates)  # a file has the same values (X14)
    found.update(column for at, column in enumerate(process.group_by) if is_looked_up or at in seen)
    values = (each.column for each in process.aggregates if not each.facts.tells_values_apart)
    return frozenset(found.union(column for column in values if column is not None))


def columns_with_pseudonyms(requirements: Iterable[p.Requirement]) -> dict[int, int]:
    """The columns that may contain pseudonyms after the last requirement, each with the position of the last one that
    writes them."""
    found: dict[int, int] = {}
    for at, requirement in enumerate(requirements):
        if writes_pseudonyms(requirement.action):
            found.update(dict.fromkeys(written_by(requirement.action), at))
        else:
            for column in columns_overwritten(requirement):
                found.pop(column, None)
    return found


def columns_of_classes(requirements: Iterable[p.Requirement]) -> frozenset[int]:
    """The columns that requirements group by or count the values of. Their numbers have one spelling (D26)."""
    found: set[int] = set()
    for process in filter(None, map(process_of, requirements)):
        found.update(process.group_by)
        counted = (each.column for each in process.aggregates if each.facts.tells_values_apart)
        found.update(column for column in counted if column is not None)
    return frozenset(found)


def columns_touched(requirement: p.Requirement) -> frozenset[int]:
    """The columns that the requirement reads, writes, or changes the type of."""
    own = written_by(requirement.action) | read_by(requirement.action)
    return columns_read(requirement) | own | type_changes(requirement).keys()


def effect_of(action: p.Action | None) -> p.Effect | None:
    return None if action is None else action.effect


def write_of(action: p.Action | None) -> p.Write | None:
    """The column that an action writes, and its kernel; None if it writes none."""
    effect = effect_of(action)
    match effect:
        case p.Write():
            return effect
        case None | p.Remove() | p.Project():
            return None
        case _:
            assert_never(effect)


def written_by(action: p.Action | None) -> frozenset[int]:
    """The columns that an action writes: at most one, except for SHIFT."""
    write = write_of(action)
    return frozenset() if write is None else frozenset(write.columns)


def read_by(action: p.Action | None) -> frozenset[int]:
    """The columns that decide what an action writes."""
    write = write_of(action)
    if write is None:
        return frozenset()
    own = write.columns if write.kernel.reads_value else ()
    return frozenset(own if write.kernel.by is None else (*own, write.kernel.by))


def needs_key(requirements: Iterable[p.Requirement]) -> bool:
    """Whether a run needs a key: there is a PSEUDONYM or a SHIFT (X15)."""
    kernels = (kernel_of(requirement.action) for requirement in requirements)
    return any(kernel is not None and kernel.needs_key for kernel in kernels)


def with_key(program: p.Program, key: Key) -> p.Program:
    """The program with the key of a call."""
    return replace(program, requirements=tuple(_with_key(each, key) for each in program.requirements))


def _with_key(requirement: p.Requirement, key: Key) -> p.Requirement:
    action, write = requirement.action, write_of(requirement.action)
    if action is None or write is None or not isinstance(write.kernel, Pseudonym | Shift):
        return requirement
    effect = p.Write(write.columns, replace(write.kernel, key=key))
    return replace(requirement, action=replace(action, effect=effect))


def kernel_of(action: p.Action | None) -> Kernel | None:
    """What an action writes; None if it writes nothing."""
    write = write_of(action)
    return None if write is None else write.kernel


def map_of(action: p.Action | None) -> Map | None:
    """The map of a GENERALIZE."""
    kernel = kernel_of(action)
    return None if kernel is None else kernel.label_map()


def is_certain(action: p.Action | None) -> bool:
    """Whether the action is performed on every affected record."""
    return action is None or action.probability == ONE


def probability_of(action: p.Action | None) -> Fraction | None:
    """The probability with which an action is performed on an affected record; None if it is certain."""
    return None if action is None or is_certain(action) else action.probability


def columns_written(requirements: Iterable[p.Requirement]) -> frozenset[int]:
    return frozenset[int]().union(*(written_by(requirement.action) for requirement in requirements))


def removes_records(action: p.Action | None) -> bool:
    """Whether an action removes affected records: all of them if it `is_certain`."""
    effect = effect_of(action)
    match effect:
        case p.Remove():
            return True
        case None | p.Write() | p.Project():
            return False
        case _:
            assert_never(effect)


def removes_all(action: p.Action | None) -> bool:
    """Whether an action removes every affected record."""
    return removes_records(action) and is_certain(action)


def projection_of(action: p.Action | None) -> p.Project | None:
    """The columns that an action drops."""
    effect = effect_of(action)
    match effect:
        case p.Project():
            return effect
        case None | p.Remove() | p.Write():
            return None
        case _:
            assert_never(effect)


def columns_overwritten(requirement: p.Requirement) -> frozenset[int]:
    """The columns of which the requirement leaves no value that was read: every record loses it, or gets another value
    that says nothing about it."""
    action = requirement.action
    if not (is_always(requirement) and is_certain(action)):
        return frozenset()
    write, dropped = write_of(action), projection_of(action)
    if dropped is not None:
        return frozenset(dropped.columns)
    return frozenset(write.columns) if write is not None and write.kernel.hides_value else frozenset()


def is_promise(requirement: p.Requirement) -> bool:
    """Whether the released table is meant to satisfy the assertion (D33): not for ALWAYS and WITH PROBABILITY, nor if
    the assertion only selects the records in which the action writes another column."""
    action = requirement.action
    if is_always(requirement) or not is_certain(action):
        return False
    return action is None or changes(action, columns_read(requirement))


def changes(action: p.Action | None, columns: Set[int]) -> bool:
    """Whether an action can change what an assertion that reads these columns says: it removes records, or writes one
    of them."""
    return removes_records(action) or not written_by(action).isdisjoint(columns)


def draws(action: p.Action | None) -> bool:
    """Whether an action consumes the trace, one value or more for each affected record in canonical order."""
    return not is_certain(action) or drawing_kernel(action) is not None


def drawing_kernel(action: p.Action | None) -> Kernel | None:
    """The kernel of a RANDOM, which consumes a value of the trace for each record it is performed on."""
    kernel = kernel_of(action)
    return kernel if kernel is not None and kernel.draws else None


def constant_written(action: p.Action | None) -> Value | None:
    """The only value that an action writes, whatever the record; None if there is none (missing values are not)."""
    kernel = kernel_of(action)
    values = None if kernel is None or kernel.draws or kernel.reads_value else kernel.listed_values()
    return None if values is None else values[0]


def outcome_cuts(action: p.Action | None) -> tuple[Fraction, ...]:
    """The values of the trace at which the outcome changes: a probability, the cuts of RANDOM … FROM."""
    probability, kernel = probability_of(action), kernel_of(action)
    own = () if probability is None else (probability,)
    return own if kernel is None else (*own, *kernel.trace_cuts())


def action_name(action: p.Action | None) -> ActionName | None:
    """The action as results and reports name it."""
    effect = effect_of(action)
    match effect:
        case None:
            return None
        case p.Remove():
            return "REJECT"
        case p.Write(kernel=kernel):
            return kernel.keyword
        case p.Project():
            return "DROP"
        case _:
            assert_never(effect)


def needs_order(requirements: Iterable[p.Requirement]) -> bool:
    """Whether the result depends on canonical order."""
    return any(draws(each.action) or reads_others(each.action) for each in requirements)


def writes_pseudonyms(action: p.Action | None) -> bool:
    kernel = kernel_of(action)
    return kernel is not None and kernel.is_injective


def reads_others(action: p.Action | None) -> bool:
    """Whether what an action writes into a record depends on the other affected records."""
    kernel = kernel_of(action)
    return kernel is not None and kernel.reads_others


def type_changes(requirement: p.Requirement) -> dict[int, tuple[Type, Type]]:
    """The columns whose type the requirement changes (D12), with the types before and after."""
    if requirement.before is requirement.after:
        return {}
    pairs = enumerate(zip(requirement.before, requirement.after, strict=True))
    return {i: (b.type, a.type) for i, (b, a) in pairs if b.type != a.type}
