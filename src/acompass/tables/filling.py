"""A value, given as text, for the missing values of a typed column (D11)."""

import re
from decimal import Decimal

from acompass.checked.constants import replacement
from acompass.checked.convert import to_text
from acompass.checked.types import MOST_DIGITS, Column, Kind
from acompass.diagnostics import Diagnostic, Span, TableError
from acompass.syntax import tree
from acompass.tables import faults
from acompass.tables.columns import NUMBER_PATTERN
from acompass.tables.loaded import text_literal

_NOWHERE = Span(0, 0)
_ENGINE_TYPES = {
    Kind.INTEGER: "BIGINT",
    Kind.FLOAT: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.BOOLEAN: "BOOLEAN",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}


def filling(text: str, column: Column) -> str:
    """SQL of the value in the column's type: what REPLACE could put there without changing the type."""
    constant = _constant(text, column)
    found = None if constant is None else replacement(constant, column)
    if found is None or isinstance(found, Diagnostic):
        raise _unfit(text, column)
    value, type_ = found
    if type_ != column.type:
        raise _unfit(text, column)
    engine_type = _ENGINE_TYPES.get(type_.kind, f"DECIMAL({MOST_DIGITS}, {type_.scale})")
    return f"CAST({text_literal(to_text(value, type_))} AS {engine_type})"


def is_number(text: str) -> bool:
    return re.fullmatch(NUMBER_PATTERN, text, re.ASCII) is not None


def _constant(text: str, column: Column) -> tree.Number | tree.String | None:
    if not column.type.is_number:
        return tree.String(text, _NOWHERE)
    return tree.Number(Decimal(text), _NOWHERE) if is_number(text) else None


def _unfit(text: str, column: Column) -> TableError:
    return faults.unfit_filling(column.name, str(column.type), text)
