"""CSV files into a table of text, once, in input order; then typed by what the policy needs (D10)."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from glob import escape
from pathlib import Path

import duckdb

from acompass.tables import faults
from acompass.tables.blanks import has_blanks_at_quotes
from acompass.tables.header import numbered_records, read_header
from acompass.tables.loaded import column, fresh_name, text_list, text_literal
from acompass.tables.rfc4180 import Field
from acompass.tables.source import Files

#: the longest record, in bytes, that the engine reads; its own default of 2 MiB is too short for free text
_LONGEST_RECORD = 1 << 27


@dataclass(frozen=True)
class Text:
    """A CSV as a table of text: `relation` is all VARCHAR, NULL where missing, rowid in input order."""

    relation: str
    names: tuple[str, ...]
    delimiter: str
    source: Files

    def place(self, record: int) -> tuple[str, int]:
        """The file and the line of the record at this place in the input, from 0."""
        for path, shown in zip(self.source.paths, self.source.shown, strict=True):
            for line, _ in body(path, shown, self.delimiter, len(self.names)):
                if record == 0:
                    return shown, line
                record -= 1
        raise AssertionError("a record that was loaded is in the files")


def read_text(con: duckdb.DuckDBPyConnection, source: Files) -> Text:
    names, delimiter = read_header(source)
    text = Text(fresh_name("csv"), names, delimiter, source)
    files = zip(source.paths, source.shown, strict=True)
    blanks = any(has_blanks_at_quotes(path, shown, delimiter) for path, shown in files)
    # from a line break in a name the engine takes how lines end, and may then find no records at all
    broken_name = any("\n" in name or "\r" in name for name in names)
    if blanks or broken_name or not _is_read(con, text):
        _read_mended(con, text)
    return text


def _is_read(con: duckdb.DuckDBPyConnection, text: Text) -> bool:
    """The engine's message quotes records. Either our own reader finds what was wrong, or nothing was."""
    try:
        _read(con, text, text.source.paths, text.delimiter)
    except (duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException):
        return False
    return True


def _read(con: duckdb.DuckDBPyConnection, text: Text, paths: tuple[str, ...], delimiter: str) -> None:
    columns = ", ".join(f"'{column(i)}': 'VARCHAR'" for i in range(len(text.names)))
    con.execute(
        f"CREATE TEMP TABLE {text.relation} AS SELECT * "
        f"FROM read_csv({text_list([escape(path) for path in paths])}, "
        f"columns = {{{columns}}}, auto_detect = false, header = true, delim = {text_literal(delimiter)}, "
        f"""quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, null_padding = false, """
        f"strict_mode = true, hive_partitioning = false, max_line_size = {_LONGEST_RECORD})"
    )


def _read_mended(con: duckdb.DuckDBPyConnection, text: Text) -> None:
    """Reads a plainer copy of the files, which our own reader writes or finds a fault in."""
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        copies = tuple(str(Path(folder, f"{i}.csv")) for i in range(len(text.source.paths)))
        for path, shown, copy in zip(text.source.paths, text.source.shown, copies, strict=True):
            _mend(path, shown, copy, text)
        try:
            _read(con, text, copies, ",")
        except duckdb.InvalidInputException:
            raise faults.unreadable(
                text.source.shown[0], f"a record is longer than {_LONGEST_RECORD} bytes"
            ) from None


def _mend(path: str, shown: str, copy: str, text: Text) -> None:
    with open(copy, "w", encoding="utf-8", newline="") as file:
        file.write(",".join('"h"' for _ in text.names) + "\n")
        for _, fields in body(path, shown, text.delimiter, len(text.names)):
            file.write(",".join(_plain(field) for field in fields) + "\n")


def _plain(field: Field) -> str:
    if field is None:
        return ""
    doubled = field.replace('"', '""')
    return f'"{doubled}"'


def body(path: str, shown: str, delimiter: str, width: int) -> Iterator[tuple[int, list[Field]]]:
    """The records after the header, without what empty fields there are beyond the last column.

    Empty lines are none, unless a record has but one field.
    """
    numbered = numbered_records(path, shown, delimiter)
    next(numbered)
    for line, fields in numbered:
        if len(fields) >= width and not any(field is not None for field in fields[width:]):
            yield line, fields[:width]
        elif fields != [None]:
            raise faults.ragged(shown, line, len(fields), width)
