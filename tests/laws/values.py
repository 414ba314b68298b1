"""The Python values of each type of column (D9)."""

import datetime
from decimal import Decimal
from typing import Any

from acompass.checked.types import Kind, Type

CLASSES = {
    Kind.INTEGER: int,
    Kind.DECIMAL: Decimal,
    Kind.FLOAT: float,
    Kind.TEXT: str,
    Kind.BOOLEAN: bool,
    Kind.DATE: datetime.date,
    Kind.TIMESTAMP: datetime.datetime,
}


def is_of_type(value: Any, type_: Type) -> bool:
    """Missing values stand in columns of every type, opaque columns hold anything."""
    return value is None or type_.kind is Kind.OPAQUE or type(value) is CLASSES[type_.kind]
