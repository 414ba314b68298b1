"""Whether two lines over classes, or about some record, ask the same question of the same table."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, assert_never

from acompass.checked.effects import comparisons, process_in
from acompass.checked.program import (
    And,
    Assertion,
    Comparison,
    Condition,
    Function,
    Not,
    Or,
    Process,
)
from acompass.checked.types import Schema
from acompass.prove.decision_diagram import Diagram, DiagramManager
from acompass.prove.regions import Regions
from acompass.prove.value_order import ValueOrder, order_of, order_of_counts

#: a column of GROUP BY, or a function with its column
Seen: TypeAlias = int | tuple[Function, int | None]

_COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)


def are_same_classes(one: Process, other: Process) -> bool:
    """Whether both aggregate the same classes, in any order and under any names. WHERE is not compared."""
    return set(one.group_by) == set(other.group_by) and set(_seen(one)) == set(_seen(other))


def _seen(process: Process) -> list[Seen]:
    """What stands at each position that the condition after PROCESS sees (D15)."""
    return [*process.group_by, *((each.function, each.column) for each in process.aggregates)]


def have_same_condition(one: Assertion, other: Assertion) -> bool:
    """Whether the conditions after PROCESS hold of the same classes; the processes are the same."""
    ours, theirs = process_in(one), process_in(other)
    assert ours is not None
    assert theirs is not None
    names = sorted(set(_seen(ours)), key=repr)
    cuts: list[list[Any]] = [[] for _ in names]
    for process, assertion in ((ours, one), (theirs, other)):
        for comparison in comparisons(assertion.condition):
            cuts[names.index(_seen(process)[comparison.column])].append(comparison.value)
    orders = [_order(name, ours, one.schema) for name in names]
    regions = [Regions(order, own) for order, own in zip(orders, cuts, strict=True)]
    diagrams = _Classes(regions)
    return diagrams.of(one.condition, _positions(ours, names)) is diagrams.of(
        other.condition, _positions(theirs, names)
    )


def _positions(process: Process, names: Sequence[Seen]) -> list[int]:
    return [names.index(seen) for seen in _seen(process)]


def _order(seen: Seen, process: Process, schema: Schema) -> ValueOrder:
    if not isinstance(seen, int) and seen[0] in _COUNTS:
        return order_of_counts()
    return order_of(schema[_seen(process).index(seen)].type)


class _Classes:
    """Sets of classes by their key and aggregates."""

    def __init__(self, regions: Sequence[Regions]):
        self._regions = regions
        self._diagrams = DiagramManager([each.full for each in regions])

    def of(self, condition: Condition, positions: Sequence[int]) -> Diagram:
        return self._of(condition, lambda column: positions[column])

    def _of(self, condition: Condition, variable_at: Callable[[int], int]) -> Diagram:
        match condition:
            case Comparison(column, operator, value):
                variable = variable_at(column)
                return self._diagrams.literal(variable, self._regions[variable].satisfying(operator, value))
            case Not(operand):
                return self._diagrams.complement(self._of(operand, variable_at))
            case And(operands):
                return self._diagrams.complement(
                    self._diagrams.union_of(
                        self._diagrams.complement(self._of(each, variable_at)) for each in operands
                    )
                )
            case Or(operands):
                return self._diagrams.union_of(self._of(each, variable_at) for each in operands)
            case _:
                assert_never(condition)
