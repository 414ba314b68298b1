"""`acompass plan`: show what `run` would do, without writing anything."""

import sys
from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, print_error_json
from acompass.cli.inputs import read_policy, read_trace, resolve_inputs
from acompass.cli.streams import print_out, progress_bar, stream_style
from acompass.report.json import result_object, to_json
from acompass.report.text import plan_text, stages_text, statements_text
from acompass.result import Plan

EXAMPLES = """\
acompass plan policy.acp people.csv --set k=3
acompass plan policy.acp people.csv --set k=3 --stages
acompass plan policy.acp people.csv --set k=3 --sql > policy.sql
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policy_table
@options.run_options
@click.option("--stages", is_flag=True, help="Show the stages in which the requirements are executed.")
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
    **shared: Unpack[options.RunOptions],
) -> None:
    """Show what `run` would do to a table, with the same counts, without writing anything.

    Exits with the same code as `run`.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, settings)
        with progress_bar(not (no_progress or as_json)) as progress:
            planned = api.plan(
                parsed,
                call.table,
                params=call.params,
                trace=None if trace is None else read_trace(trace),
                progress=progress,
                **shared,
            )
        print_out(to_json(result_object(planned.result)) if as_json else _report(planned, stages, sql))
        exit_by_verdict(planned.result.ok)


def _report(planned: Plan, stages: bool, sql: bool) -> str:
    if not (stages or sql):
        return plan_text(planned, stream_style(sys.stdout))
    return (stages_text(planned) if stages else "") + (statements_text(planned) if sql else "")
