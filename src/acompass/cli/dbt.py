"""`acompass dbt`: write a policy into a dbt project as tests and a model."""

from typing import Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes
from acompass.cli.formats import Format, call_context, error_report, formats, print_report
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.options import DbtOptions, ModelName

EXAMPLES = """\
acompass dbt policy.acp --model people --set k=3
acompass dbt policy.acp --model people --set k=3 --types Age=integer -o warehouse
acompass dbt policy.acp --model people --set k=3 --check
acompass dbt policy.acp --model source:raw.people --set k=3 --source
acompass dbt policy.acp --model people --set k=3 --no-model --dialect postgres
"""


@click.command(cls=Command, epilog=EXAMPLES)
@options.policy
@options.declared(DbtOptions, required=("model",), model=ModelName)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@formats
def dbt(policy: str, model: str, table: str | None, check: bool, format_: Format, **given: Any) -> None:
    """Write a policy into a dbt project: a Python model that applies it to --model, for dbt-duckdb, and a
    singular test of the released model for each assertion.

    A failing test selects the number of affected records, and none of their values. Integers set with --set
    become dbt variables. --missing and --dates apply to the Python model.
    """
    with exit_codes(error_report(format_, policy)):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        files = api.dbt(parsed, model, dry=check, **{"output": ".", **call.schema_options})
        print_report(files, format_, call_context(policy))
        exit_by_verdict(files.is_current or not check)
