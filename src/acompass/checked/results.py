"""Results, and the schema that the assertion's condition sees (D13, D15)."""

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
    aggregate = process.aggregate
    column = None if aggregate.column is None else scope.column(aggregate.column)
    type_ = _aggregate_type(aggregate, column, scope)
    where = None if process.where is None else check_condition(process.where, scope.table, scope)
    groups = [scope.column(name) for name in process.group_by]
    distinct = _are_distinct(process, groups, scope)
    view = _seen(process, groups, type_, column, scope)
    sound = [group for group in groups if group is not None]
    if (
        type_ is None
        or not distinct
        or len(sound) < len(groups)
        or (where is None) != (process.where is None)
    ):
        return None, view
    span = place_of(process.span)
    name = process.alias.text
    return program.Process(aggregate.function, column, name, type_, where, tuple(sound), span), view


def _aggregate_type(aggregate: tree.Aggregate, column: int | None, scope: Scope) -> Type | None:
    """The type of the aggregate's value, or None if an error about it was reported."""
    if aggregate.column is None:
        return INTEGER
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
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
    """Whether no column is grouped by twice and the aggregate's name differs from all of them (D15).

    Names that differ only in case are equal here. Otherwise `age` would mean the aggregate in the condition
    and the column `Age` in GROUP BY.
    """
    alias = process.alias.text.casefold()
    first: dict[int, tree.Name] = {}
    found = len(scope.found)
    for index, (name, column) in enumerate(zip(process.group_by, groups, strict=True)):
        text = scope.names.spelling(name.text, column)
        if text.casefold() == alias:
            scope.report(findings.alias_is_grouped(process.alias, name))
        if column is not None and first.setdefault(column, name) is not name:
            scope.report(findings.grouped_twice(name, process.group_by[index - 1], first[column], text))
    return len(scope.found) == found


def _seen(
    process: tree.Process, groups: list[int | None], type_: Type | None, column: int | None, scope: Scope
) -> View:
    """The view (G1, …, Gm, C). An unknown name keeps its position, so that it is reported only once."""
    names = [
        scope.names.spelling(name.text, group) for name, group in zip(process.group_by, groups, strict=True)
    ]
    types = [None if group is None else scope.types[group] for group in groups]
    origin = column if process.aggregate.function in (Function.MIN, Function.MAX) else None
    names_seen = Names([*names, process.alias.text])
    return View(names_seen, [*types, type_], [*groups, origin], is_table=False, alias=process.alias)
