"""The secret key of PSEUDONYM and SHIFT, and what they make of it (X15, X16).

A key is a secret, as a seed is (D20): no text shows it."""

import hashlib
import hmac
from decimal import Decimal

from acompass.dataclasses import dataclass, field
from acompass.language.program.types import Kind, Type, shortest_decimal

#: bytes that a key needs at least
SHORTEST_KEY = 32
#: hexadecimal digits of a pseudonym, and of the number that decides a shift
PSEUDONYM_DIGITS, SHIFT_DIGITS = 24, 13
#: stands for every pseudonym: neither a number nor a date
EXAMPLE_PSEUDONYM = "0123456789abcdef01234567"
#: what precedes the text of a person, so that a shift says nothing about a pseudonym
SHIFT_PREFIX = "shift:"
#: bytes of a block of SHA-256, to which HMAC extends the key
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Key:
    secret: bytes = field(repr=False)

    def pseudonym(self, text: str) -> str:
        return self._digest(text)[:PSEUDONYM_DIGITS]

    def days(self, text: str, within: int) -> int:
        """The days, from -within to within, by which the dates of a person are shifted."""
        return int(self._digest(SHIFT_PREFIX + text)[:SHIFT_DIGITS], 16) % (2 * within + 1) - within

    @property
    def pads(self) -> tuple[bytes, bytes]:
        """The inner and the outer pad: the HMAC of a text is SHA-256(outer + SHA-256(inner + text))."""
        short = self.secret if len(self.secret) <= _BLOCK else hashlib.sha256(self.secret).digest()
        block = short.ljust(_BLOCK, b"\0")
        return bytes(byte ^ 0x36 for byte in block), bytes(byte ^ 0x5C for byte in block)

    def _digest(self, text: str) -> str:
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()


def is_pseudonym(text: str) -> bool:
    """Whether some key may give this pseudonym."""
    return len(text) == PSEUDONYM_DIGITS and all(letter in "0123456789abcdef" for letter in text)


def _plain(value: Decimal) -> str:
    return f"{shortest_decimal(value):f}"


def key_text_of(text: str, type_: Type) -> str:
    """The text that a key is applied to: the same for equal values of all types, tables and engines. `text` is the
    value as D12 turns it into text; `type_` is the type that it had."""
    match type_.kind:
        case Kind.DECIMAL | Kind.FLOAT if text not in ("inf", "-inf"):
            return _plain(Decimal(text))
        case Kind.TIMESTAMP:
            return text.replace("T", " ")
        case _:
            return text
