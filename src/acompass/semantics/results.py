"""Figures 4 to 6 and Definition 7: results, filter queries, process queries and aggregate functions."""

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from functools import reduce
from operator import add
from typing import Any, TypeAlias, assert_never

from acompass.checked.program import Condition, Filter, Function, Process, Result, ResultForm
from acompass.semantics.bags import Bag, Record, SubBag
from acompass.semantics.conditions import satisfies

#: a record of ⟦PROCESS …⟧, (g, f_B(G_g)), with the group G_g it stands for
Group: TypeAlias = tuple[Record, SubBag]

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)


def result_of(bag: Bag, result: ResultForm) -> Bag:
    """Figure 4."""
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
    """Figure 5, and the filtered bag R' of a process query; without a condition, R' = R."""
    return [
        position for position, record in enumerate(bag) if condition is None or satisfies(record, condition)
    ]


def groups(bag: Bag, query: Process) -> list[Group]:
    """Figure 6. Without GROUP BY the one group key is (); an empty R' has none, for COUNT too (D16)."""
    members: dict[Record, list[int]] = {}
    for position in filtered(bag, query.where):
        key = tuple(bag[position][column] for column in query.group_by)
        members.setdefault(key, []).append(position)
    return [
        ((*key, aggregate(query, [bag[position] for position in positions])), frozenset(positions))
        for key, positions in members.items()
    ]


def aggregate(query: Process, group: Bag) -> Any:
    """Definition 7, on a group that is not empty."""
    if query.column is None:
        return len(group)
    values = [record[query.column] for record in group]
    match query.function:
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
            assert_never(query.function)


def total(values: list[Any]) -> Any:
    """Exact on integers and decimals; floats are added one by one in sorted order (D13).

    Not the builtin `sum`, which compensates for rounding from Python 3.12 on.
    """
    addition = _EXACT.add if isinstance(values[0], Decimal) else add
    return reduce(addition, sorted(values))
