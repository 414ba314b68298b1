"""`acompass lint`: report probable mistakes in a policy."""

from typing import TYPE_CHECKING, TextIO, Unpack, assert_never

import click

from acompass.cli import fixing, options
from acompass.cli.command import Command, max_errors
from acompass.cli.exits import exit_by_verdict, exit_codes, exit_with_worst
from acompass.cli.formats import (
    Also,
    CiFormat,
    also,
    ci_formats,
    error_report,
    require_other_files,
    write_also,
)
from acompass.cli.inputs import given, policy_and_table, types_of
from acompass.cli.streams import shows_color
from acompass.report.json.document import to_json
from acompass.report.words import on_one_line

if TYPE_CHECKING:
    from acompass.findings import Findings
    from acompass.policy import Policy

EXAMPLES = """\
acompass lint policy.acp --set k=3
acompass lint policy.acp --set k=3 --table people.csv
acompass lint policy.acp --set k=3 --json
acompass lint policy.acp --set k=3 --format sarif > lint.sarif
acompass lint policies/*.acp
acompass lint policy.acp --fix
"""


class Asked(options.FileOptions):
    """The options that are the same for each policy."""

    table: str | None
    types: tuple[str, ...]
    dates: tuple[str, ...]
    settings: tuple[str, ...]
    deadline: str
    engine: str | None
    paper: bool


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument(
    "policies", nargs=-1, required=True, metavar="POLICY…", help="Policies (.acp); - is standard input."
)
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@ci_formats
@also
@fixing.fix
@fixing.diff
@options.engine
@options.files
@options.paper
def lint(
    policies: tuple[str, ...],
    format_: CiFormat,
    also: Also,
    fix: bool,
    diff: bool,
    **asked: Unpack[Asked],
) -> None:
    """Report probable mistakes: requirements that no table can violate or that a later one undoes, gaps
    between generalization rules, and so on. `acompass explain CODE` explains a finding.

    With --fix, mistakes with only one possible reading are corrected in the policy first. All policies are
    reported; several of them as text. Exits with 1 if there are findings.
    """
    if len(policies) > 1 and (also or format_ != "text"):
        raise click.UsageError("several policies are reported as text; give one policy for another format")

    def perform(policy: str) -> None:
        _lint(fixing.Fixing(policy, fix, diff), format_, also, len(policies) > 1, asked)

    exit_with_worst(policies, perform)


def _lint(fixer: fixing.Fixing, format_: CiFormat, also: Also, is_one_of_many: bool, asked: Asked) -> None:
    policy, table, engine = fixer.policy, asked["table"], asked["engine"]
    fixer.require_text(format_ == "text")
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import reasoning

        call = given(policy, table, asked["settings"])

        def findings(parsed: "Policy") -> "Findings":
            return reasoning.lint(
                parsed,
                types=types_of(asked["types"]),
                params=call.params,
                table=call.schema_table(bool(asked["types"]), engine is not None),
                deadline=asked["deadline"],
                dates=asked["dates"],
                engine=engine,
                delimiter=asked["delimiter"],
                encoding=asked["encoding"],
                decimal=asked["decimal"],
                sheet=asked["sheet"],
                paper=asked["paper"],
            )

        _, found = fixer.perform(lambda: policy_and_table(policy, table), findings, tuple)
        write_also(also, lambda each: _report(found, policy, each, fixer.report_stream))
        where = f" in {on_one_line(policy)}" if is_one_of_many and not found else ""
        fixer.print_report(_report(found, policy, format_, fixer.report_stream) + where)
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
