"""`acompass measure`: measure how anonymous a table is."""

from pathlib import Path
from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import read_policy, split_names
from acompass.options import Opening

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
    help='The quasi-identifiers; quote a name that contains a comma with "". Defaults to those of the policy, or '
    "in the table's acompass.toml.",
)
@click.option(
    "--sensitive",
    multiple=True,
    metavar="S",
    help="A sensitive column; repeatable. Same default as --qi.",
)
@click.option(
    "--weight",
    metavar="NUMBER",
    help="The column with the number of people that each record stands for; decimals are allowed.",
)
@click.option(
    "--sampling-weight",
    metavar="WEIGHT",
    help="The column with the number of people in the population that each record of the sample represents, for "
    "journalist and individual risk; decimals are allowed.",
)
@click.option(
    "--policy",
    metavar="POLICY",
    help="Without --qi or --sensitive, use the columns in GROUP BY and COUNT DISTINCT of this policy.",
)
@click.option("--against", metavar="OTHER", help="The original table, to compare columns with.")
@click.option(
    "--population",
    metavar="POP",
    help="The table of the population that the records were sampled from, for journalist risk.",
)
@click.option(
    "--below",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="K",
    help="Count the records in classes smaller than K; with --sampling-weight, also those with a risk above 1/K.",
)
@click.option(
    "--dates",
    multiple=True,
    metavar="COLUMN=FORMAT",
    help="Parse a text column as dates, such as Admission=%d.%m.%Y; with --against, in that table; repeatable.",
)
@click.option(
    "--hierarchy",
    "hierarchies",
    multiple=True,
    metavar="COLUMN=LEVELS",
    help="With --against, measure the loss by these levels: a hierarchy file, bands:5,10,20, prefix:4,3,2 or dates. "
    "Other columns get levels derived from their values; repeatable.",
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
    hierarchies: tuple[str, ...],
    loss: bool,
    report: Path | None,
    report_internal: Path | None,
    format_: Format,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Measure how anonymous a table is: k, (α,k), l-diversity, t-closeness, β-likeness, δ-disclosure,
    and risk. With --engine, the database does the counting, and only counts leave it.
    """
    with exit_codes(error_report(format_, policy or table)):
        from acompass.api import measure
        from acompass.measure.answer import THRESHOLDS
        from acompass.policy import TableRoles, table_roles

        roles = table_roles(table) if policy is None else TableRoles()
        measures = measure(
            table,
            split_names(qi) or roles.quasi_identifiers or None,
            split_names(sensitive) or roles.sensitive or None,
            weight,
            policy=None if policy is None else read_policy(policy, table),
            against=against,
            population=population,
            sampling_weight=sampling_weight,
            below=below or THRESHOLDS,
            hierarchies=hierarchies if hierarchies or loss else None,
            report=report,
            report_internal=report_internal,
            paper=paper,
            **opening,
        )
        print_report(measures, format_, call_context(table))
