"""Convert constants to values of a column's type, for comparisons (D9) and for REPLACE (D12), and bind parameters
(D5)."""

import datetime
import operator
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TypeAlias, assert_never

from acompass.dataclasses import replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program import findings, types
from acompass.language.program.findings import Bound
from acompass.language.program.types import TEXT, Column, Kind, Type, Value, convert, decimal
from acompass.language.text import tree
from acompass.language.text.tokens import is_word, read_constant

ParamValue: TypeAlias = int | float | Decimal | str | bool

#: larger exponents give longer numbers than a policy may contain (`LONGEST`)
_LARGEST_EXPONENT = 10_000


class Parameters:
    """The values of the parameters, and which of them the policy uses."""

    def __init__(self, values: Mapping[str, ParamValue]):
        self._values = {name: _to_constant(value) for name, value in values.items()}
        self.unbound: set[str] = set()
        self._used: set[str] = set()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._values)

    def bind(self, constant: tree.Constant) -> Bound | None:
        """The constant, or the parameter's value; None for a parameter without a usable value."""
        if not isinstance(constant, tree.Parameter):
            return constant
        self._used.add(constant.name)
        if constant.name not in self._values:
            self.unbound.add(constant.name)
            return None
        match self._values[constant.name]:
            case Decimal() as number:
                return tree.Number(number, constant.span)
            case str() as text:
                return tree.String(text, constant.span)
            case None:
                return None

    def problems(self) -> tuple[Diagnostic, ...]:
        """Errors about the values, once the whole policy has been checked."""
        unusable = [findings.unusable_parameter(name) for name, value in self._values.items() if value is None]
        unused = [findings.unused_parameter(name) for name in self._values if name not in self._used]
        return (*unusable, *unused)


def _to_constant(value: object) -> Decimal | str | None:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case Decimal():
            return _plain_decimal(value)
        case float():
            return _plain_decimal(Decimal(float.__repr__(value)))
        case _:
            return Decimal(operator.index(value)) if hasattr(value, "__index__") else None


def _plain_decimal(value: Decimal) -> Decimal | None:
    """The same number without a positive exponent, as in a policy; None for NaN and infinity."""
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        return None
    return Decimal(f"{value:f}")


def parse_setting(text: str) -> tuple[str, ParamValue]:
    """The name and the value in `k=3`: a number, text in single quotes, or any other text."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not is_word(name):
        raise CallError([findings.bad_setting(text)])
    constant = read_constant(value.strip())
    return name, value if constant is None else constant


def parse_settings(texts: Iterable[str]) -> dict[str, ParamValue]:
    """The `--set` options of a call. Raises CallError if a parameter is set twice."""
    settings: dict[str, ParamValue] = {}
    for name, value in map(parse_setting, texts):
        if name in settings:
            raise CallError([findings.repeated_setting(name)])
        settings[name] = value
    return settings


SMALLEST_INTEGER = -(2**63)
LARGEST_INTEGER = 2**63 - 1
#: digits of the longest number in a comparison; no column has numbers this long
LONGEST = 1_000

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(_DATE.pattern + r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?")
_BOOLEANS = {"true": True, "false": False}


def compared_value(constant: Bound, column: Column) -> Value | Diagnostic:
    """The value that the column's values are compared with, or an error."""
    if problem := _constant_problem(constant):
        return problem
    if isinstance(constant, tree.Number):
        is_number = column.type.is_number or column.type.kind is Kind.SHARE
        return _compared_number(constant, column) if is_number else findings.type_mismatch(constant, column)
    if column.type.is_number or column.type.kind is Kind.SHARE:
        return findings.type_mismatch(constant, column)
    value = parse_value(constant.value, column.type.kind)
    return findings.unreadable_constant(constant, column) if value is None else value


def replacement(constant: Bound, column: Column) -> tuple[Value, Type] | Diagnostic:
    """The value that REPLACE writes and the column's type after it, or an error."""
    if problem := _constant_problem(constant):
        return problem
    if isinstance(constant, tree.Number):
        return _replacement_number(constant, column)
    value = None if column.type.is_number else parse_value(constant.value, column.type.kind)
    return (constant.value, TEXT) if value is None else (value, column.type)


def scale_of(value: Decimal) -> int:
    """The number of digits after the point."""
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def digits_before_point(value: Decimal | int) -> int:
    return max(Decimal(value).adjusted() + 1, 1)


def is_timestamp(text: str) -> bool:
    """Whether a text constant is an ISO date, with or without a time."""
    return _iso_timestamp(text) is not None


def is_64_bit(value: Decimal | float) -> bool:
    return SMALLEST_INTEGER <= value <= LARGEST_INTEGER


def _constant_problem(constant: Bound) -> Diagnostic | None:
    if isinstance(constant, tree.String):
        has_surrogate = any("\ud800" <= letter <= "\udfff" for letter in constant.value)
        return findings.not_unicode(constant.span) if has_surrogate else None
    digits = digits_before_point(constant.value) + scale_of(constant.value)
    return findings.number_too_long(constant.span, digits, LONGEST) if digits > LONGEST else None


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


def parse_value(text: str, kind: Kind) -> Value | None:
    """The value that a text stands for in a column of this kind; None if it stands for none, and for every number."""
    match kind:
        case Kind.TEXT:
            return text
        case Kind.BOOLEAN:
            return _BOOLEANS.get(text)
        case Kind.DATE:
            return _iso_date(text)
        case Kind.TIMESTAMP:
            return _iso_timestamp(text)
        case Kind.INTEGER | Kind.DECIMAL | Kind.FLOAT | Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
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
            return _replacement_decimal(value, constant, column)
        case Kind.FLOAT:
            nearest = _nearest_float(constant)
            return nearest if isinstance(nearest, Diagnostic) else (nearest + 0.0, column.type)
        case Kind.TEXT:
            return f"{value:f}", TEXT
        case Kind.BOOLEAN | Kind.DATE | Kind.TIMESTAMP | Kind.SHARE | Kind.OPAQUE | Kind.DROPPED:
            return findings.number_replacing(constant, column)
        case _:
            assert_never(column.type.kind)


def _replacement_decimal(value: Decimal, constant: tree.Number, column: Column) -> tuple[Value, Type] | Diagnostic:
    source = column.type
    scale = max(source.scale, scale_of(value))
    digits = digits_before_point(value) + scale
    if digits > types.MOST_DIGITS:
        return findings.number_too_long(constant.span, digits, types.MOST_DIGITS)
    written = types.shortest_decimal(value) if value in source.shortened else value
    target = replace(source, kind=Kind.DECIMAL, scale=scale)
    return convert(written, decimal(scale_of(value)), target), target
