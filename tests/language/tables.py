"""The table of a literate case as a file."""

import csv
import re
from pathlib import Path

import duckdb

from tests.language.cases import Case

_STORED = {"integer": "BIGINT", "float": "DOUBLE", "text": "VARCHAR"}


def write_table(case: Case) -> str:
    """Write a CSV file, or a Parquet file if the case has types, into the current folder; return its name."""
    Path("table.csv").write_text(case.blocks["csv"], encoding="utf-8", newline="")
    if "hierarchy" in case.blocks:
        Path("hierarchy.csv").write_text(case.blocks["hierarchy"], encoding="utf-8", newline="")
    types = case.option("types")
    if types is None:
        return "table.csv"
    names = next(csv.reader([case.blocks["csv"].partition("\n")[0]]))
    columns = {name: _stored(word) for name, word in zip(names, types.split(), strict=True)}
    options = f"header = true, columns = {columns}, nullstr = '', allow_quoted_nulls = false"
    duckdb.sql(f"FROM read_csv('table.csv', {options})").write_parquet("table.parquet")
    return "table.parquet"


def _stored(word: str) -> str:
    decimal = re.fullmatch(r"decimal\((\d+)\)", word)
    return f"DECIMAL(38, {decimal[1]})" if decimal else _STORED.get(word, word)
