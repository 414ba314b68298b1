"""The source of a table before it is read: files, standard input, or a data frame.

Files are decompressed, converted to UTF-8 and, as outputs, encoded as streams, in constant memory."""

import codecs
import glob
import gzip
import os
import shutil
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from acompass.arguments import CSV_SUFFIXES, PARQUET_SUFFIXES, WORKBOOK_SUFFIXES
from acompass.dataclasses import dataclass, field
from acompass.tables import errors, format_errors
from acompass.tables.formats import UTF_8
from acompass.tables.temporary_files import private_file

_PARQUET_MAGIC = b"PAR1"
_GZIP_MAGIC = b"\x1f\x8b"
_ZIP_MAGIC = b"PK\x03\x04"
#: the first bytes of workbooks: .xlsx and other zip files, .xls
WORKBOOK_MAGICS = (_ZIP_MAGIC, b"\xd0\xcf\x11\xe0")

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
    has_header: bool = False  # whether the caller says that the first line is a header (D37)

    @property
    def are_copies(self) -> bool:
        return self.paths != self.given


@dataclass(frozen=True)
class Frame:
    """A data frame of any supported library, or Python's dicts and lists."""

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
    copy = Path(private_file(folder, "input"))
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
        _require_file(path)
    formats = {_format(path) for path in paths}
    if len(formats) > 1:
        odd = next(path for path in paths if _format(path) != _format(paths[0]))
        raise errors.files_differ(paths[0], odd, "formats")
    return Files(tuple(paths), tuple(paths), formats.pop(), tuple(paths))


def _require_file(path: str) -> None:
    """Raise for a folder, and for a pipe or a device, which can be read only once and may never end."""
    if os.path.isdir(path):
        raise errors.is_a_folder(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise errors.not_a_file(path)


def find_paths(pattern: str) -> list[str]:
    """The file with exactly this name, even if it looks like a glob; otherwise the matching files, sorted."""
    if os.path.lexists(pattern):
        return [pattern]
    return sorted(path for path in glob.glob(pattern, recursive=True) if "**" not in pattern or not os.path.isdir(path))


def require_no_partitions(source: Files, names: Iterable[str]) -> None:
    """Raise if a folder such as `year=2020` names a column that the files do not have: its values would be lost."""
    present = {name.casefold() for name in names}
    for path in source.given:
        for folder in Path(path).parent.parts:
            name, is_partition, _ = folder.partition("=")
            if name and is_partition and name.casefold() not in present:
                raise format_errors.partition_column(name, source.format)


def _format(path: str) -> Format:
    if is_parquet(path):
        return "parquet"
    if is_workbook(path):
        return "workbook"
    if path.lower().endswith(CSV_SUFFIXES):
        return "csv"
    is_workbook_file = _first_bytes(path).startswith(WORKBOOK_MAGICS)
    raise format_errors.is_a_workbook(path) if is_workbook_file else format_errors.unknown_suffix(path)


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


_CHUNK = 1 << 20
#: byte order marks, longer ones first: that of UTF-32-LE begins with that of UTF-16-LE
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4
#: codecs whose byte order the mark decides; without a mark, little-endian as on Windows
_EITHER_ORDER = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def find_encoding(path: str, shown: str, given: str | None) -> tuple[str, bool]:
    """The encoding of a file, and whether it has a byte order mark. `given` is the name of a codec."""
    with plain_bytes(path, shown) as file:
        start = file.peek(_LONGEST_MARK)[:_LONGEST_MARK]
    marked = next((encoding for mark, encoding in _MARKS if start.startswith(mark)), None)
    if given is None:
        return marked or UTF_8, marked is not None
    if marked is None:
        return _EITHER_ORDER.get(given, given), False
    if not marked.startswith(given):
        raise format_errors.contradicting_mark(shown, given, marked)
    return marked, True


def copy_as_utf8(path: str, shown: str, encoding: str, copy: str) -> None:
    """Write the text of a file, without its byte order mark, to a UTF-8 file."""
    with plain_bytes(path, shown) as file, open(copy, "w", encoding=UTF_8, newline="") as target:
        try:
            for number, text in enumerate(_decode_chunks(file, encoding)):
                target.write(text.removeprefix("\ufeff") if number == 0 else text)
        except _Undecodable as found:
            target.write(found.before)
            target.flush()
            raise format_errors.not_in_encoding(shown, encoding, (_count_lines(copy), found.byte)) from None
        except UnicodeError:
            raise format_errors.not_in_encoding(shown, encoding, None) from None


class _Undecodable(Exception):
    def __init__(self, byte: int, before: str):
        super().__init__(byte, before)
        self.byte = byte  # the position of the first byte that cannot be decoded, counted from 1
        self.before = before  # the decoded text before it that the caller has not received


def _decode_chunks(file: BufferedReader | GzipFile, encoding: str) -> Iterator[str]:
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    while True:
        chunk = file.read(_CHUNK)
        try:
            yield decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            # the decoder may have kept bytes of the previous chunk
            start = done + len(chunk) - len(error.object) + error.start
            raise _Undecodable(start + 1, error.object[: error.start].decode(encoding, "ignore")) from None
        if not chunk:
            return
        done += len(chunk)


def _count_lines(path: str) -> int:
    """The number of the last line; every kind of line end counts."""
    with open(path, encoding=UTF_8) as file:
        ends = 0
        while chunk := file.read(_CHUNK):
            ends += chunk.count("\n")
    return ends + 1


class Encoder:
    """Accepts UTF-8 in pieces of any length, and writes it to a file in another encoding."""

    def __init__(self, target: BinaryIO | GzipFile, encoding: str, path: str):
        self._target = target
        self._encoding = encoding
        self._path = path  # the name of the output in messages
        self._decoder = codecs.getincrementaldecoder(UTF_8)()
        self._encoder = codecs.getincrementalencoder(encoding)()

    def write(self, piece: bytes, *, is_last: bool = False) -> int:
        if self._encoding == UTF_8:
            return self._target.write(piece)
        try:
            self._target.write(self._encoder.encode(self._decoder.decode(piece, is_last), is_last))
        except UnicodeEncodeError:
            raise format_errors.output_not_encodable(self._path, self._encoding) from None
        return len(piece)

    def finish(self) -> None:
        self.write(b"", is_last=True)


def can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def plain_bytes(path: str, shown: str) -> Iterator[BufferedReader | GzipFile]:
    """The file opened for reading, decompressed if it ends in `.gz`."""
    with report_read_errors(path, shown):
        try:
            with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as file:
                yield file
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise errors.damaged_file(shown, "gzip") from None


@contextmanager
def open_compressed(file: BinaryIO, compressed: bool) -> Iterator[BinaryIO | GzipFile]:
    """A stream whose bytes reach the file compressed, without a time stamp: equal bytes give equal files."""
    if not compressed:
        yield file
        return
    with GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as compressed_file:
        yield compressed_file
