"""The kinds of tables in Python. A library is imported only for objects of that library."""

import importlib.util
from enum import StrEnum
from typing import Any

from acompass.tables import errors


class FrameKind(StrEnum):
    PANDAS = "a pandas data frame"
    POLARS = "a Polars data frame"
    POLARS_LAZY = "a Polars lazy frame"
    ARROW = "a PyArrow table"
    ARROW_BATCH = "a PyArrow record batch"
    DUCKDB = "a DuckDB relation"
    IBIS = "an Ibis table"
    DICTS = "a list of dicts"


def kind_of(table: Any) -> FrameKind:
    kind = _find_kind(table)
    if kind is None:
        raise errors.unknown_table(type(table).__name__)
    return kind


def require_arrow(what: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise errors.library_needed(what)


def _find_kind(table: Any) -> FrameKind | None:
    if isinstance(table, list):
        return FrameKind.DICTS if all(isinstance(record, dict) for record in table) else None
    # takes a fifth of the startup time, and commands on files do not need it
    from narwhals import dependencies

    tests = (
        (FrameKind.PANDAS, dependencies.is_pandas_dataframe),
        (FrameKind.POLARS, dependencies.is_polars_dataframe),
        (FrameKind.POLARS_LAZY, dependencies.is_polars_lazyframe),
        (FrameKind.ARROW, dependencies.is_pyarrow_table),
        (FrameKind.IBIS, dependencies.is_ibis_table),
    )
    for kind, is_kind in tests:
        if is_kind(table):
            return kind
    match type(table).__name__:
        case "DuckDBPyRelation":
            return FrameKind.DUCKDB
        case "RecordBatch":
            return FrameKind.ARROW_BATCH
        case _:
            return None
