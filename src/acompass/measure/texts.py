"""The texts of a column's values, as GENERALIZE reads them."""

from collections.abc import Mapping
from dataclasses import dataclass

import duckdb

from acompass.checked.convert import to_text
from acompass.measure.view import View


@dataclass(frozen=True, slots=True)
class Texts:
    """Numbers of persons in units of the view: those with each text, and those without a value."""

    counts: Mapping[str, int]
    missing: int


def texts_of(con: duckdb.DuckDBPyConnection, view: View, position: int) -> Texts:
    type_ = view.schema[position].type
    query = f"SELECT {view.value(position)} AS value, {view.count} FROM {view.relation} GROUP BY value"
    counts = dict(con.execute(query).fetchall())
    missing = counts.pop(None, 0)
    return Texts({to_text(value, type_): count for value, count in counts.items()}, missing)
