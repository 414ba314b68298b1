"""`acompass pram` and `estimate`: randomize a column, and estimate its original distribution."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes, print_error_json
from acompass.cli.inputs import STANDARD_OUTPUT, add_reading_settings, convert_options, read_policy, resolve_inputs
from acompass.cli.streams import print_err, print_out
from acompass.options import EstimateOnTable, KeepProbability, PramOnTable
from acompass.report.json import to_json

if TYPE_CHECKING:
    from acompass.author.answers import Perturbation

#: warn about values that are drawn with a probability below 1 in this number
_RARE = 100

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
def pram(table: str, column: str, output: str | None, **given: Any) -> None:
    """Write a policy that randomizes a column by a known matrix (PRAM), so that `estimate` can correct for it.

    A record keeps its value with probability Q; otherwise, a value is drawn in proportion to its frequency, so
    that the distribution is preserved in expectation. The policy contains values of the table.
    """
    with exit_codes():
        from acompass import api

        is_piped = output in (None, STANDARD_OUTPUT)
        exists = output is not None and not is_piped and Path(output).exists()
        found = add_reading_settings(convert_options(given), table)
        policy = api.pram(table, column, output=None if is_piped else output, **found)
        if is_piped:
            print_out(policy.text)
        else:
            print_out(f"`{output}` {'replaced' if exists else 'written'}")
        for line in _pram_remarks(policy):
            print_err(line)


def _pram_remarks(policy: "Perturbation") -> Iterator[str]:
    """The privacy that the policy gives. The remarks contain no values of the table."""
    column = f"`{policy.column}`, {policy.values:,} values"
    if policy.ratio is None:
        yield f"{column}: no bound on ε, because the matrix rules out some changes"
    else:
        yield f"{column}: e^ε = {policy.ratio}, ε ≤ {policy.epsilon}"
    if policy.rarest is not None and policy.rarest * _RARE < 1:
        yield (
            f"a value has only {float(policy.rarest):.2%} of the weights: other values rarely change into it, so "
            "a released record with it is probably true; `--round 100` or `--uniform` lowers ε"
        )


ESTIMATE_EXAMPLES = """\
acompass estimate released.csv Disease --policy pram.acp
acompass estimate released.csv Disease --policy pram.acp --set k=3 --json
"""


@click.command(cls=Command, epilog=ESTIMATE_EXAMPLES)
@options.table
@click.argument("column", help="The column that the policy randomized.")
@click.option("--policy", required=True, metavar="POLICY", help="The policy that produced the table.")
@options.declared(EstimateOnTable)
@options.as_json
def estimate(table: str, column: str, policy: str, as_json: bool, **given: Any) -> None:
    """Estimate the original distribution of a column that a policy randomized, from the released table.

    The estimates are unbiased and come with standard errors. The policy's changes to the column must depend only
    on that column.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import api
        from acompass.report.text_answers import estimate_text

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        found = api.estimate(table, parsed, column, **call.options)
        print_out(to_json(found.to_json()) if as_json else estimate_text(found))
