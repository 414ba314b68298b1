"""`acompass suggest`: search for a policy and write it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import click
from click.exceptions import Exit

from acompass.cli import options
from acompass.cli.command import VIOLATED, Command, ReportError, exit_codes, print_err, print_error, progress_bar
from acompass.cli.formats import Format, error_report, formats, print_policy, require_other_output
from acompass.cli.inputs import STANDARD_OUTPUT, add_reading_settings, convert_options
from acompass.cli.supervisor import Stop
from acompass.options import ClassSize, QuasiIdentifiers, SuggestOnTable

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
@options.declared(SuggestOnTable, required=("k",), qi=QuasiIdentifiers, k=ClassSize)
@formats
@options.no_progress
def suggest(table: str, compare: bool, output: str | None, format_: Format, no_progress: bool, **given: Any) -> None:
    """Search for a short policy that reaches k (and l) with little information loss, and write it.

    The policy reaches k and l on every table. Ctrl-C ends the search with the best policy found so far. Exits
    with 1 if every policy found drops too many records.
    """
    if output is None and not compare:
        raise click.UsageError("missing option '-o'; it is optional only with --compare")
    require_other_output(format_, output)
    with exit_codes(error_report(format_, table)), _unreachable_as_violated(error_report(format_, table)):
        from acompass import api

        found = add_reading_settings(convert_options({**given, "compare": compare}), table)
        stop = Stop()
        with progress_bar(not (no_progress or format_ == "json")) as show:
            suggestion = api.suggest(
                table,
                output=None if output == STANDARD_OUTPUT else output,
                stopped=stop,
                progress=None if show is None else partial(_show_progress, show),
                **{"qi": (), **found},
            )
        if given["sensitive"] and given["l"] is None and given["t"] is None:
            print_err("`--sensitive` has no effect without `--l` or `--t`")
        if not suggestion.finished:
            print_err("the search ended early; this is the best policy it had found")
        print_policy(suggestion, output, format_, table)


def _show_progress(show: Callable[[int, int], None], done: float, _loss: float) -> None:
    show(round(done * _STEPS), _STEPS)


@contextmanager
def _unreachable_as_violated(report_error: ReportError) -> Iterator[None]:
    """Exit with 1 if no policy reaches the goal, because that is an answer and not an error."""
    from acompass.author.answers import Unreachable

    try:
        yield
    except Unreachable as error:
        print_error(error)
        report_error(error)
        raise Exit(VIOLATED) from None
