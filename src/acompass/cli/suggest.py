"""`acompass suggest`: search for a policy and write it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click
from click.exceptions import Exit

from acompass.cli import options
from acompass.cli.command import VIOLATED, Command, exit_codes, print_error, print_error_json
from acompass.cli.inputs import STANDARD_OUTPUT, split_names
from acompass.cli.streams import print_err, print_out, progress_bar, stream_style
from acompass.cli.supervisor import Stop
from acompass.options import LINES, MOST_LOST, Opening
from acompass.report.json import to_json

if TYPE_CHECKING:
    from acompass.author.answers import Suggestion

#: steps of the progress bar
_STEPS = 100

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
    help='The quasi-identifiers; quote a name that contains a comma with "". Defaults to those in the table\'s '
    "acompass.toml.",
)
@click.option("--k", type=int, required=True, metavar="K", help="Require at least K records in every class.")
@click.option(
    "--sensitive",
    multiple=True,
    metavar="S",
    help="A sensitive column; repeatable. Defaults to those in the table's acompass.toml.",
)
@click.option("--l", type=int, metavar="L", help="Require at least L values of each sensitive column in every class.")
@click.option(
    "--t",
    metavar="T",
    help="Require t-closeness with this T, such as 0.2, on this table; it cannot be guaranteed for other tables.",
)
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=LEVELS",
    help="Levels of a column: a hierarchy file, bands:5,10,20, prefix:4,3,2 or dates; derived from its values by "
    "default; repeatable.",
)
@click.option("--max-lost", default=MOST_LOST, metavar="SHARE", help="The share of the records that may be dropped.")
@click.option("--lines", type=int, default=LINES, metavar="N", help="Use at most N steps, including the final REJECT.")
@click.option("--seconds", type=float, metavar="S", help="Search for at most this many seconds.")
@click.option("--keep", multiple=True, metavar="A,B", help="Quasi-identifiers to change last.")
@click.option(
    "--style",
    default="cascade",
    metavar="cascade|uniform|stars",
    help="cascade: generalize small classes step by step; uniform: use one level per column for all records; stars: "
    "use one level, and * in small classes.",
)
@click.option("--compare", is_flag=True, help="Print the lowest loss for each number of lines.")
@click.option("--output", "-o", metavar="POLICY", help="File to write; - for standard output.")
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
    as_json: bool,
    no_progress: bool,
    **opening: Unpack[Opening],
) -> None:
    """Search for a short policy that reaches k (and l) with little information loss, and write it.

    The policy reaches k and l on every table. Ctrl-C ends the search with the best policy found so far. Exits
    with 1 if every policy found drops too many records.
    """
    if output is None and not compare:
        raise click.UsageError("missing option '-o'; it is optional only with --compare")
    if as_json and output == STANDARD_OUTPUT:
        raise click.BadParameter("--json and -o - both write to standard output")
    with exit_codes(print_error_json if as_json else None), _unreachable_as_violated(as_json):
        from acompass import api
        from acompass.policy import table_roles

        roles = table_roles(table)
        stop = Stop()
        with progress_bar(not (no_progress or as_json)) as show:
            suggestion = api.suggest(
                table,
                split_names(qi) or roles.quasi_identifiers,
                k,
                sensitive=split_names(sensitive) or roles.sensitive,
                l=l,
                t=t,
                hierarchies=hierarchies,
                max_lost=max_lost,
                lines=lines,
                seconds=seconds,
                keep=split_names(keep),
                style=style,
                compare=compare,
                output=None if output == STANDARD_OUTPUT else output,
                stopped=stop,
                progress=None if show is None else partial(_show_progress, show),
                **opening,
            )
        if sensitive and l is None and t is None:
            print_err("`--sensitive` has no effect without `--l` or `--t`")
        if not suggestion.finished:
            print_err("the search ended early; this is the best policy it had found")
        _print(suggestion, output, as_json)


def _show_progress(show: Callable[[int, int], None], done: float, _loss: float) -> None:
    show(round(done * _STEPS), _STEPS)


def _print(suggestion: "Suggestion", output: str | None, as_json: bool) -> None:
    from acompass.report.json_answers import suggestion_object
    from acompass.report.text_answers import suggestion_text

    if as_json:
        print_out(to_json(suggestion_object(suggestion)))
        return
    is_piped = output == STANDARD_OUTPUT
    if is_piped:
        print_out(suggestion.text)
    stream = sys.stderr if is_piped else sys.stdout
    stream.write(suggestion_text(suggestion, stream_style(stream)))
    stream.flush()


@contextmanager
def _unreachable_as_violated(as_json: bool) -> Iterator[None]:
    """Exit with 1 if no policy reaches the goal, because that is an answer and not an error."""
    from acompass.author.answers import Unreachable

    try:
        yield
    except Unreachable as error:
        print_error(error)
        if as_json:
            print_error_json(error)
        raise Exit(VIOLATED) from None
