"""The distinct values of a column of a table."""

from functools import partial
from typing import Any

from acompass.checked.convert import to_text
from acompass.measure.columns import Roles, positions
from acompass.measure.opening import open_tables
from acompass.propose.values import Values, values_of


def distinct_values(table: Any, column: str, delimiter: str | None, memory_limit: str | None) -> Values:
    with open_tables(delimiter, memory_limit) as tables:
        view, found = tables.open(table, partial(positions, Roles((column,))), every_column=False)
        (position,) = found.quasi_identifiers
        name, type_ = view.schema[position].name, view.schema[position].type
        query = f"SELECT {view.value(position)} AS value, count(*) FROM {view.relation} GROUP BY value"
        counts = dict(tables.con.execute(query).fetchall())
    missing = counts.pop(None, 0)
    return values_of(name, {to_text(value, type_): count for value, count in counts.items()}, missing)
