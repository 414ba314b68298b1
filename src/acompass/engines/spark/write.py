"""Atomically write a result to a CSV file, a folder of Parquet files, or a table in Spark's catalog."""

import gzip
import os
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as spark_functions
from sqlglot import exp

from acompass.engines.spark.errors import failures, not_shared
from acompass.engines.spark.files import location
from acompass.leftovers import noted, temporary_folder
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors
from acompass.tables.csv import header_line
from acompass.tables.encodings import Encoder
from acompass.tables.file_format import CsvStyle
from acompass.tables.gzipped import packing
from acompass.tables.output import STANDARD_OUTPUT, is_stream
from acompass.tables.replacing import replacing, written

_PARTS = "part-*"
_DONE = "_SUCCESS"


def write_csv(frame: DataFrame, names: Sequence[str], style: CsvStyle, path: str) -> None:
    """Let the workers write files whose names are in order, then concatenate them."""
    header = header_line(names, style).encode()
    if is_stream(path):
        with temporary_folder() as folder:
            parts, whole = Path(folder, "parts"), Path(folder, "whole")
            _write_text(frame, str(parts), style.line_end)
            with whole.open("wb") as file:
                _join(header, parts, file, style, path)
            _write_to_stream(whole, path)
        return
    with _beside(path) as beside:
        _write_text(frame, beside, style.line_end)
        is_packed = path.lower().endswith(".gz")
        with replacing(path) as part, open(part, "wb") as file, packing(file, is_packed) as target:
            _join(header, Path(beside), target, style, path)


def _write_to_stream(whole: Path, path: str) -> None:
    with whole.open("rb") as file:
        if path == STANDARD_OUTPUT:
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return
        with written(path), open(path, "wb") as device:
            shutil.copyfileobj(file, device)


def _write_text(frame: DataFrame, parts: str, line_end: str) -> None:
    seen = Observation()
    length = spark_functions.octet_length("value") + len(line_end)
    size = spark_functions.sum(length).alias("bytes")
    with failures():
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
def _beside(path: str) -> Iterator[str]:
    """The name of a hidden folder beside the output. Every worker must be able to write to it."""
    target = Path(os.path.realpath(path))
    parts = str(target.parent / f".{target.name[:100]}.{os.getpid()}.{secrets.token_hex(4)}.acompass-parts")
    with noted(parts):
        try:
            yield parts
        finally:
            shutil.rmtree(parts, ignore_errors=True)


def require_replaceable(path: str) -> None:
    """Raise if the path is a folder that Spark did not write. Files and Spark's folders can be replaced."""
    if os.path.isdir(path) and not Path(path, _DONE).exists():
        raise errors.unwritable(path, "it is a folder that Spark did not write")


def write_parquet(frame: DataFrame, records: int, path: str) -> None:
    with _beside(path) as parts:
        with failures():
            frame.write.parquet(location(parts))
            there = frame.sparkSession.read.schema(frame.schema).parquet(location(parts)).count()
        if there != records:
            raise not_shared("the output's folder")
        with written(path), _beside(path) as old:
            if os.path.lexists(path):
                os.replace(path, old)
            os.replace(parts, path)
            if os.path.isfile(old):
                os.unlink(old)


def table_name(text: str) -> exp.Table:
    """The table name as Spark parses it: parts separated by dots, unusual parts in backticks."""
    return exp.to_table(text, dialect="spark")


def write_table(spark: SparkSession, frame: DataFrame, name: exp.Table) -> None:
    """Write under a temporary name, then rename, so that a failure leaves the old table intact."""
    other = name.copy()
    other.set("this", exp.to_identifier(f"acompass_{secrets.token_hex(8)}"))
    target, temporary = _sql(name), _sql(other)
    with failures():
        try:
            frame.write.saveAsTable(temporary)
            spark.sql(f"DROP TABLE IF EXISTS {target}")
            spark.sql(f"ALTER TABLE {temporary} RENAME TO {target}")
        except BaseException:
            with suppress(Exception):
                spark.sql(f"DROP TABLE IF EXISTS {temporary}")
            raise


def _sql(name: Sql) -> str:
    return name.sql("spark", identify=True)
