"""`acompass plan`: show what `run` would do, without writing anything."""

from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import read_policy, read_trace, resolve_inputs
from acompass.cli.streams import print_out, progress_bar

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
@formats
@options.no_progress
def plan(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    trace: Path | None,
    stages: bool,
    sql: bool,
    format_: Format,
    no_progress: bool,
    **shared: Unpack[options.RunOptions],
) -> None:
    """Show what `run` would do to a table, with the same counts, without writing anything.

    Exits with the same code as `run`.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, settings)
        with progress_bar(not (no_progress or format_ == "json")) as progress:
            planned = api.plan(
                parsed,
                call.table,
                params=call.params,
                trace=None if trace is None else read_trace(trace),
                progress=progress,
                **shared,
            )
        if format_ == "text" and (stages or sql):
            lines = [*(planned.stages if stages else ()), *(f"{each};" for each in planned.statements if sql)]
            print_out("".join(f"{line}\n" for line in lines))
        else:
            print_report(planned, format_, call_context(policy))
        exit_by_verdict(planned.result.ok)
