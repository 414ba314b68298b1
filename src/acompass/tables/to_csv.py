"""CSV as this project writes it: UTF-8, `\\n`, missing as nothing, the empty text as `""`, ISO times."""

import gzip
from collections.abc import Iterable

import duckdb

from acompass.tables.content import Content, engine_writing
from acompass.tables.loaded import column, text_literal
from acompass.tables.source import DELIMITERS

#: what is quoted in a header, so that the delimiter can be found again
_MARKS = (*DELIMITERS, '"', "\r", "\n", "#")
_SECONDS = "%Y-%m-%dT%H:%M:%S"


def write_csv(
    con: duckdb.DuckDBPyConnection, content: Content, part: str, path: str, compressed: bool
) -> int:
    """The header goes in as text before the records: the engine could not write an empty name, nor two names
    that differ only in case."""
    header = header_line([each.name for each in content.schema], content.delimiter)
    with engine_writing(part, path):
        row = con.execute(
            f"COPY ({_select(con, content)}) TO {text_literal(part)} (FORMAT csv, HEADER false, "
            f"DELIMITER {text_literal(content.delimiter)}, NULLSTR '', "
            f"PREFIX {text_literal(header)}, SUFFIX '\n', "
            f"COMPRESSION {'gzip' if compressed else 'none'}, USE_TMP_FILE false)"
        ).fetchone()
    records = int(row[0]) if row else 0
    if records == 0:
        _write_header(header, part, compressed)
    return records


def header_line(names: Iterable[str], delimiter: str) -> str:
    return delimiter.join(_name(name) for name in names) + "\n"


def _write_header(header: str, part: str, compressed: bool) -> None:
    """Alone: after no records the engine's suffix would be an empty line."""
    encoded = header.encode()
    with open(part, "wb") as file:
        file.write(gzip.compress(encoded, mtime=0) if compressed else encoded)


def _name(name: str) -> str:
    if name and name == name.strip() and not any(mark in name for mark in _MARKS):
        return name
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _select(con: duckdb.DuckDBPyConnection, content: Content) -> str:
    typed = ", ".join(f"{content.typed(p)} AS {column(p)}" for p in range(len(content.schema)))
    rows = con.execute(f"DESCRIBE SELECT {typed} FROM ({content.select})").fetchall()
    written = ", ".join(_iso(column(position), row[1]) for position, row in enumerate(rows))
    return f"SELECT {written} FROM (SELECT {typed} FROM ({content.select}))"


def _iso(name: str, type_: str) -> str:
    """Times as Python's `isoformat` writes them (D12)."""
    match type_:
        case "TIMESTAMP" | "TIMESTAMP_S" | "TIMESTAMP_MS":
            return _iso_microseconds(name)
        case "TIMESTAMP_NS":
            return f"replace(CAST({name} AS VARCHAR), ' ', 'T')"
        case "TIMESTAMP WITH TIME ZONE":
            return _iso_microseconds(f"make_timestamp(epoch_us({name}))") + " || '+00:00'"
        case _:
            return name


def _iso_microseconds(value: str) -> str:
    return (
        f"CASE WHEN epoch_us({value}) % 1000000 = 0 THEN strftime({value}, '{_SECONDS}') "
        f"ELSE strftime({value}, '{_SECONDS}.%f') END"
    )
