"""A policy as SQL of an engine's dialect, for people to read."""

from collections.abc import Mapping
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema
from acompass.diagnostics import CallError, Diagnostic
from acompass.pipeline import checked_program, schema_of_table
from acompass.plan.lowering.state import ROW_KEY
from acompass.plan.running.dry_run import DIALECTS, TABLE, Shaped, shape
from acompass.policy import Policy
from acompass.prove.inferred_schema import inferred_schema
from acompass.report.words import on_one_line


def to_sql(
    policy: Policy,
    dialect: str = "duckdb",
    table: Any = None,
    params: Mapping[str, ParamValue] | None = None,
    delimiter: str | None = None,
) -> str:
    """Without a table, its columns are those that the policy names."""
    if dialect not in DIALECTS:
        known = ", ".join(f"`{name}`" for name in DIALECTS)
        raise CallError([Diagnostic("AC705", f"unknown dialect `{dialect}`", help=f"use one of {known}")])
    if table is None:
        schema = inferred_schema(policy.tree, dict(params or {}))
    else:
        schema = schema_of_table(policy, table, params, delimiter)
    shaped = shape(checked_program(policy, schema, params), dialect)
    return _heading(schema) + "".join(map(_requirement, shaped))


def _requirement(shaped: Shaped) -> str:
    heading = f"\n-- line {shaped.requirement.line}: {on_one_line(shaped.requirement.text)}\n"
    return heading + "".join(f"{statement};\n" for statement in shaped.statements)


def _heading(schema: Schema) -> str:
    columns = "".join(
        f"--   c{position} is {on_one_line(column.name)}, {column.type}\n"
        for position, column in enumerate(schema)
    )
    return f"-- {TABLE} is the table; {ROW_KEY} is a record's place in it\n{columns}"
