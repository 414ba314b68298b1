"""Decompress files, convert them to UTF-8, and encode outputs, all as streams, in constant memory."""

import codecs
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader
from typing import BinaryIO

from acompass.tables import errors, format_errors
from acompass.tables.formats import UTF_8
from acompass.tables.source import report_read_errors

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
