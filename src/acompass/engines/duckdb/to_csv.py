"""Write CSV in the style of the input: missing values as nothing, the empty text as `""`, ISO times."""

import re
import shutil
from pathlib import Path

import duckdb
from sqlglot import exp

from acompass.checked.types import decimal
from acompass.engines.duckdb.names import text_literal
from acompass.engines.duckdb.output import Output, engine_writing
from acompass.leftovers import temporary_folder
from acompass.plan.lowering import sql
from acompass.plan.lowering.dialects.duckdb import DUCKDB
from acompass.tables.csv import header_line
from acompass.tables.encodings import Encoder
from acompass.tables.file_format import UTF_8
from acompass.tables.gzipped import packing
from acompass.tables.replacing import written

#: DuckDB takes names of line ends
_LINE_ENDS = {end: f"NEW_LINE '{name}'" for end, name in (("\n", r"\n"), ("\r\n", r"\r\n"), ("\r", r"\r"))}
_SECONDS = "%Y-%m-%dT%H:%M:%S"
#: a decimal type without digits before the point
_FRACTION = re.compile(r"DECIMAL\((\d+),\1\)")


def write_csv(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str, compressed: bool) -> int:
    """Write the records and return their number. DuckDB writes UTF-8, of which another encoding is made."""
    if output.style.encoding == UTF_8:
        return _write_utf8(con, output, part, path, compressed)
    with temporary_folder() as folder:
        copy = str(Path(folder, "output-in-utf-8"))
        records = _write_utf8(con, output, copy, path, compressed=False)
        with written(path), open(part, "wb") as file, packing(file, compressed) as target:
            encoder = Encoder(target, output.style.encoding, path)
            with open(copy, "rb") as in_utf8:
                shutil.copyfileobj(in_utf8, encoder)
            encoder.finish()
    return records


def _write_utf8(
    con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str, compressed: bool
) -> int:
    """The header is passed as a text prefix, because DuckDB cannot write an empty name, or two names that
    differ only in case."""
    style = output.style
    header = header_line(output.names, style)
    with engine_writing(part, path):
        row = con.execute(
            f"COPY ({_select(con, output)}) TO {text_literal(part)} (FORMAT csv, HEADER false, "
            f"DELIMITER {text_literal(style.delimiter)}, NULLSTR '', {_LINE_ENDS[style.line_end]}, "
            f"PREFIX {text_literal(header)}, SUFFIX {text_literal(style.line_end)}, "
            f"COMPRESSION {'gzip' if compressed else 'none'}, USE_TMP_FILE false)"
        ).fetchone()
    records = int(row[0]) if row else 0
    if records == 0:
        _write_header(header, part, compressed)
    return records


def _write_header(header: str, part: str, compressed: bool) -> None:
    """Write only the header. Without records, DuckDB's SUFFIX would add an empty line."""
    with open(part, "wb") as file, packing(file, compressed) as target:
        target.write(header.encode())


def _select(con: duckdb.DuckDBPyConnection, output: Output) -> str:
    rows = con.execute(f"DESCRIBE {output.spelled}").fetchall()
    types = zip(output.positions, (row[1] for row in rows), strict=True)
    written = ", ".join(_written(sql.name(position), type_) for position, type_ in types)
    return f"SELECT {written} FROM ({output.spelled})"


def _written(name: str, type_: str) -> str:
    """SQL for a column as D12 writes it: ISO times, and decimals with a zero before the point."""
    if fraction := _FRACTION.fullmatch(type_):
        return DUCKDB.to_text(exp.column(name), decimal(int(fraction[1]))).sql("duckdb")
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
