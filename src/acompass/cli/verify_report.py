"""`acompass verify-report`: is a report about these files, and is it as it was written?"""

from typing import Annotated

import typer

from acompass.cli.exits import exit_by_verdict, exit_codes
from acompass.cli.streams import tell

EXAMPLES = """**Examples**

    acompass verify-report report.html

    acompass verify-report report.html --policy policy.acp --input people.csv --output released.csv
"""

ReportPath = Annotated[str, typer.Argument(metavar="REPORT", help="A page that --report wrote.")]
PolicyFile = Annotated[str | None, typer.Option("--policy", metavar="POLICY", help="The policy it is about.")]
Input = Annotated[str | None, typer.Option("--input", metavar="TABLE", help="The table that went in.")]
Output = Annotated[str | None, typer.Option("--output", metavar="TABLE", help="The table that came out.")]


def verify_report(
    report: ReportPath, policy: PolicyFile = None, input_: Input = None, output: Output = None
) -> None:
    """Compare the certificate in a report with the page itself and with the files that are given.

    Exits with 1 if one of them is not what the certificate says.
    """
    with exit_codes():
        from acompass.report.html.certificate import verify

        found = verify(report, policy, input_, output)
        tell("\n".join(f"{each.what}: {'matches' if each.matches else 'differs'}" for each in found))
        exit_by_verdict(all(each.matches for each in found))
