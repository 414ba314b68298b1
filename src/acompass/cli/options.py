"""Arguments and options shared by several commands."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias, TypedDict

import click

Callback: TypeAlias = Callable[..., None]

TABLE_FILE = "A .csv, .csv.gz, .parquet or .xlsx file, or a glob of them; - is standard input."

policy = click.argument("policy", help="A policy (.acp); - is standard input.")
table = click.argument(
    "table",
    help="A .csv, .csv.gz, .parquet or .xlsx file, a glob of them, or with --engine a table's name; "
    "- is standard input.",
)
policys_table = click.argument(
    "table",
    required=False,
    help="A .csv, .csv.gz, .parquet or .xlsx file, a glob of them, or with --engine a table's name; "
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
_FILES_AS_TEXT = (
    click.option("--delimiter", metavar="CHARACTER", help="The delimiter of CSV files; detected by default."),
    click.option(
        "--encoding",
        metavar="NAME",
        help="The encoding of CSV files, such as cp1252; UTF-8 by default, or what a byte order mark says.",
    ),
    click.option("--sheet", metavar="NAME", help="The sheet of an .xlsx workbook; by default the first one."),
)
_FILES = (
    *_FILES_AS_TEXT,
    click.option(
        "--decimal", metavar="MARK", help="The decimal mark of numbers in CSV files: . (the default) or ,"
    ),
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


class TextFileOptions(TypedDict):
    """How files are read, if numbers in them do not matter."""

    delimiter: str | None
    encoding: str | None
    sheet: str | None


class FileOptions(TextFileOptions):
    """How files are read."""

    decimal: str | None


def files_as_text(command: Callback) -> Callback:
    return _with(_FILES_AS_TEXT, command)


def files(command: Callback) -> Callback:
    return _with(_FILES, command)


class Performing(FileOptions):
    """The options of `performing` that are passed on unchanged."""

    seed: str | None
    missing: tuple[str, ...]
    dates: tuple[str, ...]
    order: str | None
    engine: str | None
    memory_limit: str | None
    paper: bool


def performing(command: Callback) -> Callback:
    """Add the options that `run` and `plan` share."""
    shared = (settings, seed, trace, missing, dates, order, engine, *_FILES, memory_limit, paper)
    return _with(shared, command)


def _with(shared: Sequence[Callable[[Callback], Callback]], command: Callback) -> Callback:
    for option in reversed(shared):  # --help lists the last one applied first
        command = option(command)
    return command
