"""The effort that an answer may cost: the time of a call, and the operations on the diagrams of a prover."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from acompass.diagnostics import CallError, Diagnostic

#: seconds, unless the call says otherwise
DEADLINE = 30
#: for each operation, a node or an answer is kept: about 200 bytes
MOST_OPERATIONS = 2_000_000
#: operations between two looks at the clock
_GRANTED = 1_024


class Exhausted(Exception):
    """No more time or memory may be spent; the message says which limit was reached."""


def seconds_of(deadline: float | str) -> float:
    """The seconds of a deadline that a user gave."""
    try:
        seconds = float(deadline)
    except ValueError:
        seconds = math.nan
    if math.isfinite(seconds) and seconds >= 0:
        return seconds
    message = f"`{deadline}` is not a deadline: it is a number of seconds from 0 on"
    raise CallError([Diagnostic("AC556", message, help="--deadline 60")])


@dataclass(frozen=True, slots=True)
class _TimeLimit:
    seconds: float
    end: float


_TIME_LIMIT: ContextVar[_TimeLimit | None] = ContextVar("time limit", default=None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Until the context ends, `require_time` fails after so many seconds; None leaves the limit as it is."""
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
    """Every loop that may take long asks this. Raises Exhausted."""
    limit = _TIME_LIMIT.get()
    if limit is not None and time.monotonic() >= limit.end:
        raise Exhausted(f"not decided within {limit.seconds:g} s")


@contextmanager
def bounded() -> Iterator[None]:
    """Diagrams over hundreds of columns are too deep for the interpreter, which is a limit like any other."""
    try:
        yield
    except RecursionError:
        raise Exhausted("not decided: its conditions compare too many columns together") from None


class Budget:
    """The operations on decision diagrams that are left: they bound the memory, and do not depend on time."""

    def __init__(self, operations: int = MOST_OPERATIONS):
        self._operations = operations
        self._left = operations

    def add(self, operations: int) -> None:
        self._operations += operations
        self._left += operations

    def grant(self) -> int:
        """The number of operations until the next question. Raises Exhausted."""
        require_time()
        granted = min(self._left, _GRANTED)
        if not granted:
            raise Exhausted(f"not decided within {self._operations:,} operations on decision diagrams")
        self._left -= granted
        return granted
