"""`acompass plan`: show what `run` would do, without writing anything."""

import sys
from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes, print_error_json
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_out, style_of
from acompass.cli.trace import read_trace
from acompass.report.json.document import to_json
from acompass.report.json.result import result_object
from acompass.report.text.plan import plan_text, stages_text, statements_text
from acompass.result import Plan

EXAMPLES = """\
acompass plan policy.acp people.csv --set k=3
acompass plan policy.acp people.csv --set k=3 --stages
acompass plan policy.acp people.csv --set k=3 --sql > policy.sql
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policys_table
@options.performing
@click.option("--stages", is_flag=True, help="Show the stages in which the requirements run.")
@click.option("--sql", is_flag=True, help="Show the SQL sent to the engine.")
@options.as_json
@options.no_progress
def plan(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    trace: Path | None,
    stages: bool,
    sql: bool,
    as_json: bool,
    no_progress: bool,
    **performing: Unpack[options.Performing],
) -> None:
    """Show what run would do to a table, with the same counts, without writing anything.

    Exits with the same code as run.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import api

        parsed, call = policy_and_table(policy, table), given(policy, table, settings)
        with progress_bar(not (no_progress or as_json)) as progress:
            planned = api.plan(
                parsed,
                call.table,
                params=call.params,
                trace=None if trace is None else read_trace(trace),
                progress=progress,
                **performing,
            )
        print_out(to_json(result_object(planned.result)) if as_json else _report(planned, stages, sql))
        exit_by_verdict(planned.result.ok)


def _report(planned: Plan, stages: bool, sql: bool) -> str:
    if not (stages or sql):
        return plan_text(planned, style_of(sys.stdout))
    return (stages_text(planned) if stages else "") + (statements_text(planned) if sql else "")
