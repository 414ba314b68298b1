"""`--format`: what a command writes on standard output, for a person or for another program."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Literal, TypeAlias, assert_never, get_args

import click

from acompass.cli import options
from acompass.cli.command import max_errors
from acompass.cli.exits import ReportError, print_error
from acompass.cli.inputs import STANDARD_INPUT
from acompass.cli.streams import print_out, write_utf8
from acompass.diagnostics import AcompassError
from acompass.report.json.document import to_json

#: the formats of every command that has `--format`
Format: TypeAlias = Literal["text", "json", "markdown"]
#: those of a command that reports lines of a policy, which CI services and code hosts can show
CiFormat: TypeAlias = Literal[Format, "junit", "sarif"]
#: those of `--also`, with the files
FileFormat: TypeAlias = Literal["json", "markdown", "junit", "sarif"]
Also: TypeAlias = Sequence[tuple[FileFormat, str]]

#: policies, settings, tables and hierarchies end in these: a report never replaces what it is about
_INPUTS = (".acp", ".toml", ".csv", ".tsv", ".txt", ".gz", ".parquet", ".pq", ".xlsx")

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


def _also(text: str) -> tuple[str, str]:
    format_, _, file = text.partition("=")
    if format_ not in get_args(FileFormat) or file in ("", STANDARD_INPUT):
        known = ", ".join(get_args(FileFormat))
        raise click.BadParameter(f"'{text}' is not FORMAT=FILE with a format of {known}")
    if file.lower().endswith(_INPUTS):
        raise click.BadParameter(f"'{file}' has the suffix of a policy, a table or settings")
    return format_, file


formats = _formats("text", "json", "markdown")
ci_formats = _formats("text", "json", "junit", "sarif", "markdown")
also = click.option(
    "--also",
    multiple=True,
    type=_also,
    metavar="FORMAT=FILE",
    help="Also write the report to a file in another format, such as sarif=check.sarif; may be repeated.",
)


def _chosen(format_: str | None, as_json: bool) -> str:
    if as_json and format_ not in (None, "json"):
        raise click.UsageError(f"--json and --format {format_} exclude each other")
    return "json" if as_json else format_ or "text"


def name_in_heading(path: str) -> str | None:
    """The name of a policy or a table in the heading of a report in Markdown."""
    return None if path == STANDARD_INPUT else path


def error_report(format_: CiFormat, policy: str, also: Also = ()) -> ReportError:
    """What writes an error in place of an answer: to standard output unless that is text, and to files."""

    def report(error: AcompassError) -> None:
        if format_ != "text":
            print_out(_error_text(error, format_, policy))
        for file_format, file in also:
            try:
                _write(file, _error_text(error, file_format, policy))
            except AcompassError as not_written:
                print_error(not_written)

    return report


def require_other_files(also: Also, *inputs: str | None) -> None:
    """Raise if a report would replace a policy or a table of the call."""
    from acompass.tables.output import is_same_file

    for _, file in also:
        if any(each not in (None, STANDARD_INPUT) and is_same_file(file, each) for each in inputs):
            raise click.UsageError(f"--also would overwrite '{file}'; choose another file")


def write_also(also: Also, report: Callable[[FileFormat], str]) -> None:
    """Write the reports that --also asks for."""
    for file_format, file in also:
        _write(file, report(file_format))


def _write(file: str, text: str) -> None:
    from acompass.tables.replacing import replacing

    with replacing(file) as part:
        Path(part).write_bytes(text.encode("utf-8", "backslashreplace"))


def _error_text(error: AcompassError, format_: FileFormat, policy: str) -> str:
    shown = error.diagnostics[: max_errors()]
    match format_:
        case "json":
            from acompass.report.json.error import error_object

            return to_json(error_object(error, max_errors()))
        case "markdown":
            from acompass.report.markdown.diagnostics import error_markdown

            return error_markdown(error, max_errors())
        case "junit":
            from acompass.report.junit.diagnostics import errors_to_junit

            return errors_to_junit(shown, policy)
        case "sarif":
            from acompass.report.sarif.diagnostics import diagnostics_to_sarif

            file = policy if policy == STANDARD_INPUT else error.name or policy
            return to_json(diagnostics_to_sarif(shown, error.source, file))
        case _:
            assert_never(format_)
