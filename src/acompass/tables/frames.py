"""The kinds of tables in Python, failures of their libraries as diagnostics, and dicts and lists as typed columns.

A library is imported only for its own objects; dicts and lists need none."""

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, cast

from acompass.arguments import OneShotTable, kind_in_words
from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import AcompassError, TableError
from acompass.language.program.types import MOST_DIGITS
from acompass.tables import errors
from acompass.tables.csv import require_names, require_text


class FrameKind(StrEnum):
    PANDAS = "a pandas data frame"
    POLARS = "a Polars data frame"
    POLARS_LAZY = "a Polars lazy frame"
    ARROW = "a PyArrow table"
    ARROW_BATCH = "a PyArrow record batch"
    DUCKDB = "a DuckDB relation"
    IBIS = "an Ibis table"
    ARROW_READER = "a PyArrow record batch reader"
    DICTS = "a list of dicts"
    DICT_ITERATOR = "an iterator of dicts"
    LISTS = "a dict of lists"


#: the kinds that consist of Python's own lists and dicts
PYTHON_KINDS = (FrameKind.DICTS, FrameKind.DICT_ITERATOR, FrameKind.LISTS)


def frame_kind(table: Any) -> FrameKind:
    kind = _find_kind(table)
    if kind is None:
        raise errors.unknown_table(type(table).__name__)
    return kind


