"""The schema of a policy without a table: the columns that it names, with types inferred from their uses.

A column that is compared with text is text. A column that is compared with numbers or summed is integer, or
decimal if one of those numbers has digits after the point: the narrowest type that fits the policy. BANDS
uses a column as a number, other maps use it as text. A column that only RANDOM uses is integer. Any other
column is text, as its type makes no difference to the policy.
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
    map_numbers,
    names_dropped,
    process_of,
    record_conditions,
    step_of,
    steps,
    written_name,
)


def inferred_schema(
    policy: tree.Program, params: Mapping[str, ParamValue], *, is_apart: bool = False
) -> Schema:
    """Names that differ only in case are one column, spelled as in its first use. Where they stand apart, the
    table has a column for each spelling (D3)."""
    spelled: dict[str, str] = {}
    for name in _names(policy):
        spelled.setdefault(name.text if is_apart else name.text.casefold(), name.text)
    names = list(spelled.values())
    if {name.casefold() for name in names} <= _dropped(policy):  # a table has more columns than those
        names.append(_unused(spelled))
    used = uses(policy, names, params)
    scales = _scales(policy, params)
    drawn = _drawn(policy)
    return tuple(
        Column(name, _type(used[at].use, scales.get(name.casefold(), 0), name.casefold() in drawn))
        if at in used
        else Column(name, TEXT)
        for at, name in enumerate(names)
    )


def _dropped(policy: tree.Program) -> set[str]:
    names = (name for requirement in steps(policy) for name in names_dropped(step_of(requirement)))
    return {name.text.casefold() for name in names}


def _unused(spelled: Mapping[str, str]) -> str:
    name = "another"
    while name in spelled:
        name += "_"
    return name


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
    names = (drawn_name(step_of(requirement)) for requirement in steps(policy))
    return {name.text.casefold() for name in names if name is not None}


def _names(policy: tree.Program) -> Iterator[tree.Name]:
    for requirement in steps(policy):
        process = process_of(requirement)
        if process is not None:
            aggregated = (named.aggregate.column for named in process.aggregates)
            yield from (name for name in aggregated if name is not None)
        for condition in record_conditions(requirement):
            yield from (comparison.name for comparison in comparisons(condition))
        if process is not None:
            yield from process.group_by
        written = written_name(step_of(requirement))
        if written is not None:
            yield written
        yield from names_dropped(step_of(requirement))


def _scales(policy: tree.Program, params: Mapping[str, ParamValue]) -> dict[str, int]:
    """For each name, the most digits after the point of any number that it is compared with or cut at."""
    parameters = Parameters(params)
    scales: dict[str, int] = {}
    for requirement in steps(policy):
        for name, constant in (*_compared(requirement), *_cut(requirement)):
            number = parameters.bind(constant)
            if isinstance(number, tree.Number):
                key = name.casefold()
                scales[key] = max(scales.get(key, 0), scale_of(number.value))
    return scales


def _compared(requirement: tree.Requirement) -> Iterator[tuple[str, tree.Constant]]:
    aliased = _aliased_columns(requirement)
    for condition in all_conditions(requirement):
        for comparison in comparisons(condition):
            name = comparison.name.text
            yield aliased.get(name.casefold(), name), comparison.constant


def _cut(requirement: tree.Requirement) -> Iterator[tuple[str, tree.Constant]]:
    """The numbers at which BANDS cuts a column."""
    action = step_of(requirement)
    written = written_name(action)
    if written is not None:
        yield from ((written.text, number) for number in map_numbers(action))


def _aliased_columns(requirement: tree.Requirement) -> dict[str, str]:
    """The aliases of each MIN and MAX, mapped to the column whose values it has."""
    process = process_of(requirement)
    return {
        named.alias.text.casefold(): named.aggregate.column.text
        for named in (() if process is None else process.aggregates)
        if named.aggregate.column is not None
        and named.aggregate.function in (tree.Function.MIN, tree.Function.MAX)
    }
