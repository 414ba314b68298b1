"""Whether the records of a class are alike, down to how they are written. docs/privacy-proofs.md, 1.1."""

from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

from acompass.checked.constants import scale_of
from acompass.checked.effects import (
    column_written,
    filter_of,
    generalize_of,
    is_always,
    is_certain,
    plain_of,
)
from acompass.checked.maps.bands import Bands
from acompass.checked.program import (
    Action,
    Comparison,
    Draw,
    Drop,
    Generalize,
    Operator,
    Process,
    Random,
    Reject,
    Replace,
    Requirement,
)
from acompass.checked.types import Kind, Schema, Value, remaining

#: numbers that are equal, yet may be written in different ways
_NOT_ALIKE = (Kind.DECIMAL, Kind.FLOAT)


def difference_within(classes: Process, schema: Schema, before: Sequence[Requirement]) -> str | None:
    """Why records of one class may differ in the table after the requirements `before`, whose schema it is;
    None if they are alike. The requirements are record-level."""
    constant, spelled = _constant_columns(before), _spelled_columns(before)
    for column in remaining(schema):
        name = schema[column].name
        if column in constant:
            continue
        if column not in classes.group_by:
            return f"`{name}` is not in `GROUP BY`, so it can tell the records of a class apart"
        if schema[column].type.kind is Kind.FLOAT:
            return f"`{name}` is a float: 0.0 and -0.0 are in one class, and are written differently"
        if schema[column].type.kind is Kind.DECIMAL or column in spelled:
            return f"`{name}` is a decimal: other records decide how its numbers are spelled (D26)"
    return None


def _constant_columns(requirements: Sequence[Requirement]) -> set[int]:
    """The columns that have one value in all records."""
    constant: set[int] = set()
    for requirement in requirements:
        written = column_written(requirement.action)
        if written is not None:
            constant.discard(written)
            if _makes_constant(requirement, written):
                constant.add(written)
    return constant


def _makes_constant(requirement: Requirement, column: int) -> bool:
    """Whether every record has the value that REPLACE writes: it affects every record, or every record
    without that value."""
    value = _replacement(requirement.action)
    if value is None or not is_certain(requirement.action) or _is_spelled(value):
        return False
    others = Comparison(column, Operator.EQ, value)
    before, after = requirement.before[column].type, requirement.after[column].type
    is_about_others = requirement.assertion.condition == others and filter_of(requirement) is None
    return is_always(requirement) or (is_about_others and before == after and after.kind not in _NOT_ALIKE)


def _is_spelled(value: Value) -> bool:
    """Whether other records decide how the constant is written (D26)."""
    return isinstance(value, Decimal) and scale_of(value) > 0


def _replacement(action: Action | None) -> Value | None:
    plain = plain_of(action)
    match plain:
        case Replace(_, value):
            return value
        case None | Reject() | Random() | Draw() | Generalize() | Drop():
            return None
        case _:
            assert_never(plain)


def _spelled_columns(requirements: Sequence[Requirement]) -> set[int]:
    """The columns whose values may depend on how a decimal was spelled."""
    spelled: set[int] = set()
    for requirement in requirements:
        spelled.update(_decimals(requirement.before))
        written = column_written(requirement.action)
        if written is not None and _forgets_spelling(requirement):
            spelled.discard(written)
    return spelled


def _decimals(schema: Schema) -> list[int]:
    return [at for at, column in enumerate(schema) if column.type.kind is Kind.DECIMAL]


def _forgets_spelling(requirement: Requirement) -> bool:
    """Whether what it writes, in every record, does not depend on a spelling. Bands are of numbers, other
    maps of texts."""
    generalize = generalize_of(requirement.action)
    is_of_numbers = generalize is None or isinstance(generalize.map, Bands)
    return is_always(requirement) and is_certain(requirement.action) and is_of_numbers
