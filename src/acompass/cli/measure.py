"""`acompass measure`: how anonymous a table is, by every model at once."""

import csv
from typing import Annotated

import typer

from acompass.cli.exits import exit_codes
from acompass.cli.options import AsJson, Delimiter, MemoryLimit, Report, TablePath, policy_and_table
from acompass.cli.streams import tell
from acompass.diagnostics import AcompassError
from acompass.report.as_json import error_to_object, to_json

EXAMPLES = """**Examples**

    acompass measure people.csv --qi Age,Zip --sensitive Disease

    acompass measure groups.csv --qi Age,Zip --sensitive Disease --weight Number --json

    acompass measure released.csv --policy policy.acp --against people.csv --population register.parquet
"""

QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option("--qi", metavar="A,B", help='The quasi-identifiers; a name with a comma goes in "".'),
]
SensitiveColumns = Annotated[
    list[str] | None, typer.Option("--sensitive", metavar="S", help="A sensitive column; may be repeated.")
]
Weight = Annotated[
    str | None,
    typer.Option(metavar="NUMBER", help="The column that says how many persons a record stands for."),
]
PolicyFile = Annotated[
    str | None,
    typer.Option(
        "--policy",
        metavar="POLICY",
        help="Read what --qi and --sensitive leave out off a policy: GROUP BY and COUNT DISTINCT.",
    ),
]
Against = Annotated[
    str | None, typer.Option(metavar="OTHER", help="The table before: how far has each column changed since?")
]
Population = Annotated[
    str | None,
    typer.Option(metavar="POP", help="A table of everyone the people could be, for journalist risk."),
]
Below = Annotated[
    list[int] | None, typer.Option(metavar="K", min=1, help="Count the records in classes smaller than K.")
]


def measure_command(
    table: TablePath,
    qi: QuasiIdentifiers = None,
    sensitive: SensitiveColumns = None,
    weight: Weight = None,
    policy: PolicyFile = None,
    against: Against = None,
    population: Population = None,
    below: Below = None,
    delimiter: Delimiter = None,
    memory_limit: MemoryLimit = None,
    report: Report = None,
    as_json: AsJson = False,
) -> None:
    """Say how anonymous a table is: k, (α,k), l-diversity, t-closeness, β-likeness, δ-disclosure and risk."""
    with exit_codes(lambda error: _report_error(error, as_json)):
        from acompass.measure.flow import measure
        from acompass.measure.render import measures_text
        from acompass.measure.result import THRESHOLDS

        measures = measure(
            table,
            names_in(qi),
            names_in(sensitive),
            weight,
            policy=None if policy is None else policy_and_table(policy, table),
            against=against,
            population=population,
            below=below or THRESHOLDS,
            delimiter=delimiter,
            memory_limit=memory_limit,
            report=report,
        )
        tell(to_json(measures.to_json()) if as_json else measures_text(measures))


def names_in(options: list[str] | None) -> list[str] | None:
    """Each option is a name or a list of names; one with a comma goes in double quotes (D3)."""
    if not options:
        return None
    rows = csv.reader(options, skipinitialspace=True)
    return [name.strip() for row in rows for name in row]


def _report_error(error: AcompassError, as_json: bool) -> None:
    if as_json:
        tell(to_json(error_to_object(error)))
