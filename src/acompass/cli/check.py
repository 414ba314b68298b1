"""`acompass check`: evaluate the assertions of a policy on a table."""

from pathlib import Path
from typing import TYPE_CHECKING, TextIO, Unpack, assert_never

import click

from acompass.cli import fixing, options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    ci_formats,
    error_report,
    name_in_heading,
    require_other_files,
    write_also,
)
from acompass.cli.hints import hint
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.progress import progress_bar
from acompass.cli.streams import style_of
from acompass.report.json.document import to_json
from acompass.report.json.result import result_object
from acompass.result import Result

if TYPE_CHECKING:
    from acompass.policy import Policy

EXAMPLES = """\
acompass check policy.acp people.csv
acompass check policy.acp
acompass check policy.acp people.csv --set k=5 --format sarif > check.sarif
acompass check policy.acp people.csv --also sarif=check.sarif --also junit=junit.xml
acompass check policy.acp people.csv --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass check policy.acp 'parts/*.parquet' --quiet && echo ready
acompass check policy.acp people.csv --diff
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policys_table
@options.settings
@options.missing
@options.dates
@options.engine
@ci_formats
@also
@click.option(
    "--show",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Also show up to N violating classes or records of each requirement; these are personal data.",
)
@fixing.fix
@fixing.diff
@options.files
@options.memory_limit
@options.report
@options.report_internal
@options.quiet
@options.no_progress
@options.paper
def check(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    format_: CiFormat,
    also: Also,
    show: int,
    fix: bool,
    diff: bool,
    memory_limit: str | None,
    report: Path | None,
    report_internal: Path | None,
    quiet: bool,
    no_progress: bool,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Evaluate every assertion of a policy on a table. No action is performed, and the table is not changed.

    With --fix, mistakes with only one possible reading are corrected in the policy first. Exits with 1 if an
    assertion does not hold.
    """
    fixer = fixing.Fixing(policy, fix, diff, quiet)
    fixer.require_text(format_ == "text")
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import api

        call = given(policy, table, settings)

        def checked(parsed: "Policy") -> Result:
            with progress_bar(not (quiet or no_progress)) as progress:
                return api.check(
                    parsed,
                    call.table,
                    params=call.params,
                    missing=missing,
                    dates=dates,
                    engine=engine,
                    **files,
                    memory_limit=memory_limit,
                    report=report,
                    report_internal=report_internal,
                    show=show,
                    progress=progress,
                    paper=paper,
                )

        parsed, result = fixer.perform(lambda: policy_and_table(policy, table), checked)
        write_also(also, lambda each: _report(result, policy, each, fixer.report_stream))
        if not quiet:
            fixer.print_report(_report(result, policy, format_, fixer.report_stream))
        if not quiet and format_ == "text":
            hint(parsed, call.params)
        exit_by_verdict(result.ok)


def _report(result: Result, policy: str, format_: CiFormat, stream: TextIO) -> str:
    match format_:
        case "text":
            from acompass.report.text.result import check_text

            return check_text(result, style_of(stream))
        case "json":
            return to_json(result_object(result))
        case "junit":
            from acompass.report.junit.result import to_junit

            return to_junit(result, policy)
        case "sarif":
            from acompass.report.sarif.result import to_sarif

            return to_json(to_sarif(result, policy))
        case "markdown":
            from acompass.report.markdown.result import check_markdown

            return check_markdown(result, name_in_heading(policy))
        case _:
            assert_never(format_)
