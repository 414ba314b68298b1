"""Questions about a policy's tree: its comparisons, its process queries, the columns its actions write."""

from collections.abc import Iterator
from typing import assert_never

from acompass.syntax import tree


def comparisons(condition: tree.Condition) -> Iterator[tree.Comparison]:
    """Every comparison, in the order of the text. Not recursive: a tree built by hand may be very deep."""
    pending = [condition]
    while pending:
        node = pending.pop()
        match node:
            case tree.Comparison():
                yield node
            case tree.Not(operand):
                pending.append(operand)
            case tree.And(operands) | tree.Or(operands):
                pending.extend(reversed(operands))
            case _:
                assert_never(node)


def operands(condition: tree.Condition) -> tuple[tree.Condition, ...]:
    """The conditions that a condition is directly composed of; a comparison has none."""
    match condition:
        case tree.Comparison():
            return ()
        case tree.Not(operand):
            return (operand,)
        case tree.And(operands) | tree.Or(operands):
            return operands
        case _:
            assert_never(condition)


def record_conditions(requirement: tree.Requirement) -> Iterator[tree.Condition]:
    """The conditions on the table's own columns, in the order of the text."""
    assertion = requirement.assertion
    match assertion.result:
        case tree.Result():
            yield assertion.condition
        case tree.Filter(condition):
            yield condition
            yield assertion.condition
        case tree.Process():
            if assertion.result.where is not None:
                yield assertion.result.where
        case _:
            assert_never(assertion.result)


def process_of(requirement: tree.Requirement) -> tree.Process | None:
    """The requirement's process query; None where its result is RESULT or FILTER."""
    result = requirement.assertion.result
    match result:
        case tree.Process():
            return result
        case tree.Result() | tree.Filter():
            return None
        case _:
            assert_never(result)


def processes(program: tree.Program) -> Iterator[tree.Process]:
    for requirement in program.requirements:
        process = process_of(requirement)
        if process is not None:
            yield process


def written_name(action: tree.Action | None) -> tree.Name | None:
    """The column that an action writes."""
    match action:
        case None | tree.Reject():
            return None
        case tree.Replace(name) | tree.Random(name):
            return name
        case _:
            assert_never(action)


def drawn_name(action: tree.Action | None) -> tree.Name | None:
    """The column that an action draws values for."""
    match action:
        case tree.Random(name):
            return name
        case None | tree.Reject() | tree.Replace():
            return None
        case _:
            assert_never(action)


def parameter_names(program: tree.Program) -> frozenset[str]:
    used = (constant for requirement in program.requirements for constant in constants(requirement))
    return frozenset(constant.name for constant in used if isinstance(constant, tree.Parameter))


def constants(requirement: tree.Requirement) -> Iterator[tree.Constant]:
    """Every constant and parameter of a requirement."""
    for condition in all_conditions(requirement):
        yield from (comparison.constant for comparison in comparisons(condition))
    match requirement.action:
        case None | tree.Reject():
            pass
        case tree.Replace(constant=constant):
            yield constant
        case tree.Random(lower=lower, upper=upper):
            yield from (lower, upper)
        case _:
            assert_never(requirement.action)


def all_conditions(requirement: tree.Requirement) -> Iterator[tree.Condition]:
    """Every condition of a requirement, in the order of the text."""
    yield from record_conditions(requirement)
    if process_of(requirement) is not None:
        yield requirement.assertion.condition
