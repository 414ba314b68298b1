"""Write the result of a query to a CSV file, a Parquet file or a folder of them, or return it as a table.

A returned table is of the same kind as the input. CSV has the style of the input; a missing value is written as an
empty field, an empty text as `""`, and times in ISO format.
"""

import errno
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
from sqlglot import exp

from acompass.dataclasses import dataclass, field
from acompass.engines.duckdb.input import restore_type
from acompass.engines.duckdb.session import identifier, text_literal
from acompass.engines.loading import is_formula, swap_separators
from acompass.language.program.types import TIMESTAMP, Kind, Schema, Type, decimal, remaining
from acompass.plan.lowering import sql
from acompass.plan.lowering.duckdb import DUCKDB
from acompass.plan.lowering.state import statement_text
from acompass.tables import format_errors
from acompass.tables.arrow import Passenger, from_arrow, to_original_type
from acompass.tables.csv import header_line
from acompass.tables.formats import UTF_8, CsvStyle
from acompass.tables.frames import PYTHON_KINDS, FrameKind, frame_kind, report_column_failures, require_arrow
from acompass.tables.output import (
    copy_to_stream,
    is_stream,
    output_format,
    replace_file,
    replace_folder,
    report_write_errors,
    write_error,
)
from acompass.tables.source import Encoder, Frame, Source, open_compressed
from acompass.tables.temporary_files import private_file, temporary_folder

_PLAIN = CsvStyle()

#: this many characters at the end of a temporary name are unique and never escaped in a message
_UNIQUE_END = 20


@dataclass(frozen=True)
class Output:
    #: SQL for the columns c0, c1, … of `schema` except those dropped, with the records in output order
    select: str
    schema: Schema
    style: CsvStyle = _PLAIN
    #: the DuckDB types to convert columns back to
    stored: Mapping[int, str] = field(default_factory=dict)
    #: the columns that an action could write
    changed: frozenset[int] = frozenset()
    #: the Arrow types of an input data frame
    arrow_types: tuple[Any, ...] = ()
    #: the columns in which text, and in a CSV also numbers, get their decimal commas back
    comma: frozenset[int] = frozenset()

    @property
    def positions(self) -> tuple[int, ...]:
        return remaining(self.schema)

    @property
    def names(self) -> list[str]:
        return [self.schema[position].name for position in self.positions]

    def _passenger(self, position: int) -> Passenger | None:
        is_kept = position < len(self.arrow_types) and position not in self.changed
        found = self.arrow_types[position] if is_kept else None
        return found if isinstance(found, Passenger) else None

    def column(self, position: int, *, as_spelled: bool = False, to_file: bool = True) -> str:
        """SQL for a column in its output type. With `as_spelled`, decimals keep their spelling (D26), as in a CSV."""
        name, stored, type_ = sql.name(position), self.stored.get(position), self.schema[position].type
        if to_file and (passenger := self._passenger(position)) is not None:
            return passenger.file_column(name)
        if stored == "VARCHAR" and type_ == TIMESTAMP:  # text that was read as dates and times (D28)
            return statement_text(DUCKDB.to_text(exp.column(name), type_), DUCKDB.name)
        if stored is not None:
            return restore_type(name, stored)
        if position in self.comma and (as_spelled or type_.kind is Kind.TEXT):
            return self._with_comma(name, type_)
        is_number = type_.is_spelled_decimal and not as_spelled
        return f"CAST({name} AS {sql.type_name(type_)})" if is_number else name

    def _with_comma(self, name: str, type_: Type) -> str:
        if type_.kind not in (Kind.TEXT, Kind.DECIMAL):
            return name
        return statement_text(swap_separators(sql.cast(exp.column(name), "VARCHAR"), DUCKDB), DUCKDB.name)

    def query(self, *, as_spelled: bool = False, to_file: bool = True) -> str:
        """The query with every column in its output type."""
        columns = (f"{self.column(p, as_spelled=as_spelled, to_file=to_file)} AS {sql.name(p)}" for p in self.positions)
        return f"SELECT {', '.join(columns)} FROM ({self.select})"


@contextmanager
def report_write_failures(part: str, path: str) -> Iterator[None]:
    """Turn DuckDB's errors about the output file into diagnostics; leave all others."""
    try:
        yield
    except duckdb.IOException as error:
        message = str(error)
        if part[-_UNIQUE_END:] not in message:
            raise
        number = re.search(r'"errno":\s*"(\d+)"', message)
        no_space = errno.ENOSPC if "No space left" in message else None
        raise write_error(path, int(number[1]) if number else no_space) from None


def write(con: duckdb.DuckDBPyConnection, output: Output, path: str, partition: Sequence[str] = ()) -> int:
    """Write the output, complete or not at all; return the number of records."""
    if partition:
        return write_partitions(con, output, partition, path)
    if is_stream(path):
        return _write_to_stream(con, output, path)
    with replace_file(path) as part:
        return _write(con, output, part, path)


