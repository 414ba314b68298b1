"""`acompass pram` and `estimate`: randomize a column, and estimate its original distribution."""

from pathlib import Path
from typing import Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_err, print_out
from acompass.cli.formats import Format, call_context, error_report, formats, print_report, require_other_output
from acompass.cli.inputs import STANDARD_OUTPUT, add_reading_settings, convert_options, read_policy, resolve_inputs
from acompass.options import EstimateOnTable, KeepProbability, PramOnTable

PRAM_EXAMPLES = """\
acompass pram people.csv Disease --keep 0.8 -o pram.acp
acompass pram people.csv Disease --keep 0.8 --round 100
acompass pram people.csv Disease --keep 0.5 --uniform
acompass pram people.csv Disease --matrix matrix.csv -o pram.acp
"""


@click.command(cls=Command, epilog=PRAM_EXAMPLES)
@options.table
@click.argument("column", help="The column to randomize.")
@options.declared(PramOnTable, keep=KeepProbability)
@formats
def pram(table: str, column: str, output: str | None, format_: Format, **given: Any) -> None:
    """Write a policy that randomizes a column by a known matrix (PRAM), so that `estimate` can correct for it.

    A record keeps its value with probability Q; otherwise, a value is drawn in proportion to its frequency, so
    that the distribution is preserved in expectation. The policy contains values of the table.
    """
    require_other_output(format_, output)
    with exit_codes(error_report(format_, table)):
        from acompass import api
        from acompass.report import render

        is_piped = output in (None, STANDARD_OUTPUT)
        exists = output is not None and not is_piped and Path(output).exists()
        found = add_reading_settings(convert_options(given), table)
        policy = api.pram(table, column, output=None if is_piped else output, **found)
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
@options.declared(EstimateOnTable)
@formats
def estimate(table: str, column: str, policy: str, format_: Format, **given: Any) -> None:
    """Estimate the original distribution of a column that a policy randomized, from the released table.

    The estimates are unbiased and come with standard errors. The policy's changes to the column must depend only
    on that column.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        found = api.estimate(table, parsed, column, **call.options)
        print_report(found, format_, call_context(table))
