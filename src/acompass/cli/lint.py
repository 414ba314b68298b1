"""`acompass lint`: report probable mistakes in a policy."""

from typing import TYPE_CHECKING, Unpack

import click

from acompass.cli import fixing, options
from acompass.cli.command import Command, max_errors
from acompass.cli.exits import exit_by_verdict, exit_codes, print_error_json
from acompass.cli.inputs import given, policy_and_table, types_of
from acompass.cli.streams import print_out, shows_color
from acompass.diagnostics import Diagnostic
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.policy import Policy

EXAMPLES = """\
acompass lint policy.acp --set k=3
acompass lint policy.acp --set k=3 --table people.csv
acompass lint policy.acp --set k=3 --json
acompass lint policy.acp --fix
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@options.as_json
@fixing.fix
@fixing.diff
@options.engine
@options.files
@options.paper
def lint(
    policy: str,
    table: str | None,
    types: tuple[str, ...],
    dates: tuple[str, ...],
    settings: tuple[str, ...],
    deadline: str,
    as_json: bool,
    fix: bool,
    diff: bool,
    engine: str | None,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Report probable mistakes: requirements that no table can violate or that a later one undoes, gaps
    between generalization rules, and so on. `acompass explain CODE` explains a finding.

    With --fix, mistakes with only one possible reading are corrected in the policy first. Exits with 1 if
    there are findings.
    """
    fixer = fixing.Fixing(policy, fix, diff)
    fixer.require_text(not as_json)
    with exit_codes(print_error_json if as_json else None):
        from acompass import reasoning
        from acompass.diagnostics.render import render_text
        from acompass.report.json.error import diagnostics_object

        call = given(policy, table, settings)

        def findings(parsed: "Policy") -> tuple[Diagnostic, ...]:
            return reasoning.lint(
                parsed,
                types=types_of(types),
                params=call.params,
                table=call.schema_table(bool(types), engine is not None),
                deadline=deadline,
                dates=dates,
                engine=engine,
                **files,
                paper=paper,
            )

        parsed, found = fixer.perform(lambda: policy_and_table(policy, table), findings, tuple)
        if as_json:
            print_out(to_json(diagnostics_object(found, parsed.text, parsed.name, max_errors())))
        elif found:
            color = shows_color(fixer.report_stream)
            fixer.print_report(render_text(found, parsed.text, parsed.name, color, max_errors()))
        else:
            fixer.print_report("nothing found")
        exit_by_verdict(not found)
