"""The arguments and options that commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias, TypedDict

import click

Callback: TypeAlias = Callable[..., None]

TABLE_FILE = "A .csv, .csv.gz or .parquet file, or a glob of them; - is standard input."

policy = click.argument("policy", help="A policy (.acp); - is standard input.")
table = click.argument(
    "table",
    help="A .csv, .csv.gz or .parquet file, a glob of them, or with --engine a table's name; "
    "- is standard input.",
)
table_file = click.argument("table", help=TABLE_FILE)
schema_table = click.option("--table", metavar="TABLE", help="Take the columns and their types from a table.")
settings = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Bind a parameter of the policy."
)
seed = click.option("--seed", metavar="TEXT", help="The seed of RANDOM, a secret; drawn afresh if not given.")
trace = click.option(
    "--trace", type=Path, metavar="FILE", help="The trace of RANDOM: decimals in [0,1), one a line."
)
order = click.option(
    "--order", metavar="canonical", help="Sort the output, so that the same input gives the same bytes."
)
missing = click.option(
    "--missing",
    metavar="drop|VALUE",
    help="Drop records with a missing value in a column the policy names, or fill it with VALUE.",
)
engine = click.option(
    "--engine", metavar="URL", help="Where to run: duckdb (the default), reference, or a URL."
)
delimiter = click.option(
    "--delimiter", metavar="CHARACTER", help="What separates a CSV's fields; found if not given."
)
memory_limit = click.option(
    "--memory-limit", metavar="SIZE", help="Memory to use before spilling to disk, such as 2GiB."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Print no report; the exit code tells.")
no_progress = click.option("--no-progress", is_flag=True, help="Show no progress bar.")
report = click.option(
    "--report",
    type=Path,
    metavar="HTML",
    help="Also write a page with charts and a certificate; it shows no record.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")


class Performing(TypedDict):
    """The options of `performing` that the pipeline takes as they are."""

    seed: str | None
    missing: str | None
    order: str | None
    engine: str | None
    delimiter: str | None
    memory_limit: str | None


def performing(command: Callback) -> Callback:
    """How `run` and `plan` perform a policy on a table."""
    shared = (settings, seed, trace, missing, order, engine, delimiter, memory_limit)
    for option in reversed(shared):  # --help shows first what is applied last
        command = option(command)
    return command
