"""A question asks for the ratio of two times measured in the same run, which varies less than the times."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """`note` names the peer, its version and the size of the table."""

    value: float
    unit: str
    note: str


@dataclass(frozen=True)
class Setting:
    """The folder for generated data, and the number of records in the large tables."""

    folder: Path
    records: int
    big: bool


@dataclass(frozen=True)
class Question:
    """`target` is text for readers, and `met` decides whether an answer reaches it. `ask` returns None if the
    question was skipped: it needs BIG=1, or something that is not installed."""

    name: str
    text: str
    target: str
    met: Callable[[float], bool]
    ask: Callable[[Setting], Answer | None]


def at_most(limit: float) -> Callable[[float], bool]:
    return lambda value: value <= limit


def at_least(limit: float) -> Callable[[float], bool]:
    return lambda value: value >= limit


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def ratio(upper: Callable[[], object], lower: Callable[[], object], times: int = 3) -> float:
    """The best time of each, measured alternately, so that both see the same load."""
    uppers, lowers = [], []
    for _ in range(times):
        lowers.append(seconds(lower))
        uppers.append(seconds(upper))
    return min(uppers) / min(lowers)
