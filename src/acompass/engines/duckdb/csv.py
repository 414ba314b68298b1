"""Read CSV files into a temporary table of text, in input order."""

from glob import escape
from pathlib import Path

import duckdb

from acompass.engines.duckdb.names import fresh_name, text_list, text_literal
from acompass.leftovers import temporary_folder
from acompass.plan.lowering import sql
from acompass.tables import errors
from acompass.tables.blanks import has_blanks_at_quotes
from acompass.tables.csv import Csv, quoted
from acompass.tables.rfc4180 import Field

#: the maximum record length in bytes; DuckDB's default of 2 MiB is too short for free text
LONGEST_RECORD = 1 << 27


def read_text(con: duckdb.DuckDBPyConnection, csv: Csv) -> str:
    """Create a table with VARCHAR columns c0, c1, … and NULL for missing; return its name. Its rowids are in
    input order."""
    table = fresh_name("csv")
    has_blanks = any(has_blanks_at_quotes(path, shown, csv.delimiter) for path, shown in csv.files)
    # DuckDB would infer the line ending from a line break in a name, and might then find no records
    has_line_break = any("\n" in name or "\r" in name for name in csv.names)
    if has_blanks or has_line_break or not _is_read(con, csv, table):
        _read_normalized(con, csv, table)
    return table


def _is_read(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> bool:
    """Whether DuckDB could read the files. Its message is discarded, because it quotes records. If there is
    an error, our own reader finds it."""
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
    """The options of `read_csv` that read text exactly as in the file."""
    columns = ", ".join(f"'{sql.name(i)}': 'VARCHAR'" for i in range(width))
    return (
        f"columns = {{{columns}}}, auto_detect = false, "
        """quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, null_padding = false, """
        f"strict_mode = true, max_line_size = {LONGEST_RECORD}"
    )


def _read_normalized(con: duckdb.DuckDBPyConnection, csv: Csv, table: str) -> None:
    """Read a normalized copy of the files. Our own reader writes it, and finds every error in the files."""
    with temporary_folder() as folder:
        copies = tuple(str(Path(folder, f"{i}.csv")) for i in range(len(csv.source.paths)))
        for (path, shown), copy in zip(csv.files, copies, strict=True):
            _normalize(csv, path, shown, copy)
        try:
            _read(con, csv, table, copies, ",")
        except duckdb.InvalidInputException:
            why = f"a record is longer than {LONGEST_RECORD} bytes"
            raise errors.unreadable(csv.source.shown[0], why) from None


def _normalize(csv: Csv, path: str, shown: str, copy: str) -> None:
    with open(copy, "w", encoding="utf-8", newline="") as file:
        file.write(",".join('"h"' for _ in csv.names) + "\n")
        for _, fields in csv.records(path, shown):
            file.write(",".join(_plain(field) for field in fields) + "\n")


def _plain(field: Field) -> str:
    return "" if field is None else quoted(field)
