"""A question is a ratio of two things timed in the same run: machines are noisy, ratios are not."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Answer:
    """`note` names the peer, its version and the size."""

    value: float
    unit: str
    note: str


@dataclass(frozen=True)
class Setting:
    """Where data goes, and how many records the large tables have."""

    folder: Path
    records: int
    big: bool


@dataclass(frozen=True)
class Question:
    """`target` as people read it; `met` says whether an answer reaches it. `None` was not asked, for want of
    BIG=1."""

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
    """Best of several of each, in turn, so that both see the same machine."""
    uppers, lowers = [], []
    for _ in range(times):
        lowers.append(seconds(lower))
        uppers.append(seconds(upper))
    return min(uppers) / min(lowers)
