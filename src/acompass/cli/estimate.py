"""`acompass estimate`: estimate the distribution of a column before it was randomized."""

from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes, print_error_json
from acompass.cli.inputs import given, policy_and_table
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

EXAMPLES = """\
acompass estimate released.csv Disease --policy pram.acp
acompass estimate released.csv Disease --policy pram.acp --set k=3 --json
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.table
@click.argument("column", help="The column that the policy randomized.")
@click.option("--policy", required=True, metavar="POLICY", help="The policy that released the table.")
@options.settings
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
@options.as_json
@options.paper
def estimate(
    table: str,
    column: str,
    policy: str,
    settings: tuple[str, ...],
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    memory_limit: str | None,
    as_json: bool,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Estimate the distribution of a column before a policy randomized it, from the released table.

    The estimates are unbiased and have standard errors. What the policy does to the column may depend on the
    column alone.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import api
        from acompass.report.text.estimate import estimate_text

        found = api.estimate(
            table,
            policy_and_table(policy, table),
            column,
            params=given(policy, table, settings).params,
            missing=missing or None,
            dates=dates,
            engine=engine,
            **files,
            memory_limit=memory_limit,
            paper=paper,
        )
        print_out(to_json(found.to_json()) if as_json else estimate_text(found))
