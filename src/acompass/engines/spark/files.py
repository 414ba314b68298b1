"""File locations for Spark. All workers must be able to reach the files."""

import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession

from acompass.engines.spark.errors import not_shared
from acompass.tables import errors
from acompass.tables.source import Files, readable

_GLOB = re.compile(r"([\\\[\]{}*?])")


def locations(source: Files) -> list[str]:
    for path, shown in zip(source.paths, source.shown, strict=True):
        if Path(path).name.startswith(("_", ".")):
            raise errors.unreadable(shown, "Spark skips names that begin with `_` or `.`")
    return [_GLOB.sub(r"\\\1", location(path)) for path in source.paths]


def require_same_columns(source: Files) -> None:
    """Raise if the files have different columns. Spark would silently use the columns of one file."""
    schemas = [_schema(path, shown) for path, shown in zip(source.paths, source.shown, strict=True)]
    for schema, shown in zip(schemas, source.shown, strict=True):
        if not schema.equals(schemas[0]):
            raise errors.files_differ(source.shown[0], shown, "columns")


def _schema(path: str, shown: str) -> pyarrow.Schema:
    with readable(path, shown):
        try:
            return pyarrow.parquet.read_schema(path)
        except pyarrow.ArrowException:
            raise errors.damaged(shown, "Parquet") from None


def location(path: str) -> str:
    """The path as a URL. Without the scheme, Spark would use the cluster's default file system."""
    return "file:" + os.path.abspath(path)


def local_files(frame: DataFrame) -> tuple[str, ...]:
    """The files that a data frame reads: paths of local files, URLs of others."""
    return tuple(
        os.path.realpath(unquote(urlsplit(url).path)) if url.startswith("file:") else url
        for url in frame.inputFiles()
    )


def require_shared(spark: SparkSession, what: str) -> None:
    if not str(spark.sparkContext.master).startswith("local"):
        raise not_shared(what)
