"""An Arrow table converted to the kind of the input table."""

from typing import Any, assert_never

from acompass.tables.frames import FrameKind, kind_of


def from_arrow(given: Any, result: Any, changed: frozenset[int]) -> Any:
    """`result` converted to the kind of `given`. Columns outside `changed` keep their type in that library.

    For a DuckDB relation, this is an Arrow table, which the engine turns into a relation.
    """
    kind = kind_of(given)
    match kind:
        case FrameKind.PANDAS:
            return _pandas(given, result, changed)
        case FrameKind.POLARS:
            return _polars(given.schema, result, changed)
        case FrameKind.POLARS_LAZY:
            return _polars(given.collect_schema(), result, changed).lazy()
        case FrameKind.ARROW | FrameKind.DUCKDB:
            return result
        case FrameKind.ARROW_BATCH:
            return _one_batch(result)
        case FrameKind.IBIS:
            import ibis

            return ibis.memtable(result)
        case FrameKind.DICTS:
            return result.to_pylist()
        case _:
            assert_never(kind)


def _pandas(given: Any, result: Any, changed: frozenset[int]) -> Any:
    """The index is not part of the table, so the result has the default index."""
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
