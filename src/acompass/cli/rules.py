"""`acompass rules`: list published rules, show one, and write its policy for a table."""

import sys
from typing import Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_err
from acompass.cli.formats import (
    Format,
    call_context,
    error_report,
    formats,
    print_policy,
    print_report,
    require_other_output,
)
from acompass.cli.inputs import STANDARD_OUTPUT, add_reading_settings, convert_options
from acompass.errors.display import printable_text
from acompass.options import RuleOptions

EXAMPLES = """\
acompass rules
acompass rules show cms-cell-size
acompass rules new cms-cell-size -o release.acp hospital.csv
"""
LIST_EXAMPLES = """\
acompass rules list
acompass rules list --json
"""
SHOW_EXAMPLES = """\
acompass rules show cms-cell-size
acompass rules show ./our-rules/small-cells
"""
NEW_EXAMPLES = """\
acompass rules new cms-cell-size -o release.acp hospital.csv
acompass rules new cms-cell-size -o release.acp hospital.csv --column cell=Age,Zip --column beneficiary=Patient
acompass rules new cms-cell-size -o - --set k=20
"""

_name = click.argument("name", help="The name of a rule, or the path of its folder.")


class _Subcommands(click.Group):
    """Commands below `acompass rules`, which has options of its own, as in `acompass rules --json`."""

    format_epilog = Command.format_epilog

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        return super().get_short_help_str(sys.maxsize)


@click.group(cls=_Subcommands, invoke_without_command=True, epilog=EXAMPLES, subcommand_metavar="[COMMAND] [ARGS]...")
@formats
@click.pass_context
def rules(context: click.Context, format_: Format) -> None:
    """List published disclosure rules, show one, or write its policy for a table.

    None of them is legal advice.
    """
    if context.invoked_subcommand is None:
        _list(format_)
    elif format_ != "text":
        raise click.UsageError(f"write --format after '{context.invoked_subcommand}'")


@rules.command("list", cls=Command, epilog=LIST_EXAMPLES)
@formats
def list_(format_: Format) -> None:
    """List the rules of this package and of installed packages."""
    _list(format_)


def _list(format_: Format) -> None:
    with exit_codes(error_report(format_, "")):
        from acompass import rules

        print_report(rules.all(), format_, call_context(STANDARD_OUTPUT))


@rules.command(cls=Command, epilog=SHOW_EXAMPLES)
@_name
@formats
def show(name: str, format_: Format) -> None:
    """Show a rule: its policy, source and date, and what it covers and leaves to judgment."""
    with exit_codes(error_report(format_, name)):
        from acompass import rules

        print_report(rules.find(name), format_, call_context(STANDARD_OUTPUT))


@rules.command(cls=Command, epilog=NEW_EXAMPLES)
@_name
@click.argument("table", required=False, help=f"{options.TABLE_FILE} Without it, the rule's own columns are used.")
@options.declared(RuleOptions, required=("output",))
@formats
def new(name: str, table: str | None, output: str, format_: Format, **given: Any) -> None:
    """Write the policy of a rule for a table, and the reference tables that it needs to the same folder.

    The rule's columns are matched with those of the table by role, name and values. On a terminal, the command asks
    where it is unsure; otherwise --column decides.
    """
    require_other_output(format_, output)
    with exit_codes(error_report(format_, name)):
        from acompass import rules

        found = add_reading_settings(convert_options(given), table)
        path = None if output == STANDARD_OUTPUT else output
        written = rules.new(name, table, output=path, ask=_prompt if _is_terminal() else None, **found)
        print_policy(written, output, format_, table or STANDARD_OUTPUT)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _prompt(question: str) -> str:
    print_err("\n".join(map(printable_text, question.split("\n"))))
    answer = sys.stdin.readline()
    if not answer:  # Ctrl-D
        raise KeyboardInterrupt
    return answer
