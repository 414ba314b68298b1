"""Figures 8 to 10: actions. Each record is updated in its place, so the table keeps its order."""

from collections.abc import Mapping
from typing import assert_never

from acompass.checked.convert import convert
from acompass.checked.program import Action, Random, Reject, Replace
from acompass.checked.types import INTEGER, Schema, Value
from acompass.semantics.bags import Bag, SubBag, difference, update
from acompass.semantics.order import canonical_key
from acompass.semantics.trace import Trace, random


def perform(action: Action, schema: Schema, bag: Bag, trace: Trace, affected: SubBag) -> Bag:
    """⟦action⟧(R, ρ, V); the trace is left at its tail."""
    match action:
        case Reject():
            return difference(bag, affected)
        case Replace(column, value):
            return _replaced(bag, column, dict.fromkeys(affected, value))
        case Random(column):
            return _replaced(bag, column, draw(action, schema, bag, trace, affected))
        case _:
            assert_never(action)


def _replaced(bag: Bag, column: int, values: Mapping[int, Value]) -> Bag:
    """(R − V) ∪ V_a and (R − V) ∪ V_r, of Figures 9 and 10."""
    return [
        update(record, column, values[position]) if position in values else record
        for position, record in enumerate(bag)
    ]


def draw(action: Random, schema: Schema, bag: Bag, trace: Trace, affected: SubBag) -> dict[int, Value]:
    """Figure 10: random(l, u, ρᵢ) for the i-th record of order(V), written as the column's type (D14)."""
    key = canonical_key(schema)
    ordered = sorted(affected, key=lambda position: key(bag[position]))
    column_type = schema[action.column].type
    drawn = (random(action.lower, action.upper, rho) for rho in trace.take(len(ordered)))
    return {
        position: convert(value, INTEGER, column_type) for position, value in zip(ordered, drawn, strict=True)
    }
