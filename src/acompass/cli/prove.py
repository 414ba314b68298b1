"""`acompass prove`: prove which assertions hold for every output of a policy, without data."""

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
from acompass.cli.inputs import given, policy_and_table, types_of
from acompass.cli.measure import names_in
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.privacy.answer import PrivacyProof

EXAMPLES = """\
acompass prove policy.acp --set k=3
acompass prove policy.acp --set k=3 --claim 'EACH RESULT : Age <= 80'
acompass prove policy.acp --set k=3 --claim idempotent --assume 'EACH RESULT : Age >= 0'
acompass prove policy.acp --set k=3 --types Age=integer
acompass prove policy.acp --set k=3 --table people.csv --json
acompass prove policy.acp --set k=3 --table people.csv --privacy
acompass prove policy.acp --set k=3 --deadline 120
acompass prove policy.acp --set k=3 --format markdown >> "$GITHUB_STEP_SUMMARY"
acompass prove policy.acp --set k=3 --certificate certificate.json
acompass prove policy.acp --types Disease=text --types Zip=text --privacy --columns "Disease, Zip"
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@click.option(
    "--claim",
    "claims",
    multiple=True,
    metavar="CLAIM",
    help="Prove this instead of the policy's own assertions: an assertion, idempotent, 'order of 3, 5' for "
    "two lines, or 'Age unchanged' for a column; may be repeated.",
)
@click.option(
    "--assume",
    multiple=True,
    metavar="ASSERTION",
    help="Assume this of the table before the policy; may be repeated.",
)
@click.option(
    "--privacy",
    is_flag=True,
    help="Also prove what the output gives away about one record; needs --table, or --types for each column.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="A,B",
    help="With --privacy, ask about a record's values of these columns together; by default about each "
    "column; may be repeated.",
)
@click.option(
    "--epsilon",
    default="1",
    metavar="NUMBER",
    show_default=True,
    help="With --privacy, the ε for which δ is found for one record more or less.",
)
@click.option(
    "--certificate",
    type=click.Path(),
    metavar="JSON",
    help="Also write what the proofs rest on, for the checker that is proved sound.",
)
@options.schema_table
@options.types
@options.dates
@options.settings
@options.deadline
@ci_formats
@also
@options.engine
@options.files
@options.paper
def prove(
    policy: str,
    claims: tuple[str, ...],
    assume: tuple[str, ...],
    privacy: bool,
    columns: tuple[str, ...],
    epsilon: str,
    certificate: str | None,
    table: str | None,
    types: tuple[str, ...],
    dates: tuple[str, ...],
    settings: tuple[str, ...],
    deadline: str,
    format_: CiFormat,
    also: Also,
    engine: str | None,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Prove for each assertion that every table a run of the policy writes satisfies it.

    An assertion is proved, refuted with a smallest counterexample, or undecided. Without a table or types, a
    number may have any number of digits after the point.

    With --privacy, it also says how much more probable an output can be from one table than from another that
    differs in one record: by column, and with one record more or less.

    A claim that is not decided before the deadline is undecided. Exits with 1 unless all are proved.
    """
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import reasoning

        parsed, call = policy_and_table(policy, table), given(policy, table, settings)
        proof = reasoning.prove(
            parsed,
            claims or None,
            assume=assume,
            types=types_of(types),
            params=call.params,
            table=call.schema_table(bool(types), engine is not None),
            privacy=privacy,
            columns=[names_in([names]) or () for names in columns] or None,
            epsilon=epsilon,
            certificate=certificate,
            deadline=deadline,
            dates=dates,
            engine=engine,
            **files,
            paper=paper,
        )
        write_also(also, lambda each: _report(proof, policy, each))
        print_out(_report(proof, policy, format_))
        exit_by_verdict(proof.ok)


def _report(proof: "PrivacyProof", policy: str, format_: CiFormat) -> str:
    match format_:
        case "text":
            from acompass.report.text.privacy import privacy_proof_text

            return privacy_proof_text(proof)
        case "json":
            from acompass.report.json.privacy import privacy_proof_object

            return to_json(privacy_proof_object(proof))
        case "junit":
            from acompass.report.junit.proof import proof_to_junit

            return proof_to_junit(proof, policy)
        case "sarif":
            from acompass.report.sarif.proof import proof_to_sarif

            return to_json(proof_to_sarif(proof, policy))
        case "markdown":
            return proof.to_markdown(name_in_heading(policy))
        case _:
            assert_never(format_)
