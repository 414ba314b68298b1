"""`--format` and `--also`: choose the format of the report on standard output, and write reports to files."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TextIO, TypeAlias, assert_never, get_args

import click

from acompass.cli import options
from acompass.cli.command import ReportError, max_errors, print_error
from acompass.cli.inputs import STANDARD_INPUT
from acompass.cli.streams import print_out, stream_style, write_utf8
from acompass.errors.diagnostics import AcompassError
from acompass.report.json import result_object, to_json
from acompass.result import Result

#: the formats of every command that has `--format`
Format: TypeAlias = Literal["text", "json", "markdown"]
#: the formats of a command that reports lines of a policy, which CI services and code hosts can show
CiFormat: TypeAlias = Literal[Format, "junit", "sarif"]
FileFormat: TypeAlias = Literal["json", "markdown", "junit", "sarif"]
Also: TypeAlias = Sequence[tuple[FileFormat, str]]

#: suffixes of policies, settings, tables and hierarchies, which a report must not replace
_INPUTS = (".acp", ".toml", ".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq", ".xlsx")

_Decorator: TypeAlias = Callable[[options.Callback], options.Callback]


def _formats(*names: str) -> _Decorator:
    """Add --format, and --json as a short form of `--format json`; the command receives `format_`."""
    format_option = click.option(
        "--format",
        "format_",
        type=click.Choice(names),
        help="Format of the report on standard output; text by default.",
    )

    def add(command: options.Callback) -> options.Callback:
        @wraps(command)
        def with_format(*args: Any, format_: str | None, as_json: bool, **others: Any) -> None:
            chosen = _choose_format(format_, as_json)
            if chosen in ("markdown", "junit"):  # the others are ASCII or meant for the terminal
                write_utf8()
            command(*args, format_=chosen, **others)

        return format_option(options.as_json(with_format))

    return add


def _parse_also(text: str) -> tuple[str, str]:
    format_, _, file = text.partition("=")
    if format_ not in get_args(FileFormat) or file in ("", STANDARD_INPUT):
        known = ", ".join(get_args(FileFormat))
        raise click.BadParameter(f"'{text}' is not FORMAT=FILE; known formats: {known}")
    if file.lower().endswith(_INPUTS):
        raise click.BadParameter(f"'{file}' has the suffix of a policy, a table or settings")
    return format_, file


def _choose_format(format_: str | None, as_json: bool) -> str:
    if as_json and format_ not in (None, "json"):
        raise click.UsageError(f"--json and --format {format_} exclude each other")
    return "json" if as_json else format_ or "text"


formats = _formats("text", "json", "markdown")
ci_formats = _formats("text", "json", "junit", "sarif", "markdown")
also = click.option(
    "--also",
    multiple=True,
    type=_parse_also,
    metavar="FORMAT=FILE",
    help="Also write the report to a file in another format, such as sarif=check.sarif; repeatable.",
)


def name_in_heading(path: str) -> str | None:
    """The name of a policy or a table in the heading of a Markdown report."""
    return None if path == STANDARD_INPUT else path


def error_report(format_: CiFormat, policy: str, also: Also = ()) -> ReportError:
    """Return a function that writes an error to standard output, unless the format is text, and to the --also files."""

    def report(error: AcompassError) -> None:
        if format_ != "text":
            print_out(_render_error(error, format_, policy))
        for file_format, file in also:
            try:
                _write(file, _render_error(error, file_format, policy))
            except AcompassError as not_written:
                print_error(not_written)

    return report


def require_other_files(also: Also, *inputs: str | None) -> None:
    """Reject a report file that is also an input."""
    from acompass.tables.output import is_same_file

    for _, file in also:
        if any(each not in (None, STANDARD_INPUT) and is_same_file(file, each) for each in inputs):
            raise click.UsageError(f"--also would overwrite '{file}'; choose another file")


def write_also(also: Also, report: Callable[[FileFormat], str]) -> None:
    """Write the reports requested by --also."""
    for file_format, file in also:
        _write(file, report(file_format))


def render_result(
    result: Result, policy: str, format_: CiFormat, stream: TextIO, not_written: str | None = None
) -> str:
    """Render the result of `run` or `check`. `not_written` says why a run wrote no output."""
    match format_:
        case "text":
            from acompass.report.text import result_text

            return result_text(result, stream_style(stream))
        case "json":
            return to_json(result_object(result))
        case "junit":
            from acompass.report.junit import result_to_junit

            return result_to_junit(result, policy)
        case "sarif":
            from acompass.report.sarif import result_to_sarif

            return to_json(result_to_sarif(result, policy))
        case "markdown":
            from acompass.report.markdown import result_markdown

            return result_markdown(result, name_in_heading(policy), not_written)
        case _:
            assert_never(format_)


def _write(file: str, text: str) -> None:
    from acompass.tables.output import replace_file

    with replace_file(file) as part:
        Path(part).write_bytes(text.encode("utf-8", "backslashreplace"))


def _render_error(error: AcompassError, format_: FileFormat, policy: str) -> str:
    shown = error.diagnostics[: max_errors()]
    match format_:
        case "json":
            from acompass.report.json import error_object

            return to_json(error_object(error, max_errors()))
        case "markdown":
            from acompass.report.markdown import error_markdown

            return error_markdown(error, max_errors())
        case "junit":
            from acompass.report.junit import errors_to_junit

            return errors_to_junit(shown, policy)
        case "sarif":
            from acompass.report.sarif import diagnostics_to_sarif

            file = policy if policy == STANDARD_INPUT else error.name or policy
            return to_json(diagnostics_to_sarif(shown, error.source, file))
        case _:
            assert_never(format_)
