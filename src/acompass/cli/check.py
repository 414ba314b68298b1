"""`acompass check`: say which of a policy's assertions hold on a table as it is."""

import sys
from enum import StrEnum
from typing import Annotated, assert_never

import typer

from acompass.cli.exits import exit_by_verdict, exit_codes, tell_error
from acompass.cli.hints import hint
from acompass.cli.options import (
    Delimiter,
    Engine,
    MemoryLimit,
    Missing,
    NoProgress,
    PolicyPath,
    Quiet,
    Report,
    Settings,
    TablePath,
    params_of,
    policy_and_table,
)
from acompass.cli.progress import progress_bar
from acompass.cli.streams import style_of, tell
from acompass.diagnostics import AcompassError
from acompass.report.as_json import to_json, to_object
from acompass.result import Result

EXAMPLES = """**Examples**

    acompass check policy.acp people.csv

    acompass check policy.acp people.csv --set k=5 --format sarif > check.sarif

    acompass check policy.acp 'parts/*.parquet' --quiet && echo ready
"""


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    SARIF = "sarif"


OutputFormat = Annotated[Format, typer.Option("--format", help="How to report on standard output.")]
Show = Annotated[
    int,
    typer.Option(
        metavar="N",
        min=0,
        help="Also show up to N violating classes or records a requirement: these are personal data.",
    ),
]


def check(
    policy: PolicyPath,
    table: TablePath,
    settings: Settings = None,
    missing: Missing = None,
    engine: Engine = None,
    format_: OutputFormat = Format.TEXT,
    show: Show = 0,
    delimiter: Delimiter = None,
    memory_limit: MemoryLimit = None,
    report: Report = None,
    quiet: Quiet = False,
    no_progress: NoProgress = False,
) -> None:
    """Evaluate every assertion of a policy on a table as it is. No action is performed, nothing is written.

    Exits with 1 if one does not hold.
    """
    with exit_codes(lambda error: _report_error(error, policy, format_)):
        from acompass import pipeline

        parsed, params = policy_and_table(policy, table), params_of(settings)
        with progress_bar(not (quiet or no_progress)) as progress:
            result = pipeline.check(
                parsed,
                table,
                params=params,
                missing=missing,
                engine=engine,
                delimiter=delimiter,
                memory_limit=memory_limit,
                report=report,
                show=show,
                progress=progress,
            )
        if not quiet:
            tell(_report(result, policy, format_))
        if not quiet and format_ is Format.TEXT:
            hint(parsed, params)
        exit_by_verdict(result.ok)


def _report(result: Result, policy: str, format_: Format) -> str:
    match format_:
        case Format.TEXT:
            from acompass.report.terminal import check_text

            return check_text(result, style_of(sys.stdout))
        case Format.JSON:
            return to_json(to_object(result))
        case Format.JUNIT:
            from acompass.report.junit import to_junit

            return to_junit(result, policy)
        case Format.SARIF:
            from acompass.report.sarif import to_sarif

            return to_json(to_sarif(result, policy))
        case _:
            assert_never(format_)


def _report_error(error: AcompassError, policy: str, format_: Format) -> None:
    match format_:
        case Format.TEXT:
            pass
        case Format.JSON:
            tell_error(error)
        case Format.JUNIT:
            from acompass.report.junit import errors_to_junit

            tell(errors_to_junit(error.diagnostics, policy))
        case Format.SARIF:
            from acompass.report.sarif import errors_to_sarif

            tell(to_json(errors_to_sarif(error.diagnostics, error.source, policy)))
        case _:
            assert_never(format_)
