"""`acompass lint`: report probable mistakes in a policy."""

from typing import TYPE_CHECKING, Any

import click

from acompass.cli import fixes, options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, worst_code
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    call_context,
    ci_formats,
    error_report,
    require_other_files,
    write_also,
)
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.errors.display import on_one_line
from acompass.options import LintOptions

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
@options.declared(LintOptions)
@ci_formats
@also
@fixes.fix
@fixes.diff
def lint(
    policies: tuple[str, ...], table: str | None, format_: CiFormat, also: Also, fix: bool, diff: bool, **given: Any
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
            from acompass.report import render

            call = resolve_inputs(policy, table, given)

            def find(parsed: "Policy") -> "Findings":
                return api.lint(parsed, **call.schema_options)

            found = fixer.perform(lambda: read_policy(policy, table), find, tuple)
            context = call_context(policy, fixer.report_stream)
            write_also(found, also, context)
            where = f" in {on_one_line(policy)}" if has_several and not found else ""
            fixer.print_report(render(found, format_, context).removesuffix("\n") + where)
            exit_by_verdict(not found)

    raise click.exceptions.Exit(worst_code(policies, lint_policy))
