"""`acompass doctor`: what is installed, what works, and what is missing."""

import sys

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes, print_error_json
from acompass.cli.progress import progress_bar
from acompass.cli.streams import print_out, style_of

EXAMPLES = """\
acompass doctor
acompass doctor --engine postgres://me@localhost/test --engine 'local[2]'
acompass doctor --json
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="URL",
    help="Also ask this engine, as for run; may be repeated.",
)
@options.as_json
@options.no_progress
def doctor(engines: tuple[str, ...], as_json: bool, no_progress: bool) -> None:
    """Say which libraries and optional parts are installed, whether they work, and which engines answer.

    Small made-up tables are run through the engines, and their results compared. Nothing is written. No path,
    no name of a machine or a person and no record is printed, so that the output can be sent to someone else.
    Exits with 1 if something that is installed, or an engine that was asked for, does not work.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass.doctor.examine import examine
        from acompass.report.json.document import to_json
        from acompass.report.json.health import health_object
        from acompass.report.text.health import health_text

        with progress_bar(not no_progress) as progress:
            health = examine(engines, progress)
        print_out(to_json(health_object(health)) if as_json else health_text(health, style_of(sys.stdout)))
        exit_by_verdict(health.ok)
