"""Constants as values of a column's type: in comparisons (D9) and in REPLACE (D12)."""

import datetime
import re
from dataclasses import replace
from decimal import Decimal
from typing import assert_never

from acompass.checked import findings
from acompass.checked.convert import convert
from acompass.checked.exact import shortest
from acompass.checked.parameters import Bound
from acompass.checked.types import MOST_DIGITS, TEXT, Column, Kind, Type, Value, decimal
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree

SMALLEST_INTEGER = -(2**63)
LARGEST_INTEGER = 2**63 - 1
#: digits of the longest number in a comparison; no column has numbers this long
LONGEST = 1_000

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(_DATE.pattern + r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")
_BOOLEANS = {"true": True, "false": False}


def compared(constant: Bound, column: Column) -> Value | Diagnostic:
    """The value that the column's values are compared with, or an error."""
    if problem := _malformed(constant):
        return problem
    kind = column.type.kind
    if isinstance(constant, tree.Number):
        return _compared_number(constant, column) if column.type.is_number else _mismatch(constant, column)
    if column.type.is_number:
        return _mismatch(constant, column)
    value = _parsed(constant.value, kind)
    return findings.unreadable_constant(constant, column) if value is None else value


def replacement(constant: Bound, column: Column) -> tuple[Value, Type] | Diagnostic:
    """The value that REPLACE writes and the column's type after it, or an error."""
    if problem := _malformed(constant):
        return problem
    if isinstance(constant, tree.Number):
        return _replacement_number(constant, column)
    value = None if column.type.is_number else _parsed(constant.value, column.type.kind)
    return (constant.value, TEXT) if value is None else (value, column.type)


def scale_of(value: Decimal) -> int:
    """Digits after the point."""
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def digits_before_point(value: Decimal | int) -> int:
    return max(Decimal(value).adjusted() + 1, 1)


def is_timestamp(text: str) -> bool:
    """Whether a text constant is a date or a time in ISO form."""
    return _iso_timestamp(text) is not None


def is_64_bit(value: Decimal | int) -> bool:
    return SMALLEST_INTEGER <= value <= LARGEST_INTEGER


def _malformed(constant: Bound) -> Diagnostic | None:
    if isinstance(constant, tree.String):
        return None if _is_unicode(constant.value) else findings.not_unicode(constant.span)
    digits = digits_before_point(constant.value) + scale_of(constant.value)
    return findings.number_too_long(constant.span, digits, LONGEST) if digits > LONGEST else None


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _mismatch(constant: Bound, column: Column) -> Diagnostic:
    return findings.type_mismatch(constant, column)


def _compared_number(constant: tree.Number, column: Column) -> Value | Diagnostic:
    value = constant.value
    match column.type.kind:
        case Kind.FLOAT:
            return _nearest_float(constant)
        case Kind.INTEGER if value == value.to_integral_value():
            return int(value)
        case _:
            return value


def _nearest_float(constant: tree.Number) -> float | Diagnostic:
    nearest = float(constant.value)
    if nearest in (float("inf"), float("-inf")):
        return findings.outside_floats(constant.span)
    return nearest


def _parsed(text: str, kind: Kind) -> Value | None:
    match kind:
        case Kind.TEXT:
            return text
        case Kind.BOOLEAN:
            return _BOOLEANS.get(text)
        case Kind.DATE:
            return _iso_date(text)
        case Kind.TIMESTAMP:
            return _iso_timestamp(text)
        case Kind.INTEGER | Kind.DECIMAL | Kind.FLOAT | Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            assert_never(kind)


def _iso_date(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _iso_timestamp(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text) if _TIMESTAMP.fullmatch(text) else None
    except ValueError:
        return None


def _replacement_number(constant: tree.Number, column: Column) -> tuple[Value, Type] | Diagnostic:
    value = constant.value or constant.value.copy_abs()  # without a negative zero
    match column.type.kind:
        case Kind.INTEGER if scale_of(value) == 0 and is_64_bit(value):
            return int(value), column.type
        case Kind.INTEGER | Kind.DECIMAL:
            return _stored_decimal(value, constant, column)
        case Kind.FLOAT:
            nearest = _nearest_float(constant)
            return nearest if isinstance(nearest, Diagnostic) else (nearest + 0.0, column.type)
        case Kind.TEXT:
            return f"{value:f}", TEXT
        case Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.OPAQUE | Kind.DROPPED:
            return findings.number_replacing(constant, column)
        case _:
            assert_never(column.type.kind)


def _stored_decimal(value: Decimal, constant: tree.Number, column: Column) -> tuple[Value, Type] | Diagnostic:
    source = column.type
    scale = max(source.scale, scale_of(value))
    digits = digits_before_point(value) + scale
    if digits > MOST_DIGITS:
        return findings.number_too_long(constant.span, digits, MOST_DIGITS)
    written = shortest(value) if value in source.shortened else value
    target = replace(source, kind=Kind.DECIMAL, scale=scale)
    return convert(written, decimal(scale_of(value)), target), target
