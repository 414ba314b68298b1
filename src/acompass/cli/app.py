"""The `acompass` command. A subcommand's module is imported only when the subcommand is called."""

import pkgutil
import sys
from io import TextIOWrapper

import click
from click.exceptions import NoSuchCommand

from acompass.cli.command import WRONG, exit_codes
from acompass.version import __version__

COMMANDS = {
    "run": "acompass.cli.run:run",
    "check": "acompass.cli.check:check",
    "check-all": "acompass.cli.check:check_all",
    "plan": "acompass.cli.plan:plan",
    "explain": "acompass.cli.explain:explain_command",
    "measure": "acompass.cli.measure:measure_command",
    "prove": "acompass.cli.prove:prove",
    "compare": "acompass.cli.compare:compare",
    "lint": "acompass.cli.lint:lint",
    "suggest": "acompass.cli.suggest:suggest",
    "pram": "acompass.cli.perturb:pram",
    "estimate": "acompass.cli.perturb:estimate",
    "studio": "acompass.cli.assist:studio",
    "dbt": "acompass.cli.dbt:dbt",
    "hierarchy": "acompass.cli.hierarchy:hierarchy",
    "conform": "acompass.cli.tools:conform_command",
    "fmt": "acompass.cli.tools:fmt",
    "core": "acompass.cli.tools:core",
    "lsp": "acompass.cli.assist:lsp",
    "doctor": "acompass.cli.tools:doctor",
    "verify-report": "acompass.cli.tools:verify_report",
}


class _Commands(click.Group):
    # without exit_codes, Click exits with 1 if it is interrupted while a command is imported
    make_context = exit_codes()(click.Group.make_context)
    invoke = exit_codes()(click.Group.invoke)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:  # Click would suggest only imported commands
            raise NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        command: click.Command = pkgutil.resolve_name(COMMANDS[cmd_name])
        return command


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
)
@click.version_option(__version__, message="acompass %(version)s", help="Show the version and exit.")
@click.pass_context
def app(context: click.Context) -> None:
    """Check and anonymize personal data with readable A-COMPASS policies."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(WRONG)


def start() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # escape characters that the terminal cannot show
            stream.reconfigure(errors="backslashreplace")
    app()
