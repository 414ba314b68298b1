"""Search for the steps with the least loss, for one policy or for each number of lines.

A policy is a chain of steps, a level of each column for all records, or both. Levels for all records are optimal: the
loss of a vector of levels without dropped records is a lower bound, and a vector that drops too many records, or is not
close enough, rules out all vectors below it, because lower levels only split classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, prod
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from acompass.author.suggest.chains import Chain, Effort, all_step_choices, best_chain, last_level_choices
from acompass.author.suggest.request import Style
from acompass.author.suggest.search_problem import Found, Problem, Step, evaluate, is_close
from acompass.author.suggest.search_state import OVER, NarrowSpace, SearchSpace, WideSpace, fits
from acompass.dataclasses import replace

WORK = 8_000_000  # rows to process without a time limit: a fraction of a second
WORK_OF_A_ROW = 400  # additional rows for each combination
HALF = 0.5  # share of the remaining time for each of several searches
FINE = 8  # 1/FINE of k: smaller differences are not worth a search
LINES = (4, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
MOST_VECTORS = 4_000_000

Levels = tuple[int, ...]
Plan = tuple[float, tuple[Step, ...], Chain]  # loss, always, chain


def search(
    problem: Problem,
    style: Style,
    lines: int,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> Found:
    """Return the steps of least loss found, at most `lines` including the final REJECT.

    `progress` receives the fraction of the work done (0 to 1) and the lowest loss so far. Without `seconds`,
    the same problem always gives the same answer.
    """
    effort = Effort(_work(problem, seconds), seconds, stopped, progress)
    return _find(_search_space(problem), style, lines, effort)


def curve(
    problem: Problem,
    style: Style,
    seconds: float | None,
    stopped: Callable[[], bool],
    progress: Callable[[float, float], None],
) -> list[Found]:
    """Return the best policies found for increasing numbers of lines, as long as more lines lower the loss."""
    space, found = _search_space(problem), []
    for lines in LINES:
        share = None if seconds is None else seconds / len(LINES)
        effort = Effort(_work(problem, share), share, stopped, progress)
        found.append(_find(space, style, lines, effort))
        if effort.early or found[-1].lines < lines:
            break
    falling = _improvements(found, problem.most_dropped)
    return list({each.lines: each for each in falling}.values())


def _improvements(found: list[Found], most_dropped: int) -> Iterator[Found]:
    least = (inf, inf)
    for each in found:
        worth = (max(0, each.outcome.dropped - most_dropped), each.outcome.loss)
        if worth < least:
            least = worth
            yield each


def _work(problem: Problem, seconds: float | None) -> float | None:
    return None if seconds is not None else WORK + WORK_OF_A_ROW * len(problem.counts)


def _search_space(problem: Problem) -> SearchSpace:
    return NarrowSpace(problem) if fits(problem) else WideSpace(problem)


def _find(space: SearchSpace, style: Style, lines: int, effort: Effort) -> Found:
    """Fall back to levels for all records if a chain drops too many."""
    most = max(0, lines - 1)
    if style != "uniform" and space.problem.t is not None:
        return _find_close(space, style, most, effort)
    found = _search_once(space, style, most, effort)
    if style == "uniform" or _is_allowed(space.problem, found):
        return found
    for_all = _search_once(space, "uniform", most, effort.renew())
    return for_all if _is_allowed(space.problem, for_all) else found


def _find_close(space: SearchSpace, style: Style, most: int, effort: Effort) -> Found:
    """Search for t-close classes by raising k, because larger classes are closer to the table and lose more.

    Double k until a chain is close or loses more than levels for all records; then search between the last two.
    """
    best, asked = _search_once(space, "uniform", most, effort.renew(HALF)), space.problem
    far, k, enough = asked.k - 1, asked.k, asked.records + 1
    while enough - far > max(1, enough // FINE) and not effort.is_cut_short():
        problem = replace(asked, k=k)
        found = _search_once(_search_space(problem), style, most, effort.renew(HALF))
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


def _search_once(space: SearchSpace, style: Style, most: int, effort: Effort) -> Found:
    always: tuple[Step, ...] = ()
    chain: Chain = ()
    match style:
        case "cascade":
            chain = best_chain(space, space.start, all_step_choices(space.problem), most, effort).chain
        case "uniform":
            always = best_levels(space, most, effort)
        case "stars":
            always, chain = best_stars(space, most, effort)
        case _:
            assert_never(style)
    return Found(always, chain, evaluate(space.problem, always, chain), not effort.early, space.problem.k)


def best_levels(space: SearchSpace, most: int, effort: Effort) -> tuple[Step, ...]:
    """Return the levels of least loss, raising at most `most` columns; with too many vectors, search greedily."""
    heights = [len(ladder.up) + 1 for ladder in space.problem.ladders]
    if prod(heights) <= MOST_VECTORS:
        return _steps(_Lattice(space, heights, most).least(effort))
    return _steps(_descent(space, [height - 1 for height in heights], most, effort))


def _steps(levels: Levels) -> tuple[Step, ...]:
    return tuple(Step(column, level) for column, level in enumerate(levels) if level)


def _loss(space: SearchSpace, levels: Levels) -> float:
    steps = _steps(levels)
    loss = space.loss(space.state_after(steps))
    return loss if loss >= OVER or is_close(space.problem, steps, ()) else OVER


class _Lattice:
    def __init__(self, space: SearchSpace, heights: list[int], most: int) -> None:
        self._space = space
        self._bounds = _bounds(space, heights)
        self._open = _count_raised(heights) <= most

    def least(self, effort: Effort) -> Levels:
        """Check the open vector with the median bound until none is open."""
        # the highest vector drops the fewest records
        best, loss = self._levels(int(np.flatnonzero(self._open)[-1])), np.inf
        while len(open_places := np.flatnonzero(self._open)) and not effort.is_over():
            effort.spend(len(self._space.problem.counts))
            order = np.argsort(self._bounds.flat[open_places], kind="stable")
            levels = self._levels(int(open_places[order[len(order) // 2]]))
            found = self._check(levels)
            if found < loss:
                best, loss = levels, found
                self._open &= self._bounds < loss
                effort.report(loss)
        return best

    def _check(self, levels: Levels) -> float:
        """Return a vector's loss, and close it; if it drops too many records, close all vectors below it."""
        found = _loss(self._space, levels)
        self._open[levels] = False
        if found >= OVER:
            self._open[tuple(slice(0, level + 1) for level in levels)] = False
        return found

    def _levels(self, place: int) -> Levels:
        return tuple(int(level) for level in np.unravel_index(place, self._open.shape))


