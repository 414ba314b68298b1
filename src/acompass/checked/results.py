"""Results: what an assertion's condition is evaluated on, and the schema it sees there (D13, D15)."""

from typing import assert_never

from acompass.checked import findings, program
from acompass.checked.conditions import check_condition
from acompass.checked.names import Names
from acompass.checked.scope import Scope, View
from acompass.checked.types import INTEGER, Kind, Type
from acompass.syntax import tree
from acompass.syntax.tree import Function


def check_result(result: tree.ResultForm, scope: Scope) -> tuple[program.ResultForm | None, View]:
    """The result, None once an error in it has been reported, and what the condition after it sees."""
    match result:
        case tree.Result():
            return program.Result(), scope.table
        case tree.Filter():
            condition = check_condition(result.condition, scope.table, scope)
            return (None if condition is None else program.Filter(condition)), scope.table
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
    return program.Process(aggregate.function, column, process.alias.text, type_, where, tuple(sound)), view


def _aggregate_type(aggregate: tree.Aggregate, column: int | None, scope: Scope) -> Type | None:
    """The type of the aggregate's value; None once an error about it has been reported."""
    if aggregate.column is None:
        return INTEGER
    type_ = None if column is None else scope.types[column]
    if column is None or type_ is None:
        return None
    if _takes(aggregate.function, type_):
        return INTEGER if aggregate.function in (Function.COUNT, Function.COUNT_DISTINCT) else type_
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
    """Whether no column is grouped by twice and the aggregate's name differs from all of theirs (D15).

    Names differ when they do without regard to case: `age` would otherwise mean the count in a condition
    although GROUP BY says `age` for the column `Age`.
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
    """The schema (G1, …, Gm, C); an unknown name keeps its place, so that it is reported only once."""
    names = [
        scope.names.spelling(name.text, group) for name, group in zip(process.group_by, groups, strict=True)
    ]
    types = [None if group is None else scope.types[group] for group in groups]
    origin = column if process.aggregate.function in (Function.MIN, Function.MAX) else None
    names_seen = Names([*names, process.alias.text])
    return View(names_seen, [*types, type_], [*groups, origin], is_table=False, alias=process.alias)