def require_arrow(what: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise errors.library_needed(what)


def _find_kind(table: Any) -> FrameKind | None:
    match table:
        case list():
            return FrameKind.DICTS if all(isinstance(record, dict) for record in table) else None
        case Mapping():
            return FrameKind.LISTS if all(isinstance(values, list | tuple) for values in table.values()) else None
        case OneShotTable():
            is_reader = any(each.__name__ == "RecordBatchReader" for each in type(table.given).__mro__)
            return FrameKind.ARROW_READER if is_reader else FrameKind.DICT_ITERATOR
    # imported here: it takes a fifth of the startup time, and commands on files do not need it
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


def report_frame_failures(kind: FrameKind) -> AbstractContextManager[None]:
    return _report_failures(lambda error: errors.frame_failed(kind, error))


def report_column_failures(name: object) -> AbstractContextManager[None]:
    return _report_failures(lambda error: errors.column_failed(str(name), error))


@contextmanager
def _report_failures(report: Callable[[BaseException], TableError]) -> Iterator[None]:
    """Turn whatever the library raises into a diagnostic without its message, which may quote records (invariant 4)."""
    try:
        yield
    except AcompassError:
        raise
    except BaseException as error:
        if not _is_library_failure(error):
            raise
        raise report(error) from None


def _is_library_failure(error: BaseException) -> bool:
    # DuckDB raises this RuntimeError on Ctrl-C; Polars' panics are not Exceptions
    if isinstance(error, Exception):
        return str(error) != "Query interrupted"
    return type(error).__name__ == "PanicException"


#: the SQL types of columns that have values of a single type
_SQL_TYPES: dict[type, str] = {bool: "BOOLEAN", date: "DATE", datetime: "TIMESTAMP", float: "DOUBLE", str: "VARCHAR"}
_PLAIN = {*_SQL_TYPES, int, Decimal}
_SMALLEST_BIGINT, _LARGEST_BIGINT = -(2**63), 2**63 - 1
#: floats represent every integer up to this one exactly
_LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class PlainColumn:
    name: str
    type: str  # the SQL type that a statement casts `values` to
    values: list[Any] = field(repr=False)

    @property
    def missing(self) -> int:
        return self.values.count(None)


def named_values(table: Any) -> Mapping[Any, Sequence[Any]]:
    """The values of each column of dicts or lists; missing values are None."""
    match table:
        case OneShotTable():
            if table.content is None:
                table.content = _transpose(table.given)
                if not table.content:
                    raise errors.no_records_left(FrameKind.DICT_ITERATOR)
            return cast(Mapping[Any, Sequence[Any]], table.content)
        case Mapping():
            _require_equal_lengths(table)
            return table
        case _:
            return _transpose(table)


def _transpose(records: Iterable[Any]) -> dict[Any, list[Any]]:
    columns: dict[Any, list[Any]] = {}
    for position, record in enumerate(records):
        if not isinstance(record, dict):
            raise errors.unknown_record(kind_in_words(record))
        for name, value in record.items():
            if name not in columns:
                columns[name] = [None] * position
            columns[name].append(value)
        if len(record) < len(columns):
            for values in columns.values():
                values.extend([None] * (position + 1 - len(values)))
    return columns


def _require_equal_lengths(columns: Mapping[Any, Sequence[Any]]) -> None:
    lengths = {name: len(values) for name, values in columns.items()}
    first = next(iter(lengths), None)
    for name, length in lengths.items():
        if length != lengths[first]:
            raise errors.unequal_lengths(str(first), lengths[first], str(name), length)


def plain_columns(table: Any) -> tuple[PlainColumn, ...] | None:
    """The columns of dicts or lists; None if a value is not a number, text, a boolean, a date or a local time, or a
    column mixes types."""
    found = named_values(table)
    require_names(require_text(list(found)))
    try:
        columns = [plain_column(name, values) for name, values in found.items()]
    except TableError:
        if importlib.util.find_spec("pyarrow") is None:
            raise
        return None  # Arrow passes a column through that the policy does not name
    return None if None in columns else tuple(column for column in columns if column is not None)


def plain_column(name: str, given: Sequence[Any]) -> PlainColumn | None:
    values = [None if _is_missing(value) else value for value in given]
    types = {type(value) for value in values if value is not None}
    has_zone = datetime in types and any(isinstance(value, datetime) and value.tzinfo is not None for value in values)
    if not types <= _PLAIN or has_zone:
        return None
    if not types:
        return PlainColumn(name, "VARCHAR", values)
    if types == {int}:
        return _integers(name, values)
    if types == {int, float}:
        return _floats(name, values)
    if Decimal in types and types <= {int, Decimal}:
        return _decimals(name, values)
    if len(types) > 1:
        raise errors.mixed_column(name)
    if types == {str}:
        _require_unicode(name, values)
    return PlainColumn(name, _SQL_TYPES[types.pop()], values)


def _is_missing(value: Any) -> bool:
    match value:
        case None:
            return True
        case float():
            return value != value
        case Decimal():
            return value.is_nan()
        case _:
            return False


def _integers(name: str, values: list[Any]) -> PlainColumn:
    present = [value for value in values if value is not None]
    if min(present) >= _SMALLEST_BIGINT and max(present) <= _LARGEST_BIGINT:
        return PlainColumn(name, "BIGINT", values)
    if max(map(abs, present)) >= 10**MOST_DIGITS:
        raise errors.not_exact(name, errors.DIGITS)
    texts = [None if value is None else str(value) for value in values]
    return PlainColumn(name, f"DECIMAL({MOST_DIGITS},0)", texts)


def _floats(name: str, values: list[Any]) -> PlainColumn:
    if any(type(value) is int and abs(value) > _LARGEST_EXACT for value in values):
        raise errors.mixed_column(name)
    return PlainColumn(name, "DOUBLE", [None if value is None else float(value) for value in values])


def _decimals(name: str, values: list[Any]) -> PlainColumn:
    """The values become texts, because DuckDB infers the type of a list of decimals from its first value."""
    numbers = [None if value is None else Decimal(value) for value in values]
    sizes = [_count_digits(name, number) for number in numbers if number is not None]
    scale = max(scale for _, scale in sizes)
    precision = max(1, max(whole for whole, _ in sizes) + scale)
    if precision > MOST_DIGITS:
        raise errors.not_exact(name, errors.DIGITS)
    texts = [None if number is None else f"{number:f}" for number in numbers]
    return PlainColumn(name, f"DECIMAL({precision},{scale})", texts)


def _count_digits(name: str, number: Decimal) -> tuple[int, int]:
    """The number of digits before and after the point."""
    _, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        raise errors.mixed_column(name)
    return max(0, len(digits) + exponent), max(0, -exponent)


def _require_unicode(name: str, texts: list[Any]) -> None:
    for text in texts:
        if text is not None and not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                raise errors.not_unicode(name) from None