def _bounds(space: SearchSpace, heights: list[int]) -> NDArray[np.float64]:
    """The loss of every vector if no record is dropped."""
    total = np.zeros([1] * len(heights))
    for column, height in enumerate(heights):
        shape = [1] * len(heights)
        shape[column] = height
        parts = [space.part(column, rows) for rows in _rows_by_level(space.problem, column)]
        total = total + np.asarray(parts).reshape(shape)
    return np.expm1(total / len(heights))


def _rows_by_level(problem: Problem, column: int) -> list[int]:
    """Rows of the labels of all records, at each level from 0."""
    ladder, labels = problem.ladders[column], problem.combinations[:, column]
    sizes = np.asarray(ladder.sizes, np.int64)
    by_level = [labels, *(np.asarray(up, np.int64)[labels] for up in ladder.up)]
    return [int(problem.counts @ sizes[each]) for each in by_level]


def _count_raised(heights: list[int]) -> NDArray[np.int64]:
    """How many levels of each vector are above 0."""
    raised = np.zeros(heights, np.int64)
    for levels in np.indices(heights, sparse=True):
        raised += levels > 0
    return raised


def _descent(space: SearchSpace, levels: list[int], most: int, effort: Effort) -> Levels:
    """Descend from the highest vector, each time by the level that gains most."""
    loss = _loss(space, tuple(levels))
    while not effort.is_over():
        lower = [(*levels[:column], level - 1, *levels[column + 1 :]) for column, level in enumerate(levels) if level]
        tried = [(_loss(space, each), each) for each in lower]
        effort.spend(len(tried) * len(space.problem.counts))
        found, best = min(tried, default=(np.inf, tuple(levels)))
        if found >= loss and sum(level > 0 for level in levels) <= most:
            break
        loss, levels = found, list(best)
        effort.report(loss)
    return tuple(levels)


def best_stars(space: SearchSpace, most: int, effort: Effort) -> tuple[tuple[Step, ...], Chain]:
    """Raise one column after the other by a level, for all records, as long as that lowers the loss."""
    best = _plan(space, (), most, effort)
    while not effort.is_over():
        effort.report(best[0])
        better = min((_plan(space, raised, most, effort) for raised in _raise_columns(space, best[1])), default=best)
        if better[0] >= best[0]:
            break
        best = better
    return best[1], best[2]


def _plan(space: SearchSpace, always: tuple[Step, ...], most: int, effort: Effort) -> Plan:
    room = max(0, most - len(always))
    current = best_chain(space, space.state_after(always), last_level_choices(space.problem), room, effort)
    return current.loss, always, current.chain


def _raise_columns(space: SearchSpace, always: tuple[Step, ...]) -> list[tuple[Step, ...]]:
    """The alternatives in which one column is a level higher, for all records."""
    levels = {step.column: step.level for step in always}
    return [
        tuple(Step(each, level) for each, level in sorted({**levels, column: levels.get(column, 0) + 1}.items()))
        for column, ladder in enumerate(space.problem.ladders)
        if levels.get(column, 0) < len(ladder.up) - 1
    ]
