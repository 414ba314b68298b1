"""`--format`: what a command writes on standard output, for a person or for another program."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal, TypeAlias, assert_never

import click

from acompass.cli import options
from acompass.cli.command import max_errors
from acompass.cli.exits import ReportError, print_error_json
from acompass.cli.inputs import STANDARD_INPUT
from acompass.cli.streams import print_out, write_utf8
from acompass.diagnostics import AcompassError
from acompass.report.json.document import to_json

#: the formats of every command that has `--format`
Format: TypeAlias = Literal["text", "json", "markdown"]
#: those of a command that reports lines of a policy, which CI services and code hosts can show
CiFormat: TypeAlias = Literal[Format, "junit", "sarif"]

_Decorator: TypeAlias = Callable[[options.Callback], options.Callback]


def _formats(*names: str) -> _Decorator:
    """Add --format, and --json as its short form. The command receives both as `format_`."""
    format_option = click.option(
        "--format",
        "format_",
        type=click.Choice(names),
        help="The format of the report on standard output; text by default.",
    )

    def add(command: options.Callback) -> options.Callback:
        @wraps(command)
        def with_format(*args: Any, format_: str | None, as_json: bool, **given: Any) -> None:
            chosen = _chosen(format_, as_json)
            if chosen in ("markdown", "junit"):  # the others are ASCII, or for the terminal
                write_utf8()
            command(*args, format_=chosen, **given)

        return format_option(options.as_json(with_format))

    return add


formats = _formats("text", "json", "markdown")
ci_formats = _formats("text", "json", "junit", "sarif", "markdown")


def _chosen(format_: str | None, as_json: bool) -> str:
    if as_json and format_ not in (None, "json"):
        raise click.UsageError(f"--json and --format {format_} exclude each other")
    return "json" if as_json else format_ or "text"


def name_in_heading(path: str) -> str | None:
    """The name of a policy or a table in the heading of a report in Markdown."""
    return None if path == STANDARD_INPUT else path


def error_report(format_: CiFormat, policy: str) -> ReportError | None:
    """What writes an error to standard output in place of an answer; with text, nothing does."""
    match format_:
        case "text":
            return None
        case "json":
            return print_error_json
        case "markdown":
            return _print_markdown
        case "junit":
            return lambda error: _print_junit(error, policy)
        case "sarif":
            return lambda error: _print_sarif(error, policy)
        case _:
            assert_never(format_)


def _print_markdown(error: AcompassError) -> None:
    from acompass.report.markdown.diagnostics import error_markdown

    print_out(error_markdown(error, max_errors()))


def _print_junit(error: AcompassError, policy: str) -> None:
    from acompass.report.junit.diagnostics import errors_to_junit

    print_out(errors_to_junit(error.diagnostics[: max_errors()], policy))


def _print_sarif(error: AcompassError, policy: str) -> None:
    from acompass.report.sarif.diagnostics import diagnostics_to_sarif

    file = policy if policy == STANDARD_INPUT else error.name or policy
    print_out(to_json(diagnostics_to_sarif(error.diagnostics[: max_errors()], error.source, file)))
