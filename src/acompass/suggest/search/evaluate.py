"""What a policy's steps do to the whole table: slow, exact, and no part of the search's own bookkeeping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from acompass.propose.loss import column_loss, total_loss
from acompass.suggest.problem import IntArray, Outcome, Problem, Step
from acompass.suggest.search.classes import violating


def evaluate(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Outcome:
    """The outcome of `always` for every record, then of a THEN chain of `steps` that ends in REJECT."""
    columns, affected = whole(problem), []
    for records, columns in performed(problem, always, steps):  # noqa: B007
        affected.append(records)
    bad = violating(problem, columns)
    dropped = int(problem.counts[bad].sum())
    per_column = losses(problem, columns, np.where(bad, 0, problem.counts), dropped)
    return Outcome((*affected[len(always) :], dropped), dropped, per_column, total_loss(per_column))


def performed(
    problem: Problem, always: Sequence[Step], steps: Sequence[Step]
) -> Iterator[tuple[int, list[IntArray]]]:
    """The records that each step is performed on, and the labels of all columns after it."""
    columns = whole(problem)
    for place, step in enumerate((*always, *steps)):
        before = columns[step.column]
        hit = ~np.isin(before, step.but)
        if place >= len(always):
            hit &= violating(problem, columns)
        up = np.asarray(problem.ladders[step.column].up[step.level - 1], np.int64)
        columns = [*columns[: step.column], np.where(hit, up[before], before), *columns[step.column + 1 :]]
        yield int(problem.counts[hit].sum()), columns


def whole(problem: Problem) -> list[IntArray]:
    return [np.ascontiguousarray(column) for column in problem.combinations.T]


def losses(problem: Problem, columns: list[IntArray], kept: IntArray, dropped: int) -> tuple[float, ...]:
    """The loss of each column: sums of whole numbers, so that no order of rows changes a digit."""
    out = []
    for ladder, labels in zip(problem.ladders, columns, strict=True):
        carried = int(kept @ np.asarray(ladder.sizes, np.int64)[labels])
        out.append(column_loss((carried + dropped * ladder.rows) / ladder.rows, problem.records, ladder.rows))
    return tuple(out)
