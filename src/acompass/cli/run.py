"""`acompass run`: apply a policy to a table and write the result."""

import sys
from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes
from acompass.cli.formats import Format, error_report, formats, render_result
from acompass.cli.inputs import STANDARD_OUTPUT, read_policy, read_trace, resolve_inputs
from acompass.cli.streams import print_err, print_out, progress_bar

NOT_WRITTEN = "a requirement without an action is violated; use `--force` to write it anyway"

EXAMPLES = """\
acompass run policy.acp people.csv -o released.csv
acompass run policy.acp -o released.csv
acompass run policy.acp people.parquet -o released.parquet --set k=3 --set l=2
acompass run policy.acp people.xlsx --sheet 2024 -o released/ --partition year
acompass run policy.acp people.csv -o released.csv --report report.html --report-internal internal.html
acompass run policy.acp people.csv -o released.csv --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass run policy.acp people.csv -o - --seed "$SEED" --order canonical > released.csv
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policy_table
@click.option("--output", "-o", required=True, metavar="OUT", help="File or table to write; - for standard output.")
@click.option(
    "--partition",
    multiple=True,
    metavar="COLUMN",
    help="Write OUT as a folder of Parquet files, with a subfolder for each value of the column; repeatable.",
)
@options.run_options
@click.option(
    "--force",
    is_flag=True,
    help="Write the output even if a check fails, and replace an existing database table or folder of Parquet files.",
)
@formats
@options.report
@options.report_internal
@options.quiet
@options.no_progress
def run(
    policy: str,
    table: str | None,
    output: str,
    partition: tuple[str, ...],
    settings: tuple[str, ...],
    trace: Path | None,
    force: bool,
    format_: Format,
    report: Path | None,
    report_internal: Path | None,
    quiet: bool,
    no_progress: bool,
    **shared: Unpack[options.RunOptions],
) -> None:
    """Apply a policy to a table, one requirement after the other, and write the result.

    If a requirement without an action is violated, exits with 1 and writes nothing, unless --force is given.
    """
    if format_ != "text" and output == STANDARD_OUTPUT:
        option = "--json" if format_ == "json" else f"--format {format_}"
        raise click.BadParameter(f"{option} and -o - both write to standard output")
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, settings)
        with progress_bar(not (quiet or no_progress or format_ == "json")) as progress:
            result = api.run(
                parsed,
                call.table,
                params=call.params,
                trace=None if trace is None else read_trace(trace),
                output=output,
                partition=partition,
                force=force,
                report=report,
                report_internal=report_internal,
                progress=progress,
                **shared,
            )
        not_written = None if result.ok or force else f"`{output}` not written: {NOT_WRITTEN}"
        if format_ == "json" or not quiet:
            stream = sys.stderr if output == STANDARD_OUTPUT else sys.stdout
            report_text = render_result(result, policy, format_, stream, not_written)
            (print_err if stream is sys.stderr else print_out)(report_text)
        if not_written is not None:
            print_err(not_written)
        exit_by_verdict(result.ok)
