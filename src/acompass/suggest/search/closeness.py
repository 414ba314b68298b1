"""t-closeness of a release, by equal distances: an ordered distance is never greater."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from acompass.suggest.problem import IntArray, Problem, Sensitive, Step
from acompass.suggest.search.classes import class_ids, violating
from acompass.suggest.search.evaluate import performed, whole


def is_close(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> bool:
    """Whether no class of the release is further than t from all of it, where a t is asked for."""
    return problem.t is None or closeness(problem, always, steps) <= float(problem.t) + 1e-12


def closeness(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> float:
    """How far a class of the release is from all of it, at most."""
    columns = whole(problem)
    for _, columns in performed(problem, always, steps):  # noqa: B007
        pass
    ids = class_ids(columns, [len(ladder.labels) for ladder in problem.ladders])
    kept = ~violating(problem, columns)
    return max((_distance(each, ids, kept) for each in problem.sensitive), default=0.0)


def _distance(sensitive: Sensitive, ids: IntArray, kept: NDArray[np.bool_]) -> float:
    """The largest of Σ max(0, q − p), over the values of a class."""
    present = kept[sensitive.rows]
    classes, values, counts = (
        ids[sensitive.rows][present],
        sensitive.values[present],
        sensitive.counts[present],
    )
    if not len(counts):
        return 0.0
    width = int(values.max()) + 1
    pairs, places = np.unique(classes * width + values, return_inverse=True)
    records = np.bincount(places, counts)
    sizes, total = np.bincount(classes, counts), np.bincount(values, counts) / counts.sum()
    gained = np.maximum(0.0, records / sizes[pairs // width] - total[pairs % width])
    return float(np.bincount(pairs // width, gained).max())
