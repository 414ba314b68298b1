"""`acompass prove`: prove, without data, which assertions hold for every table that a policy can produce."""

from typing import Any

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
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.options import Claims, ProveOptions

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
@options.declared(ProveOptions, claims=Claims)
@ci_formats
@also
def prove(policy: str, table: str | None, format_: CiFormat, also: Also, **given: Any) -> None:
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

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        proof = api.prove(parsed, **call.schema_options)
        print_report(proof, format_, call_context(policy), also)
        exit_by_verdict(proof.ok)
