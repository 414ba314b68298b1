"""`acompass prove`: prove, without data, which assertions hold for every table that a policy can produce."""

from typing import Unpack

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
from acompass.cli.inputs import parse_types, read_policy, resolve_inputs, split_names
from acompass.options import Opening

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
    "two lines, or 'Age unchanged' for a column; repeatable.",
)
@click.option(
    "--assume",
    multiple=True,
    metavar="ASSERTION",
    help="Assume that the input table satisfies this; repeatable.",
)
@click.option(
    "--privacy",
    is_flag=True,
    help="Also prove how much the output can reveal about one record; requires --table, or --types for each column.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="A,B",
    help="With --privacy, analyze a record's values in these columns together, instead of column by column; "
    "repeatable.",
)
@click.option(
    "--epsilon",
    default="1",
    metavar="NUMBER",
    show_default=True,
    help="With --privacy, the ε at which δ is computed for adding or removing one record.",
)
@click.option(
    "--certificate",
    type=click.Path(),
    metavar="JSON",
    help="Also write a certificate of the proofs, for the verified checker.",
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
    settings: tuple[str, ...],
    deadline: str,
    format_: CiFormat,
    also: Also,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Prove for each assertion that it holds for every table the policy can produce.

    An assertion is proved, refuted with a smallest counterexample, or undecided. Without a table or types,
    numbers may have any number of decimal places.

    --privacy also bounds how much more likely an output can be from one table than from another that differs in
    one record: in the record's value in a column, or in whether the record is present.

    A claim that is not decided before the deadline is undecided. Exits with 1 unless all claims are proved.
    """
    require_other_files(also, policy, table)
    with exit_codes(error_report(format_, policy, also)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, settings)
        proof = api.prove(
            parsed,
            claims or None,
            assume=assume,
            types=parse_types(types),
            params=call.params,
            table=call.schema_table(bool(types), opening.get("engine") is not None),
            privacy=privacy,
            columns=[split_names([names]) or () for names in columns] or None,
            epsilon=epsilon,
            certificate=certificate,
            deadline=deadline,
            paper=paper,
            **opening,
        )
        print_report(proof, format_, call_context(policy), also)
        exit_by_verdict(proof.ok)
