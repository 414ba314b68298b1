"""`acompass explain`: explain what happens to a record, translate a policy, or print the page about a code."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, assert_never

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_out
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.errors.catalog import LIMITS, is_code
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import list_names, on_one_line
from acompass.options import ExplainOnTable

if TYPE_CHECKING:
    from acompass.language.program.types import Schema
    from acompass.policy import Policy

EXAMPLES = """\
acompass explain policy.acp people.csv --set k=3 --record 5
acompass explain policy.acp people.csv --set k=3 --where 'Age = 86' --json
acompass explain policy.acp people.csv --record 5 --key-file key.txt
acompass explain policy.acp patients --where 'age = 86' --engine postgres://me@localhost/clinic
acompass explain policy.acp --algebra
acompass explain policy.acp people.csv --set k=3 --sql --dialect postgres
acompass explain AC101
acompass explain limits
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("policy", metavar="POLICY|CODE", help="A policy (.acp), - for standard input, a code, or limits.")
@options.policy_table
@options.declared(ExplainOnTable)
@click.option("--algebra", is_flag=True, help="Show the policy as relational algebra.")
@click.option("--sql", is_flag=True, help="Show the policy as SQL.")
@click.option("--dialect", default="duckdb", metavar="NAME", help="SQL dialect: duckdb, postgres or spark.")
@formats
def explain_command(
    policy: str, table: str | None, algebra: bool, sql: bool, dialect: str, format_: Format, **given: Any
) -> None:
    """Explain what `run` does to a record and why: the requirements that affect it, its classes, the values
    written, and the smallest change that would have left it unaffected. The output contains personal data.

    --algebra and --sql translate the policy and show no data. With the code of an error or finding, such as
    AC101, prints the page about it; with the word limits, the page on attacks that no policy covers.
    """
    chosen = [given["record"] is not None, given["where"] is not None, algebra, sql].count(True)
    if (is_code(policy) or policy == LIMITS) and table is None and not chosen:
        _print_page(policy if policy == LIMITS else policy.upper(), format_)
        return
    if chosen != 1:
        raise click.BadParameter("exactly one of --record, --where, --algebra and --sql is required")
    with exit_codes(error_report(format_, policy)):
        from acompass.policy import as_policy

        parsed = as_policy(read_policy(policy, table), given["paper"])
        call = resolve_inputs(policy, table, given)
        if algebra:
            from acompass.explain.algebra_text import to_algebra

            _print_translation("algebra", to_algebra(parsed.tree, parsed.text, call.params), format_, policy)
            return
        if sql:
            _print_translation("sql", _to_sql(parsed, dialect, call.schema_options), format_, policy)
            return
        from acompass.api import explain

        print_report(explain(parsed, call.table, **call.options), format_, call_context(policy))


def _print_translation(language: Literal["algebra", "sql"], text: str, format_: Format, policy: str) -> None:
    from acompass.explain.answer import Translation

    if format_ == "text":
        print_out(text)
    else:
        print_report(Translation(language, text), format_, call_context(policy))


def _to_sql(policy: "Policy", dialect: str, options: Mapping[str, Any]) -> str:
    """The policy as readable SQL. Without a table, the schema consists of the columns that the policy names."""
    from acompass.api import open_session
    from acompass.plan.run.statements import DIALECTS, dry_run
    from acompass.prove.search.column_types import inferred_schema
    from acompass.run import checked_program

    params = options["params"]
    if dialect not in DIALECTS:
        known = list_names(DIALECTS)
        raise CallError([Diagnostic("AC705", f"unknown dialect `{dialect}`", help=f"use one of {known}")])
    if options["table"] is None:
        schema = inferred_schema(policy.tree, params)
    else:
        with open_session(options["table"], options) as opened:
            schema = opened.schema(policy, params=params)
    parts = [_sql_heading(schema)]
    for sql in dry_run(checked_program(policy, schema, params), dialect):
        parts.append(f"\n-- line {sql.requirement.line}: {on_one_line(sql.requirement.text)}\n")
        parts += (f"{statement};\n" for statement in sql.statements)
    return "".join(parts)


def _sql_heading(schema: "Schema") -> str:
    from acompass.plan.lowering.state import ROW_KEY
    from acompass.plan.run.statements import TABLE

    lines = [f"-- {TABLE} is the table; {ROW_KEY} is a record's position in it\n"]
    for position, column in enumerate(schema):
        stored = f"{column.type} as text" if column.type.is_spelled_decimal else column.type
        lines.append(f"--   c{position} is {on_one_line(column.name)}, {stored}\n")
    return "".join(lines)


#: how many similar codes to list for an unknown code
_NEAREST_CODES = 5


def _print_page(code: str, format_: Format) -> None:
    from acompass.errors.catalog import CODES, LIMITS_TITLE, read_limits, read_page
    from acompass.errors.rendering import render_page

    with exit_codes(error_report(format_, code)):
        if code != LIMITS and code not in CODES:
            raise CallError([_unknown_code(code, CODES)])
        page = read_limits() if code == LIMITS else read_page(code)
        match format_:
            case "text":
                print_out(render_page(page))
            case "markdown":
                print_out(page)
            case "json":
                from acompass.report import json_text

                print_out(json_text({"code": code, "title": CODES.get(code, LIMITS_TITLE), "page": page}))
            case _:
                assert_never(format_)


def _unknown_code(code: str, codes: dict[str, str]) -> Diagnostic:
    by_distance = sorted(codes, key=lambda known: (known[2] != code[2], abs(int(known[2:]) - int(code[2:]))))
    listed = "\n".join(f"{known}: {codes[known]}" for known in sorted(by_distance[:_NEAREST_CODES]))
    return Diagnostic("AC709", f"unknown code `{code}`", help=f"the nearest codes are\n{listed}")
