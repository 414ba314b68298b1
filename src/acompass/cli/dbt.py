"""`acompass dbt`: write a policy into a dbt project as tests and a model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from acompass.cli import options
from acompass.cli.command import Command, exit_by_verdict, exit_codes, print_error_json
from acompass.cli.inputs import read_policy, resolve_inputs
from acompass.cli.streams import print_out
from acompass.options import DbtOptions, ModelName
from acompass.report.json import to_json

if TYPE_CHECKING:
    from acompass.author.answers import DbtFiles

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
@options.as_json
def dbt(policy: str, model: str, table: str | None, check: bool, as_json: bool, **given: Any) -> None:
    """Write a policy into a dbt project: a Python model that applies it to --model, for dbt-duckdb, and a
    singular test of the released model for each assertion.

    A failing test selects the number of affected records, and none of their values. Integers set with --set
    become dbt variables. --missing and --dates apply to the Python model.
    """
    with exit_codes(print_error_json if as_json else None):
        from acompass import api

        parsed, call = read_policy(policy, table), resolve_inputs(policy, table, given)
        files = api.dbt(parsed, model, dry=check, **{"output": ".", **call.schema_options})
        print_out(to_json(files.to_json()) if as_json else "\n".join(_lines(files, written=not check)))
        exit_by_verdict(files.is_current or not check)


def _lines(files: "DbtFiles", *, written: bool) -> Iterator[str]:
    changed, removed = ("written", "removed") if written else ("would write", "would remove")
    rows = [(changed if path in files.changed else "unchanged", path) for path in files.files]
    rows += [(removed, path) for path in files.removed]
    rows += [("left", path) for path in files.others]
    width = max(len(words) for words, _ in rows)
    yield from (f"{words:<{width}} {path}" for words, path in rows)
    for note in files.notes:
        yield f"line {note.line}: {note.text}"
    for name, value in files.variables.items():
        yield f"variable {name}: {value}, unless dbt sets it"
