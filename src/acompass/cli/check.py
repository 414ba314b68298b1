"""`acompass check`: evaluate the assertions of a policy on a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, Unpack, assert_never, get_args

import click

from acompass.cli import fixing, options
from acompass.cli.command import Command, max_errors
from acompass.cli.exits import exit_by_verdict, exit_codes, print_error_json
from acompass.cli.hints import hint
from acompass.cli.inputs import STANDARD_INPUT, given, policy_and_table
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_out, style_of
from acompass.diagnostics import AcompassError
from acompass.report.json.document import to_json
from acompass.report.json.result import result_object
from acompass.result import Result

if TYPE_CHECKING:
    from acompass.policy import Policy

EXAMPLES = """\
acompass check policy.acp people.csv
acompass check policy.acp
acompass check policy.acp people.csv --set k=5 --format sarif > check.sarif
acompass check policy.acp 'parts/*.parquet' --quiet && echo ready
acompass check policy.acp people.csv --diff
"""

Format: TypeAlias = Literal["text", "json", "junit", "sarif"]


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.policys_table
@options.settings
@options.missing
@options.dates
@options.engine
@click.option(
    "--format",
    "format_",
    type=click.Choice(get_args(Format)),
    default="text",
    help="The format of the report on standard output.",
)
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
    format_: Format,
    show: int,
    fix: bool,
    diff: bool,
    memory_limit: str | None,
    report: Path | None,
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
    with exit_codes(lambda error: _report_error(error, policy, format_)):
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
                    show=show,
                    progress=progress,
                    paper=paper,
                )

        parsed, result = fixer.perform(lambda: policy_and_table(policy, table), checked)
        if not quiet:
            fixer.print_report(_report(result, policy, format_, fixer.report_stream))
        if not quiet and format_ == "text":
            hint(parsed, call.params)
        exit_by_verdict(result.ok)


def _report(result: Result, policy: str, format_: Format, stream: TextIO) -> str:
    match format_:
        case "text":
            from acompass.report.text.result import check_text

            return check_text(result, style_of(stream))
        case "json":
            return to_json(result_object(result))
        case "junit":
            from acompass.report.junit import to_junit

            return to_junit(result, policy)
        case "sarif":
            from acompass.report.sarif import to_sarif

            return to_json(to_sarif(result, policy))
        case _:
            assert_never(format_)


def _report_error(error: AcompassError, policy: str, format_: Format) -> None:
    match format_:
        case "text":
            pass
        case "json":
            print_error_json(error)
        case "junit":
            from acompass.report.junit import errors_to_junit

            print_out(errors_to_junit(error.diagnostics[: max_errors()], policy))
        case "sarif":
            from acompass.report.sarif import errors_to_sarif

            shown = error.diagnostics[: max_errors()]
            file = policy if policy == STANDARD_INPUT else error.name or policy
            print_out(to_json(errors_to_sarif(shown, error.source, file)))
        case _:
            assert_never(format_)
