"""A schema for a policy that comes without a table: its names, with types as it uses them.

A column compared with a text is text, one compared with numbers or summed is integer, or decimal where
one of those numbers has digits after the point. One that RANDOM alone decides is integer. Whatever else
is text: nothing that the policy does to it depends on its type.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from acompass.checked.constants import scale_of
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.types import INTEGER, TEXT, Column, Kind, Schema, Type, decimal
from acompass.checked.uses import Use, uses
from acompass.diagnostics import CallError, Diagnostic
from acompass.syntax import tree
from acompass.syntax.walk import comparisons

#: digits after the point of a `decimal` that does not say how many
_USUAL_SCALE = 2


def named_schema(policy: tree.Program, params: Mapping[str, ParamValue]) -> Schema:
    """Names that differ in case only are one column, spelled as it is first."""
    spelled: dict[str, str] = {}
    for name in _names(policy):
        spelled.setdefault(name.text.casefold(), name.text)
    names = list(spelled.values())
    used = uses(policy, names, params)
    scales = _scales(policy, params)
    drawn = {action.name.text.casefold() for action in _actions(policy) if isinstance(action, tree.Random)}
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


def _actions(policy: tree.Program) -> Iterator[tree.Replace | tree.Random]:
    for requirement in policy.requirements:
        if isinstance(requirement.action, tree.Replace | tree.Random):
            yield requirement.action


def _names(policy: tree.Program) -> Iterator[tree.Name]:
    for requirement in policy.requirements:
        yield from _names_of(requirement.assertion)
        if isinstance(requirement.action, tree.Replace | tree.Random):
            yield requirement.action.name


def _names_of(assertion: tree.Assertion) -> Iterator[tree.Name]:
    match assertion.result:
        case tree.Result():
            yield from (comparison.name for comparison in comparisons(assertion.condition))
        case tree.Filter(condition):
            yield from (comparison.name for comparison in comparisons(condition))
            yield from (comparison.name for comparison in comparisons(assertion.condition))
        case tree.Process() as query:
            if query.aggregate.column is not None:
                yield query.aggregate.column
            if query.where is not None:
                yield from (comparison.name for comparison in comparisons(query.where))
            yield from query.group_by
        case _:
            assert_never(assertion.result)


def _scales(policy: tree.Program, params: Mapping[str, ParamValue]) -> dict[str, int]:
    """The most digits after the point that each name is compared with."""
    parameters = Parameters(params)
    scales: dict[str, int] = {}
    for name, constant in _compared(policy):
        number = parameters.bind(constant)
        if isinstance(number, tree.Number):
            key = name.casefold()
            scales[key] = max(scales.get(key, 0), scale_of(number.value))
    return scales


def _compared(policy: tree.Program) -> Iterator[tuple[str, tree.Constant]]:
    for requirement in policy.requirements:
        assertion = requirement.assertion
        alias, aggregated = _alias(assertion.result)
        conditions = [assertion.condition, *_filters(assertion.result)]
        for comparison in (c for condition in conditions for c in comparisons(condition)):
            is_alias = comparison.name.text.casefold() == alias
            yield (aggregated if is_alias and aggregated else comparison.name.text), comparison.constant


def _alias(result: tree.ResultForm) -> tuple[str | None, str | None]:
    """What the aggregate is called, and the column whose values a MIN or MAX of it has."""
    if not isinstance(result, tree.Process):
        return None, None
    aggregate = result.aggregate
    of_values = aggregate.function in (tree.Function.MIN, tree.Function.MAX) and aggregate.column is not None
    return result.alias.text.casefold(), aggregate.column.text if of_values and aggregate.column else None


def _filters(result: tree.ResultForm) -> Sequence[tree.Condition]:
    match result:
        case tree.Filter(condition):
            return [condition]
        case tree.Process(where=tree.Comparison() | tree.Not() | tree.And() | tree.Or() as where):
            return [where]
    return []


def given_schema(types: Mapping[str, str | Type]) -> Schema:
    """`{"Age": "integer", "Income": "decimal(2)"}` as a schema; `decimal` alone is `decimal(2)`."""
    return tuple(Column(name, _read_type(name, type_)) for name, type_ in types.items())


def _read_type(name: str, type_: str | Type) -> Type:
    if isinstance(type_, Type):
        return type_
    kind, _, scale = type_.strip().lower().removesuffix(")").partition("(")
    if kind == Kind.DECIMAL and (not scale or scale.isdecimal()):
        return decimal(int(scale or _USUAL_SCALE))
    if kind in _KINDS and not scale:
        return Type(Kind(kind))
    message = f"column `{name}` has the unknown type `{type_}`"
    raise CallError([Diagnostic("AC551", message, help=f"one of {', '.join(_KINDS)}, decimal(2)")])


_KINDS = tuple(str(kind) for kind in Kind if kind not in (Kind.OPAQUE, Kind.DECIMAL))
