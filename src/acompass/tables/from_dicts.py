"""A list of dicts as columns of Python values, each with its SQL type. This needs no library.

Python's mixtures are stricter than Arrow's, which reads the number 1 among times as a microsecond of 1970.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from acompass.checked.types import MOST_DIGITS
from acompass.tables import errors
from acompass.tables.header import require_names, require_text

#: the types of values whose columns have only that type
_SQL_TYPES: dict[type, str] = {
    bool: "BOOLEAN",
    date: "DATE",
    datetime: "TIMESTAMP",
    float: "DOUBLE",
    str: "VARCHAR",
}
_PLAIN = {*_SQL_TYPES, int, Decimal}
_SMALLEST_BIGINT, _LARGEST_BIGINT = -(2**63), 2**63 - 1
#: floats represent every integer up to this one
_LARGEST_EXACT = 2**53


@dataclass(frozen=True)
class PlainColumn:
    """`values` can be parameters of a statement that casts them to `type`."""

    name: str
    type: str
    values: list[Any] = field(repr=False)

    @property
    def missing(self) -> int:
        return self.values.count(None)


def plain_columns(records: Sequence[dict[Any, Any]]) -> tuple[PlainColumn, ...] | None:
    """The columns of the records; None if a value is neither a number, text, a boolean, a date nor a local
    time."""
    names = list(dict.fromkeys(name for record in records for name in record))
    require_names(require_text(names))
    columns = [_column(name, [record.get(name) for record in records]) for name in names]
    return None if None in columns else tuple(column for column in columns if column is not None)


def _column(name: str, given: list[Any]) -> PlainColumn | None:
    values = [None if _is_missing(value) else value for value in given]
    types = {type(value) for value in values if value is not None}
    if not types <= _PLAIN or (datetime in types and _has_zone(values)):
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


def _has_zone(values: list[Any]) -> bool:
    return any(isinstance(value, datetime) and value.tzinfo is not None for value in values)


def _integers(name: str, values: list[Any]) -> PlainColumn:
    there = [value for value in values if value is not None]
    if min(there) >= _SMALLEST_BIGINT and max(there) <= _LARGEST_BIGINT:
        return PlainColumn(name, "BIGINT", values)
    if max(map(abs, there)) >= 10**MOST_DIGITS:
        raise errors.not_exact(name, errors.DIGITS)
    texts = [None if value is None else str(value) for value in values]
    return PlainColumn(name, f"DECIMAL({MOST_DIGITS},0)", texts)


def _floats(name: str, values: list[Any]) -> PlainColumn:
    if any(type(value) is int and abs(value) > _LARGEST_EXACT for value in values):
        raise errors.mixed_column(name)
    return PlainColumn(name, "DOUBLE", [None if value is None else float(value) for value in values])


def _decimals(name: str, values: list[Any]) -> PlainColumn:
    """As texts, because DuckDB would take the type of a list of decimals from its first value."""
    numbers = [None if value is None else Decimal(value) for value in values]
    sizes = [_digits(name, number) for number in numbers if number is not None]
    scale = max(scale for _, scale in sizes)
    precision = max(1, max(whole for whole, _ in sizes) + scale)
    if precision > MOST_DIGITS:
        raise errors.not_exact(name, errors.DIGITS)
    texts = [None if number is None else f"{number:f}" for number in numbers]
    return PlainColumn(name, f"DECIMAL({precision},{scale})", texts)


def _digits(name: str, number: Decimal) -> tuple[int, int]:
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
