"""CSV files as a temporary table of text, in input order."""

import tempfile
from glob import escape
from pathlib import Path

import duckdb

from acompass.engines.duckdb.names import fresh_name, text_list, text_literal
from acompass.plan.lowering import sql
from acompass.tables import errors
from acompass.tables.blanks import has_blanks_at_quotes
from acompass.tables.csv import Csv, quoted
from acompass.tables.rfc4180 import Field

#: the longest record in bytes; DuckDB's own default of 2 MiB is too short for free text
LONGEST_RECORD = 1 << 27


def read_text(con: duckdb.DuckDBPyConnection, csv: Csv) -> str:
    """The name of a table with the columns c0, c1, … as VARCHAR, NULL where missing, rowid in input order."""
    table = fresh_name("csv")
    blanks = any(has_blanks_at_quotes(path, shown, csv.delimiter) for path, shown in csv.files)
    # DuckDB infers the line ending from a line break in a name, and may then find no records at all
    broken_name = any("\n" in name or "\r" in name for name in csv.names)
    if blanks or broken_name or not _is_read(con, csv, table):
        _read_mended(con, csv, table)
    return table


def _is_read(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> bool:
    """DuckDB's message quotes records. Our own reader then either finds the fault or there is none."""
    try:
        _read(con, csv, table, csv.source.paths, csv.delimiter)
    except (duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException):
        return False
    return True


def _read(
    con: duckdb.DuckDBPyConnection, csv: Csv, table: str, paths: tuple[str, ...], delimiter: str
) -> None:
    con.execute(
        f"CREATE TEMP TABLE {table} AS SELECT * "
        f"FROM read_csv({text_list([escape(path) for path in paths])}, {csv_options(len(csv.names))}, "
        f"header = true, delim = {text_literal(delimiter)}, hive_partitioning = false)"
    )


def csv_options(width: int) -> str:
    """The options of `read_csv` that give text exactly as it stands in the file."""
    columns = ", ".join(f"'{sql.name(i)}': 'VARCHAR'" for i in range(width))
    return (
        f"columns = {{{columns}}}, auto_detect = false, "
        """quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, null_padding = false, """
        f"strict_mode = true, max_line_size = {LONGEST_RECORD}"
    )


def _read_mended(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> None:
    """Read a plainer copy of the files, written by our own reader, which also finds every fault."""
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        copies = tuple(str(Path(folder, f"{i}.csv")) for i in range(len(csv.source.paths)))
        for (path, shown), copy in zip(csv.files, copies, strict=True):
            _mend(csv, path, shown, copy)
        try:
            _read(con, csv, table, copies, ",")
        except duckdb.InvalidInputException:
            why = f"a record is longer than {LONGEST_RECORD} bytes"
            raise errors.unreadable(csv.source.shown[0], why) from None


def _mend(csv: Csv, path: str, shown: str, copy: str) -> None:
    with open(copy, "w", encoding="utf-8", newline="") as file:
        file.write(",".join('"h"' for _ in csv.names) + "\n")
        for _, fields in csv.records(path, shown):
            file.write(",".join(_plain(field) for field in fields) + "\n")


def _plain(field: Field) -> str:
    return "" if field is None else quoted(field)
