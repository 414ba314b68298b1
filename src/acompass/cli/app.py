"""The `acompass` command. A subcommand's module is imported only when the subcommand is called."""

import pkgutil
import sys
from io import TextIOWrapper
from typing import Any

import click
from click.exceptions import NoSuchCommand

from acompass.cli.command import WRONG, exit_codes
from acompass.version import __version__

#: the commands of --help, by the heading under which it lists them
_GROUPS = {
    "Release a table": {
        "run": "acompass.cli.run:run",
        "check": "acompass.cli.check:check",
        "explain": "acompass.cli.explain:explain_command",
    },
    "Understand a table or a policy": {
        "measure": "acompass.cli.measure:measure_command",
        "prove": "acompass.cli.prove:prove",
        "compare": "acompass.cli.compare:compare",
        "lint": "acompass.cli.lint:lint",
    },
    "Write a policy": {
        "suggest": "acompass.cli.suggest:suggest",
        "rules": "acompass.cli.rules:rules",
        "studio": "acompass.cli.assist:studio",
        "fmt": "acompass.cli.tools:fmt",
        "core": "acompass.cli.tools:core",
        "hierarchy": "acompass.cli.hierarchy:hierarchy",
        "pram": "acompass.cli.perturb:pram",
        "estimate": "acompass.cli.perturb:estimate",
        "dbt": "acompass.cli.tools:dbt",
    },
    "Tools": {
        "lsp": "acompass.cli.assist:lsp",
        "doctor": "acompass.cli.tools:doctor",
        "conform": "acompass.cli.tools:conform_command",
        "verify-report": "acompass.cli.tools:verify_report",
    },
}
#: other names: `plan` of `run --dry-run`, `check-all` of `check FOLDER…`
_OTHER_NAMES = {"plan": "acompass.cli.run:plan", "check-all": "acompass.cli.check:check_all"}
COMMANDS = {name: place for group in (*_GROUPS.values(), _OTHER_NAMES) for name, place in group.items()}


class _Commands(click.Group):
    # without exit_codes, Click exits with 1 if it is interrupted while a command is imported
    make_context = exit_codes()(click.Group.make_context)

    @exit_codes()
    def invoke(self, ctx: click.Context) -> Any:
        """Invoke a command, whose messages name options as a shell takes them."""
        from acompass.errors.diagnostics import spelled_by
        from acompass.options import command_line_spelling

        with spelled_by(command_line_spelling):
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        if cmd_name not in COMMANDS:  # Click would suggest only imported commands
            raise NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        command: click.Command = pkgutil.resolve_name(COMMANDS[cmd_name])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.get_command(ctx, name).get_short_help_str()) for name in names])


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
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
