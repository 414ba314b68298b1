"""Conversion of values when D12 changes a column's type."""

import datetime
from decimal import Decimal
from typing import assert_never

from acompass.checked.exact import at_scale
from acompass.checked.types import Kind, Type, Value


def to_text(value: Value, type_: Type) -> str:
    """The text of a value in a column that becomes text (D12)."""
    match type_.kind:
        case Kind.TEXT:
            return str(value)
        case Kind.INTEGER:
            return str(value)
        case Kind.DECIMAL if type_.spelled:
            return f"{value:f}"
        case Kind.DECIMAL:
            return f"{value:.{type_.scale}f}"
        case Kind.FLOAT:
            return repr(value)
        case Kind.BOOLEAN:
            return "true" if value else "false"
        case Kind.DATE | Kind.TIMESTAMP:
            assert isinstance(value, datetime.date)
            return value.isoformat()
        case Kind.OPAQUE | Kind.DROPPED:
            raise AssertionError("no policy names an opaque or a dropped column")
        case _:
            assert_never(type_.kind)


def convert(value: Value, source: Type, target: Type) -> Value:
    """The value in a column whose type changes from `source` to `target`."""
    if source == target:
        return value
    match target.kind:
        case Kind.TEXT:
            return to_text(value, source)
        case Kind.DECIMAL:
            assert isinstance(value, int | Decimal)
            if target.spelled:
                return Decimal(value)
            return at_scale(Decimal(value), target.scale)
        case Kind.FLOAT:
            assert isinstance(value, int | float | Decimal)
            return float(value)
        case _:
            raise AssertionError(f"no conversion from {source} to {target}")
