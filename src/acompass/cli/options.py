"""Arguments and options shared by several commands."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, TypedDict

import click

from acompass.options import Opening

Callback: TypeAlias = Callable[..., None]

TABLE_FILE = "A .csv, .csv.gz, .parquet or .xlsx file, or a glob of them; - for standard input."
_TABLE = (
    "A .csv, .csv.gz, .parquet or .xlsx file, a glob of them, or with --engine the name of a table; "
    "- for standard input."
)

policy = click.argument("policy", help="The policy (.acp); - for standard input.")
table = click.argument("table", help=_TABLE)
policy_table = click.argument(
    "table", required=False, help=f"{_TABLE} Defaults to the table in the policy's acompass.toml."
)
schema_table = click.option(
    "--table",
    metavar="TABLE",
    help="Read the names and types of the columns from this table. Without --types, defaults to the table in the "
    "policy's acompass.toml, if it exists.",
)
types = click.option(
    "--types",
    multiple=True,
    metavar="COLUMN=TYPE",
    help="Type of a column, such as Age=integer; inferred from the policy by default; repeatable.",
)
paper = click.option("--paper", is_flag=True, help="Reject extensions of the paper's language, such as GENERALIZE.")
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a policy parameter; overrides the value in acompass.toml; repeatable.",
)
seed = click.option("--seed", metavar="TEXT", help="Seed for RANDOM; keep it secret. By default, a new one is drawn.")
trace = click.option(
    "--trace", type=Path, metavar="FILE", help="Random numbers for RANDOM: decimals in [0,1), one per line."
)
order = click.option(
    "--order", metavar="canonical", help="Sort the output, so that the same input always gives the same bytes."
)
missing = click.option(
    "--missing",
    multiple=True,
    metavar="drop|VALUE|COLUMN=…",
    help="Drop records with missing values in columns that the policy names, or replace missing values with VALUE. "
    "COLUMN=drop and COLUMN=VALUE apply to one column; repeatable.",
)
dates = click.option(
    "--dates",
    multiple=True,
    metavar="COLUMN=FORMAT",
    help="Parse a text column as dates, such as Admission=%d.%m.%Y; they are written in ISO format; repeatable.",
)
engine = click.option("--engine", metavar="URL", help="Where to run: duckdb (the default), reference, or a URL.")
_FILES_AS_TEXT = (
    click.option("--delimiter", metavar="CHARACTER", help="Delimiter of CSV files; detected by default."),
    click.option(
        "--encoding",
        metavar="NAME",
        help="Encoding of CSV files, such as cp1252; UTF-8 unless a byte order mark says otherwise.",
    ),
    click.option("--sheet", metavar="NAME", help="Sheet of an .xlsx workbook; the first one by default."),
)
_FILES = (
    *_FILES_AS_TEXT,
    click.option("--decimal", metavar="MARK", help="Decimal mark in CSV files: . (the default) or ,"),
)
memory_limit = click.option(
    "--memory-limit", metavar="SIZE", help="Memory to use before spilling to disk, such as 2GiB."
)
quiet = click.option("--quiet", "-q", is_flag=True, help="Print no report; only set the exit code.")
no_progress = click.option("--no-progress", is_flag=True, help="Do not show a progress bar.")
report = click.option(
    "--report",
    type=Path,
    metavar="HTML",
    help="Also write a page with charts and a certificate for the recipients of the table; it contains no records, and "
    "only values that are released.",
)
report_internal = click.option(
    "--report-internal",
    type=Path,
    metavar="HTML",
    help="Also write an internal page with the values and counts of the original table; do not publish it.",
)
deadline = click.option(
    "--deadline",
    default="30",
    metavar="SECONDS",
    show_default=True,
    help="Give up after this many seconds and report what is left as undecided.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print a JSON object on standard output.")


class TextFileOptions(TypedDict):
    """How to read files whose numbers stay text."""

    delimiter: str | None
    encoding: str | None
    sheet: str | None


class FileOptions(TextFileOptions):
    decimal: str | None


class RunOptions(Opening):
    """The options that `run` and `plan` share and pass on unchanged."""

    seed: str | None
    order: str | None
    paper: bool


def files_as_text(command: Callback) -> Callback:
    return _add_options(_FILES_AS_TEXT, command)


def files(command: Callback) -> Callback:
    return _add_options(_FILES, command)


def run_options(command: Callback) -> Callback:
    """Add the options that `run` and `plan` share."""
    shared = (settings, seed, trace, missing, dates, order, engine, *_FILES, memory_limit, paper)
    return _add_options(shared, command)


def _add_options(options: Sequence[Callable[[Callback], Callback]], command: Callback) -> Callback:
    for option in reversed(options):  # --help lists the last one applied first
        command = option(command)
    return command
