"""Values of records in JSON."""

import datetime
import math
from decimal import Decimal
from typing import Any


def json_value(value: Any) -> int | float | str | bool | None:
    """Values that JSON cannot hold exactly, such as decimals and dates, become strings."""
    match value:
        case None | bool() | int() | str():
            return value
        case float() if math.isfinite(value):
            return value
        case Decimal():
            return f"{value:f}"
        case datetime.date():
            return value.isoformat()
        case _:
            return str(value)
