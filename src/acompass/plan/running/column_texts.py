"""The distinct values of a column of a loaded table, as text."""

from acompass.checked.convert import to_text
from acompass.checked.types import TEXT, Kind
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session

#: kinds whose stored values an engine and Python write as the same text
_PLAIN = (Kind.INTEGER, Kind.TEXT, Kind.DATE)


def distinct_texts(session: Session, state: State, column: int) -> frozenset[str]:
    """Each value as the text that D12 makes of it; missing values are left out."""
    type_ = state.schema[column].type
    stored = sql.column(column, "t")
    value, key = (stored, type_) if type_.kind in _PLAIN else (session.dialect.to_text(stored, type_), TEXT)
    select = sql.query([sql.named(value, "value")], state.source()).distinct(copy=False)
    return frozenset(to_text(found, key) for (found,) in session.fetch(select) if found is not None)
