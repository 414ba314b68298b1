"""The source of a table before it is read: files, standard input, or a data frame."""

import glob
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from acompass.dataclasses import dataclass, field
from acompass.options import CSV_SUFFIXES, PARQUET_SUFFIXES, WORKBOOK_SUFFIXES
from acompass.tables import errors
from acompass.tables.formats import UTF_8

_PARQUET_MAGIC = b"PAR1"
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"

#: `tables.input` replaces workbooks with CSV copies of their sheets, so no other module sees them
Format: TypeAlias = Literal["csv", "parquet", "workbook"]


@dataclass(frozen=True)
class Files:
    """The files of a table; the fields from `delimiter` on describe CSV files."""

    paths: tuple[str, ...]  # the files to read: those in `given`, or temporary copies
    shown: tuple[str, ...]  # their names in messages
    format: Format
    given: tuple[str, ...] = ()  # the files that the caller named; empty for standard input
    delimiter: str | None = None  # None to detect it
    encoding: str = UTF_8  # of the first given file
    has_mark: bool = False  # whether the first given file has a byte order mark
    has_comma: bool = False  # whether numbers have a decimal comma
    header_rows: tuple[int, ...] = ()  # for sheets of workbooks, the row number of each header

    @property
    def are_copies(self) -> bool:
        return self.paths != self.given


@dataclass(frozen=True)
class Frame:
    """A data frame of any supported library, or a list of dicts."""

    table: Any = field(repr=False)


Source: TypeAlias = Files | Frame


def file_stamp(path: str) -> tuple[int, int, int]:
    """A value that changes when the file is written again or removed."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


def is_parquet(path: str) -> bool:
    return path.lower().endswith(PARQUET_SUFFIXES)


def is_workbook(path: str) -> bool:
    return path.lower().endswith(WORKBOOK_SUFFIXES)


def copy_standard_input(folder: str) -> Files:
    """A copy of standard input, whose format is detected from its first bytes."""
    copy = Path(folder, "input")
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    suffix = ".csv.gz" if _first_bytes(str(copy)).startswith(_GZIP_MAGIC) else ""
    path = str(copy.rename(f"{copy}{suffix}"))
    return Files((path,), ("standard input",), _detect_format(path))


def find_files(pattern: str) -> Files:
    """The files that a path or glob names, none of them converted."""
    paths = find_paths(pattern)
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


def find_paths(pattern: str) -> list[str]:
    """The file with exactly this name, even if it looks like a glob; otherwise the matching files, sorted."""
    if os.path.lexists(pattern):
        return [pattern]
    return sorted(path for path in glob.glob(pattern, recursive=True) if "**" not in pattern or not os.path.isdir(path))


def _format(path: str) -> Format:
    if is_parquet(path):
        return "parquet"
    if is_workbook(path):
        return "workbook"
    return "csv" if path.lower().endswith(CSV_SUFFIXES) else _detect_format(path)


def _detect_format(path: str) -> Format:
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
    with report_read_errors(path), open(path, "rb") as file:
        return file.read(4)


@contextmanager
def report_read_errors(path: str, shown: str | None = None) -> Iterator[None]:
    """Turn operating system errors about an input file into diagnostics."""
    try:
        yield
    except FileNotFoundError:
        raise errors.not_found(shown or path) from None
    except OSError as error:
        raise errors.unreadable(shown or path, (error.strerror or "it is damaged").lower()) from None
