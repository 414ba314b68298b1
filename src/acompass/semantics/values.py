"""Operations on values: comparisons (Figure 3), sums (D13), shares (X13), multiples (X12), pseudonyms (X15), shifts
(X16), noise (X17) and means (X18). `core` says which records get them."""

import datetime
import hashlib
import hmac
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any, assert_never

from acompass.language.program.keys import Key
from acompass.language.program.label_maps import is_iso_date
from acompass.language.program.types import EXACT, MOST_DIGITS, Kind, Type
from acompass.language.text.tree import Operator


def compare(value: Any, operator: Operator, constant: Any) -> bool:
    """Figure 3, η(A) θ c. The order is total: NaN is above every number; see docs/paper.md, 26. Shares are exact
    fractions (X13)."""
    if value != value:
        return operator in (Operator.GT, Operator.GE)
    if isinstance(value, Fraction):
        constant = Fraction(constant)
    match operator:
        case Operator.LT:
            return bool(value < constant)
        case Operator.LE:
            return bool(value <= constant)
        case Operator.EQ:
            return bool(value == constant)
        case Operator.GE:
            return bool(value >= constant)
        case Operator.GT:
            return bool(value > constant)
        case _:
            assert_never(operator)


def total(values: list[Any]) -> Any:
    """Exact for integers and decimals; floats are added one by one in sorted order (D13).

    The built-in `sum` is unsuitable: since Python 3.12, it compensates for rounding.
    """
    addition = EXACT.add if isinstance(values[0], Decimal) else add
    return reduce(addition, sorted(values))


def share_of_largest(values: list[Any], n: int) -> Fraction:
    """X13: the n largest absolute values over all of them; 0 if all are 0. Infinite values count as equal, and
    all others as 0 if there are any."""
    infinite = sum(isinstance(value, float) and math.isinf(value) for value in values)
    if infinite:
        return Fraction(min(n, infinite), infinite)
    amounts = sorted((abs(Fraction(value)) for value in values), reverse=True)
    everything = sum(amounts)
    return Fraction(sum(amounts[:n])) / everything if everything else Fraction(0)


def share_of_mode(values: list[Any]) -> Fraction:
    """X13: the records with the most frequent value over all records."""
    return Fraction(max(Counter(values).values()), len(values))


def nearest_multiple(value: Any, step: Decimal, type_: Type) -> Any:
    """X12: the nearest multiple of the step, halves away from zero; None if it does not fit."""
    if isinstance(value, float) and math.isinf(value):
        return value
    n = Fraction(step)
    return _to_type(_half_away(Fraction(value) / n) * n, type_)


def _half_away(value: Fraction) -> int:
    """The nearest integer, halves away from zero."""
    nearest = math.floor(abs(value) + Fraction(1, 2))
    return nearest if value > 0 else -nearest


def _to_type(value: Fraction, type_: Type) -> Any:
    """A number in a column of this type, rounded to its scale with halves away from zero; None if it does not fit."""
    match type_.kind:
        case Kind.INTEGER:
            whole = _half_away(value)
            return whole if -(2**63) <= whole < 2**63 else None
        case Kind.DECIMAL:
            digits = _half_away(value * 10**type_.scale)
            sign = int(digits < 0)
            parts = tuple(map(int, str(abs(digits))))
            return Decimal((sign, parts, -type_.scale)) if len(parts) <= MOST_DIGITS else None
        case Kind.FLOAT:
            try:
                return float(value) + 0.0
            except OverflowError:
                return None
        case _:
            raise AssertionError("the column has numbers")


def sum_with(value: Any, drawn: int, type_: Type) -> Any:
    """X17: the value plus a drawn integer; None if it does not fit."""
    if isinstance(value, float) and math.isinf(value):
        return value
    if isinstance(value, Decimal):
        total = EXACT.add(value, Decimal(drawn))
        # `abs` would round to the digits of the default context
        return total if total.copy_abs() < Decimal(10) ** (MOST_DIGITS - type_.scale) else None
    return _to_type(Fraction(value) + drawn, type_)


def mean_of(values: list[Any], type_: Type) -> Any:
    """X18: the exact mean in the column's type; None if the values include both infinities."""
    infinite = {value for value in values if isinstance(value, float) and math.isinf(value)}
    if infinite:
        return infinite.pop() if len(infinite) == 1 else None
    return _to_type(Fraction(sum(map(Fraction, values))) / len(values), type_)


def pseudonym(key: Key, text: str, type_: Type) -> str:
    """X15: p_K of the value that became this text; `type_` is the type that it had."""
    return _hmac(key, _text_with_key(_text_value(text, type_)))[:24]


def days_of_person(key: Key, person: Any, most: int) -> int:
    """X16: s_K of the value, from -most to most."""
    return int(_hmac(key, "shift:" + _text_with_key(person))[:13], 16) % (2 * most + 1) - most


def _hmac(key: Key, text: str) -> str:
    return hmac.new(key.secret, text.encode(), hashlib.sha256).hexdigest()


def _text_value(text: str, type_: Type) -> Any:
    """The value that became this text (D12)."""
    match type_.kind:
        case Kind.INTEGER:
            return int(text)
        case Kind.DECIMAL:
            return Decimal(text)
        case Kind.FLOAT:
            return float(text)
        case Kind.TIMESTAMP:
            return datetime.datetime.fromisoformat(text)
        case _:
            return text


def _text_with_key(value: Any) -> str:
    """X15, the text of v: a number in its shortest plain form, a timestamp with a space."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, float):
        return str(value) if math.isinf(value) else _text_with_key(Decimal(repr(value)))
    if isinstance(value, Decimal):
        digits = f"{value:f}"
        digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
        return "0" if digits == "-0" else digits
    return str(value)


def date_after(value: Any, days: int) -> Any:
    """The date plus a number of days, on the local clock. Text in ISO form stays text."""
    try:
        if isinstance(value, str):
            if not is_iso_date(value):
                return None
            date = datetime.date.fromisoformat(value[:10]) + datetime.timedelta(days)
            return date.isoformat() + value[10:]
        return value + datetime.timedelta(days)
    except OverflowError:
        return None
