"""A policy as readable SQL in an engine's dialect."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from acompass import session
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema, Type
from acompass.diagnostics import CallError, Diagnostic
from acompass.options import Options
from acompass.pipeline import checked
from acompass.plan.lowering.state import ROW_KEY
from acompass.plan.running.dry_run import DIALECTS, TABLE, RequirementSql, dry_run
from acompass.policy import Policy
from acompass.prove.inferred_schema import inferred_schema
from acompass.report.words import on_one_line

_DEFAULT = Options()


def to_sql(
    policy: Policy,
    dialect: str = "duckdb",
    table: Any = None,
    params: Mapping[str, ParamValue] | None = None,
    options: Options = _DEFAULT,
) -> str:
    """Without a table, the schema consists of the columns that the policy names."""
    if dialect not in DIALECTS:
        known = ", ".join(f"`{name}`" for name in DIALECTS)
        raise CallError([Diagnostic("AC705", f"unknown dialect `{dialect}`", help=f"use one of {known}")])
    if table is None:
        schema = inferred_schema(policy.tree, dict(params or {}))
    else:
        with session.open(table, dates=options.dates, **asdict(options.file_format)) as opened:
            schema = opened.schema(policy, params=params)
    statements = dry_run(checked(policy, schema, params), dialect)
    return _heading(schema) + "".join(map(_requirement, statements))


def _requirement(written: RequirementSql) -> str:
    heading = f"\n-- line {written.requirement.line}: {on_one_line(written.requirement.text)}\n"
    return heading + "".join(f"{statement};\n" for statement in written.statements)


def _heading(schema: Schema) -> str:
    columns = "".join(
        f"--   c{position} is {on_one_line(column.name)}, {_stored(column.type)}\n"
        for position, column in enumerate(schema)
    )
    return f"-- {TABLE} is the table; {ROW_KEY} is a record's position in it\n{columns}"


def _stored(type_: Type) -> str:
    return f"{type_} as text" if type_.is_spelled_decimal else str(type_)
