"""Values of records in words."""

import datetime
from decimal import Context, Decimal
from typing import Any

from acompass.checked.convert import to_text
from acompass.checked.types import Type
from acompass.report.words import on_one_line
from acompass.syntax.spelling import spell_string

_EXACT = Context(prec=10_000)


def spelled(value: Any, type_: Type) -> str:
    """A value as a policy would write it."""
    text = to_text(value, type_)
    return on_one_line(text if type_.is_number else spell_string(text))


def shown(value: Any) -> str:
    """A value of any column, missing ones too."""
    match value:
        case None:
            return "missing"
        case str():
            return on_one_line(spell_string(value))
        case bool():
            return "true" if value else "false"
        case Decimal():
            return f"{value:f}"
        case datetime.date():
            return value.isoformat()
        case _:
            return on_one_line(str(value))


def difference(before: Any, after: Any) -> str:
    """` (6 less)`, where that says something."""
    number = int | Decimal
    if not isinstance(before, number) or not isinstance(after, number) or isinstance(after, bool):
        return ""
    amount = abs(_EXACT.subtract(Decimal(after), Decimal(before)))
    return f" ({amount:,f} {'more' if after > before else 'less'})"
