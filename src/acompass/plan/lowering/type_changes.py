"""The columns whose type requirements change (D12): their converted values, and the schema afterwards."""

from collections.abc import Iterable
from dataclasses import replace

from acompass.checked.effects import type_changes
from acompass.checked.program import Requirement
from acompass.checked.types import Schema
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.dialect import Dialect
from acompass.plan.lowering.sql import Sql


def conversions(dialect: Dialect, requirements: Iterable[Requirement]) -> dict[int, Sql]:
    """The new value of each column of `t` that changes its type."""
    return {
        column: dialect.convert(sql.column(column, "t"), before, after)
        for requirement in requirements
        for column, (before, after) in type_changes(requirement).items()
    }


def converted_by_all(dialect: Dialect, requirements: Iterable[Requirement], column: int, value: Sql) -> Sql:
    """A value of a column after every change of its type, one after the other."""
    for requirement in requirements:
        if column in (changes := type_changes(requirement)):
            value = dialect.convert(value, *changes[column])
    return value


def retyped(schema: Schema, requirements: Iterable[Requirement]) -> Schema:
    changes = {
        column: after
        for requirement in requirements
        for column, (_, after) in type_changes(requirement).items()
    }
    if not changes:
        return schema
    return tuple(replace(c, type=changes.get(i, c.type)) for i, c in enumerate(schema))
