"""`acompass plan`: what `run` would do, with nothing written."""

import sys
from typing import Annotated

import typer

from acompass.cli.exits import exit_by_verdict, exit_codes, tell_error
from acompass.cli.options import (
    AsJson,
    Delimiter,
    Engine,
    MemoryLimit,
    Missing,
    NoProgress,
    Order,
    PolicyPath,
    Seed,
    Settings,
    TablePath,
    Trace,
    params_of,
    policy_and_table,
)
from acompass.cli.progress import progress_bar
from acompass.cli.streams import style_of, tell
from acompass.cli.trace import read_trace
from acompass.report.as_json import to_json, to_object
from acompass.report.terminal import plan_text
from acompass.result import Plan

EXAMPLES = """**Examples**

    acompass plan policy.acp people.csv --set k=3

    acompass plan policy.acp people.csv --set k=3 --stages

    acompass plan policy.acp people.csv --set k=3 --sql > policy.sql
"""

Stages = Annotated[bool, typer.Option("--stages", help="Show the stages that the requirements run in.")]
Sql = Annotated[bool, typer.Option("--sql", help="Show the SQL of the engine.")]


def plan(
    policy: PolicyPath,
    table: TablePath,
    settings: Settings = None,
    seed: Seed = None,
    trace: Trace = None,
    missing: Missing = None,
    order: Order = None,
    engine: Engine = None,
    stages: Stages = False,
    sql: Sql = False,
    json: AsJson = False,
    delimiter: Delimiter = None,
    memory_limit: MemoryLimit = None,
    no_progress: NoProgress = False,
) -> None:
    """Show what run would do to a table: the same counts, nothing written.

    Exits as run would.
    """
    with exit_codes(tell_error if json else None):
        from acompass import pipeline

        with progress_bar(not (no_progress or json)) as progress:
            planned = pipeline.plan(
                policy_and_table(policy, table),
                table,
                params=params_of(settings),
                seed=seed,
                trace=None if trace is None else read_trace(trace),
                missing=missing,
                order=order,
                engine=engine,
                delimiter=delimiter,
                memory_limit=memory_limit,
                progress=progress,
            )
        tell(to_json(to_object(planned.result)) if json else _report(planned, stages, sql))
        exit_by_verdict(planned.result.ok)


def _report(planned: Plan, stages: bool, sql: bool) -> str:
    if not (stages or sql):
        return plan_text(planned.result, style_of(sys.stdout))
    return "\n".join(
        [*(planned.stages if stages else ()), *(f"{each};" for each in planned.statements if sql)]
    )
