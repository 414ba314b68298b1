"""`acompass run`: perform a policy on a table and write the result."""

import sys
from pathlib import Path
from typing import TextIO, Unpack, assert_never

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.formats import Format, error_report, formats, name_in_heading
from acompass.cli.hints import hint
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_err, print_out, style_of
from acompass.cli.trace import read_trace
from acompass.report.json.document import to_json
from acompass.report.json.result import result_object
from acompass.result import Result

STANDARD_OUTPUT = "-"
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
@options.policys_table
@click.option(
    "--output", "-o", required=True, metavar="OUT", help="Where to write the table; - is standard output."
)
@click.option(
    "--partition",
    multiple=True,
    metavar="COLUMN",
    help="Write OUT as a folder of Parquet files, with a folder for each value of the column; repeatable.",
)
@options.performing
@click.option(
    "--force",
    is_flag=True,
    help="Write even if a check is violated, and replace an existing table of a database or folder of "
    "Parquet files.",
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
    **performing: Unpack[options.Performing],
) -> None:
    """Perform the requirements of a policy on a table, one after the other, and write the resulting table.

    If a requirement without an action is violated, exits with 1 and writes nothing unless --force is given.
    """
    if format_ != "text" and output == STANDARD_OUTPUT:
        option = "--json" if format_ == "json" else f"--format {format_}"
        raise click.BadParameter(f"{option} and -o - both write to standard output")
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = policy_and_table(policy, table), given(policy, table, settings)
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
                **performing,
            )
        not_written = None if result.ok or force else f"`{output}` not written: {NOT_WRITTEN}"
        if format_ == "json" or not quiet:
            stream = sys.stderr if output == STANDARD_OUTPUT else sys.stdout
            (print_err if stream is sys.stderr else print_out)(
                _report(result, policy, not_written, format_, stream)
            )
        if format_ == "text" and not quiet:
            hint(parsed, call.params)
        if not_written is not None:
            print_err(not_written)
        exit_by_verdict(result.ok)


def _report(result: Result, policy: str, not_written: str | None, format_: Format, stream: TextIO) -> str:
    match format_:
        case "text":
            from acompass.report.text.result import run_text

            return run_text(result, style_of(stream))
        case "json":
            return to_json(result_object(result))
        case "markdown":
            from acompass.report.markdown.result import run_markdown

            return run_markdown(result, name_in_heading(policy), not_written)
        case _:
            assert_never(format_)
