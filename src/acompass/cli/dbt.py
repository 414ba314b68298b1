"""`acompass dbt`: write a policy as tests and a model of a dbt project."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Unpack

import click

from acompass.cli import options
from acompass.cli.command import Command
from acompass.cli.exits import exit_by_verdict, exit_codes, print_error_json
from acompass.cli.inputs import given, policy_and_table, types_of
from acompass.cli.streams import print_out
from acompass.report.json.document import to_json

if TYPE_CHECKING:
    from acompass.dbt_files import DbtFiles

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
    help="The table before the policy: a model, seed or snapshot, or source:NAME.TABLE.",
)
@click.option(
    "--released", metavar="NAME", help="The model after the policy; by default that of --model and _released."
)
@click.option("--source", is_flag=True, help="Test --model itself, as check does; write no Python model.")
@click.option("--no-model", is_flag=True, help="Write no Python model: another step makes the released one.")
@click.option(
    "--output", "-o", default=".", metavar="FOLDER", help="The dbt project, a folder with a dbt_project.yml."
)
@click.option(
    "--dialect", default="duckdb", metavar="NAME", help="The SQL dialect: duckdb, postgres or spark."
)
@click.option(
    "--show-records", is_flag=True, help="Let failing tests select the violating classes and records."
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--force", is_flag=True, help="Also replace files that were not written by this command.")
@options.schema_table
@options.types
@options.settings
@options.missing
@options.dates
@options.engine
@options.files
@options.as_json
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
    missing: tuple[str, ...],
    dates: tuple[str, ...],
    engine: str | None,
    as_json: bool,
    paper: bool,
    **file_options: Unpack[options.FileOptions],
) -> None:
    """Write a policy into a dbt project: a Python model that performs it on --model, for dbt-duckdb, and a
    singular test of the released model for each assertion.

    A failing test selects how many records are concerned, and no value of any of them. Whole numbers given
    with --set can be changed in dbt by variables. --missing and --dates are for the Python model.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import reasoning

        parsed, call = policy_and_table(policy, table), given(policy, table, settings)
        files = reasoning.dbt(
            parsed,
            model,
            released=released,
            source=source,
            python_model=not no_model,
            dialect=dialect,
            types=types_of(types),
            params=call.params,
            table=call.schema_table(bool(types), engine is not None),
            show_records=show_records,
            output=output,
            force=force,
            dry=check,
            missing=missing or None,
            dates=dates,
            engine=engine,
            paper=paper,
            **file_options,
        )
        print_out(to_json(files.to_json()) if as_json else "\n".join(_lines(files, written=not check)))
        exit_by_verdict(files.is_current or not check)


def _lines(files: "DbtFiles", *, written: bool) -> Iterator[str]:
    changed, removed = ("written", "removed") if written else ("would write", "would remove")
    said = [(changed if path in files.changed else "unchanged", path) for path in files.files]
    said += [(removed, path) for path in files.removed]
    said += [("left", path) for path in files.others]
    width = max(len(words) for words, _ in said)
    yield from (f"{words:<{width}} {path}" for words, path in said)
    for note in files.notes:
        yield f"line {note.line}: {note.text}"
    for name, value in files.variables.items():
        yield f"variable {name}: {value}, unless dbt sets it"
