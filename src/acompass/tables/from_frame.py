"""A data frame as Arrow arrays. Values do not become Python objects."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, assert_never

from acompass.checked.types import MOST_DIGITS
from acompass.tables import errors
from acompass.tables.arrow import readable
from acompass.tables.frame_failures import column_failures, frame_failures
from acompass.tables.frames import FrameKind, kind_of, require_arrow
from acompass.tables.header import require_names, require_text

#: `from_dicts` reads the others
_OTHER_VALUES = "a list of dicts with values other than numbers, text, booleans, dates and local times"


@dataclass(frozen=True)
class ArrowColumns:
    """`types` are the Arrow types before `arrays` were converted to types that an engine reads."""

    names: tuple[str, ...]
    arrays: tuple[Any, ...]
    types: tuple[Any, ...]

    @property
    def records(self) -> int:
        return len(self.arrays[0]) if self.arrays else 0


def arrow_columns(table: Any) -> ArrowColumns:
    kind = kind_of(table)
    require_arrow(_OTHER_VALUES if kind is FrameKind.DICTS else kind)
    with frame_failures(kind):
        names, arrays = _columns(kind, table)
    require_names(require_text(names))
    converted = (_readable(name, array) for name, array in zip(names, arrays, strict=True))
    return ArrowColumns(tuple(names), tuple(converted), tuple(array.type for array in arrays))


def _columns(kind: FrameKind, table: Any) -> tuple[list[Any], list[Any]]:
    """The column names, and an Arrow array per column."""
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
    """The values as an Arrow array; NaN, None, NaT and pandas' NA become nulls."""
    import pyarrow

    with column_failures(name):
        try:
            return pyarrow.array(values, from_pandas=True)
        except (pyarrow.ArrowException, OverflowError, TypeError):
            given = list(values)
            types = {type(value) for value in given if value is not None}
            if types == {int}:
                return _long_integers(name, given)
            if len(types) > 1 and str(getattr(values, "dtype", "object")) == "object":
                raise errors.mixed_column(str(name)) from None
            raise


def _long_integers(name: Any, values: Iterable[int | None]) -> Any:
    """Python integers beyond 64 bits as Arrow decimals, which have a limit too."""
    import pyarrow

    try:
        numbers = [None if value is None else Decimal(value) for value in values]
        return pyarrow.array(numbers, pyarrow.decimal128(MOST_DIGITS, 0))
    except pyarrow.ArrowException:
        raise errors.not_exact(str(name), errors.DIGITS) from None


def _polars_array(values: Any) -> Any:
    with column_failures(values.name):
        match str(values.dtype):
            case "Object":
                return _array(values.name, values.to_list())
            case "Int128" | "UInt128":
                return _polars_decimals(values).to_arrow()
            case _:
                return values.to_arrow()


def _polars_decimals(values: Any) -> Any:
    """Arrow has no integers of 128 bits."""
    import polars

    try:
        return values.cast(polars.Decimal(MOST_DIGITS, 0))
    except polars.exceptions.InvalidOperationError:
        raise errors.not_exact(values.name, errors.DIGITS) from None


def _readable(name: str, array: Any) -> Any:
    with column_failures(name):
        return readable(name, array)
