"""Atomically write a result to a CSV file, a folder of Parquet files, or a table in Spark's catalog.

CSV lines have the same format as in `engines.duckdb.output`.
"""

import gzip
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as spark_functions
from sqlglot import exp

from acompass.engines.loading import is_formula, swap_separators
from acompass.engines.spark.input import location
from acompass.engines.spark.session import not_shared, report_failures
from acompass.language.program.types import Kind, Type
from acompass.plan.lowering import sql
from acompass.plan.lowering.spark import SPARK
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.csv import header_line
from acompass.tables.formats import CsvStyle
from acompass.tables.output import copy_to_stream, is_stream, replace_file, report_write_errors
from acompass.tables.source import Encoder, open_compressed
from acompass.tables.temporary_files import hidden_name, note_path, private_file, put_in_place, temporary_folder

_PARTS = "part-*"
_DONE = "_SUCCESS"


def write_csv(frame: DataFrame, names: Sequence[str], style: CsvStyle, path: str) -> None:
    """Let the workers write files whose names are in order, then concatenate them."""
    header = header_line(names, style).encode()
    if is_stream(path):
        with temporary_folder() as folder:
            parts, whole = Path(folder, "parts"), Path(private_file(folder, "whole"))
            _write_text(frame, str(parts), style.line_end)
            with whole.open("wb") as file:
                _join(header, parts, file, style, path)
            copy_to_stream(str(whole), path)
        return
    with _parts_folder(path) as folder:
        _write_text(frame, folder, style.line_end)
        is_compressed = path.lower().endswith(".gz")
        with replace_file(path) as part, open(part, "wb") as file, open_compressed(file, is_compressed) as target:
            _join(header, Path(folder), target, style, path)


def _write_text(frame: DataFrame, parts: str, line_end: str) -> None:
    seen = Observation()
    length = spark_functions.octet_length("value") + len(line_end)
    size = spark_functions.sum(length).alias("bytes")
    with report_failures():
        observed = frame.observe(seen, size)
        observed.write.option("compression", "none").option("lineSep", line_end).text(location(parts))
        expected = seen.get["bytes"] or 0
    if sum(part.stat().st_size for part in Path(parts).glob(_PARTS)) != expected:
        raise not_shared("the output's folder")


def _join(header: bytes, parts: Path, target: BinaryIO | gzip.GzipFile, style: CsvStyle, path: str) -> None:
    encoder = Encoder(target, style.encoding, path)
    encoder.write(header)
    for part in sorted(parts.glob(_PARTS)):
        with part.open("rb") as written_part:
            shutil.copyfileobj(written_part, encoder)
    encoder.finish()


@contextmanager
def _parts_folder(path: str) -> Iterator[str]:
    """The name of a hidden folder next to the output, to which every worker must be able to write."""
    parts = hidden_name(Path(os.path.realpath(path)))
    with note_path(parts):
        try:
            yield parts
        finally:
            shutil.rmtree(parts, ignore_errors=True)


def require_replaceable(path: str) -> None:
    """Raise if the path is a folder that Spark did not write. Files and Spark's folders can be replaced."""
    if os.path.isdir(path) and not Path(path, _DONE).exists():
        raise errors.unwritable(path, "it is a folder that Spark did not write")


def write_parquet(frame: DataFrame, records: int, path: str) -> None:
    with _parts_folder(path) as parts:
        with report_failures():
            frame.write.parquet(location(parts))
            found = frame.sparkSession.read.schema(frame.schema).parquet(location(parts)).count()
        if found != records:
            raise not_shared("the output's folder")
        with report_write_errors(path):
            put_in_place(parts, Path(path))


def table_name(text: str) -> exp.Table:
    """The table name as Spark parses it: parts separated by dots, in backticks if needed."""
    return exp.to_table(text, dialect="spark")


def write_table(spark: SparkSession, frame: DataFrame, name: exp.Table) -> None:
    """Write under a temporary name, then rename, so that a failure leaves the old table intact."""
    other = name.copy()
    other.set("this", exp.to_identifier(f"acompass_{secrets.token_hex(8)}"))
    target, temporary = _name_sql(name), _name_sql(other)
    with report_failures():
        try:
            frame.write.saveAsTable(temporary)
            spark.sql(f"DROP TABLE IF EXISTS {target}")
            spark.sql(f"ALTER TABLE {temporary} RENAME TO {target}")
        except BaseException:
            with suppress(Exception):
                spark.sql(f"DROP TABLE IF EXISTS {temporary}")
            raise


def _name_sql(name: Sql) -> str:
    return name.sql("spark", identify=True)


def csv_line(fields: Sequence[Sql], delimiter: str) -> Sql:
    filled = (exp.Coalesce(this=each, expressions=[sql.literal("")]) for each in fields)
    return sql.call("concat_ws", sql.literal(delimiter), *filled)


def csv_field(value: Sql, type_: Type, stored: str | None, style: CsvStyle, *, has_comma: bool = False) -> Sql:
    """SQL for a value as text. `stored` is the Spark type of a column that no action writes."""
    match type_.kind:
        case Kind.TEXT if has_comma:
            return _quote_field(_escape(swap_separators(value, SPARK), style), style.delimiter)
        case Kind.DECIMAL if has_comma:
            return _quote_field(swap_separators(SPARK.to_text(value, type_), SPARK), style.delimiter)
        case Kind.TEXT:
            return _quote_field(_escape(value, style), style.delimiter)
        case Kind.FLOAT if stored == "float":
            return _with_single_precision(SPARK.float_text(sql.cast(value, "FLOAT")))
        case Kind.TIMESTAMP if stored == "timestamp":
            return exp.DPipe(this=exp.paren(SPARK.to_text(value, type_)), expression=sql.literal("+00:00"))
        case _:
            return SPARK.to_text(value, type_)


def _escape(value: Sql, style: CsvStyle) -> Sql:
    if not style.escapes_formulas:
        return value
    escaped = sql.call("concat", sql.literal("'"), value.copy())
    return sql.when(is_formula(value, SPARK), escaped, value.copy())


def _quote_field(value: Sql, delimiter: str) -> Sql:
    marks = [
        exp.GT(this=sql.call("instr", value.copy(), sql.literal(mark)), expression=sql.integer(0))
        for mark in (delimiter, '"', "\n", "\r", "#")
    ]
    doubled = sql.call("replace", value.copy(), sql.literal('"'), sql.literal('""'))
    return exp.Case(
        ifs=[
            exp.If(this=exp.EQ(this=value.copy(), expression=sql.literal("")), true=sql.literal('""')),
            exp.If(this=exp.or_(*marks), true=sql.call("concat", sql.literal('"'), doubled, sql.literal('"'))),
        ],
        default=value.copy(),
    )


def _with_single_precision(text: Sql) -> Sql:
    """The text of a 32-bit float, with the digits needed to distinguish it from other 32-bit floats."""
    single = exp.DataType.build("FLOAT")
    return text.transform(
        lambda node: single.copy() if isinstance(node, exp.DataType) and node.is_type("double") else node
    )
