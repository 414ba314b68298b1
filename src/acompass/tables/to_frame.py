"""A query's result as a table of the kind that came in."""

from typing import Any, assert_never

import duckdb

from acompass.tables.arrow import as_type
from acompass.tables.content import Content
from acompass.tables.frames import FrameKind, kind_of, require_arrow
from acompass.tables.loaded import column
from acompass.tables.source import Frame, Source


def restore(con: duckdb.DuckDBPyConnection, content: Content, source: Source) -> Any:
    """A column that no action writes keeps its type in that library; files come back as a PyArrow table."""
    require_arrow("a table without an output file")
    result = _fetch(con, content)
    if not isinstance(source, Frame):
        return result
    return _restored(kind_of(source.table), source.table, result, content.changed)


def _fetch(con: duckdb.DuckDBPyConnection, content: Content) -> Any:
    import pyarrow

    typed = ", ".join(f"{content.typed(p)} AS {column(p)}" for p in range(len(content.schema)))
    if not typed:
        return pyarrow.table({})
    result = con.sql(f"SELECT {typed} FROM ({content.select})").to_arrow_table()
    kept = set(range(len(content.arrow_types))) - content.changed
    columns = [
        as_type(values, content.arrow_types[position]) if position in kept else values
        for position, values in enumerate(result.columns)
    ]
    return pyarrow.table(columns, names=[each.name for each in content.schema])


def _restored(kind: FrameKind, given: Any, result: Any, changed: frozenset[int]) -> Any:
    match kind:
        case FrameKind.PANDAS:
            return _pandas(given, result, changed)
        case FrameKind.POLARS:
            return _polars(given.schema, result, changed)
        case FrameKind.POLARS_LAZY:
            return _polars(given.collect_schema(), result, changed).lazy()
        case FrameKind.ARROW:
            return result
        case FrameKind.ARROW_BATCH:
            return _one_batch(result)
        case FrameKind.DUCKDB:
            return duckdb.from_arrow(result)
        case FrameKind.IBIS:
            import ibis

            return ibis.memtable(result)
        case FrameKind.DICTS:
            return result.to_pylist()
        case _:
            assert_never(kind)


def _pandas(given: Any, result: Any, changed: frozenset[int]) -> Any:
    """The index is no part of the table: the result has a plain one, from 0."""
    import pandas

    series = {
        name: _pandas_column(values, None if position in changed else given.dtypes.iloc[position])
        for position, (name, values) in enumerate(zip(result.column_names, result.columns, strict=True))
    }
    return pandas.DataFrame(series, columns=result.column_names)


def _pandas_column(values: Any, dtype: Any) -> Any:
    if dtype is None:
        return values.to_pandas()
    if hasattr(dtype, "__from_arrow__"):
        import pandas

        return pandas.Series(dtype.__from_arrow__(values), dtype=dtype)
    return values.to_pandas().astype(dtype)


def _polars(schema: Any, result: Any, changed: frozenset[int]) -> Any:
    import polars

    frame: Any = polars.from_arrow(result)
    kept = {name: dtype for position, (name, dtype) in enumerate(schema.items()) if position not in changed}
    return frame.cast({name: dtype for name, dtype in kept.items() if frame.schema[name] != dtype})


def _one_batch(table: Any) -> Any:
    import pyarrow

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema=table.schema)
