"""A query's result into a file: CSV or Parquet by its suffix, under the table's own names."""

import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import duckdb

from acompass.tables import faults
from acompass.tables.content import Content
from acompass.tables.replacing import replacing, written
from acompass.tables.source import Files, Source
from acompass.tables.to_csv import write_csv
from acompass.tables.to_parquet import write_parquet

STANDARD_OUTPUT = "-"


def require_writable(path: str, source: Source, overwrite: bool) -> None:
    """Before any work is done: a format we know, a folder that is there, and not the table itself."""
    _suffix(path)
    if isinstance(source, Files) and not overwrite and os.path.exists(path):
        for table in source.paths:
            if os.path.exists(table) and os.path.samefile(path, table):
                raise faults.output_is_input(path)
    if path != STANDARD_OUTPUT and not Path(os.path.realpath(path)).parent.is_dir():
        raise faults.no_folder(str(Path(path).parent))


def write(con: duckdb.DuckDBPyConnection, content: Content, path: str) -> int:
    """Writes whole or not at all; says how many records."""
    if path == STANDARD_OUTPUT or is_device(path):
        return _write_through(con, content, path)
    with replacing(path) as part:
        return _write(con, content, part, path)


def _write(con: duckdb.DuckDBPyConnection, content: Content, part: str, path: str) -> int:
    match _suffix(path):
        case ".parquet":
            return write_parquet(con, content, part, path)
        case suffix:
            return write_csv(con, content, part, path, compressed=suffix == ".csv.gz")


def _write_through(con: duckdb.DuckDBPyConnection, content: Content, path: str) -> int:
    """To what cannot be renamed into place: the whole result is there before the first byte goes out."""
    with tempfile.TemporaryDirectory(prefix="acompass-") as folder:
        part = str(Path(folder, "output"))
        records = _write(con, content, part, path)
        with open(part, "rb") as file:
            if path == STANDARD_OUTPUT:
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            else:
                with written(path), open(path, "wb") as device:
                    shutil.copyfileobj(file, device)
    return records


def _suffix(path: str) -> str:
    if path == STANDARD_OUTPUT or is_device(path):
        return ".csv"
    for suffix in (".csv", ".csv.gz", ".parquet"):
        if path.lower().endswith(suffix):
            return suffix
    raise faults.unknown_format(path)


def is_device(path: str) -> bool:
    """A pipe, a terminal, the null device: there, but neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
