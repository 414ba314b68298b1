"""`acompass dbt`: write a policy into a dbt project as tests and a model."""

from typing import Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import parse_types, read_policy, resolve_inputs
from acompass.options import Opening

EXAMPLES = """\
acompass dbt policy.acp --model people --set k=3
acompass dbt policy.acp --model people --set k=3 --types Age=integer -o warehouse
acompass dbt policy.acp --model people --set k=3 --check
acompass dbt policy.acp --model source:raw.people --set k=3 --source
acompass dbt policy.acp --model people --set k=3 --no-model --dialect postgres
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@click.option(
    "--model",
    required=True,
    metavar="NAME",
    help="The original table: a model, seed or snapshot, or source:NAME.TABLE.",
)
@click.option("--released", metavar="NAME", help="The released model; the name of --model with _released by default.")
@click.option("--source", is_flag=True, help="Test --model itself, as `check` does; write no Python model.")
@click.option("--no-model", is_flag=True, help="Write no Python model, because another step creates the released one.")
@click.option(
    "--output",
    "-o",
    default=".",
    metavar="FOLDER",
    help="The folder of the dbt project, which contains dbt_project.yml.",
)
@click.option("--dialect", default="duckdb", metavar="NAME", help="SQL dialect: duckdb, postgres or spark.")
@click.option("--show-records", is_flag=True, help="Let failing tests select the violating classes and records.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--force", is_flag=True, help="Also replace files that this command did not write.")
@options.schema_table
@options.types
@options.settings
@options.missing
@options.dates
@options.engine
@options.files
@formats
@options.paper
def dbt(
    policy: str,
    model: str,
    released: str | None,
    source: bool,
    no_model: bool,
    output: str,
    dialect: str,
    show_records: bool,
    check: bool,
    force: bool,
    table: str | None,
    types: tuple[str, ...],
    settings: tuple[str, ...],
    format_: Format,
    paper: bool,
    **opening: Unpack[Opening],
) -> None:
    """Write a policy into a dbt project: a Python model that applies it to --model, for dbt-duckdb, and a
    singular test of the released model for each assertion.

    A failing test selects the number of affected records, and none of their values. Integers set with --set
    become dbt variables. --missing and --dates apply to the Python model.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, settings)
        files = api.dbt(
            parsed,
            model,
            released=released,
            source=source,
            python_model=not no_model,
            dialect=dialect,
            types=parse_types(types),
            params=call.params,
            table=call.schema_table(bool(types), opening.get("engine") is not None),
            show_records=show_records,
            output=output,
            force=force,
            dry=check,
            paper=paper,
            **opening,
        )
        print_report(files, format_, call_context(policy))
        exit_by_verdict(files.is_current or not check)
