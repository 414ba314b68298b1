"""`acompass explain`: explain what happens to a record, translate a policy, or print the page about a code."""

from typing import Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_error_json
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.cli.streams import print_out
from acompass.errors.catalog import is_code
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.options import ExplainOnTable
from acompass.report.json import to_json

EXAMPLES = """\
acompass explain policy.acp people.csv --set k=3 --record 5
acompass explain policy.acp people.csv --set k=3 --where 'Age = 86' --json
acompass explain policy.acp patients --where 'age = 86' --engine postgres://me@localhost/clinic
acompass explain policy.acp --algebra
acompass explain policy.acp people.csv --set k=3 --sql --dialect postgres
acompass explain AC101
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("policy", metavar="POLICY|CODE", help="A policy (.acp), - for standard input, or a code such as AC101.")
@options.policy_table
@options.declared(ExplainOnTable)
@click.option("--algebra", is_flag=True, help="Show the policy as relational algebra.")
@click.option("--sql", is_flag=True, help="Show the policy as SQL.")
@click.option("--dialect", default="duckdb", metavar="NAME", help="SQL dialect: duckdb, postgres or spark.")
@options.as_json
def explain_command(
    policy: str, table: str | None, algebra: bool, sql: bool, dialect: str, as_json: bool, **given: Any
) -> None:
    """Explain what `run` does to a record and why: the requirements that affect it, its classes, the values
    written, and the smallest change that would have left it unaffected. The output contains personal data.

    --algebra and --sql translate the policy and show no data. With the code of an error or finding, such as
    AC101, prints the page about it.
    """
    chosen = [given["record"] is not None, given["where"] is not None, algebra, sql].count(True)
    if is_code(policy) and table is None and not chosen:
        _print_page(policy.upper(), as_json)
        return
    if chosen != 1:
        raise click.BadParameter("exactly one of --record, --where, --algebra and --sql is required")
    with exit_codes(print_error_json if as_json else None):
        from acompass.policy import as_policy

        parsed = as_policy(read_policy(policy, table), given["paper"])
        call = resolve_inputs(policy, table, given)
        if algebra:
            from acompass.explain.algebra_text import to_algebra

            print_out(to_algebra(parsed.tree, parsed.text, call.params))
            return
        if sql:
            from acompass.cli.sql import to_sql

            print_out(to_sql(parsed, dialect, call.schema_options))
            return
        from acompass.api import explain
        from acompass.report.text_answers import explanation_text

        explanation = explain(parsed, call.table, **call.options)
        print_out(to_json(explanation.to_json()) if as_json else explanation_text(explanation))


#: how many similar codes to list for an unknown code
_NEAREST_CODES = 5


def _print_page(code: str, as_json: bool) -> None:
    from acompass.errors.catalog import CODES, read_page
    from acompass.errors.rendering import render_page

    with exit_codes(print_error_json if as_json else None):
        if code not in CODES:
            raise CallError([_unknown_code(code, CODES)])
        page = read_page(code)
        print_out(to_json({"code": code, "title": CODES[code], "page": page}) if as_json else render_page(page))


def _unknown_code(code: str, codes: dict[str, str]) -> Diagnostic:
    by_distance = sorted(codes, key=lambda known: (known[2] != code[2], abs(int(known[2:]) - int(code[2:]))))
    listed = "\n".join(f"{known}: {codes[known]}" for known in sorted(by_distance[:_NEAREST_CODES]))
    return Diagnostic("AC709", f"unknown code `{code}`", help=f"the nearest codes are\n{listed}")
