"""`acompass compare`: decide whether two policies are equivalent, and which guarantees the new one keeps."""

from typing import TYPE_CHECKING, Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    call_context,
    ci_formats,
    error_report,
    print_report,
    require_other_files,
)
from acompass.cli.inputs import STANDARD_INPUT, read_policy, resolve_inputs
from acompass.options import CompareOptions

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue

EXAMPLES = """\
acompass compare old.acp new.acp
acompass compare old.acp new.acp --set k=5 --types Age=integer
acompass compare policy.acp policy.acp --set k=3 --set-old k=5
acompass compare old.acp new.acp --table people.csv --impact
git show main:policy.acp | acompass compare - policy.acp --impact --json
acompass compare old.acp new.acp --impact --format markdown >> "$GITHUB_STEP_SUMMARY"
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("old", help="The old policy (.acp); - for standard input.")
@click.argument("new", help="The new policy (.acp); - for standard input.")
@click.option(
    "--impact",
    is_flag=True,
    help="Also show kinds of records and values that only the new policy can release, and a counterexample for each "
    "lost guarantee.",
)
@options.declared(CompareOptions)
@ci_formats
@also
def compare(old: str, new: str, impact: bool, table: str | None, format_: CiFormat, also: Also, **given: Any) -> None:
    """Compare two policies for every table and every trace.

    They are equivalent, different (shown on a small table), or undecided. The report also lists which guarantees
    of each policy the other one keeps, and states whether the new policy releases the same, no more or more. A
    guarantee is an assertion proved for every table the policy can produce. The new policy releases no more if each
    record that it writes is among those that the old one writes, as often, with values as they were or coarser.

    A parameter has the same value in both policies, unless --set-old or the old policy's acompass.toml sets it
    differently. --set overrides both acompass.toml files.

    Exits with 0 only if the new policy provably keeps all guarantees of the old one and releases the same or no
    more; otherwise with 1.
    """
    require_other_files(also, old, new, table)
    with exit_codes(error_report(format_, new, also)):
        from acompass import api

        if (old, new, table).count(STANDARD_INPUT) > 1:
            raise click.BadParameter("only one of OLD, NEW and TABLE can be standard input")
        before, after = (read_policy(path) for path in (old, new))
        call = resolve_inputs(new, table, given)
        asked = call.schema_options
        old_params = {**resolve_inputs(old, table, given).params, **asked.get("old_params", {})}
        asked["params"] = {**old_params, **call.params}
        asked["old_params"] = _differing_params(old_params, call.params)
        comparison = api.compare(before, after, **asked)
        context = call_context(new, impact=impact, texts=(before.text, after.text))
        print_report(comparison, format_, context, also)
        exit_by_verdict(comparison.ok)


def _differing_params(old: "dict[str, ParamValue]", new: "dict[str, ParamValue]") -> "dict[str, ParamValue]":
    """The parameters of the old policy that have a different value in the new one."""
    return {name: value for name, value in old.items() if new.get(name, value) != value}
