"""`acompass explain`: explain what happens to a record, translate a policy, or print the page of a code."""

from pathlib import Path
from typing import Unpack

import click

from acompass.arguments import Opening
from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes, print_error_json
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.page import print_page
from acompass.cli.streams import print_out
from acompass.cli.trace import read_trace
from acompass.diagnostics.pages import is_code
from acompass.report.json.document import to_json

EXAMPLES = """\
acompass explain policy.acp people.csv --set k=3 --record 5
acompass explain policy.acp people.csv --set k=3 --where 'Age = 86' --json
acompass explain policy.acp patients --where 'age = 86' --engine postgres://me@localhost/clinic
acompass explain policy.acp --algebra
acompass explain policy.acp people.csv --set k=3 --sql --dialect postgres
acompass explain AC101
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("policy", metavar="POLICY|CODE", help="A policy (.acp), - for standard input, or a code.")
@options.policys_table
@click.option(
    "--record",
    type=click.IntRange(min=1),
    metavar="N",
    help="Explain the N-th record, counted from 1; in PostgreSQL and Spark, in canonical order.",
)
@click.option("--where", metavar="CONDITION", help="Explain the records of TABLE that satisfy this.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=5, metavar="N", help="Explain at most N of these records."
)
@click.option("--algebra", is_flag=True, help="Show the policy as relational algebra.")
@click.option("--sql", is_flag=True, help="Show the policy as SQL.")
@click.option(
    "--dialect", default="duckdb", metavar="NAME", help="The SQL dialect: duckdb, postgres or spark."
)
@options.settings
@options.seed
@options.trace
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
@options.as_json
@options.paper
def explain_command(
    policy: str,
    table: str | None,
    record: int | None,
    where: str | None,
    limit: int,
    algebra: bool,
    sql: bool,
    dialect: str,
    settings: tuple[str, ...],
    seed: str | None,
    trace: Path | None,
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    memory_limit: str | None,
    as_json: bool,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Explain what run does to a record and why: the requirements that affect it, its classes, the values
    written, and the smallest change that would have left it unaffected. The output contains personal data.

    With --algebra or --sql, translate the policy; no data is shown. With the code of an error or a finding,
    such as AC101, print its page.
    """
    asked = [record is not None, where is not None, algebra, sql].count(True)
    if is_code(policy) and table is None and not asked:
        print_page(policy.upper(), as_json)
        return
    if asked != 1:
        raise click.BadParameter("exactly one of --record, --where, --algebra and --sql is required")
    with exit_codes(print_error_json if as_json else None):
        from acompass.policy import as_policy

        parsed = as_policy(policy_and_table(policy, table), paper)
        call = given(policy, table, settings)
        if algebra:
            from acompass.explain.algebra import to_algebra

            print_out(to_algebra(parsed.tree, parsed.text, call.params))
            return
        if sql:
            from acompass.explain.sql import to_sql

            schema_table = call.schema_table(is_database=engine is not None)
            opening = Opening(missing=missing, dates=dates, engine=engine, memory_limit=memory_limit, **files)
            print_out(to_sql(parsed, dialect, schema_table, call.params, opening))
            return
        from acompass.api import explain
        from acompass.report.text.explanation import explanation_text

        explanation = explain(
            parsed,
            call.table,
            record=record,
            where=where,
            limit=limit,
            params=call.params,
            seed=seed,
            trace=None if trace is None else read_trace(trace),
            missing=missing,
            dates=dates,
            engine=engine,
            **files,
            memory_limit=memory_limit,
        )
        print_out(to_json(explanation.to_json()) if as_json else explanation_text(explanation))
