"""`acompass compare`: are two policies equivalent, and does the new one keep the guarantees of the old?"""

from typing import TYPE_CHECKING, Unpack, assert_never

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.formats import Format, error_report, formats, name_in_heading
from acompass.cli.inputs import STANDARD_INPUT, given, read_policy, types_of
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.compare.answer import Comparison

EXAMPLES = """\
acompass compare old.acp new.acp
acompass compare old.acp new.acp --set k=5 --types Age=integer
acompass compare old.acp new.acp --table people.csv --impact
git show main:policy.acp | acompass compare - policy.acp --impact --json
acompass compare old.acp new.acp --impact --format markdown >> "$GITHUB_STEP_SUMMARY"
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("old", help="The policy as it was (.acp); - is standard input.")
@click.argument("new", help="The policy as it is to be (.acp); - is standard input.")
@click.option(
    "--impact",
    is_flag=True,
    help="Also print what the new policy can release that the old one could not, and for each guarantee that "
    "is lost a table.",
)
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@formats
@options.engine
@options.files
@options.paper
def compare(
    old: str,
    new: str,
    impact: bool,
    table: str | None,
    types: tuple[str, ...],
    dates: tuple[str, ...],
    settings: tuple[str, ...],
    deadline: str,
    format_: Format,
    engine: str | None,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Compare two policies for every table and every trace.

    They are equivalent, different with a small table on which they differ, or undecided. For each policy, it
    says which of its guarantees the other keeps: assertions that are proved of every table it writes. A
    parameter has the same value in both; an acompass.toml beside the new policy comes before that of the old.

    Exits with 0 if the policies are equivalent, or if the new one is proved to keep all guarantees of the old
    one and to release nothing more; otherwise with 1.
    """
    with exit_codes(error_report(format_, new)):
        from acompass import reasoning

        if (old, new, table).count(STANDARD_INPUT) > 1:
            raise click.BadParameter("only one of OLD, NEW and TABLE can be standard input")
        before, after = (read_policy(path) for path in (old, new))
        earlier, call = (given(path, table, settings) for path in (old, new))
        comparison = reasoning.compare(
            before,
            after,
            types=types_of(types),
            params={**earlier.params, **call.params},
            table=call.schema_table(bool(types), engine is not None),
            deadline=deadline,
            dates=dates,
            engine=engine,
            **files,
            paper=paper,
        )
        print_out(_report(comparison, new, impact, format_))
        exit_by_verdict(comparison.ok)


def _report(comparison: "Comparison", new: str, impact: bool, format_: Format) -> str:
    match format_:
        case "text":
            from acompass.report.text.comparison import comparison_text

            return comparison_text(comparison, impact)
        case "json":
            from acompass.report.json.comparison import comparison_object

            return to_json(comparison_object(comparison, impact))
        case "markdown":
            from acompass.report.markdown.comparison import comparison_markdown

            return comparison_markdown(comparison, name_in_heading(new), impact)
        case _:
            assert_never(format_)
