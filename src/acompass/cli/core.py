"""`acompass core`: print a policy in the paper's language."""

from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.streams import print_out

EXAMPLES = """\
acompass core policy.acp
acompass core policy.acp --table people.csv --set k=5 > paper.acp
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@click.option("--table", metavar="TABLE", help="Take the values that GENERALIZE maps from a table.")
@options.settings
@options.missing
@options.dates
@options.files
def core(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    **files: Unpack[options.FileOptions],
) -> None:
    """Print a policy with the same meaning in the paper's language, the core.

    BANDS, PREFIX and units of dates become one REPLACE for each label, over the values of --table. So the
    printed policy contains values of the table. Exits with 2 if a requirement cannot be written in the core.
    """
    with exit_codes():
        from acompass.core.flow import core_policy
        from acompass.options import ERROR, Options

        parsed = policy_and_table(policy, table)
        reading = Options(missing=missing or ERROR, dates=dates, **files)
        print_out(core_policy(parsed, table, given(policy, table, settings).params, reading))
