"""`acompass lint`: report probable mistakes in a policy."""

from typing import TYPE_CHECKING, TextIO, Unpack, assert_never

import click

from acompass.cli import fixing, options
from acompass.cli.command import Command, max_errors
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.formats import CiFormat, ci_formats, error_report
from acompass.cli.inputs import given, policy_and_table, types_of
from acompass.cli.streams import shows_color
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.findings import Findings
    from acompass.policy import Policy

EXAMPLES = """\
acompass lint policy.acp --set k=3
acompass lint policy.acp --set k=3 --table people.csv
acompass lint policy.acp --set k=3 --json
acompass lint policy.acp --set k=3 --format sarif > lint.sarif
acompass lint policy.acp --fix
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@ci_formats
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
    format_: CiFormat,
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
    fixer.require_text(format_ == "text")
    with exit_codes(error_report(format_, policy)):
        from acompass import reasoning

        call = given(policy, table, settings)

        def findings(parsed: "Policy") -> "Findings":
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

        _, found = fixer.perform(lambda: policy_and_table(policy, table), findings, tuple)
        fixer.print_report(_report(found, policy, format_, fixer.report_stream))
        exit_by_verdict(not found)


def _report(found: "Findings", policy: str, format_: CiFormat, stream: TextIO) -> str:
    most = max_errors()
    match format_:
        case "text":
            from acompass.diagnostics.render import render_text

            text = render_text(found, found.text, found.name, shows_color(stream), most)
            return text if found else "nothing found"
        case "json":
            from acompass.report.json.error import diagnostics_object

            return to_json(diagnostics_object(found, found.text, found.name, most))
        case "junit":
            from acompass.report.junit.diagnostics import findings_to_junit

            return findings_to_junit(found[:most], found.text, policy)
        case "sarif":
            from acompass.report.sarif.diagnostics import diagnostics_to_sarif

            return to_json(diagnostics_to_sarif(found[:most], found.text, policy))
        case "markdown":
            return found.to_markdown(most=most)
        case _:
            assert_never(format_)
