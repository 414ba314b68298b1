"""What the rest of suggest asks the search for: one policy, or one for each number of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from typing import Literal, assert_never

from acompass.suggest.problem import Found, Problem, Step
from acompass.suggest.search.board import Board
from acompass.suggest.search.cascade import best_chain
from acompass.suggest.search.closeness import is_close
from acompass.suggest.search.effort import Effort
from acompass.suggest.search.evaluate import evaluate
from acompass.suggest.search.menu import full_menu
from acompass.suggest.search.narrow import NarrowBoard, fits
from acompass.suggest.search.stars import best_stars
from acompass.suggest.search.uniform import best_levels
from acompass.suggest.search.wide import WideBoard

Style = Literal["cascade", "uniform", "stars"]

WORK = 8_000_000  # rows, where no time is given: a fraction of a second
WORK_OF_A_ROW = 400  # more of it for each combination
HALF = 0.5  # of the time that is left, for each of several searches
FINE = 8  # parts of a k, below which a difference is not worth a search
LINES = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)


def search(
    problem: Problem,
    style: Style,
    lines: int,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> Found:
    """The steps of least loss found: `lines` of them at most, the final REJECT included.

    `progress` is told the part of the work that is done (0 to 1) and the least loss so far. Without
    `seconds`, the same problem gives the same answer.
    """
    effort = Effort(_work(problem, seconds), seconds, stopped, progress)
    return _found(_board(problem), style, lines, effort)


def curve(
    problem: Problem,
    style: Style,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> list[Found]:
    """The best found for rising numbers of lines, while more lines lose less."""
    board, found = _board(problem), []
    for lines in LINES:
        share = None if seconds is None else seconds / len(LINES)
        effort = Effort(_work(problem, share), share, stopped, progress)
        found.append(_found(board, style, lines, effort))
        if effort.early or found[-1].lines < lines:
            break
    falling = _falling(found, problem.most_dropped)
    return list({each.lines: each for each in falling}.values())


def _falling(found: list[Found], most_dropped: int) -> Iterator[Found]:
    least = (inf, inf)
    for each in found:
        worth = (max(0, each.outcome.dropped - most_dropped), each.outcome.loss)
        if worth < least:
            least = worth
            yield each


def _work(problem: Problem, seconds: float | None) -> float | None:
    return None if seconds is not None else WORK + WORK_OF_A_ROW * len(problem.counts)


def _board(problem: Problem) -> Board:
    return NarrowBoard(problem) if fits(problem) else WideBoard(problem)


def _found(board: Board, style: Style, lines: int, effort: Effort) -> Found:
    """Levels for all, where a chain is stuck with a last few records: they never are."""
    most = max(0, lines - 1)
    if style != "uniform" and board.problem.t is not None:
        return _close(board, style, most, effort)
    found = _run(board, style, most, effort)
    if style == "uniform" or _is_allowed(board.problem, found):
        return found
    for_all = _run(board, "uniform", most, effort.again())
    return for_all if _is_allowed(board.problem, for_all) else found


def _close(board: Board, style: Style, most: int, effort: Effort) -> Found:
    """Larger classes are closer to the table, and lose more. So the search is for k, for twice as many, and
    so on, until a chain is close or loses more than levels for all; then between the last two."""
    best, asked = _run(board, "uniform", most, effort.again(HALF)), board.problem
    far, k, enough = asked.k - 1, asked.k, asked.records + 1
    while enough - far > max(1, enough // FINE) and not effort.cut_short():
        problem = replace(asked, k=k)
        found = _run(_board(problem), style, most, effort.again(HALF))
        is_better = found.outcome.loss < best.outcome.loss or not _is_allowed(replace(asked, k=best.k), best)
        if is_better and _is_allowed(problem, found):
            best, enough = found, k
        elif is_better:
            far = k
        else:
            enough = k
        k = min(2 * k, (far + enough + 1) // 2)
    return best


def _is_allowed(problem: Problem, found: Found) -> bool:
    few = found.outcome.dropped <= problem.most_dropped
    return few and is_close(problem, found.always, found.steps)


def _run(board: Board, style: Style, most: int, effort: Effort) -> Found:
    steps = _steps(board, style, most, effort)
    return Found(*steps, evaluate(board.problem, *steps), not effort.early, board.problem.k)


def _steps(
    board: Board, style: Style, most: int, effort: Effort
) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    match style:
        case "cascade":
            return (), best_chain(board, board.start, full_menu(board.problem), most, effort).chain
        case "uniform":
            return best_levels(board, most, effort), ()
        case "stars":
            return best_stars(board, most, effort)
        case _:
            assert_never(style)
