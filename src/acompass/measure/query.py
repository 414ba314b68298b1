"""Queries that return exactly one row."""

from typing import Any

import duckdb


def one_row(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    row = con.execute(sql).fetchone()
    assert row is not None
    return row
