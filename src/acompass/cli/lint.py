"""`acompass lint`: report probable mistakes in a policy."""

from typing import TYPE_CHECKING, TextIO, Unpack, assert_never

import click

from acompass.cli import fixes, options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, exit_with_worst, max_errors
from acompass.cli.formats import Also, CiFormat, also, ci_formats, error_report, require_other_files, write_also
from acompass.cli.inputs import parse_types, read_policy, resolve_inputs
from acompass.cli.streams import shows_color
from acompass.errors.display import on_one_line
from acompass.options import Opening
from acompass.report.json import to_json

if TYPE_CHECKING:
    from acompass.policy import Policy
    from acompass.reason.lint import Findings

EXAMPLES = """\
acompass lint policy.acp --set k=3
acompass lint policy.acp --set k=3 --table people.csv
acompass lint policy.acp --set k=3 --json
acompass lint policy.acp --set k=3 --format sarif > lint.sarif
acompass lint policies/*.acp
acompass lint policy.acp --fix
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("policies", nargs=-1, required=True, metavar="POLICY…", help="Policies (.acp); - for standard input.")
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@ci_formats
@also
@fixes.fix
@fixes.diff
@options.engine
@options.files
@options.paper
def lint(
    policies: tuple[str, ...],
    table: str | None,
    types: tuple[str, ...],
    settings: tuple[str, ...],
    deadline: str,
    format_: CiFormat,
    also: Also,
    fix: bool,
    diff: bool,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Report probable mistakes: requirements that no table can violate or that a later one undoes, gaps
    between generalization rules, and so on. `acompass explain CODE` explains a finding.

    --fix first corrects mistakes in the policy that have only one possible correction. The report on
    several policies is always text. Exits with 1 if there are findings.
    """
    has_several = len(policies) > 1
    if has_several and (also or format_ != "text"):
        raise click.UsageError("several policies are reported as text; give one policy for another format")

    def lint_policy(policy: str) -> None:
        fixer = fixes.PolicyFixer(policy, fix, diff)
        fixer.require_text(format_ == "text")
        require_other_files(also, policy, table)
        with exit_codes(error_report(format_, policy, also)):
            from acompass import api

            call = resolve_inputs(policy, table, settings)

            def find(parsed: "Policy") -> "Findings":
                return api.lint(
                    parsed,
                    types=parse_types(types),
                    params=call.params,
                    table=call.schema_table(bool(types), opening.get("engine") is not None),
                    deadline=deadline,
                    paper=paper,
                    **opening,
                )

            found = fixer.perform(lambda: read_policy(policy, table), find, tuple)
            write_also(also, lambda each: _report(found, policy, each, fixer.report_stream))
            where = f" in {on_one_line(policy)}" if has_several and not found else ""
            fixer.print_report(_report(found, policy, format_, fixer.report_stream) + where)
            exit_by_verdict(not found)

    exit_with_worst(policies, lint_policy)


def _report(found: "Findings", policy: str, format_: CiFormat, stream: TextIO) -> str:
    most = max_errors()
    match format_:
        case "text":
            from acompass.errors.rendering import render_text

            text = render_text(found, found.text, found.name, shows_color(stream), most)
            return text if found else "nothing found"
        case "json":
            from acompass.report.json import diagnostics_object

            return to_json(diagnostics_object(found, found.text, found.name, most))
        case "junit":
            from acompass.report.junit import findings_to_junit

            return findings_to_junit(found[:most], found.text, policy)
        case "sarif":
            from acompass.report.sarif import diagnostics_to_sarif

            return to_json(diagnostics_to_sarif(found[:most], found.text, policy))
        case "markdown":
            return found.to_markdown(most=most)
        case _:
            assert_never(format_)
