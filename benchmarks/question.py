"""A question about performance. Most answers are ratios of two times from the same run, which vary less than times."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Answer:
    value: float
    unit: str
    note: str  # the peer, its version and the size of the table


@dataclass(frozen=True)
class Setting:
    folder: Path  # for generated data
    records: int  # in the large tables
    big: bool  # whether to ask the question with 100,000,000 records


@dataclass(frozen=True)
class Question:
    name: str
    text: str
    target: str  # as text for readers
    met: Callable[[float], bool]  # whether a value reaches the target
    ask: Callable[[Setting], Answer | None]  # None if skipped: it needs BIG=1, or something that is not installed


def at_most(limit: float) -> Callable[[float], bool]:
    return lambda value: value <= limit


def at_least(limit: float) -> Callable[[float], bool]:
    return lambda value: value >= limit


def seconds(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def ratio(upper: Callable[[], object], lower: Callable[[], object], times: int = 3) -> float:
    """The ratio of the best times."""
    uppers, lowers = alternate(upper, lower, times)
    return min(uppers) / min(lowers)


def median_ratio(upper: Callable[[], object], lower: Callable[[], object], times: int) -> float:
    """The ratio of the medians, after a first run that fills the caches of the system."""
    alternate(upper, lower, 1)
    uppers, lowers = alternate(upper, lower, times)
    return median(uppers) / median(lowers)


def alternate(upper: Callable[[], object], lower: Callable[[], object], times: int) -> tuple[list[float], list[float]]:
    """The times of both tasks, measured alternately, so that both see the same load."""
    uppers, lowers = [], []
    for _ in range(times):
        lowers.append(seconds(lower))
        uppers.append(seconds(upper))
    return uppers, lowers
