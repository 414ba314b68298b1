"""The arguments and options that commands share, and their values as the pipeline takes them."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from acompass.checked.parameters import ParamValue
    from acompass.policy import Policy

STANDARD_INPUT = "-"

PolicyPath = Annotated[str, typer.Argument(metavar="POLICY", help="A policy (.acp); - is standard input.")]
TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A .csv, .csv.gz or .parquet file, a glob of them, or with --engine a table's name; "
        "- is standard input.",
    ),
]
SchemaTable = Annotated[
    str | None,
    typer.Option("--table", metavar="TABLE", help="Take the columns and their types from a table."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Bind a parameter of the policy.")
]
Seed = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="The seed of RANDOM, a secret; drawn afresh if not given."),
]
Trace = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The trace of RANDOM: decimals in [0,1), one a line.")
]
Order = Annotated[
    str | None,
    typer.Option(metavar="canonical", help="Sort the output, so that the same input gives the same bytes."),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="drop|VALUE",
        help="Drop records with a missing value in a column the policy names, or fill it with VALUE.",
    ),
]
Engine = Annotated[
    str | None, typer.Option(metavar="URL", help="Where to run: duckdb (the default), reference, or a URL.")
]
Delimiter = Annotated[
    str | None,
    typer.Option(metavar="CHARACTER", help="What separates a CSV's fields; found if not given."),
]
MemoryLimit = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Memory to use before spilling to disk, such as 2GiB.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print no report; the exit code tells.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no progress bar.")]
Report = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="HTML",
        help="Also write a page with charts and a certificate; it shows no record.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


def policy_and_table(policy: str, table: str) -> "Policy":
    if policy == table == STANDARD_INPUT:
        raise typer.BadParameter("POLICY and TABLE cannot both be standard input")
    return read_policy(policy)


def read_policy(path: str) -> "Policy":
    from acompass.policy import decode, load, parse

    if path == STANDARD_INPUT:
        return parse(decode(sys.stdin.buffer.read(), "<stdin>"), "<stdin>")
    return load(path)


def params_of(settings: list[str] | None) -> dict[str, "ParamValue"]:
    from acompass.checked.parameters import parse_settings

    return parse_settings(settings or ())
