"""Return the result of a query as the same kind of table as the input."""

from typing import Any

import duckdb

from acompass.engines.duckdb.output import Output
from acompass.tables.arrow import as_type
from acompass.tables.frame_failures import column_failures
from acompass.tables.frames import FrameKind, kind_of, require_arrow
from acompass.tables.source import Frame, Source
from acompass.tables.to_frame import from_arrow


def restore(con: duckdb.DuckDBPyConnection, output: Output, source: Source) -> Any:
    """The result as the kind of the source; for files, a PyArrow table."""
    if isinstance(source, Frame) and kind_of(source.table) is FrameKind.DICTS and not output.arrow_types:
        return _dicts(con, output)
    require_arrow("a run without an output file")
    result = _fetch(con, output)
    if not isinstance(source, Frame):
        return result
    if kind_of(source.table) is FrameKind.DUCKDB:
        return duckdb.from_arrow(result)
    return from_arrow(source.table, result, output.positions, output.changed)


def _dicts(con: duckdb.DuckDBPyConnection, output: Output) -> list[dict[str, Any]]:
    """Without Arrow, like the list of dicts that was read without it."""
    rows = con.execute(output.typed).fetchall() if output.schema else []
    return [dict(zip(output.names, row, strict=True)) for row in rows]


def _fetch(con: duckdb.DuckDBPyConnection, output: Output) -> Any:
    import pyarrow

    if not output.schema:
        return pyarrow.table({})
    result = con.sql(output.typed).to_arrow_table()
    kept = set(range(len(output.arrow_types))) - output.changed
    columns = [
        _in_its_type(name, values, output.arrow_types[position]) if position in kept else values
        for position, name, values in zip(output.positions, output.names, result.columns, strict=True)
    ]
    return pyarrow.table(columns, names=output.names)


def _in_its_type(name: str, values: Any, type_: Any) -> Any:
    with column_failures(name):
        return as_type(values, type_)
