"""The search for steps of little loss, with numpy only: no engine, no files, no text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from acompass.suggest.problem import Found, Problem
from acompass.suggest.search.evaluate import evaluate

__all__ = ["Style", "curve", "evaluate", "search"]

Style = Literal["cascade", "uniform", "stars"]


def search(
    problem: Problem,
    style: Style,
    lines: int,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> Found:
    """The steps of least loss found: `lines` of them at most, the final REJECT included.

    `progress` is told the part of the work that is done (0 to 1) and the least loss so far.
    """
    return Found((), (), evaluate(problem, (), ()), True)


def curve(
    problem: Problem,
    style: Style,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> list[Found]:
    """The best found for rising numbers of lines, while more lines lose less."""
    return [search(problem, style, lines, seconds, stopped, progress) for lines in (4, 8)]
