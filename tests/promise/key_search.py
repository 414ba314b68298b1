"""Search for a secret key in everything that is written: its text, its digits, and what HMAC makes of it."""

import base64
from collections.abc import Iterator

KEY = "q7Rk-9vXw2LmZt4Bn8Ys1Dc6Hf3Gj5Ka0Pe"
BLOCK = 64  # bytes of a block of SHA-256


def key_forms(secret: bytes) -> Iterator[bytes]:
    """The key, and the blocks with which HMAC begins both of its hashes."""
    yield secret
    padded = secret.ljust(BLOCK, b"\0")
    yield from (bytes(byte ^ pad for byte in padded) for pad in (0x36, 0x5C))


def _needles(secret: bytes) -> Iterator[str]:
    for form in key_forms(secret):
        yield from (form.decode("latin-1"), repr(form), form.hex(), form.hex().upper())
        yield base64.b64encode(form).decode().rstrip("=")[:40]
        yield ", ".join(map(str, form[:8]))
        digits = [f"{byte:02X}" for byte in form[:8]]  # as DuckDB and Spark show bytes
        yield from ("".join(f"\\x{each}" for each in digits), " ".join(digits))


NEEDLES = tuple(_needles(KEY.encode()))


def found_key(text: str) -> list[str]:
    return [needle for needle in NEEDLES if needle in text]
