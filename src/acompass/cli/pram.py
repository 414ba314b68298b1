"""`acompass pram`: write the lines of a policy that randomize a column."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes
from acompass.cli.streams import print_err, print_out

if TYPE_CHECKING:
    from acompass.perturbation import Perturbation

STANDARD_OUTPUT = "-"
#: a value with a smaller share of the urn is said to be rare
_RARE = 100

EXAMPLES = """\
acompass pram people.csv Disease --keep 0.8 -o pram.acp
acompass pram people.csv Disease --keep 0.8 --round 100
acompass pram people.csv Disease --keep 0.5 --uniform
acompass pram people.csv Disease --matrix matrix.csv -o pram.acp
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.table
@click.argument("column", help="The column to randomize.")
@click.option(
    "--keep",
    metavar="Q",
    help="The probability that a record keeps its value, such as 0.8. With --matrix, it may be left out.",
)
@click.option(
    "--matrix",
    metavar="FILE",
    help="A CSV file: the values in the header, then for each value a row of the probabilities, such as 0.8 "
    "or 4/5, with which it becomes each of them.",
)
@click.option("--uniform", is_flag=True, help="Draw all values with the same probability.")
@click.option("--round", type=int, metavar="N", help="Round the counts in the policy to multiples of N.")
@click.option(
    "--output", "-o", default=STANDARD_OUTPUT, metavar="POLICY", help="Where to write; - is standard output."
)
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
def pram(
    table: str,
    column: str,
    keep: str | None,
    matrix: str | None,
    uniform: bool,
    round: int | None,  # noqa: A002
    output: str,
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    memory_limit: str | None,
    **files: Unpack[options.FileOptions],
) -> None:
    """Write a policy that randomizes a column by a known matrix (PRAM), so that `estimate` can undo it.

    A record keeps its value with the probability Q, and otherwise gets one drawn by its share of the records,
    so that the distribution stays as it is on average. The policy contains values of the table.
    """
    with exit_codes():
        from acompass import api

        is_piped = output == STANDARD_OUTPUT
        is_there = not is_piped and Path(output).exists()
        policy = api.pram(
            table,
            column,
            keep,
            matrix=matrix,
            uniform=uniform,
            round=round,
            output=None if is_piped else output,
            missing=missing or None,
            dates=dates,
            engine=engine,
            **files,
            memory_limit=memory_limit,
        )
        if is_piped:
            print_out(policy.text)
        else:
            print_out(f"`{output}` {'replaced' if is_there else 'written'}")
        for line in _remarks(policy):
            print_err(line)


def _remarks(policy: "Perturbation") -> Iterator[str]:
    """What the policy costs. A value of the table is in no remark."""
    of_column = f"`{policy.column}`, {policy.values:,} values"
    if policy.ratio is None:
        yield f"{of_column}: no bound on ε, because the matrix rules out some changes"
    else:
        yield f"{of_column}: e^ε = {policy.ratio}, ε ≤ {policy.epsilon}"
    if policy.rarest is not None and policy.rarest * _RARE < 1:
        yield (
            f"a value has only {float(policy.rarest):.2%} of the weights: hardly any other value turns into "
            "it, so that where it is released, it is mostly true; `--round 100` or `--uniform` lowers ε"
        )
