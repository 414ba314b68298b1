"""Results, and the schema that the assertion's condition sees (D13, D15)."""

from dataclasses import dataclass
from typing import assert_never

from acompass.checked import findings, program
from acompass.checked.conditions import check_condition
from acompass.checked.names import Names
from acompass.checked.scope import Scope, View
from acompass.checked.types import INTEGER, Kind, Type
from acompass.syntax import tree
from acompass.syntax.tree import Function, place_of


def check_result(result: tree.ResultForm, scope: Scope) -> tuple[program.ResultForm | None, View]:
    """The result, or None if an error in it was reported, and the view of the condition after it."""
    match result:
        case tree.Result():
            return program.Result(place_of(result.span)), scope.table
        case tree.Filter():
            condition = check_condition(result.condition, scope.table, scope)
            filter_ = None if condition is None else program.Filter(condition, place_of(result.span))
            return filter_, scope.table
        case tree.Process():
            return _process(result, scope)
        case _:
            assert_never(result)


def _process(process: tree.Process, scope: Scope) -> tuple[program.Process | None, View]:
    aggregates = [_aggregate(named, scope) for named in process.aggregates]
    where = None if process.where is None else check_condition(process.where, scope.table, scope)
    groups = [scope.column(name) for name in process.group_by]
    distinct = _are_distinct(process, groups, scope)
    view = _seen(process, groups, aggregates, scope)
    sound = [group for group in groups if group is not None]
    checked = [each.checked for each in aggregates if each.checked is not None]
    if (
        len(checked) < len(aggregates)
        or not distinct
        or len(sound) < len(groups)
        or (where is None) != (process.where is None)
    ):
        return None, view
    return program.Process(tuple(checked), where, tuple(sound), place_of(process.span)), view


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """`type` is None if an error about the aggregate was reported. `origin` is the column that the value is
    from, None for a SUM or a count."""

    name: tree.Name
    type: Type | None
    origin: int | None
    checked: program.Aggregate | None


def _aggregate(named: tree.NamedAggregate, scope: Scope) -> _Aggregate:
    aggregate, alias = named.aggregate, named.alias
    column = None if aggregate.column is None else scope.column(aggregate.column)
    type_ = _aggregate_type(aggregate, column, scope)
    origin = column if aggregate.function in (Function.MIN, Function.MAX) else None
    if type_ is None:
        return _Aggregate(alias, None, origin, None)
    checked = program.Aggregate(aggregate.function, column, alias.text, type_)
    return _Aggregate(alias, type_, origin, checked)


def _aggregate_type(aggregate: tree.Aggregate, column: int | None, scope: Scope) -> Type | None:
    """The type of the aggregate's value, or None if an error about it was reported."""
    if aggregate.column is None:
        return INTEGER
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    if aggregate.function is Function.SUM and scope.holds_labels(column, type_):
        return None
    if _takes(aggregate.function, type_):
        return INTEGER if aggregate.function is Function.COUNT_DISTINCT else type_
    finding = findings.not_aggregable(aggregate, aggregate.column, scope.schema[column])
    scope.blame(finding, column, used_as_number=aggregate.function is Function.SUM)
    return None


def _takes(function: Function, type_: Type) -> bool:
    match function:
        case Function.SUM:
            return type_.is_number
        case Function.MIN | Function.MAX:
            return type_.kind is not Kind.BOOLEAN
        case Function.COUNT | Function.COUNT_DISTINCT:
            return True
        case _:
            assert_never(function)


def _are_distinct(process: tree.Process, groups: list[int | None], scope: Scope) -> bool:
    """Whether no column is grouped by twice and each aggregate's name differs from all others (D15, X11).

    Names that differ only in case are equal here. Otherwise `age` would mean the aggregate in the condition
    and the column `Age` in GROUP BY.
    """
    found = len(scope.found)
    aliases = _aliases(process, scope)
    first: dict[int, tree.Name] = {}
    for index, (name, column) in enumerate(zip(process.group_by, groups, strict=True)):
        text = scope.names.spelling(name.text, column)
        if text.casefold() in aliases:
            scope.report(findings.alias_is_grouped(aliases[text.casefold()], name))
        if column is not None and first.setdefault(column, name) is not name:
            scope.report(findings.grouped_twice(name, process.group_by[index - 1], first[column], text))
    return len(scope.found) == found


def _aliases(process: tree.Process, scope: Scope) -> dict[str, tree.Name]:
    """The names of the aggregates, without regard to case."""
    aliases: dict[str, tree.Name] = {}
    for named in process.aggregates:
        first = aliases.setdefault(named.alias.text.casefold(), named.alias)
        if first is not named.alias:
            scope.report(findings.alias_twice(named.alias, first))
    return aliases


def _seen(
    process: tree.Process, groups: list[int | None], aggregates: list[_Aggregate], scope: Scope
) -> View:
    """The view (G1, …, Gm, C1, …, Cn). An unknown name keeps its position and is reported only once."""
    names = [
        scope.names.spelling(name.text, group) for name, group in zip(process.group_by, groups, strict=True)
    ]
    types = [None if group is None else scope.types[group] for group in groups]
    return View(
        Names([*names, *(each.name.text for each in aggregates)]),
        [*types, *(each.type for each in aggregates)],
        [*groups, *(each.origin for each in aggregates)],
        is_table=False,
        alias=process.alias,
    )
