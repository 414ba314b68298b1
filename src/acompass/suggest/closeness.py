"""t-closeness. No assertion of a policy promises it, so larger and larger classes are tried.

The larger a class, the more its distribution is like the table's.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from acompass.diagnostics import Diagnostic
from acompass.suggest.problem import Found, IntArray, Problem, Sensitive
from acompass.suggest.search.classes import class_ids, violating
from acompass.suggest.search.evaluate import performed, whole
from acompass.suggestion import Unreachable

#: times that the interval with the least k that is known to do is halved
_HALVINGS = 4


def closest(problem: Problem, t: Fraction, solved: Callable[[Problem], Found]) -> tuple[Problem, Found]:
    """The problem with about the least k at which what is found is t-close, and what is found."""
    low, best = problem.k, (problem, solved(problem))
    while closeness(*best) > t:
        if best[0].k >= problem.records or not best[1].finished:
            raise _not_close(closeness(*best), t)
        low, larger = best[0].k, replace(problem, k=min(2 * best[0].k, problem.records))
        best = larger, solved(larger)
    for _ in range(_HALVINGS):
        middle = replace(problem, k=(low + best[0].k) // 2)
        if middle.k in (low, best[0].k):
            break
        tried = _tried(middle, t, solved)
        low, best = (middle.k, best) if tried is None else (low, tried)
    return best


def _tried(problem: Problem, t: Fraction, solved: Callable[[Problem], Found]) -> tuple[Problem, Found] | None:
    with suppress(Unreachable):
        found = solved(problem)
        return (problem, found) if closeness(problem, found) <= t else None
    return None


def closeness(problem: Problem, found: Found) -> Fraction:
    """The largest distance of a class from the released table, in any sensitive column."""
    columns = whole(problem)
    for _, columns in performed(problem, found.always, found.steps):  # noqa: B007
        pass
    kept = ~violating(problem, columns)
    ids = class_ids(columns, [len(ladder.labels) for ladder in problem.ladders])
    return max((_distance(each, ids, kept) for each in problem.sensitive), default=Fraction(0))


def _distance(sensitive: Sensitive, ids: IntArray, kept: NDArray[np.bool_]) -> Fraction:
    """Σ max(0, q − p), which is ½ Σ|q − p|, over the values of a class; the largest of all classes."""
    there = kept[sensitive.rows]
    if not there.any():
        return Fraction(0)
    classes, values, counts = ids[sensitive.rows[there]], sensitive.values[there], sensitive.counts[there]
    sizes, table, records = _sums(classes, counts), _sums(values, counts), int(counts.sum())
    width = int(values.max()) + 1
    pairs, place = np.unique(classes * width + values, return_inverse=True)
    own = pairs // width
    gained = np.maximum(0, _sums(place, counts) * records - table[pairs % width] * sizes[own])
    moved = _sums(own, gained)
    sizes = np.maximum(sizes, 1)  # a class that was dropped has no records, and moves none
    largest = int(np.argmax(moved / sizes))
    return Fraction(int(moved[largest]), int(sizes[largest]) * records)


def _sums(places: IntArray, numbers: IntArray) -> IntArray:
    """For each place, the sum of its numbers."""
    found = np.zeros(int(places.max()) + 1, np.int64)
    np.add.at(found, places, numbers)
    return found


def _not_close(found: Fraction, t: Fraction) -> Unreachable:
    message = f"the classes are t-close with t = {float(found):.4f} at best, as far as was searched"
    help_ = f"ask for less than t = {float(t):g}, or drop more records: `--max-lost 10%`"
    return Unreachable([Diagnostic("AC624", message, help=help_)])
