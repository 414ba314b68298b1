"""The values of a column, each with the number of records that have it."""

from dataclasses import dataclass

from acompass.checked.convert import to_text
from acompass.checked.types import Type, Value
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import WEIGHT, State
from acompass.plan.running.session import Session


@dataclass(frozen=True, slots=True)
class ValueCount:
    value: Value
    records: int


def value_counts(session: Session, state: State, column: int, most: int) -> dict[str, ValueCount]:
    """By the texts of the values, in their order; one more than `most` values if there are more. The column
    must be complete."""
    type_ = state.schema[column].type
    stored = sql.column(column, "t")
    select = sql.query([sql.named(stored, "value"), sql.named(state.count(), WEIGHT)], state.source())
    select.group_by(stored.copy(), copy=False)
    rows = ((_value(found, type_), int(records)) for found, records in session.fetch(select.limit(most + 1)))
    counts = {to_text(value, type_): ValueCount(value, records) for value, records in rows}
    return dict(sorted(counts.items(), key=lambda item: (item[1].value, item[0])))


def _value(found: Value, type_: Type) -> Value:
    """Zero is one value, whatever its sign."""
    value: Value = sql.fetched(found, type_)
    return value + 0.0 if isinstance(value, float) else value
