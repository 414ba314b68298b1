"""`acompass fmt`: rewrite policies in canonical form."""

import sys

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import VIOLATED, WRONG, exit_codes, print_error
from acompass.cli.inputs import STANDARD_INPUT, read_policy
from acompass.cli.rewrite import rewrite
from acompass.cli.streams import print_out
from acompass.diagnostics import AcompassError

EXAMPLES = """\
acompass fmt policy.acp
acompass fmt --check policies/*.acp
acompass fmt - < draft.acp > policy.acp
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument(
    "policies",
    nargs=-1,
    required=True,
    metavar="POLICY…",
    help="Policies to rewrite; - reads standard input and writes standard output.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a policy would change.")
@options.paper
def fmt(policies: tuple[str, ...], check: bool, paper: bool) -> None:
    """Rewrite policies in canonical form: one block per requirement, colons aligned, comments kept.

    A policy with a syntax error is left unchanged.
    """
    with exit_codes():
        codes = [_format(policy, check, paper) for policy in policies]
    raise click.exceptions.Exit(max(codes))


def _format(policy: str, check: bool, paper: bool) -> int:
    from acompass.syntax.format import format_program

    try:
        before = read_policy(policy, paper).text
        after = format_program(before)
    except AcompassError as error:
        print_error(error)
        return WRONG
    if check:
        return _compare(policy, before, after)
    if policy == STANDARD_INPUT:
        sys.stdout.write(after)
    elif before != after:
        rewrite(policy, after)
        print_out(f"formatted {policy}")
    return 0


def _compare(policy: str, before: str, after: str) -> int:
    if before == after:
        return 0
    print_out(f"would format {policy}")
    return VIOLATED
