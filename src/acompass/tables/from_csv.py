"""A CSV as a loaded table: read once as text, made complete, then typed (D10, D11)."""

from collections.abc import Mapping

import duckdb

from acompass.checked.types import TEXT, Column
from acompass.checked.uses import ColumnUse, Use
from acompass.tables import faults
from acompass.tables.columns import type_columns
from acompass.tables.csv import Text, read_text
from acompass.tables.filling import is_number
from acompass.tables.loaded import Loaded, Uses, column, text_literal
from acompass.tables.missing import DROP, ERROR
from acompass.tables.source import Files


def load_csv(con: duckdb.DuckDBPyConnection, source: Files, uses: Uses, missing: str = ERROR) -> Loaded:
    text = read_text(con, source)
    used = uses(text.names)
    lacking = _count_missing(con, text, sorted(used))
    dropped = _complete(con, text, used, lacking, missing)
    types = type_columns(con, text, used)
    return Loaded(
        relation=text.relation,
        schema=tuple(Column(name, types.get(position, TEXT)) for position, name in enumerate(text.names)),
        row_number="rowid",
        missing=lacking,
        completed=missing != ERROR,
        dropped=dropped,
        delimiter=text.delimiter,
        untyped=True,
        named=frozenset(used),
    )


def _count_missing(con: duckdb.DuckDBPyConnection, text: Text, positions: list[int]) -> dict[int, int]:
    if not positions:
        return {}
    counts = ", ".join(f"count(*) - count({column(position)})" for position in positions)
    row = con.execute(f"SELECT {counts} FROM {text.relation}").fetchone()
    assert row is not None
    return {position: count for position, count in zip(positions, row, strict=True) if count}


def _complete(
    con: duckdb.DuckDBPyConnection,
    text: Text,
    uses: Mapping[int, ColumnUse],
    lacking: Mapping[int, int],
    missing: str,
) -> int:
    """How many records were dropped. Fills before typing: what is filled in has its say about the column's
    type."""
    if not lacking or missing == ERROR:
        return 0
    if missing == DROP:
        incomplete = " OR ".join(f"{column(position)} IS NULL" for position in lacking)
        (dropped,) = con.execute(f"DELETE FROM {text.relation} WHERE {incomplete}").fetchall()[0]
        return int(dropped)
    for position in lacking:
        if uses[position].use is Use.NUMBER and not is_number(missing):
            raise faults.unfit_filling(text.names[position], "used as a number", missing)
        name = column(position)
        con.execute(f"UPDATE {text.relation} SET {name} = {text_literal(missing)} WHERE {name} IS NULL")
    return 0
