"""The result of `prove`: a verdict on every claim, with a reason or a counterexample. Limits on effort: the time of a
call, and the number of operations on a prover's decision diagrams."""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from typing import Any

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import CallError, Diagnostic, option_text
from acompass.errors.display import Answer, json_object
from acompass.language.program.types import Schema, Value


class ClaimVerdict(StrEnum):
    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Instead:
    """The result of another run."""

    title: str
    schema: Schema
    records: tuple[tuple[Value, ...], ...] | None  # None if the run writes nothing


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A table and a trace on which the claim fails."""

    schema: Schema
    records: tuple[tuple[Value, ...], ...]
    trace: tuple[str, ...]
    left_schema: Schema
    left: tuple[tuple[Value, ...], ...]  # the table that the policy produces
    instead: Instead | None = None  # for a claim about two runs, the different result of the other one

    @property
    def columns(self) -> dict[str, str]:
        return {column.name: str(column.type) for column in self.schema}

    def to_json(self) -> dict[str, Any]:
        return json_object(self, "columns", "records", "trace")


@dataclass(frozen=True, slots=True)
class Claim:
    text: str
    line: int | None  # None unless the claim is the policy's own assertion
    verdict: ClaimVerdict
    reason: str  # one line for each step
    counterexample: Counterexample | None = None
    is_certified: bool | None = None  # None if no certificate was requested
    uncertified: str = ""  # why a proved claim has no certificate

    def to_json(self) -> dict[str, Any]:
        fixed = json_object(self, "text", "line", "verdict", "reason", "counterexample")
        if self.is_certified is None:
            return fixed
        return {**fixed, "certified": self.is_certified, "uncertified": self.uncertified or None}


@dataclass(frozen=True, slots=True)
class Proof(Answer):
    claims: tuple[Claim, ...]
    #: the column types that the verdicts assume; `decimal` is a number of any scale
    types: Mapping[str, str] = field(hash=False)
    inferred: tuple[str, ...] = ()  # the columns whose types were inferred from the policy

    @property
    def ok(self) -> bool:
        return all(claim.verdict is ClaimVerdict.PROVED for claim in self.claims)

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        return json_object(self, "types", "claims")


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
