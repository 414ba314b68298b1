"""The value that has a given text once its column becomes text (D12)."""

import datetime
import re
from decimal import Decimal, InvalidOperation
from typing import assert_never

from acompass.checked.convert import to_text
from acompass.checked.types import Kind, Type, Value

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def read_text(text: str, type_: Type) -> Value | None:
    """None where no value has the text."""
    value = _read(text, type_)
    return value if value is not None and to_text(value, type_) == text else None


def _read(text: str, type_: Type) -> Value | None:
    """The value that may have this text; None where no value does."""
    try:
        match type_.kind:
            case Kind.INTEGER:
                return int(text) if _NUMBER.fullmatch(text) else None
            case Kind.DECIMAL:
                return Decimal(text) if _NUMBER.fullmatch(text) else None
            case Kind.FLOAT:
                return float(text)
            case Kind.DATE:
                return datetime.date.fromisoformat(text)
            case Kind.TIMESTAMP:
                return datetime.datetime.fromisoformat(text)
            case Kind.BOOLEAN | Kind.TEXT | Kind.OPAQUE | Kind.DROPPED:
                return None
            case _:
                assert_never(type_.kind)
    except (ValueError, InvalidOperation):
        return None
