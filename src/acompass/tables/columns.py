"""What the values of a CSV's columns are (D10), found by looking at all of them."""

from collections.abc import Collection, Mapping

import duckdb

from acompass.checked.types import INTEGER, TEXT, Column, Schema, Type, decimal
from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Span
from acompass.tables import faults
from acompass.tables.csv import Text
from acompass.tables.loaded import Loaded, column

#: the engine's widest exact number, and how many digits of it fit in 64 bits, where arithmetic is fast
_MOST_DIGITS = 38
_FAST_DIGITS = 18

#: D4
NUMBER_PATTERN = r"[+-]?[0-9]+(\.[0-9]+)?"


def type_columns(
    con: duckdb.DuckDBPyConnection, text: Text, uses: Mapping[int, ColumnUse]
) -> dict[int, Type]:
    """Gives each column that the policy names its type, in the engine too, and says which."""
    open_ = [position for position, use in uses.items() if use.use is not Use.TEXT]
    integers = _integer_columns(con, text.relation, open_)
    types = dict.fromkeys(uses, TEXT)
    for position in open_:
        if position in integers:
            types[position] = INTEGER
            _convert(con, text.relation, position, "BIGINT")
        elif uses[position].use is Use.NUMBER:
            types[position] = _make_decimal(con, text, position, uses[position].span)
    return types


def order_schema(con: duckdb.DuckDBPyConnection, loaded: Loaded) -> Schema:
    """The schema that canonical order compares by (D18): the columns that the policy does not name typed too.

    In the engine they stay text; each value of an integer column is one that BIGINT holds.
    """
    if not loaded.untyped:
        return loaded.schema
    others = [position for position in range(len(loaded.schema)) if position not in loaded.named]
    integers = _integer_columns(con, loaded.relation, others)
    return tuple(
        Column(each.name, INTEGER) if position in integers else each
        for position, each in enumerate(loaded.schema)
    )


def _integer_columns(con: duckdb.DuckDBPyConnection, relation: str, positions: Collection[int]) -> set[int]:
    """The columns whose every value is a canonical 64-bit integer: one that is written as it was read."""
    if not positions:
        return set()
    tests = (
        f"coalesce(bool_and(CAST(TRY_CAST({name} AS BIGINT) AS VARCHAR) IS NOT DISTINCT FROM {name}), true)"
        for name in map(column, positions)
    )
    row = _one_row(con, f"SELECT {', '.join(tests)} FROM {relation}")
    return {position for position, holds in zip(positions, row, strict=True) if holds}


def _make_decimal(con: duckdb.DuckDBPyConnection, text: Text, position: int, use: Span) -> Type:
    name = column(position)
    is_number = f"regexp_full_match({name}, '{NUMBER_PATTERN}')"
    bad, first_bad = _one_row(
        con, f"SELECT count(*), min(rowid) FROM {text.relation} WHERE {name} IS NOT NULL AND NOT {is_number}"
    )
    if bad:
        raise faults.not_numbers(text.names[position], *text.place(first_bad), bad, use)
    whole, scale = _one_row(
        con,
        f"SELECT max(length(ltrim(split_part({name}, '.', 1), '+-0'))), "
        f"max(length(split_part({name}, '.', 2))) FROM {text.relation}",
    )
    if whole + scale > _MOST_DIGITS:
        raise faults.number_too_long(text.names[position], whole + scale)
    digits = _FAST_DIGITS if whole + scale <= _FAST_DIGITS else _MOST_DIGITS
    _convert(con, text.relation, position, f"DECIMAL({digits}, {scale})")
    return decimal(scale)


def _convert(con: duckdb.DuckDBPyConnection, relation: str, position: int, type_: str) -> None:
    name = column(position)
    con.execute(f"ALTER TABLE {relation} ALTER {name} TYPE {type_} USING CAST({name} AS {type_})")


def _one_row(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[int, ...]:
    row = con.execute(sql).fetchone()
    assert row is not None
    return row
