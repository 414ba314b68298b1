"""`acompass compare`: are two policies equivalent, and does the new one keep the guarantees of the old?"""

from functools import partial
from typing import TYPE_CHECKING, Unpack, assert_never

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    ci_formats,
    error_report,
    name_in_heading,
    require_other_files,
    write_also,
)
from acompass.cli.inputs import STANDARD_INPUT, given, params_of, read_policy, types_of
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.checked.parameters import ParamValue
    from acompass.compare.answer import Comparison
    from acompass.policy import Policy

EXAMPLES = """\
acompass compare old.acp new.acp
acompass compare old.acp new.acp --set k=5 --types Age=integer
acompass compare policy.acp policy.acp --set k=3 --set-old k=5
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
@click.option(
    "--set-old",
    "old_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Bind a parameter to another value in OLD; may be repeated.",
)
@options.deadline
@ci_formats
@also
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
    old_settings: tuple[str, ...],
    deadline: str,
    format_: CiFormat,
    also: Also,
    engine: str | None,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Compare two policies for every table and every trace.

    They are equivalent, different with a small table on which they differ, or undecided. For each policy, it
    says which of its guarantees the other keeps: assertions that are proved of every table it writes.

    A parameter has the same value in both, unless --set-old or an acompass.toml beside the old policy gives
    the old one another. --set comes before both files.

    Exits with 0 if the policies are equivalent, or if the new one is proved to keep all guarantees of the old
    one and to release nothing more; otherwise with 1.
    """
    require_other_files(also, old, new, table)
    with exit_codes(error_report(format_, new, also)):
        from acompass import reasoning

        if (old, new, table).count(STANDARD_INPUT) > 1:
            raise click.BadParameter("only one of OLD, NEW and TABLE can be standard input")
        before, after = (read_policy(path) for path in (old, new))
        call = given(new, table, settings)
        old_params = {**given(old, table, settings).params, **params_of(old_settings)}
        comparison = reasoning.compare(
            before,
            after,
            types=types_of(types),
            params={**old_params, **call.params},
            old_params=_differing(old_params, call.params),
            table=call.schema_table(bool(types), engine is not None),
            deadline=deadline,
            dates=dates,
            engine=engine,
            **files,
            paper=paper,
        )
        report = partial(_report, comparison, before, after, new, impact)
        write_also(also, report)
        print_out(report(format_))
        exit_by_verdict(comparison.ok)


def _differing(old: "dict[str, ParamValue]", new: "dict[str, ParamValue]") -> "dict[str, ParamValue]":
    """The values of the old policy that the new one does not share."""
    return {name: value for name, value in old.items() if new.get(name, value) != value}


def _report(
    comparison: "Comparison", before: "Policy", after: "Policy", new: str, impact: bool, format_: CiFormat
) -> str:
    match format_:
        case "text":
            from acompass.report.text.comparison import comparison_text

            return comparison_text(comparison, impact)
        case "json":
            from acompass.report.json.comparison import comparison_object

            return to_json(comparison_object(comparison, impact))
        case "junit":
            from acompass.report.junit.comparison import comparison_to_junit

            return comparison_to_junit(comparison, new)
        case "sarif":
            from acompass.report.sarif.comparison import comparison_to_sarif

            return to_json(comparison_to_sarif(comparison, before.text, after.text, new))
        case "markdown":
            from acompass.report.markdown.comparison import comparison_markdown

            return comparison_markdown(comparison, name_in_heading(new), impact)
        case _:
            assert_never(format_)
