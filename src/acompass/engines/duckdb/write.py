"""Write the result of a query to a CSV or Parquet file."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb

from acompass.engines.duckdb.output import Output
from acompass.engines.duckdb.to_csv import write_csv
from acompass.engines.duckdb.to_parquet import write_parquet
from acompass.engines.duckdb.to_partitions import write_partitions
from acompass.leftovers import temporary_folder
from acompass.tables.output import STANDARD_OUTPUT, format_of, is_stream
from acompass.tables.replacing import replacing, written


def write(con: duckdb.DuckDBPyConnection, output: Output, path: str, partition: Sequence[str] = ()) -> int:
    """Write the output atomically; return the number of records."""
    if partition:
        return write_partitions(con, output, partition, path)
    if is_stream(path):
        return _write_to_stream(con, output, path)
    with replacing(path) as part:
        return _write(con, output, part, path)


def _write(con: duckdb.DuckDBPyConnection, output: Output, part: str, path: str) -> int:
    match format_of(path):
        case ".parquet":
            return write_parquet(con, output, part, path)
        case suffix:
            return write_csv(con, output, part, path, compressed=suffix == ".csv.gz")


def _write_to_stream(con: duckdb.DuckDBPyConnection, output: Output, path: str) -> int:
    """Write to a stream, after the complete result was written to a temporary file."""
    with temporary_folder() as folder:
        part = str(Path(folder, "output"))
        records = _write(con, output, part, path)
        with open(part, "rb") as file:
            if path == STANDARD_OUTPUT:
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with written(path), open(path, "wb") as device:
                    shutil.copyfileobj(file, device)
    return records
