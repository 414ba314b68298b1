"""Limits on effort: the time of a call, and the number of operations on a prover's decision diagrams."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic, option_text

#: the default deadline in seconds
DEADLINE = 30
#: each operation stores a node or a result of about 250 bytes
MOST_OPERATIONS = 1_000_000
#: operations between two checks of the clock
_GRANTED = 1_024


class Exhausted(Exception):
    """A limit on time or memory was reached; the message says which."""


def parse_deadline(deadline: float | str) -> float:
    try:
        seconds = float(deadline)
    except ValueError:
        seconds = math.nan
    if math.isfinite(seconds) and seconds >= 0:
        return seconds
    message = f"`{deadline}` is not a valid deadline: expected a non-negative number of seconds"
    raise CallError([Diagnostic("AC556", message, help=option_text("deadline", 60))])


@dataclass(frozen=True, slots=True)
class _TimeLimit:
    seconds: float
    end: float


_TIME_LIMIT: ContextVar[_TimeLimit | None] = ContextVar("time limit", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Make `require_time` fail after this many seconds, until the context ends; None keeps the current limit."""
    if seconds is None:
        yield
        return
    outer, own = _TIME_LIMIT.get(), _TimeLimit(seconds, time.monotonic() + seconds)
    token = _TIME_LIMIT.set(own if outer is None or own.end < outer.end else outer)
    try:
        yield
    finally:
        _TIME_LIMIT.reset(token)


def require_time() -> None:
    """Raise Exhausted once the time limit has passed. Every loop that may take long calls this."""
    limit = _TIME_LIMIT.get()
    if limit is not None and time.monotonic() >= limit.end:
        raise Exhausted(f"not decided within {limit.seconds:g} s")


@contextmanager
def recursion_limit() -> Iterator[None]:
    """Treat the interpreter's recursion limit, which diagrams over many columns can reach, as any other limit."""
    try:
        yield
    except RecursionError:
        raise Exhausted("not decided: its conditions compare too many columns together") from None


class Budget:
    """The remaining operations on decision diagrams. They bound memory independently of the machine's speed."""

    def __init__(self, operations: int = MOST_OPERATIONS):
        self._operations = operations
        self._left = operations

    def add(self, operations: int) -> None:
        self._operations += operations
        self._left += operations

    def grant(self) -> int:
        """The number of operations until the next call. Raises Exhausted."""
        require_time()
        granted = min(self._left, _GRANTED)
        if not granted:
            raise Exhausted(f"not decided within {self._operations:,} operations on decision diagrams")
        self._left -= granted
        return granted
