"""The source of a table before it is read: files, standard input, or a data frame."""

import glob
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acompass.leftovers import temporary_folder
from acompass.tables import errors

DELIMITERS = (",", ";", "\t", "|")
STANDARD_INPUT = "-"

_PARQUET_SUFFIXES = (".parquet", ".pq")
_CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
_PARQUET_MAGIC = b"PAR1"
_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class Files:
    """`shown` are the names of the files in messages. `kept` is False for a copy of standard input."""

    paths: tuple[str, ...]
    shown: tuple[str, ...]
    format: Literal["csv", "parquet"]
    delimiter: str | None = None
    kept: bool = True


@dataclass(frozen=True)
class Frame:
    """A data frame of any supported library, or a list of dicts."""

    table: Any = field(repr=False)


Source: TypeAlias = Files | Frame


def is_file(table: Any) -> bool:
    """Whether a string or path names files, judged by its suffix or folder, and not a table of a database."""
    if not isinstance(table, str | os.PathLike):
        return False
    text = os.fspath(table)
    has_folder = "/" in text and not text.startswith('"')
    return text == STANDARD_INPUT or text.lower().endswith((*_CSV_SUFFIXES, *_PARQUET_SUFFIXES)) or has_folder


def stamp(path: str) -> tuple[int, int, int]:
    """What differs once a file is written again, or is gone."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


def is_parquet(path: str) -> bool:
    """Judged by its suffix."""
    return path.lower().endswith(_PARQUET_SUFFIXES)


@contextmanager
def opened(table: Any, delimiter: str | None = None) -> Iterator[Source]:
    """The source that `table` names. A copy of standard input exists until the context ends."""
    if delimiter is not None and delimiter not in DELIMITERS:
        raise errors.unknown_delimiter(delimiter)
    if not isinstance(table, str | os.PathLike):
        yield Frame(table)
    elif os.fspath(table) == STANDARD_INPUT:
        with temporary_folder() as folder:
            yield _standard_input(folder, delimiter)
    else:
        yield _files(os.fspath(table), delimiter)


def _standard_input(folder: str, delimiter: str | None) -> Files:
    copy = Path(folder, "input")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    start = _first_bytes(str(copy))
    suffix = ".csv.gz" if start.startswith(_GZIP_MAGIC) else ""
    path = str(copy.rename(f"{copy}{suffix}"))
    format_: Literal["csv", "parquet"] = "parquet" if start.startswith(_PARQUET_MAGIC) else "csv"
    return Files((path,), ("standard input",), format_, delimiter, kept=False)


def _files(pattern: str, delimiter: str | None) -> Files:
    paths = matching(pattern)
    if not paths:
        raise errors.not_found(pattern)
    for path in paths:
        if os.path.isdir(path):
            raise errors.is_a_folder(path)
    formats = {_format(path) for path in paths}
    if len(formats) > 1:
        odd = next(path for path in paths if _format(path) != _format(paths[0]))
        raise errors.files_differ(paths[0], odd, "formats")
    return Files(tuple(paths), tuple(paths), formats.pop(), delimiter)


def matching(pattern: str) -> list[str]:
    """The file with exactly this name, even if it looks like a glob; otherwise the matching files, sorted."""
    if os.path.lexists(pattern):
        return [pattern]
    return sorted(
        path for path in glob.glob(pattern, recursive=True) if "**" not in pattern or not os.path.isdir(path)
    )


def _format(path: str) -> Literal["csv", "parquet"]:
    if is_parquet(path):
        return "parquet"
    if path.lower().endswith(_CSV_SUFFIXES):
        return "csv"
    return "parquet" if _first_bytes(path).startswith(_PARQUET_MAGIC) else "csv"


def _first_bytes(path: str) -> bytes:
    with readable(path), open(path, "rb") as file:
        return file.read(4)


@contextmanager
def readable(path: str, shown: str | None = None) -> Iterator[None]:
    """Turn operating system errors about an input file into diagnostics."""
    try:
        yield
    except FileNotFoundError:
        raise errors.not_found(shown or path) from None
    except OSError as error:
        raise errors.unreadable(shown or path, (error.strerror or "it is damaged").lower()) from None
