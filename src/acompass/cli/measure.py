"""`acompass measure`: measure how anonymous a table is."""

from typing import Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import add_reading_settings, convert_options, read_policy
from acompass.options import MeasureOnTable, QuasiIdentifiers, SensitiveColumns, WeightColumn

EXAMPLES = """\
acompass measure people.csv --qi Age,Zip --sensitive Disease
acompass measure groups.csv --qi Age,Zip --sensitive Disease --weight Number --json
acompass measure sample.csv --qi Age,Zip --sampling-weight Weight
acompass measure people.csv --qi Age,Zip --records risk.csv
acompass measure released.csv --policy policy.acp --against people.csv --population register.parquet
acompass measure released.csv --qi Age,Zip --against people.csv --hierarchy Age=bands:5,10
acompass measure released --qi age,zip --against patients --engine postgres://me@localhost/clinic
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.table
@options.declared(MeasureOnTable, qi=QuasiIdentifiers, sensitive=SensitiveColumns, weight=WeightColumn)
@click.option("--loss", is_flag=True, help="With --against, measure the loss even without --hierarchy.")
@formats
def measure_command(table: str, policy: str | None, loss: bool, format_: Format, **given: Any) -> None:
    """Measure how anonymous a table is: k, (α,k), l-diversity, t-closeness, β-likeness, δ-disclosure,
    and risk. With --engine, the database does the counting, and only counts leave it.
    """
    with exit_codes(error_report(format_, policy or table)):
        from acompass.api import measure

        found = add_reading_settings(convert_options(given), table)
        if loss:
            found.setdefault("hierarchies", ())
        if policy is not None:
            found["policy"] = read_policy(policy, table)
        print_report(measure(table, **found), format_, call_context(table))
