"""An Arrow table converted to the kind of the input table."""

from collections.abc import Sequence
from typing import Any, assert_never

from acompass.tables.frame_failures import column_failures, frame_failures
from acompass.tables.frames import FrameKind, kind_of


def from_arrow(given: Any, result: Any, positions: Sequence[int], changed: frozenset[int]) -> Any:
    """`result` converted to the kind of `given`. Columns outside `changed` keep their type in that library.

    `positions` are those of the result's columns in `given`.

    For a DuckDB relation, this is an Arrow table, which the engine turns into a relation.
    """
    kind = kind_of(given)
    with frame_failures(kind):
        kept = [None if position in changed else position for position in positions]
        return _as_kind(kind, given, result, kept)


def _as_kind(kind: FrameKind, given: Any, result: Any, kept: Sequence[int | None]) -> Any:
    """`kept` has, for each column of the result, the column of `given` whose type it keeps."""
    match kind:
        case FrameKind.PANDAS:
            return _pandas(given, result, kept)
        case FrameKind.POLARS:
            return _polars(given.schema, result, kept)
        case FrameKind.POLARS_LAZY:
            return _polars(given.collect_schema(), result, kept).lazy()
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


def _pandas(given: Any, result: Any, kept: Sequence[int | None]) -> Any:
    """The index is not part of the table, so the result has the default index."""
    import pandas

    series = {
        name: _pandas_column(name, values, None if position is None else given.dtypes.iloc[position])
        for position, name, values in zip(kept, result.column_names, result.columns, strict=True)
    }
    return pandas.DataFrame(series, columns=result.column_names)


def _pandas_column(name: str, values: Any, dtype: Any) -> Any:
    with column_failures(name):
        if dtype is None:
            return values.to_pandas()
        if hasattr(dtype, "__from_arrow__"):
            import pandas

            return pandas.Series(dtype.__from_arrow__(values), dtype=dtype)
        return values.to_pandas().astype(dtype)


def _polars(schema: Any, result: Any, kept: Sequence[int | None]) -> Any:
    import polars

    frame: Any = polars.from_arrow(result)
    dtypes = list(schema.values())
    types = [None if position is None else dtypes[position] for position in kept]
    columns = [_polars_column(*column) for column in zip(frame.get_columns(), types, strict=True)]
    return polars.DataFrame(columns)


def _polars_column(values: Any, dtype: Any) -> Any:
    """Nothing can be cast to Object, the type of Python objects."""
    if dtype is None or values.dtype == dtype:
        return values
    with column_failures(values.name):
        if str(dtype) == "Object":
            import polars

            return polars.Series(values.name, values.to_list(), dtype)
        return values.cast(dtype)


def _one_batch(table: Any) -> Any:
    import pyarrow

    batches = table.combine_chunks().to_batches()
    return batches[0] if batches else pyarrow.RecordBatch.from_pylist([], schema=table.schema)
