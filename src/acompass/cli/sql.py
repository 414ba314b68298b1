"""Translate a policy to readable SQL in an engine's dialect, for `acompass explain --sql`."""

from collections.abc import Mapping
from typing import Any

from acompass.api import open_session
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import on_one_line
from acompass.language.program.types import Schema, Type
from acompass.plan.lowering.state import ROW_KEY
from acompass.plan.run.statements import DIALECTS, TABLE, RequirementSql, dry_run
from acompass.policy import Policy
from acompass.prove.search.column_types import inferred_schema
from acompass.run import checked_program


def to_sql(policy: Policy, dialect: str, options: Mapping[str, Any]) -> str:
    """Without a table, the schema consists of the columns that the policy names."""
    params = options["params"]
    if dialect not in DIALECTS:
        known = ", ".join(f"`{name}`" for name in DIALECTS)
        raise CallError([Diagnostic("AC705", f"unknown dialect `{dialect}`", help=f"use one of {known}")])
    if options["table"] is None:
        schema = inferred_schema(policy.tree, params)
    else:
        with open_session(options["table"], options) as opened:
            schema = opened.schema(policy, params=params)
    statements = dry_run(checked_program(policy, schema, params), dialect)
    return _heading(schema) + "".join(map(_requirement_text, statements))


def _requirement_text(sql: RequirementSql) -> str:
    heading = f"\n-- line {sql.requirement.line}: {on_one_line(sql.requirement.text)}\n"
    return heading + "".join(f"{statement};\n" for statement in sql.statements)


def _heading(schema: Schema) -> str:
    columns = "".join(
        f"--   c{position} is {on_one_line(column.name)}, {_stored_type(column.type)}\n"
        for position, column in enumerate(schema)
    )
    return f"-- {TABLE} is the table; {ROW_KEY} is a record's position in it\n{columns}"


def _stored_type(type_: Type) -> str:
    return f"{type_} as text" if type_.is_spelled_decimal else str(type_)