def _write(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    match output_format(path):
        case ".parquet":
            return write_parquet(con, output, part, path)
        case suffix:
            return write_csv(con, output, part, path, compressed=suffix == ".csv.gz")


def _write_to_stream(con: duckdb.DuckDBPyConnection, output: Output, path: str) -> int:
    """Write the complete result to a temporary file first."""
    with temporary_folder() as folder:
        part = private_file(folder, "output")
        records = _write(con, output, part, path)
        copy_to_stream(part, path)
    return records


#: DuckDB expects the name of a line end
_LINE_ENDS = {end: f"NEW_LINE '{name}'" for end, name in (("\n", r"\n"), ("\r\n", r"\r\n"), ("\r", r"\r"))}
_SECONDS = "%Y-%m-%dT%H:%M:%S"
#: a decimal type without digits before the point
_FRACTION = re.compile(r"DECIMAL\((\d+),\1\)")


def write_csv(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str, compressed: bool) -> int:
    """Write the records and return their number. DuckDB writes UTF-8, which is then converted to another encoding."""
    if output.style.encoding == UTF_8:
        return _write_utf8(con, output, part, path, compressed)
    with temporary_folder() as folder:
        copy = private_file(folder, "output-in-utf-8")
        records = _write_utf8(con, output, copy, path, compressed=False)
        with report_write_errors(path), open(part, "wb") as file, open_compressed(file, compressed) as target:
            encoder = Encoder(target, output.style.encoding, path)
            with open(copy, "rb") as in_utf8:
                shutil.copyfileobj(in_utf8, encoder)
            encoder.finish()
    return records


def _write_utf8(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str, compressed: bool) -> int:
    """Pass the header as a text prefix, because DuckDB cannot write an empty name, or names that differ in case."""
    style = output.style
    header = header_line(output.names, style)
    with report_write_failures(part, path):
        row = con.execute(
            f"COPY ({_select(con, output)}) TO {text_literal(part)} (FORMAT csv, HEADER false, "
            f"DELIMITER {text_literal(style.delimiter)}, NULLSTR '', {_LINE_ENDS[style.line_end]}, "
            f"PREFIX {text_literal(header)}, SUFFIX {text_literal(style.line_end)}, "
            f"COMPRESSION {'gzip' if compressed else 'none'}, USE_TMP_FILE false)"
        ).fetchone()
    records = int(row[0]) if row else 0
    if records == 0:
        # write only the header: without records, DuckDB's SUFFIX adds an empty line
        with open(part, "wb") as file, open_compressed(file, compressed) as target:
            target.write(header.encode())
    return records


def _select(con: duckdb.DuckDBPyConnection, output: Output) -> str:
    query = output.query(as_spelled=True)
    rows = con.execute(f"DESCRIBE {query}").fetchall()
    types = zip(output.positions, (row[1] for row in rows), strict=True)
    escapes = output.style.escapes_formulas
    written = ", ".join(_csv_expression(sql.name(position), type_, escapes) for position, type_ in types)
    return f"SELECT {written} FROM ({query})"


def _csv_expression(name: str, type_: str, escapes_formulas: bool) -> str:
    """SQL for a column in output form (D12): ISO times, and decimals with a zero before the point."""
    if escapes_formulas and (type_ == "VARCHAR" or type_.startswith("ENUM(")):
        condition = statement_text(is_formula(exp.column(name), DUCKDB), DUCKDB.name)
        return f"CASE WHEN {condition} THEN '''' || {name} ELSE CAST({name} AS VARCHAR) END"
    if fraction := _FRACTION.fullmatch(type_):
        return statement_text(DUCKDB.to_text(exp.column(name), decimal(int(fraction[1]))), DUCKDB.name)
    match type_:
        case "TIMESTAMP" | "TIMESTAMP_S" | "TIMESTAMP_MS":
            return _iso_microseconds(name)
        case "TIMESTAMP_NS":
            return f"replace(CAST({name} AS VARCHAR), ' ', 'T')"
        case "TIMESTAMPTZ_NS":
            return f"replace(CAST(make_timestamp_ns(epoch_ns({name})) AS VARCHAR), ' ', 'T') || '+00:00'"
        case "TIMESTAMP WITH TIME ZONE":
            return _iso_microseconds(f"make_timestamp(epoch_us({name}))") + " || '+00:00'"
        case _:
            return name


def _iso_microseconds(value: str) -> str:
    return (
        f"CASE WHEN epoch_us({value}) % 1000000 = 0 THEN strftime({value}, '{_SECONDS}') "
        f"ELSE strftime({value}, '{_SECONDS}.%f') END"
    )


def write_parquet(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    if not engine_can_name(output.names):
        return _write_renamed(con, output, part, path)
    with report_write_failures(part, path):
        row = con.execute(
            f"COPY (SELECT {named_columns(output)} FROM ({output.select})) TO {text_literal(part)} "
            "(FORMAT parquet, USE_TMP_FILE false)"
        ).fetchone()
    return int(row[0]) if row else 0


def named_columns(output: Output) -> str:
    """SQL for the columns in their output types, with the table's names."""
    return ", ".join(
        f"{output.column(position)} AS {identifier(name)}"
        for position, name in zip(output.positions, output.names, strict=True)
    )


def engine_can_name(names: Sequence[str]) -> bool:
    """DuckDB allows neither an empty name nor two names that differ only in case."""
    folded = {name.casefold() for name in names}
    return "" not in folded and len(folded) == len(names)


def _write_renamed(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    require_arrow("a Parquet file with such column names")
    import pyarrow.parquet

    reader = con.sql(output.query()).to_arrow_reader()
    named = zip(reader.schema, output.names, strict=True)
    schema = pyarrow.schema([field.with_name(name) for field, name in named])
    records = 0
    with report_write_errors(path), pyarrow.parquet.ParquetWriter(part, schema) as file:
        for batch in reader:
            records += batch.num_rows
            file.write_batch(pyarrow.record_batch(batch.columns, schema=schema))
    return records


def write_partitions(con: duckdb.DuckDBPyConnection, output: Output, partition: Sequence[str], path: str) -> int:
    """Write a folder of Parquet files, complete or not at all, with a subfolder for each value as in Hive; return the
    number of records. The files contain the partition's columns too, so that they can be read on their own."""
    if not engine_can_name(output.names):
        raise format_errors.partition_names(path)
    columns = ", ".join(identifier(name) for name in partition)
    with replace_folder(path) as part:
        with report_write_failures(part, path):
            row = con.execute(
                f"COPY (SELECT {named_columns(output)} FROM ({output.select})) TO {text_literal(part)} "
                f"(FORMAT parquet, PARTITION_BY ({columns}), WRITE_PARTITION_COLUMNS true)"
            ).fetchone()
        records = int(row[0]) if row else 0
        if records == 0:
            # write a file without records, from which the columns can be read
            write_parquet(con, output, str(Path(part, "data_0.parquet")), path)
    return records


def restore(con: duckdb.DuckDBPyConnection, output: Output, source: Source) -> Any:
    """Return the result as the same kind of table as the source; for files, as a PyArrow table."""
    kind = frame_kind(source.table) if isinstance(source, Frame) else None
    if kind in PYTHON_KINDS and not output.arrow_types:
        rows = con.execute(output.query()).fetchall() if output.schema else []
        return _to_lists(output.names, rows) if kind is FrameKind.LISTS else _to_dicts(output.names, rows)
    require_arrow("a run without an output file")
    result = _fetch(con, output)
    if not isinstance(source, Frame):
        return result
    if kind is FrameKind.DUCKDB:
        return _to_relation(source.table, result, output)
    return from_arrow(source.table, result, output.positions, output.changed, output.arrow_types)


#: an ENUM in a type of DuckDB, or a field's name in quotes, which may look like one
_ENUM = re.compile(r"""ENUM\((?:'(?:[^']|'')*'(?:, )?)*\)|"(?:[^"]|"")*\"""")


def _as_text(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else "VARCHAR"


def _to_relation(given: Any, result: Any, output: Output) -> duckdb.DuckDBPyRelation:
    """A relation whose unchanged columns have their types, of which Arrow has no equivalent for some, such as UUID.

    An ENUM becomes text, at any depth: its members are values that removed records may have had (D39)."""
    found = from_arrow(given, result, output.positions, output.changed, output.arrow_types)
    names = [f"c{place}" for place in range(len(output.positions))]
    relation = duckdb.from_arrow(found.rename_columns(names))
    types = [None if p in output.changed else _ENUM.sub(_as_text, str(given.types[p])) for p in output.positions]
    columns = (
        f"{identifier(name)} AS {identifier(shown)}"
        if type_ is None or type_ == str(is_)
        else f"CAST({identifier(name)} AS {type_}) AS {identifier(shown)}"
        for name, shown, type_, is_ in zip(names, output.names, types, relation.types, strict=True)
    )
    return relation.project(", ".join(columns))


def _to_dicts(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


def _to_lists(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[position] for row in rows] for position, name in enumerate(names)}


def _fetch(con: duckdb.DuckDBPyConnection, output: Output) -> Any:
    import pyarrow

    if not output.schema:
        return pyarrow.table({})
    given = range(len(output.arrow_types))
    types = [output.arrow_types[p] if p in given and p not in output.changed else None for p in output.positions]
    return fetch_arrow(con, output.query(to_file=False), output.names, types)


def fetch_arrow(con: duckdb.DuckDBPyConnection, query: str, names: Sequence[str], types: Sequence[Any]) -> Any:
    """The rows as an Arrow table, with these types or, for None, those of DuckDB."""
    import pyarrow

    result = con.sql(query).to_arrow_table()
    columns = [
        values if type_ is None else _convert_values(name, values, type_)
        for name, values, type_ in zip(names, result.columns, types, strict=True)
    ]
    return pyarrow.table(columns, names=list(names))


def _convert_values(name: str, values: Any, type_: Any) -> Any:
    with report_column_failures(name):
        return to_original_type(values, type_)
