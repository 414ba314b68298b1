"""Figure 3: terms and predicates. The environment of Definition 6 is the record: names are positions."""

from typing import Any, assert_never

from acompass.checked.program import And, Comparison, Condition, Not, Operator, Or
from acompass.semantics.bags import Record


def satisfies(record: Record, condition: Condition) -> bool:
    """⟦φ⟧ in the record's environment."""
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


def compare(value: Any, operator: Operator, constant: Any) -> bool:
    """η(A) θ c. The order is total: a NaN, which only a sum of both infinities can be, is above all."""
    if value != value:
        return operator in (Operator.GT, Operator.GE)
    match operator:
        case Operator.LT:
            return bool(value < constant)
        case Operator.LE:
            return bool(value <= constant)
        case Operator.EQ:
            return bool(value == constant)
        case Operator.GE:
            return bool(value >= constant)
        case Operator.GT:
            return bool(value > constant)
        case _:
            assert_never(operator)
