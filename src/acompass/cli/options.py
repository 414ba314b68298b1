"""Arguments and options shared by several commands."""

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
policys_table = click.argument(
    "table",
    required=False,
    help="A .csv, .csv.gz or .parquet file, a glob of them, or with --engine a table's name; "
    "- is standard input. By default that of an acompass.toml beside the policy.",
)
schema_table = click.option(
    "--table",
    metavar="TABLE",
    help="Take the columns and their types from a table; by default, without --types, from that of an "
    "acompass.toml beside the policy, if it is there.",
)
types = click.option(
    "--types",
    multiple=True,
    metavar="COLUMN=TYPE",
    help="The type of a column, such as Age=integer; otherwise inferred from the policy; may be repeated.",
)
paper = click.option(
    "--paper", is_flag=True, help="Refuse what is not in the paper's language, such as GENERALIZE."
)
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Bind a parameter of the policy; before one of an acompass.toml beside it.",
)
seed = click.option(
    "--seed", metavar="TEXT", help="The seed for RANDOM, a secret; by default, a new one is drawn."
)
trace = click.option(
    "--trace", type=Path, metavar="FILE", help="The trace for RANDOM: decimals in [0,1), one per line."
)
order = click.option(
    "--order", metavar="canonical", help="Sort the output, so that the same input gives the same bytes."
)
missing = click.option(
    "--missing",
    multiple=True,
    metavar="drop|VALUE|COLUMN=…",
    help="Drop records with missing values in columns that the policy names, or fill them with VALUE; "
    "COLUMN=drop or COLUMN=VALUE for one column, repeatable.",
)
dates = click.option(
    "--dates",
    multiple=True,
    metavar="COLUMN=FORMAT",
    help="Read a column of text as dates, such as Admission=%d.%m.%Y; they go out in ISO form; repeatable.",
)
engine = click.option(
    "--engine", metavar="URL", help="Where to run: duckdb (the default), reference, or a URL."
)
delimiter = click.option(
    "--delimiter", metavar="CHARACTER", help="The delimiter of CSV files; detected by default."
)
memory_limit = click.option(
    "--memory-limit", metavar="SIZE", help="Memory to use before spilling to disk, such as 2GiB."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Print no report, only set the exit code.")
no_progress = click.option("--no-progress", is_flag=True, help="Show no progress bar.")
report = click.option(
    "--report",
    type=Path,
    metavar="HTML",
    help="Also write a page with charts and a certificate, for whoever receives the table; it contains no "
    "record and no value that is not released.",
)
report_internal = click.option(
    "--report-internal",
    type=Path,
    metavar="HTML",
    help="Also write such a page for the curator, with the values and counts of the table before; keep it.",
)
deadline = click.option(
    "--deadline",
    default="30",
    metavar="SECONDS",
    show_default=True,
    help="What is not decided after so many seconds stays undecided.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on standard output.")


class Performing(TypedDict):
    """The options of `performing` that are passed on unchanged."""

    seed: str | None
    missing: tuple[str, ...]
    dates: tuple[str, ...]
    order: str | None
    engine: str | None
    delimiter: str | None
    memory_limit: str | None
    paper: bool


def performing(command: Callback) -> Callback:
    """Add the options that `run` and `plan` share."""
    shared = (settings, seed, trace, missing, dates, order, engine, delimiter, memory_limit, paper)
    for option in reversed(shared):  # --help lists the last one applied first
        command = option(command)
    return command
