"""`acompass lint`: say what is probably a mistake in a policy."""

import sys

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes, tell_error
from acompass.cli.inputs import params_of, policy_and_table
from acompass.cli.streams import shows_color, tell
from acompass.report.json.document import to_json

EXAMPLES = """\
acompass lint policy.acp --set k=3
acompass lint policy.acp --set k=3 --table people.csv
acompass lint policy.acp --set k=3 --json
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.schema_table
@options.settings
@options.as_json
@options.engine
@options.delimiter
def lint(
    policy: str,
    table: str | None,
    settings: tuple[str, ...],
    as_json: bool,
    engine: str | None,
    delimiter: str | None,
) -> None:
    """Say what is probably a mistake: requirements that cannot be violated, that a later one undoes, gaps
    between generalization rules, and so on. Each finding has a code, a page and a fix.

    Exits with 1 if there is a finding.
    """
    with exit_codes(tell_error if as_json else None):
        from acompass import api
        from acompass.diagnostics.render import render_json, render_text

        parsed = policy_and_table(policy, table or "")
        found = api.lint(parsed, params=params_of(settings), table=table, engine=engine, delimiter=delimiter)
        if as_json:
            tell(to_json({"diagnostics": render_json(found, parsed.text, parsed.name)}))
        elif found:
            tell(render_text(found, parsed.text, parsed.name, shows_color(sys.stdout)))
        else:
            tell("nothing found")
        exit_by_verdict(not found)
