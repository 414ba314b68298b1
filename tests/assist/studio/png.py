"""Makes screenshots smaller: a PNG with a palette of at most 256 colors needs half of the bytes."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_START = b"\x89PNG\r\n\x1a\n"
_MOST = 256
Bytes = NDArray[np.uint8]


def with_palette(image: bytes) -> bytes:
    """The image with its most frequent colors; each other color becomes the nearest one of them."""
    pixels = _pixels(image)
    height, width, _ = pixels.shape
    colors, places, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    kept = colors[np.argsort(-counts, kind="stable")[:_MOST]]
    nearest = np.array([_nearest(color, kept) for color in colors], dtype=np.uint8)
    rows = nearest[places.reshape(height, width)]
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = (b"IHDR", head), (b"PLTE", kept.tobytes()), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")
    return _START + b"".join(_chunk(kind, content) for kind, content in parts)


def _nearest(color: Bytes, kept: Bytes) -> int:
    away = kept.astype(np.int32) - color
    return int(np.argmin((away * away).sum(axis=1)))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = len(_START)
    while place < len(image):
        (size,) = struct.unpack_from(">I", image, place)
        yield image[place + 4 : place + 8], image[place + 8 : place + 8 + size]
        place += size + 12


def _pixels(image: bytes) -> Bytes:
    """Red, green and blue of each pixel: Chromium writes 8 bits of each, without interlacing."""
    chunks = list(_chunks(image))
    width, height, depth, kind = struct.unpack_from(">IIBB", dict(chunks)[b"IHDR"])
    channels = {2: 3, 6: 4}[kind]
    assert depth == 8
    raw = zlib.decompress(b"".join(content for name, content in chunks if name == b"IDAT"))
    lines = np.frombuffer(raw, dtype=np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height + 1, width + 1, channels), dtype=np.uint8)
    for number, line in enumerate(lines):
        _unfilter(int(line[0]), line[1:].reshape(width, channels), rows[number], rows[number + 1])
    return rows[1:, 1:, :3]


def _unfilter(kind: int, line: Bytes, above: Bytes, row: Bytes) -> None:
    """Write the pixels of a line, after one to the left that is zero; `above` is the row before."""
    match kind:
        case 0:
            row[1:] = line
        case 1:
            row[1:] = np.cumsum(line, axis=0, dtype=np.uint8)
        case 2:
            row[1:] = line + above[1:]
        case _:
            for x in range(1, len(row)):
                left, up, corner = (each.astype(np.int32) for each in (row[x - 1], above[x], above[x - 1]))
                guess = (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
                row[x] = (line[x - 1] + guess) % 256


def _paeth(left: NDArray[np.int32], up: NDArray[np.int32], corner: NDArray[np.int32]) -> NDArray[np.int32]:
    a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    return np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
