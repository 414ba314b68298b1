"""The source of a table before it is read: files, standard input, or a data frame."""

import glob
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acompass.tables import errors
from acompass.tables.file_format import UTF_8

STANDARD_INPUT = "-"

_PARQUET_SUFFIXES = (".parquet", ".pq")
_CSV_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt")
_WORKBOOK_SUFFIXES = (".xlsx", ".xlsm")
_SUFFIXES = (*_CSV_SUFFIXES, *_PARQUET_SUFFIXES, *_WORKBOOK_SUFFIXES)
_PARQUET_MAGIC = b"PAR1"
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"

#: only `tables.opening` sees a workbook: what it opens is a CSV copy of a sheet
Format: TypeAlias = Literal["csv", "parquet", "workbook"]


@dataclass(frozen=True)
class Files:
    """`paths` are read. They are the files that the caller gave, `given`, or UTF-8 copies of them. Standard
    input has no `given`. `shown` are the names of the files in messages.

    For CSV: `delimiter` is None if it is to be found. `encoding` is that of the first given file, `has_mark`
    says whether it has a byte order mark. With `has_comma`, numbers have a decimal comma. `header_rows` are
    the rows of the headers in sheets of workbooks.
    """

    paths: tuple[str, ...]
    shown: tuple[str, ...]
    format: Format
    given: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str = UTF_8
    has_mark: bool = False
    has_comma: bool = False
    header_rows: tuple[int, ...] = ()

    @property
    def are_copies(self) -> bool:
        return self.paths != self.given


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
    return text == STANDARD_INPUT or text.lower().endswith(_SUFFIXES) or has_folder


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


def is_workbook(path: str) -> bool:
    """Judged by its suffix."""
    return path.lower().endswith(_WORKBOOK_SUFFIXES)


def copied_input(folder: str) -> Files:
    """A copy of standard input, whose format is told by its first bytes."""
    copy = Path(folder, "input")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    suffix = ".csv.gz" if _first_bytes(str(copy)).startswith(_GZIP_MAGIC) else ""
    path = str(copy.rename(f"{copy}{suffix}"))
    return Files((path,), ("standard input",), _format_inside(path))


def found_files(pattern: str) -> Files:
    """The files of a path or glob, as they are."""
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
    return Files(tuple(paths), tuple(paths), formats.pop(), tuple(paths))


def matching(pattern: str) -> list[str]:
    """The file with exactly this name, even if it looks like a glob; otherwise the matching files, sorted."""
    if os.path.lexists(pattern):
        return [pattern]
    return sorted(
        path for path in glob.glob(pattern, recursive=True) if "**" not in pattern or not os.path.isdir(path)
    )


def _format(path: str) -> Format:
    if is_parquet(path):
        return "parquet"
    if is_workbook(path):
        return "workbook"
    return "csv" if path.lower().endswith(_CSV_SUFFIXES) else _format_inside(path)


def _format_inside(path: str) -> Format:
    start = _first_bytes(path)
    if start.startswith(_PARQUET_MAGIC):
        return "parquet"
    return "workbook" if start.startswith(_ZIP_MAGIC) and _has_sheets(path) else "csv"


def _has_sheets(path: str) -> bool:
    try:
        with zipfile.ZipFile(path) as file:
            return "xl/workbook.xml" in file.namelist()
    except zipfile.BadZipFile:
        return False


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
