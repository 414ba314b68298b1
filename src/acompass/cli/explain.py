"""`acompass explain`: the life of a record, or the policy in other words."""

from typing import Annotated

import typer

from acompass.cli.exits import exit_codes, tell_error
from acompass.cli.options import (
    AsJson,
    Delimiter,
    MemoryLimit,
    Missing,
    PolicyPath,
    Seed,
    Settings,
    Trace,
    params_of,
    policy_and_table,
)
from acompass.cli.streams import tell
from acompass.cli.trace import read_trace
from acompass.report.as_json import to_json

EXAMPLES = """**Examples**

    acompass explain policy.acp people.csv --set k=3 --record 5

    acompass explain policy.acp people.csv --set k=3 --where 'Age = 86' --json

    acompass explain policy.acp --algebra

    acompass explain policy.acp people.csv --set k=3 --sql --dialect postgres
"""

Table = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE", help="A .csv, .csv.gz or .parquet file, or a glob of them; - is standard input."
    ),
]
Record = Annotated[
    int | None, typer.Option("--record", metavar="N", min=1, help="Explain the N-th record, from 1.")
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where", metavar="CONDITION", help="Explain records that satisfy this, as they are in TABLE."
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Explain at most N of them.")]
Algebra = Annotated[bool, typer.Option("--algebra", help="Show the policy as relational algebra.")]
Sql = Annotated[bool, typer.Option("--sql", help="Show the policy as SQL.")]
DialectName = Annotated[
    str, typer.Option("--dialect", metavar="NAME", help="Of the SQL: duckdb, postgres or spark.")
]


def explain_command(
    policy: PolicyPath,
    table: Table = None,
    record: Record = None,
    where: Where = None,
    limit: Limit = 5,
    algebra: Algebra = False,
    sql: Sql = False,
    dialect: DialectName = "duckdb",
    settings: Settings = None,
    seed: Seed = None,
    trace: Trace = None,
    missing: Missing = None,
    delimiter: Delimiter = None,
    memory_limit: MemoryLimit = None,
    json: AsJson = False,
) -> None:
    """Say what run does to a record and why: the requirements that affect it, its classes, what is written,
    and the nearest thing that would have left it alone. This prints personal data.

    With --algebra or --sql, show the policy itself, and no data.
    """
    if [record is not None, where is not None, algebra, sql].count(True) != 1:
        raise typer.BadParameter("one of --record, --where, --algebra and --sql is needed")
    with exit_codes(tell_error if json else None):
        parsed, params = policy_and_table(policy, table or ""), params_of(settings)
        if algebra:
            from acompass.explain.algebra import to_algebra

            tell(to_algebra(parsed.tree, parsed.text, params))
            return
        if sql:
            from acompass.explain.as_sql import to_sql

            tell(to_sql(parsed, dialect, table, params, delimiter))
            return
        if table is None:
            raise typer.BadParameter("a record is explained in a TABLE")
        from acompass.explain.as_text import explanation_as_text
        from acompass.explain.flow import explain

        explanation = explain(
            parsed,
            table,
            record=record,
            where=where,
            limit=limit,
            params=params,
            seed=seed,
            trace=None if trace is None else read_trace(trace),
            missing=missing,
            delimiter=delimiter,
            memory_limit=memory_limit,
        )
        tell(to_json(explanation.to_json()) if json else explanation_as_text(explanation))
