"""The values of a column as the text that D12 makes of them."""

from acompass.checked.convert import to_text
from acompass.checked.types import TEXT, Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql
from acompass.plan.lowering.state import State
from acompass.plan.running.session import Session

#: kinds whose stored values an engine and Python write as the same text
PLAIN = (Kind.INTEGER, Kind.TEXT, Kind.DATE)


def text_key(dialect: Dialect, stored: Sql, type_: Type) -> tuple[Sql, Type]:
    """SQL for values whose text Python can tell, and their type: as they are stored, or as text."""
    return (stored, type_) if type_.kind in PLAIN else (dialect.to_text(stored, type_), TEXT)


def distinct_texts(session: Session, state: State, column: int) -> frozenset[str]:
    """The texts of a column's distinct values; missing values are left out."""
    value, key = text_key(session.dialect, sql.column(column, "t"), state.schema[column].type)
    select = sql.query([sql.named(value, "value")], state.source()).distinct(copy=False)
    return frozenset(to_text(found, key) for (found,) in session.fetch(select) if found is not None)
