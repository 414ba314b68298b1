"""Constants and numbers as a certificate has them."""

import datetime
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

#: what `json` writes
Json: TypeAlias = Any

_DIGITS = str.maketrans("", "", "-:.T")


def constant(value: Any) -> Json:
    """A value, as it is spelled."""
    match value:
        case bool():
            return {"boolean": value}
        case int():
            return {"integer": str(value)}
        case Decimal():
            return {"decimal": f"{value:f}"}
        case float():
            (bits,) = struct.unpack(">Q", struct.pack(">d", value))
            return {"float": ["-" if bits >> 63 else "+", str(bits & (2**63 - 1))]}
        case str():
            return {"text": value}
        case datetime.datetime():
            return {"timestamp": value.isoformat(timespec="microseconds").translate(_DIGITS)}
        case datetime.date():
            return {"date": value.isoformat().translate(_DIGITS)}
        case _:
            raise AssertionError(f"no constant is a {type(value)}")


def exact(number: Fraction) -> Json:
    """A number with a finite decimal expansion."""
    digits = 0
    while (number * 10**digits).denominator != 1:
        digits += 1
    if digits == 0:
        return {"integer": str(number.numerator)}
    units = str(abs(int(number * 10**digits))).zfill(digits + 1)
    return {"decimal": f"{'-' if number < 0 else ''}{units[:-digits]}.{units[-digits:]}"}
