"""A table that lives in Python as a loaded table: through Arrow, so that no value becomes a Python object."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Any, assert_never

import duckdb

from acompass.checked.types import Kind
from acompass.tables import faults
from acompass.tables.arrow import readable
from acompass.tables.frames import FrameKind, kind_of
from acompass.tables.header import require_names
from acompass.tables.loaded import Loaded, Uses, column, fresh_name
from acompass.tables.missing import ERROR
from acompass.tables.scan import Scan, count_missing, load_scan, type_of
from acompass.tables.source import Frame

_ROW_NUMBER = "row_number"


def load_frame(con: duckdb.DuckDBPyConnection, source: Frame, uses: Uses, missing: str = ERROR) -> Loaded:
    names, columns = _columns(kind_of(source.table), source.table)
    require_names(_texts(names))
    scan = _register(con, names, columns)
    named = frozenset(uses(scan.names))
    loaded = load_scan(con, scan, named, _count_missing(con, scan, columns, named), missing)
    return replace(loaded, arrow_types=tuple(each.type for each in columns))


def _columns(kind: FrameKind, table: Any) -> tuple[list[Any], list[Any]]:
    """Names, and an Arrow array for each."""
    match kind:
        case FrameKind.PANDAS:
            return list(table.columns), [_array(name, values) for name, values in table.items()]
        case FrameKind.DICTS:
            names = list(dict.fromkeys(name for record in table for name in record))
            return names, [_array(name, [record.get(name) for record in table]) for name in names]
        case FrameKind.POLARS:
            return list(table.columns), [_polars_array(each) for each in table.get_columns()]
        case FrameKind.POLARS_LAZY:
            return _columns(FrameKind.POLARS, table.collect())
        case FrameKind.ARROW | FrameKind.ARROW_BATCH:
            return list(table.schema.names), list(table.columns)
        case FrameKind.DUCKDB:
            return _columns(FrameKind.ARROW, table.to_arrow_table())
        case FrameKind.IBIS:
            return _columns(FrameKind.ARROW, table.to_pyarrow())
        case _:
            assert_never(kind)


def _array(name: Any, values: Any) -> Any:
    """NaN, None, NaT and pandas' NA are all missing."""
    import pyarrow

    try:
        return pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowException, OverflowError, TypeError):
        return _long_integers(name, values)


def _long_integers(name: Any, values: Iterable[Any]) -> Any:
    """Python's integers know no limit; Arrow's longest exact numbers have 38 digits."""
    import pyarrow

    given = list(values)
    if not all(value is None or type(value) is int for value in given):
        raise faults.mixed_column(str(name)) from None
    try:
        numbers = [None if value is None else Decimal(value) for value in given]
        return pyarrow.array(numbers, pyarrow.decimal128(38, 0))
    except pyarrow.ArrowException:
        raise faults.not_exact(str(name), "numbers have at most 38 digits") from None


def _polars_array(values: Any) -> Any:
    if str(values.dtype) == "Object":
        return _array(values.name, values.to_list())
    return values.to_arrow()


def _texts(names: list[Any]) -> list[str]:
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise faults.name_not_text(position)
    return names


def _register(con: duckdb.DuckDBPyConnection, names: list[str], columns: list[Any]) -> Scan:
    import pyarrow

    arrays = [readable(name, each) for name, each in zip(names, columns, strict=True)]
    records = len(columns[0]) if columns else 0
    places = con.sql(f"SELECT range FROM range({records})").to_arrow_table().column(0)
    labels = [*(column(position) for position in range(len(names))), _ROW_NUMBER]
    relation = fresh_name("frame")
    con.register(relation, pyarrow.table([*arrays, places], names=labels))
    described = con.execute(f"DESCRIBE {relation}").fetchall()
    return Scan(
        sql=relation,
        names=tuple(names),
        stored=tuple(row[1] for row in described[:-1]),
        row_number=_ROW_NUMBER,
        records=records,
    )


def _count_missing(
    con: duckdb.DuckDBPyConnection, scan: Scan, columns: list[Any], named: frozenset[int]
) -> dict[int, int]:
    """Arrow knows its nulls; NaN is not among them."""
    floats = [position for position in sorted(named) if type_of(scan.stored[position]).kind is Kind.FLOAT]
    nulls = {position: columns[position].null_count for position in sorted(named) if position not in floats}
    return {position: count for position, count in nulls.items() if count} | count_missing(con, scan, floats)
