"""`acompass measure`: measure how anonymous a table is."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, assert_never

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_codes
from acompass.cli.formats import Format, error_report, formats, name_in_heading
from acompass.cli.inputs import policy_and_table
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.measures import Measures

EXAMPLES = """\
acompass measure people.csv --qi Age,Zip --sensitive Disease
acompass measure groups.csv --qi Age,Zip --sensitive Disease --weight Number --json
acompass measure sample.csv --qi Age,Zip --sampling-weight Weight
acompass measure released.csv --policy policy.acp --against people.csv --population register.parquet
acompass measure released.csv --qi Age,Zip --against people.csv --hierarchy Age=bands:5,10
acompass measure released --qi age,zip --against patients --engine postgres://me@localhost/clinic
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.table
@click.option(
    "--qi",
    multiple=True,
    metavar="A,B",
    help='The quasi-identifiers; put a name that contains a comma in "". By default those of the policy, '
    "or of an acompass.toml beside the table.",
)
@click.option(
    "--sensitive",
    multiple=True,
    metavar="S",
    help="A sensitive column; may be repeated. By default as for --qi.",
)
@click.option(
    "--weight",
    metavar="NUMBER",
    help="The column with the number of people per record; decimals are allowed.",
)
@click.option(
    "--sampling-weight",
    metavar="WEIGHT",
    help="The column with the number of people of the population that each record of a sample represents, "
    "for journalist and individual risk; decimals are allowed.",
)
@click.option(
    "--policy",
    metavar="POLICY",
    help="Take columns that --qi or --sensitive do not give from GROUP BY and COUNT DISTINCT of this policy.",
)
@click.option("--against", metavar="OTHER", help="The table before anonymization, to compare columns with.")
@click.option(
    "--population",
    metavar="POP",
    help="A table of the population that the people belong to, for journalist risk.",
)
@click.option(
    "--below",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="K",
    help="Count the records in classes smaller than K; with --sampling-weight, also those with a risk "
    "above 1/K.",
)
@click.option(
    "--dates",
    multiple=True,
    metavar="COLUMN=FORMAT",
    help="Read a column of text as dates, such as Admission=%d.%m.%Y; with --against, of that table; "
    "repeatable.",
)
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=LEVELS",
    help="With --against, measure the loss by these levels: a hierarchy file, bands:5,10,20, prefix:4,3,2 or "
    "dates; columns without it get levels from their values; repeatable.",
)
@click.option("--loss", is_flag=True, help="With --against, measure the loss even without --hierarchy.")
@options.engine
@options.files
@options.memory_limit
@options.report
@options.report_internal
@formats
@options.paper
def measure_command(
    table: str,
    qi: tuple[str, ...],
    sensitive: tuple[str, ...],
    weight: str | None,
    sampling_weight: str | None,
    policy: str | None,
    against: str | None,
    population: str | None,
    below: tuple[int, ...],
    dates: tuple[str, ...],
    hierarchies: tuple[str, ...],
    loss: bool,
    engine: str | None,
    memory_limit: str | None,
    report: Path | None,
    report_internal: Path | None,
    format_: Format,
    paper: bool,
    **files: Unpack[options.FileOptions],
) -> None:
    """Measure how anonymous a table is: k, (α,k), l-diversity, t-closeness, β-likeness, δ-disclosure,
    and risk. With --engine, the tables are counted where they are, and only counts leave the database.
    """
    with exit_codes(error_report(format_, policy or table)):
        from acompass.api import measure
        from acompass.measures import THRESHOLDS
        from acompass.project import TableRoles, roles_beside

        roles = roles_beside(table) if policy is None else TableRoles()
        measures = measure(
            table,
            names_in(qi) or roles.quasi_identifiers or None,
            names_in(sensitive) or roles.sensitive or None,
            weight,
            policy=None if policy is None else policy_and_table(policy, table),
            against=against,
            population=population,
            sampling_weight=sampling_weight,
            below=below or THRESHOLDS,
            dates=dates,
            hierarchies=hierarchies if hierarchies or loss else None,
            engine=engine,
            **files,
            memory_limit=memory_limit,
            report=report,
            report_internal=report_internal,
            paper=paper,
        )
        print_out(_report(measures, table, format_))


def _report(measures: "Measures", table: str, format_: Format) -> str:
    match format_:
        case "text":
            from acompass.report.text.measures import measures_text

            return measures_text(measures)
        case "json":
            return to_json(measures.to_json())
        case "markdown":
            return measures.to_markdown(name_in_heading(table))
        case _:
            assert_never(format_)


def names_in(given: Sequence[str]) -> list[str] | None:
    """The names in all options. Each option is a comma-separated list; a name with a comma is quoted (D3)."""
    if not given:
        return None
    rows = csv.reader(given, skipinitialspace=True)
    return [name.strip() for row in rows for name in row]
