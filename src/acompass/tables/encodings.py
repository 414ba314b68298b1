"""Files in other encodings than UTF-8: read from a temporary copy, written through an encoder.

Both are streams, so that a file of any size is converted in little memory.
"""

import codecs
from collections.abc import Iterator
from gzip import GzipFile
from io import BufferedReader
from typing import BinaryIO

from acompass.tables import format_errors
from acompass.tables.file_format import UTF_8
from acompass.tables.gzipped import plain_bytes

_CHUNK = 1 << 20
#: byte order marks, the longer ones first: that of UTF-32-LE begins with that of UTF-16-LE
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LONGEST_MARK = 4
#: codecs whose byte order the mark decides; without a mark it is that of Windows
_EITHER_ORDER = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def marked_encoding(start: bytes) -> str | None:
    """The encoding that the byte order mark at the start of a file tells."""
    return next((encoding for mark, encoding in _MARKS if start.startswith(mark)), None)


def encoding_of(path: str, shown: str, given: str | None) -> tuple[str, bool]:
    """The encoding of a file, and whether it has a byte order mark. `given` is the name of a codec."""
    with plain_bytes(path, shown) as file:
        marked = marked_encoding(file.peek(_LONGEST_MARK)[:_LONGEST_MARK])
    if given is None:
        return marked or UTF_8, marked is not None
    if marked is None:
        return _EITHER_ORDER.get(given, given), False
    if not marked.startswith(given):
        raise format_errors.marked_otherwise(shown, given, marked)
    return marked, True


def copy_as_utf8(path: str, shown: str, encoding: str, copy: str) -> None:
    """Write the text of a file, without its byte order mark, to a UTF-8 file."""
    with plain_bytes(path, shown) as file, open(copy, "w", encoding=UTF_8, newline="") as target:
        try:
            for number, text in enumerate(_decoded(file, encoding)):
                target.write(text.removeprefix("\ufeff") if number == 0 else text)
        except _Undecodable as found:
            target.write(found.before)
            target.flush()
            raise format_errors.not_in_encoding(shown, encoding, (_lines(copy), found.byte)) from None
        except UnicodeError:
            raise format_errors.not_in_encoding(shown, encoding, None) from None


class _Undecodable(Exception):
    """`byte` is the first byte that cannot be decoded, counted from 1; `before` is text that could be."""

    def __init__(self, byte: int, before: str):
        super().__init__(byte)
        self.byte = byte
        self.before = before


def _decoded(file: BufferedReader | GzipFile, encoding: str) -> Iterator[str]:
    decoder, done = codecs.getincrementaldecoder(encoding)(), 0
    while True:
        chunk = file.read(_CHUNK)
        try:
            yield decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            # the decoder may have kept bytes of the chunk before
            start = done + len(chunk) - len(error.object) + error.start
            raise _Undecodable(start + 1, error.object[: error.start].decode(encoding, "ignore")) from None
        if not chunk:
            return
        done += len(chunk)


def _lines(path: str) -> int:
    """The number of the last line, whatever ends the lines."""
    with open(path, encoding=UTF_8) as file:
        ends = 0
        while chunk := file.read(_CHUNK):
            ends += chunk.count("\n")
    return ends + 1


class Encoder:
    """Takes UTF-8, in pieces of any length, and writes it to a file in another encoding."""

    def __init__(self, target: BinaryIO | GzipFile, encoding: str, path: str):
        """`path` is the name of the output in messages."""
        self._target = target
        self._encoding = encoding
        self._path = path
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
