"""The constants of a column's values in a policy, and codes: constants that are none of these values."""

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import count, islice

from acompass.checked.constants import compared, scale_of
from acompass.checked.exact import at_scale
from acompass.checked.types import Column, Kind, Type, Value
from acompass.diagnostics import Diagnostic
from acompass.syntax import tree
from acompass.tables.numbers import is_number

_MARK = "~"


def constant_of(text: str, type_: Type) -> tree.Number | tree.String:
    """The constant that stands for a value of a column."""
    return tree.Number(Decimal(text)) if type_.is_number else tree.String(text)


def value_of(text: str, type_: Type) -> Value | None:
    """The value with this text of a column of the type; None if there is none."""
    if type_.is_number and not _is_number(text, type_):
        return None
    value = compared(constant_of(text, type_), Column("", type_))
    if isinstance(value, Diagnostic) or (type_.kind is Kind.INTEGER and not isinstance(value, int)):
        return None
    if type_.kind is Kind.DECIMAL and not type_.spelled:
        assert isinstance(value, Decimal)
        return at_scale(value, type_.scale) if scale_of(value) <= type_.scale else None
    return value


def _is_number(text: str, type_: Type) -> bool:
    if type_.kind is not Kind.FLOAT:
        return is_number(text)
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def codes_for(
    texts: Sequence[str], values: Sequence[str], type_: Type
) -> Sequence[tree.Number | tree.String]:
    """A code for each text, which is none of the column's values: a number for a number, so that the column
    keeps its type (D12)."""
    if type_.is_number:
        taken = {Decimal(text) for text in values}
        free = (number for number in map(Decimal, count(-1, -1)) if number not in taken)
        return list(map(tree.Number, islice(free, len(texts))))
    mark = _MARK
    while any(mark + text in values for text in texts):
        mark += _MARK
    return [tree.String(mark + text) for text in texts]
