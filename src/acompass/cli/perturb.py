"""`acompass pram` and `estimate`: randomize a column, and estimate its original distribution."""

from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report, require_other_output
from acompass.cli.inputs import STANDARD_OUTPUT, read_policy, resolve_inputs
from acompass.cli.streams import print_err, print_out
from acompass.options import Opening

PRAM_EXAMPLES = """\
acompass pram people.csv Disease --keep 0.8 -o pram.acp
acompass pram people.csv Disease --keep 0.8 --round 100
acompass pram people.csv Disease --keep 0.5 --uniform
acompass pram people.csv Disease --matrix matrix.csv -o pram.acp
"""


@click.command(cls=Command, epilog=PRAM_EXAMPLES)
@options.table
@click.argument("column", help="The column to randomize.")
@click.option(
    "--keep",
    metavar="Q",
    help="The probability that a record keeps its value, such as 0.8; optional with --matrix.",
)
@click.option(
    "--matrix",
    metavar="FILE",
    help="A CSV file with the transition matrix: a header of values, then for each value a row of probabilities, such "
    "as 0.8 or 4/5.",
)
@click.option("--uniform", is_flag=True, help="Draw every value with the same probability.")
@click.option("--round", type=int, metavar="N", help="Round the counts in the policy to multiples of N.")
@click.option("--output", "-o", default=STANDARD_OUTPUT, metavar="POLICY", help="File to write; - for standard output.")
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
@formats
def pram(
    table: str,
    column: str,
    keep: str | None,
    matrix: str | None,
    uniform: bool,
    round: int | None,  # noqa: A002
    output: str,
    format_: Format,
    **opening: Unpack[Opening],
) -> None:
    """Write a policy that randomizes a column by a known matrix (PRAM), so that `estimate` can correct for it.

    A record keeps its value with probability Q; otherwise, a value is drawn in proportion to its frequency, so
    that the distribution is preserved in expectation. The policy contains values of the table.
    """
    require_other_output(format_, output)
    with exit_codes(error_report(format_, table)):
        from acompass import api
        from acompass.report import render

        is_piped = output == STANDARD_OUTPUT
        exists = not is_piped and Path(output).exists()
        policy = api.pram(
            table,
            column,
            keep,
            matrix=matrix,
            uniform=uniform,
            round=round,
            output=None if is_piped else output,
            **opening,
        )
        if format_ != "text":
            print_report(policy, format_, call_context(table))
            return
        print_out(policy.text if is_piped else f"`{output}` {'replaced' if exists else 'written'}")
        print_err(render(policy, format_))


ESTIMATE_EXAMPLES = """\
acompass estimate released.csv Disease --policy pram.acp
acompass estimate released.csv Disease --policy pram.acp --set k=3 --json
"""


@click.command(cls=Command, epilog=ESTIMATE_EXAMPLES)
@options.table
@click.argument("column", help="The column that the policy randomized.")
@click.option("--policy", required=True, metavar="POLICY", help="The policy that produced the table.")
@options.settings
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
@formats
@options.paper
def estimate(
    table: str,
    column: str,
    policy: str,
    settings: tuple[str, ...],
    format_: Format,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Estimate the original distribution of a column that a policy randomized, from the released table.

    The estimates are unbiased and come with standard errors. The policy's changes to the column must depend only
    on that column.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        found = api.estimate(
            table,
            read_policy(policy, table),
            column,
            params=resolve_inputs(policy, table, settings).params,
            paper=paper,
            **opening,
        )
        print_report(found, format_, call_context(table))
