"""Columns that get more decimal places by REPLACE must still fit the exact numbers of every engine (D12)."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from sqlglot import exp

from acompass.checked.constants import digits_before_point, scale_of
from acompass.checked.types import MOST_DIGITS, Kind, Schema, Type
from acompass.checked.uses import ColumnUse
from acompass.engines.facts import Facts
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors


def require_widths(
    facts: Facts, schema: Schema, values: Sequence[Sql], uses: Mapping[int, ColumnUse]
) -> None:
    """Raise if a value, with as many decimal places as the policy gives its column, has too many digits."""
    for position, use in uses.items():
        type_ = schema[position].type
        scale = _later_scale(type_, use)
        if scale > type_.scale:
            digits = _digits_before_point(facts, sql.read(values[position].copy(), type_), use) + scale
            if digits > MOST_DIGITS:
                raise errors.number_too_long(schema[position].name, digits)


def _later_scale(type_: Type, use: ColumnUse) -> int:
    """The decimal places that constants give a column; 0 if one is too long, which is another error."""
    if type_.kind not in (Kind.INTEGER, Kind.DECIMAL):
        return 0
    scale = max((scale_of(value) for value in use.written), default=0)
    fits = all(digits_before_point(value) + scale_of(value) <= MOST_DIGITS for value in use.written)
    return scale if fits else 0


def _digits_before_point(facts: Facts, number: Sql, use: ColumnUse) -> int:
    found = facts.ask([exp.Max(this=number), exp.Min(this=number.copy())])
    written = [*use.written, *(bound for bounds in use.drawn for bound in bounds)]
    numbers = [Decimal(value) for value in (*found, *written) if value is not None]
    return max((number.adjusted() + 1 for number in numbers if number), default=0)
