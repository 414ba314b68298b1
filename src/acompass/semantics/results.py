"""Figures 3 to 6 and Definition 7: terms and predicates, results, filter and process queries."""

from decimal import Decimal
from functools import reduce
from operator import add
from typing import Any, TypeAlias, assert_never

from acompass.checked.exact import EXACT
from acompass.checked.program import (
    Aggregate,
    And,
    Comparison,
    Condition,
    Filter,
    Function,
    Not,
    Operator,
    Or,
    Process,
    Result,
    ResultForm,
)
from acompass.semantics.model import Bag, Record, SubBag

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


def compare(value: Any, operator: Operator, constant: Any) -> bool:
    """Figure 3, η(A) θ c. The order is total: NaN is above every number; see docs/paper.md, 26."""
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


def result_of(bag: Bag, result: ResultForm) -> Bag:
    """Figure 4, ⟦result⟧(R)."""
    match result:
        case Result():
            return bag
        case Filter(condition):
            return [bag[position] for position in filtered(bag, condition)]
        case Process():
            return [aggregated for aggregated, _ in groups(bag, result)]
        case _:
            assert_never(result)


def filtered(bag: Bag, condition: Condition | None) -> list[int]:
    """Figure 5, ⟦FILTER φ⟧, and the filtered bag R' of a process query; R' = R without a condition."""
    return [
        position for position, record in enumerate(bag) if condition is None or satisfies(record, condition)
    ]


def groups(bag: Bag, query: Process) -> list[Group]:
    """Figure 6, ⟦PROCESS …⟧. Without GROUP BY the only group key is (). An empty R' has no group (D16);
    see docs/paper.md, 18."""
    members: dict[Record, list[int]] = {}
    for position in filtered(bag, query.where):
        key = tuple(bag[position][column] for column in query.group_by)
        members.setdefault(key, []).append(position)
    return [
        ((*key, *_aggregated(query, bag, positions)), frozenset(positions))
        for key, positions in members.items()
    ]


def _aggregated(query: Process, bag: Bag, positions: list[int]) -> tuple[Any, ...]:
    group = [bag[position] for position in positions]
    return tuple(aggregated(each, group) for each in query.aggregates)


def aggregated(aggregate: Aggregate, group: Bag) -> Any:
    """Definition 7, f_B(G_g), for a nonempty group; see docs/paper.md, 21. COUNT(*) counts the records."""
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
        case _:
            assert_never(aggregate.function)


def total(values: list[Any]) -> Any:
    """Exact for integers and decimals; floats are added one by one in sorted order (D13).

    The builtin `sum` does not do: it compensates for rounding from Python 3.12 on.
    """
    addition = EXACT.add if isinstance(values[0], Decimal) else add
    return reduce(addition, sorted(values))
