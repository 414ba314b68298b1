"""Validate an output path before anything runs."""

import os
import stat
from pathlib import Path

from acompass.tables import errors
from acompass.tables.source import Files, Source

STANDARD_OUTPUT = "-"
_SUFFIXES = (".csv", ".csv.gz", ".parquet")


def require_writable(path: str, source: Source, overwrite: bool) -> None:
    """Raise unless the format is known, the folder exists, and the path is not the table itself."""
    format_of(path)
    if isinstance(source, Files) and not overwrite and os.path.exists(path):
        for table in source.paths:
            if os.path.exists(table) and os.path.samefile(path, table):
                raise errors.output_is_input(path)
    if path != STANDARD_OUTPUT and not Path(os.path.realpath(path)).parent.is_dir():
        raise errors.no_folder(str(Path(path).parent))


def format_of(path: str) -> str:
    """The suffix of the format to write: `.csv`, `.csv.gz` or `.parquet`."""
    if is_stream(path):
        return ".csv"
    for suffix in _SUFFIXES:
        if path.lower().endswith(suffix):
            return suffix
    raise errors.unknown_format(path)


def is_stream(path: str) -> bool:
    """Whether the output is standard output, a pipe, a terminal or a device, which no rename can replace."""
    if path == STANDARD_OUTPUT:
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
