"""The order in which decision diagrams test the columns.

A diagram remembers, at each variable, what the tests so far have decided of the conditions that test a later
variable too. So columns of one condition should stand together: `(A1 = 1 AND B1 = 1) OR (A2 = 1 AND B2 = 1)`
and so on has a small diagram if each A is next to its B, and an exponential one if all A are before all B.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias, assert_never

from acompass.checked.effects import filter_in, process_in
from acompass.checked.program import And, Assertion, Comparison, Condition, Not, Or, Program

#: columns that one condition compares
Together: TypeAlias = frozenset[int]

#: conditions that may cross each place of an order; with these, every order is good enough
FEW_CROSSING = 8
#: how often columns move to the conditions that compare them
ROUNDS = 20


def column_order(program: Program, claims: Iterable[Assertion]) -> list[int]:
    """The table's own order, or one in which fewer conditions compare columns that stand apart."""
    order = list(range(len(program.schema)))
    assertions = (*(requirement.assertion for requirement in program.requirements), *claims)
    conditions = sorted({each for assertion in assertions for each in _compared(assertion)}, key=sorted)
    if _most_crossing(order, conditions) <= FEW_CROSSING:
        return order
    best = order
    for _ in range(ROUNDS):
        order = _moved(order, conditions)
        if _length(order, conditions) >= _length(best, conditions):
            break
        best = order
    return best


def _compared(assertion: Assertion) -> Iterator[Together]:
    """The columns of each part of the assertion's conditions, and of FILTER and its condition together."""
    process, selected = process_in(assertion), filter_in(assertion)
    own = [set(each) for each in _parts(assertion.condition)]
    if process is not None:
        keys = process.group_by
        own = [{keys[at] for at in each if at < len(keys)} for each in own]
    filters = [] if selected is None else list(_parts(selected))
    everything = own[:1] + [set(each) for each in filters[:1]]
    for each in (*own, *filters, set[int]().union(*everything)):
        if len(each) > 1:
            yield frozenset(each)


def _parts(condition: Condition) -> Iterator[Together]:
    """The columns that the condition compares, then those of each part of it."""
    match condition:
        case Comparison(column):
            yield frozenset((column,))
        case Not(operand):
            yield from _parts(operand)
        case And(operands) | Or(operands):
            parts = [list(_parts(operand)) for operand in operands]
            yield frozenset[int]().union(*(part[0] for part in parts))
            for part in parts:
                yield from part
        case _:
            assert_never(condition)


def _moved(order: Sequence[int], conditions: Sequence[Together]) -> list[int]:
    """Each column moves to the middle of the conditions that compare it, above all of those with few."""
    place = {column: float(at) for at, column in enumerate(order)}
    pulls: dict[int, list[tuple[float, float]]] = {}
    for columns in conditions:
        middle, weight = sum(place[column] for column in columns) / len(columns), 1 / (len(columns) - 1) ** 2
        for column in columns:
            pulls.setdefault(column, []).append((weight, middle))
    for column, pulled in pulls.items():
        total = sum(weight for weight, _ in pulled)
        place[column] = sum(weight * middle for weight, middle in pulled) / total
    return sorted(order, key=lambda column: (place[column], column))


def _spans(order: Sequence[int], conditions: Sequence[Together]) -> Iterator[tuple[int, int]]:
    place = {column: at for at, column in enumerate(order)}
    for columns in conditions:
        places = [place[column] for column in columns]
        yield min(places), max(places)


def _length(order: Sequence[int], conditions: Sequence[Together]) -> int:
    return sum(last - first for first, last in _spans(order, conditions))


def _most_crossing(order: Sequence[int], conditions: Sequence[Together]) -> int:
    """The most conditions that compare columns on both sides of one place of the order."""
    change = [0] * (len(order) + 1)
    for first, last in _spans(order, conditions):
        change[first] += 1
        change[last] -= 1
    crossing = most = 0
    for each in change:
        crossing += each
        most = max(most, crossing)
    return most
