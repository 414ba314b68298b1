"""The types of the columns at each step, as far as the checker follows them."""

from collections.abc import Sequence
from typing import assert_never

from acompass.certify.constants import Json
from acompass.checked.effects import plain_of, type_changes
from acompass.checked.program import Draw, Drop, Generalize, Program, Random, Reject, Replace, Requirement
from acompass.checked.types import Kind, Type, Value


def types_of_steps(program: Program, any_scale: frozenset[int]) -> list[list[Json]]:
    types = [_type(column.type, at in any_scale) for at, column in enumerate(program.schema)]
    steps = [types]
    for requirement in program.requirements:
        steps.append(_after(requirement, steps[-1]))
    return steps


def _type(type_: Type, has_any_scale: bool) -> Json:
    match type_.kind:
        case Kind.DECIMAL if has_any_scale:
            return "number"
        case Kind.DECIMAL:
            return ["spelled" if type_.spelled else "decimal", type_.scale]
        case Kind.OPAQUE | Kind.DROPPED:
            return None
        case _:
            return str(type_.kind)


def has_one_text(type_: Json) -> bool:
    """Whether equal values of the type have the same text."""
    return type_[0] == "decimal" if _is_decimal(type_) else type_ not in (None, "number", "float")


def _after(requirement: Requirement, before: Sequence[Json]) -> list[Json]:
    types = list(before)
    for column, (_, after) in type_changes(requirement).items():
        types[column] = _converted(before[column], after)
    plain = plain_of(requirement.action)
    match plain:
        case Random(column):
            types[column] = _with_integers(types[column])
        case Replace(column, value):
            types[column] = _with_values(types[column], [value])
        case Draw(column, balls):
            types[column] = _with_values(types[column], [ball.value for ball in balls])
        case None | Reject() | Generalize() | Drop():
            pass
        case _:
            assert_never(plain)
    return types


def _converted(before: Json, after: Type) -> Json:
    match after.kind:
        case Kind.TEXT:
            return None if before is None else "text"
        case Kind.DECIMAL:
            return "number"
        case _:
            return None


def _is_decimal(type_: Json) -> bool:
    return isinstance(type_, list)


def _with_integers(type_: Json) -> Json:
    return "number" if _is_decimal(type_) else None if type_ == "float" else type_


def _with_values(type_: Json, values: Sequence[Value]) -> Json:
    """A number that is not spelled as the others of the column is one of any scale."""
    if not _is_decimal(type_) or all(_is_of_scale(value, type_[1]) for value in values):
        return type_
    return "number"


def _is_of_scale(value: Value, scale: int) -> bool:
    """The type has no negative zero."""
    text = f"{value:f}"
    return len(text.partition(".")[2]) == scale and not (value == 0 and text.startswith("-"))
