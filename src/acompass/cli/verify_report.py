"""`acompass verify-report`: verify that a report is unmodified and matches its files."""

import click

from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.streams import print_out

EXAMPLES = """\
acompass verify-report report.html
acompass verify-report report.html --policy policy.acp --input people.csv --output released.csv
"""


@click.command(cls=Command, epilog=EXAMPLES)
@click.argument("report", help="A page written by --report or --report-internal.")
@click.option("--policy", metavar="POLICY", help="The policy of the report.")
@click.option("--input", "input_", metavar="TABLE", help="The input table.")
@click.option("--output", metavar="TABLE", help="The output table.")
def verify_report(report: str, policy: str | None, input_: str | None, output: str | None) -> None:
    """Compare the certificate in a report with the page itself and with the given files.

    Exits with 1 if any of them differs from the certificate.
    """
    with exit_codes():
        from acompass.pages.verify import verify

        found = verify(report, policy, input_, output)
        print_out("\n".join(f"{each.what}: {'matches' if each.matches else 'differs'}" for each in found))
        exit_by_verdict(all(each.matches for each in found))
