"""`acompass conform`: compare an engine with `semantics`."""

from typing import TYPE_CHECKING

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_out
from acompass.report.words import counted

if TYPE_CHECKING:
    from acompass.conformance.run import Report

EXAMPLES = """\
acompass conform --engine duckdb
acompass conform --engine postgres://me@localhost/test --cases 20000 --seed 7
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.option("--engine", required=True, metavar="URL", help="The engine to test, as for run.")
@click.option(
    "--cases", type=click.IntRange(min=1), default=500, metavar="N", help="The number of random cases."
)
@click.option("--seed", type=int, default=0, metavar="N", help="The seed of the random cases.")
@options.no_progress
def conform_command(engine: str, cases: int, seed: int, no_progress: bool) -> None:
    """Run random policies on random tables, and compare the engine's results with the definition.

    Exits with 1 if a result differs, and shows the smallest such case as a literate test.
    """
    with exit_codes():
        from acompass.conformance.run import conform

        with progress_bar(not no_progress) as progress:
            report = conform(engine, cases, seed, progress=progress)
        print_out(_text(report))
        exit_by_verdict(report.ok)


def _text(report: "Report") -> str:
    lines = [f"{counted(report.cases, 'case')}, {counted(report.disagreements, 'disagreement')}"]
    if report.lacking:
        lines.append(f"types not tested, because the engine lacks them: {', '.join(report.lacking)}")
    if report.smallest is not None:
        from acompass.conformance.literate import literate

        lines += ["the smallest differing case found:", "", literate(report.smallest)]
        if isinstance(report.smallest.found, str):
            lines.append(f"the engine gave no result: {report.smallest.found}")
    return "\n".join(lines)
