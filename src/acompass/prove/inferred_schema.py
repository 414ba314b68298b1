"""The schema of a policy without a table: the columns that it names, with types inferred from their uses.

A column that is compared with text is text. A column that is compared with numbers or summed is integer, or
decimal if one of those numbers has digits after the point: the narrowest type that fits the policy. A column
that only RANDOM uses is integer. Any other column is text, as its type makes no difference to the policy.
"""

from collections.abc import Iterator, Mapping
from typing import assert_never

from acompass.checked.constants import scale_of
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.types import INTEGER, TEXT, Column, Schema, Type, decimal
from acompass.checked.uses import Use, uses
from acompass.syntax import tree
from acompass.syntax.walk import (
    all_conditions,
    comparisons,
    drawn_name,
    process_of,
    record_conditions,
    written_name,
)


def inferred_schema(policy: tree.Program, params: Mapping[str, ParamValue]) -> Schema:
    """Names that differ only in case are one column, spelled as in its first use."""
    spelled: dict[str, str] = {}
    for name in _names(policy):
        spelled.setdefault(name.text.casefold(), name.text)
    names = list(spelled.values())
    used = uses(policy, names, params)
    scales = _scales(policy, params)
    drawn = _drawn(policy)
    return tuple(
        Column(name, _type(used[position].use, scales.get(name.casefold(), 0), name.casefold() in drawn))
        for position, name in enumerate(names)
    )


def _type(use: Use, scale: int, is_drawn: bool) -> Type:
    match use:
        case Use.TEXT:
            return TEXT
        case Use.NUMBER:
            return decimal(scale) if scale else INTEGER
        case Use.ANY:
            return INTEGER if is_drawn else TEXT
        case _:
            assert_never(use)


def _drawn(policy: tree.Program) -> set[str]:
    names = (drawn_name(requirement.action) for requirement in policy.requirements)
    return {name.text.casefold() for name in names if name is not None}


def _names(policy: tree.Program) -> Iterator[tree.Name]:
    for requirement in policy.requirements:
        process = process_of(requirement)
        if process is not None and process.aggregate.column is not None:
            yield process.aggregate.column
        for condition in record_conditions(requirement):
            yield from (comparison.name for comparison in comparisons(condition))
        if process is not None:
            yield from process.group_by
        written = written_name(requirement.action)
        if written is not None:
            yield written


def _scales(policy: tree.Program, params: Mapping[str, ParamValue]) -> dict[str, int]:
    """For each name, the most digits after the point of any number that it is compared with."""
    parameters = Parameters(params)
    scales: dict[str, int] = {}
    for requirement in policy.requirements:
        for name, constant in _compared(requirement):
            number = parameters.bind(constant)
            if isinstance(number, tree.Number):
                key = name.casefold()
                scales[key] = max(scales.get(key, 0), scale_of(number.value))
    return scales


def _compared(requirement: tree.Requirement) -> Iterator[tuple[str, tree.Constant]]:
    aliased = _aliased_column(requirement)
    for condition in all_conditions(requirement):
        for comparison in comparisons(condition):
            name = comparison.name.text
            yield aliased.get(name.casefold(), name), comparison.constant


def _aliased_column(requirement: tree.Requirement) -> dict[str, str]:
    """The alias of a MIN or MAX, mapped to the column whose values it has."""
    process = process_of(requirement)
    if process is None or process.aggregate.column is None:
        return {}
    if process.aggregate.function not in (tree.Function.MIN, tree.Function.MAX):
        return {}
    return {process.alias.text.casefold(): process.aggregate.column.text}
