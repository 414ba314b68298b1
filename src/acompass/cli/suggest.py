"""`acompass suggest`: search for a policy and write it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click
from click.exceptions import Exit

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import VIOLATED, exit_codes, print_error, print_error_json
from acompass.cli.measure import names_in
from acompass.cli.progress import progress_bar
from acompass.cli.stopping import Stop
from acompass.cli.streams import print_err, print_out, style_of
from acompass.options import LINES, MOST_LOST
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.suggestion import Suggestion

STANDARD_OUTPUT = "-"
#: the parts of a search that the progress bar counts
_PARTS = 100

EXAMPLES = """\
acompass suggest people.csv --qi Age,Zip,Sex --k 5 -o release.acp
acompass suggest people.csv --qi Age,Zip --sensitive Disease --k 5 --l 3 -o release.acp
acompass suggest people.csv --qi Age,Zip --k 5 --hierarchy Age=bands:5,10 --hierarchy Zip=zip.csv -o -
acompass suggest people.csv --qi Age,Zip --k 5 --max-lost 1% --compare
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.table
@click.option(
    "--qi",
    multiple=True,
    metavar="A,B",
    help='The quasi-identifiers; put a name that contains a comma in "". By default those of an '
    "acompass.toml beside the table.",
)
@click.option("--k", type=int, required=True, metavar="K", help="Every class has at least K records.")
@click.option(
    "--sensitive",
    multiple=True,
    metavar="S",
    help="A sensitive column; may be repeated. By default those of an acompass.toml beside the table.",
)
@click.option(
    "--l", type=int, metavar="L", help="Every class has at least L values of each sensitive column."
)
@click.option(
    "--t",
    metavar="T",
    help="Every class is T-close in this table, such as 0.2; no policy can promise it for others.",
)
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=LEVELS",
    help="The levels of a column: a hierarchy file, bands:5,10,20, prefix:4,3,2 or dates; by default "
    "proposed from its values; may be repeated.",
)
@click.option(
    "--max-lost", default=MOST_LOST, metavar="SHARE", help="The part of the records that may be dropped."
)
@click.option(
    "--lines", type=int, default=LINES, metavar="N", help="Use at most N steps, the last REJECT included."
)
@click.option("--seconds", type=float, metavar="S", help="Search no longer than this.")
@click.option("--keep", multiple=True, metavar="A,B", help="Quasi-identifiers to change last.")
@click.option(
    "--style",
    default="cascade",
    metavar="cascade|uniform|stars",
    help="Make records of small classes coarser step by step; one level of each column for all records; or "
    "one level for all and * in small classes.",
)
@click.option("--compare", is_flag=True, help="Print the least loss for growing numbers of lines.")
@click.option("--output", "-o", metavar="POLICY", help="Where to write the policy; - is standard output.")
@options.missing
@options.dates
@options.engine
@options.files
@options.memory_limit
@options.as_json
@options.no_progress
def suggest(
    table: str,
    qi: tuple[str, ...],
    k: int,
    sensitive: tuple[str, ...],
    l: int | None,  # noqa: E741
    t: str | None,
    hierarchies: tuple[str, ...],
    max_lost: str,
    lines: int,
    seconds: float | None,
    keep: tuple[str, ...],
    style: str,
    compare: bool,
    output: str | None,
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    memory_limit: str | None,
    as_json: bool,
    no_progress: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Search for a short policy that reaches k, and l, with little loss, and write it.

    The policy reaches k and l on every table. Ctrl-C ends the search with the best policy so far. Exits with
    1 if no policy was found that drops few enough records.
    """
    if output is None and not compare:
        raise click.UsageError("missing option '-o'; it may be left out only with --compare")
    if as_json and output == STANDARD_OUTPUT:
        raise click.BadParameter("--json and -o - both write to standard output")
    with exit_codes(print_error_json if as_json else None), _unreachable_as_violated(as_json):
        from acompass import api
        from acompass.project import roles_beside

        roles = roles_beside(table)
        stop = Stop()
        with progress_bar(not (no_progress or as_json)) as show:
            suggestion = api.suggest(
                table,
                names_in(qi) or roles.quasi_identifiers,
                k,
                sensitive=names_in(sensitive) or roles.sensitive,
                l=l,
                t=t,
                hierarchies=hierarchies,
                max_lost=max_lost,
                lines=lines,
                seconds=seconds,
                keep=names_in(keep),
                style=style,
                compare=compare,
                output=None if output == STANDARD_OUTPUT else output,
                stopped=stop,
                progress=None if show is None else partial(_count, show),
                missing=missing or None,
                dates=dates,
                engine=engine,
                **files,
                memory_limit=memory_limit,
            )
        if sensitive and l is None and t is None:
            print_err("`--sensitive` has no effect without `--l` or `--t`")
        if not suggestion.finished:
            print_err("the search ended early; this is the best policy that it had found")
        _print(suggestion, output, as_json)


def _count(show: Callable[[int, int], None], done: float, _loss: float) -> None:
    show(round(done * _PARTS), _PARTS)


def _print(suggestion: "Suggestion", output: str | None, as_json: bool) -> None:
    from acompass.report.json.suggestion import suggestion_object
    from acompass.report.text.suggestion import suggestion_text

    if as_json:
        print_out(to_json(suggestion_object(suggestion)))
        return
    is_piped = output == STANDARD_OUTPUT
    if is_piped:
        print_out(suggestion.text)
    stream = sys.stderr if is_piped else sys.stdout
    stream.write(suggestion_text(suggestion, style_of(stream)))
    stream.flush()


@contextmanager
def _unreachable_as_violated(as_json: bool) -> Iterator[None]:
    """That no policy reaches the goal is an answer and no mistake: exit with 1."""
    from acompass.suggestion import Unreachable

    try:
        yield
    except Unreachable as error:
        print_error(error)
        if as_json:
            print_error_json(error)
        raise Exit(VIOLATED) from None
