"""`acompass lint`: say what is probably a mistake in a policy."""

import sys

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
from acompass.cli.streams import shows_color, tell
from acompass.report.as_json import to_json

EXAMPLES = """**Examples**

    acompass lint policy.acp --set k=3

    acompass lint policy.acp --set k=3 --table people.csv

    acompass lint policy.acp --set k=3 --json
"""


def lint(
    policy: PolicyPath,
    table: SchemaTable = None,
    settings: Settings = None,
    json: AsJson = False,
    engine: Engine = None,
    delimiter: Delimiter = None,
) -> None:
    """Say what is probably a mistake: requirements that cannot be violated, that a later one undoes, gaps
    between generalization rules, and so on. Each finding has a code, a page and a fix.

    Exits with 1 if there is a finding.
    """
    with exit_codes(tell_error if json else None):
        from acompass import pipeline
        from acompass.diagnostics.render import render_json, render_text

        parsed = policy_and_table(policy, table or "")
        found = pipeline.lint(
            parsed, params=params_of(settings), table=table, engine=engine, delimiter=delimiter
        )
        if json:
            tell(to_json({"diagnostics": render_json(found, parsed.text, parsed.name)}))
        elif found:
            tell(render_text(found, parsed.text, parsed.name, shows_color(sys.stdout)))
        else:
            tell("nothing found")
        exit_by_verdict(not found)
