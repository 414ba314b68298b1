"""`acompass prove`: what a policy guarantees of every table, before it sees one."""

from typing import Annotated

import typer

from acompass.cli.exits import exit_by_verdict, exit_codes, tell_error
from acompass.cli.options import (
    AsJson,
    Delimiter,
    Engine,
    PolicyPath,
    SchemaTable,
    Settings,
    params_of,
    policy_and_table,
)
from acompass.cli.streams import tell
from acompass.report.as_json import to_json

EXAMPLES = """**Examples**

    acompass prove policy.acp --set k=3

    acompass prove policy.acp --set k=3 --claim 'EACH RESULT : Age <= 80'

    acompass prove policy.acp --set k=3 --table people.csv --json
"""

Claims = Annotated[
    list[str] | None,
    typer.Option(
        "--claim", metavar="ASSERTION", help="Prove this, not the policy's own assertions; may be repeated."
    ),
]


def prove(
    policy: PolicyPath,
    claims: Claims = None,
    table: SchemaTable = None,
    settings: Settings = None,
    json: AsJson = False,
    engine: Engine = None,
    delimiter: Delimiter = None,
) -> None:
    """Say of each assertion whether every table that the policy leaves satisfies it: proved, refuted with a
    smallest table, or undecided.

    Exits with 1 unless all are proved.
    """
    with exit_codes(tell_error if json else None):
        from acompass import pipeline
        from acompass.prove import proof_as_json, proof_as_text

        proof = pipeline.prove(
            policy_and_table(policy, table or ""),
            claims,
            params=params_of(settings),
            table=table,
            engine=engine,
            delimiter=delimiter,
        )
        tell(to_json(proof_as_json(proof)) if json else proof_as_text(proof))
        exit_by_verdict(proof.ok)
