"""The bytes of a file, unpacked if it is compressed."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import BinaryIO

from acompass.tables import errors
from acompass.tables.source import readable


@contextmanager
def plain_bytes(path: str, shown: str) -> Iterator[BufferedReader | gzip.GzipFile]:
    with readable(path, shown):
        try:
            with gzip.open(path) if path.lower().endswith(".gz") else open(path, "rb") as file:
                yield file
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise errors.damaged(shown, "gzip") from None


@contextmanager
def packing(file: BinaryIO, compressed: bool) -> Iterator[BinaryIO | gzip.GzipFile]:
    """Where to write what arrives in the file compressed. The same bytes give the same file."""
    if not compressed:
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        yield packed
