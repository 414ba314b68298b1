"""The commands, put together; each has a module of its own and imports what it needs when called."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from acompass.cli import check, conform, explain, fmt, lint, measure, plan, prove, run, verify_report
from acompass.version import __version__

app = typer.Typer(
    name="acompass",
    help="Check and anonymize tables of people with one readable A-COMPASS policy.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"acompass {__version__}")
        raise typer.Exit


@app.callback()
def acompass(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Check and anonymize tables of people with one readable A-COMPASS policy."""


app.command(epilog=run.EXAMPLES)(run.run)
app.command(epilog=check.EXAMPLES)(check.check)
app.command(epilog=plan.EXAMPLES)(plan.plan)
app.command("explain", epilog=explain.EXAMPLES)(explain.explain_command)
app.command("measure", epilog=measure.EXAMPLES)(measure.measure_command)
app.command(epilog=prove.EXAMPLES)(prove.prove)
app.command(epilog=lint.EXAMPLES)(lint.lint)
app.command("conform", epilog=conform.EXAMPLES)(conform.conform_command)
app.command(epilog=fmt.EXAMPLES)(fmt.fmt)
app.command("verify-report", epilog=verify_report.EXAMPLES)(verify_report.verify_report)


def start() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name no terminal can show must not stop a report
            stream.reconfigure(errors="backslashreplace")
    app()
