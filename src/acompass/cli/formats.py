"""`--format` and `--also`: choose the format of the report on standard output, and write reports to files."""

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias, get_args

import click

from acompass.cli import options
from acompass.cli.command import ReportError, max_errors, print_err, print_error, print_out, stream_style, write_utf8
from acompass.cli.inputs import STANDARD_INPUT, STANDARD_OUTPUT
from acompass.errors.diagnostics import AcompassError

if TYPE_CHECKING:
    from acompass.author.answers import RulePolicy, Suggestion
    from acompass.report import Context

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


def call_context(file: str, stream: TextIO | None = None, **details: Any) -> "Context":
    """The context of a report about a policy or a table; text is printed on `stream`, standard output by default."""
    from acompass.report import Context

    return Context(file, stream_style(stream or sys.stdout), max_errors(), **details)


def print_report(answer: Any, format_: CiFormat, context: "Context", also: Also = ()) -> None:
    """Write the reports requested by --also, and print the one of --format."""
    from acompass.report import render

    write_also(answer, also, context)
    print_out(render(answer, format_, context))


def print_policy(made: "Suggestion | RulePolicy", output: str | None, format_: CiFormat, table: str) -> None:
    """Print the report on a policy that a command wrote. With `-o -`, standard output has only the policy."""
    from acompass.report import render

    is_piped = output == STANDARD_OUTPUT
    if is_piped:
        print_out(made.text)
    stream = sys.stderr if is_piped else sys.stdout
    (print_err if is_piped else print_out)(render(made, format_, call_context(table, stream)))


def write_also(answer: Any, also: Also, context: "Context") -> None:
    from acompass.report import render

    for file_format, file in also:
        _write(file, render(answer, file_format, context))


def error_report(format_: CiFormat, file: str, also: Also = ()) -> ReportError:
    """Return a function that writes an error to standard output, unless the format is text, and to the --also files."""

    def report(error: AcompassError) -> None:
        from acompass.report import render

        context = call_context(file)
        if format_ != "text":
            print_out(render(error, format_, context))
        for file_format, path in also:
            try:
                _write(path, render(error, file_format, context))
            except AcompassError as not_written:
                print_error(not_written)

    return report


def require_other_output(format_: CiFormat, output: str | None) -> None:
    """Reject `-o -` with a report that also goes to standard output."""
    if format_ != "text" and output == STANDARD_OUTPUT:
        option = "--json" if format_ == "json" else f"--format {format_}"
        raise click.BadParameter(f"{option} and -o - both write to standard output")


def require_other_files(also: Also, *inputs: str | None) -> None:
    """Reject a report file that is also an input."""
    from acompass.tables.output import is_same_file

    for _, file in also:
        if any(each not in (None, STANDARD_INPUT) and is_same_file(file, each) for each in inputs):
            raise click.UsageError(f"--also would overwrite '{file}'; choose another file")


def _write(file: str, text: str) -> None:
    from acompass.tables.output import replace_file

    with replace_file(file) as part:
        Path(part).write_bytes(text.encode("utf-8", "backslashreplace"))
