"""Files as Spark names them. Every worker reads and writes them, so they live where all can reach them."""

import os
import re
from pathlib import Path

import pyarrow.parquet
from pyspark.sql import SparkSession

from acompass.engines import spark_faults
from acompass.tables import faults
from acompass.tables.source import Files, readable

_GLOB = re.compile(r"([\\\[\]{}*?])")
_SUFFIXES = (".csv", ".csv.gz", ".parquet", ".pq", ".tsv", ".tsv.gz", ".txt")


def is_file(text: str) -> bool:
    """Files are told by their suffix or their folder; anything else names a table of the catalog."""
    return text == "-" or text.lower().endswith(_SUFFIXES) or "/" in text or os.path.exists(text)


def locations(source: Files) -> list[str]:
    for path, shown in zip(source.paths, source.shown, strict=True):
        if Path(path).name.startswith(("_", ".")):
            raise faults.unreadable(shown, "Spark passes over names that begin with `_` or `.`")
    return [_GLOB.sub(r"\\\1", location(path)) for path in source.paths]


def require_same_columns(source: Files) -> None:
    """Spark would take the columns of one of the files, and miss or pass over those of others in silence."""
    schemas = [_schema(path, shown) for path, shown in zip(source.paths, source.shown, strict=True)]
    for schema, shown in zip(schemas, source.shown, strict=True):
        if not schema.equals(schemas[0]):
            raise faults.files_differ(shown, source.shown[0], "has other columns")


def _schema(path: str, shown: str) -> pyarrow.Schema:
    with readable(path, shown):
        try:
            return pyarrow.parquet.read_schema(path)
        except pyarrow.ArrowException:
            raise faults.damaged(shown, "Parquet") from None


def location(path: str) -> str:
    """With the scheme, whatever file system the cluster has by default."""
    return "file:" + os.path.abspath(path)


def require_shared(spark: SparkSession, what: str) -> None:
    if not str(spark.sparkContext.master).startswith("local"):
        raise spark_faults.not_shared(what)
