"""Definition 4: the random trace, and how much of it has been consumed."""

import hashlib
from collections.abc import Iterator
from fractions import Fraction
from itertools import count, islice


class TraceExhausted(Exception):
    """A trace ended before a RANDOM had its values; `needed` is how many it takes to get past it."""

    def __init__(self, needed: int):
        self.needed = needed
        super().__init__(f"the trace ended before its value {needed}")


class Trace:
    """ρ with its consumed prefix taken off; `used` is the length of that prefix."""

    def __init__(self, values: Iterator[Fraction]):
        self._values = values
        self.used = 0

    def take(self, count: int) -> list[Fraction]:
        """pref_m(ρ); what is left is tail_m(ρ)."""
        prefix = list(islice(self._values, count))
        if len(prefix) < count:
            raise TraceExhausted(self.used + count)
        self.used += count
        return prefix


def random(lower: int, upper: int, rho: Fraction) -> int:
    """random(l, u, ρ) = l + ⌊ρ · (u − l + 1)⌋, in exact arithmetic (D19)."""
    return lower + rho * (upper - lower + 1) // 1


def seeded_trace(seed: str) -> Iterator[Fraction]:
    """The trace that a seed stands for (D19); it never ends."""
    for index in count(1):
        digest = hashlib.sha256(f"{seed}:{index}".encode()).hexdigest()
        yield Fraction(int(digest[:13], 16), 2**52)
