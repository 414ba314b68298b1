"""What a policy's steps do to the whole table: slow, exact, and no part of the search's own bookkeeping."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acompass.propose.loss import column_loss, total_loss
from acompass.suggest.problem import IntArray, Outcome, Problem, Step
from acompass.suggest.search.classes import violating


def evaluate(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Outcome:
    """The outcome of `always` for every record, then of a THEN chain of `steps` that ends in REJECT."""
    columns = [np.ascontiguousarray(column) for column in problem.combinations.T]
    for step in always:
        columns[step.column] = lifted(problem, step, columns[step.column])
    affected = []
    for step in steps:
        before = columns[step.column]
        hit = violating(problem, columns) & ~np.isin(before, step.but)
        affected.append(int(problem.counts[hit].sum()))
        columns[step.column] = np.where(hit, lifted(problem, step, before), before)
    bad = violating(problem, columns)
    dropped = int(problem.counts[bad].sum())
    per_column = losses(problem, columns, np.where(bad, 0, problem.counts), dropped)
    return Outcome((*affected, dropped), dropped, per_column, total_loss(per_column))


def lifted(problem: Problem, step: Step, labels: IntArray) -> IntArray:
    return np.array(problem.ladders[step.column].up[step.level - 1], np.int64)[labels]


def losses(problem: Problem, columns: list[IntArray], kept: IntArray, dropped: int) -> tuple[float, ...]:
    """The loss of each column: sums of whole numbers, so that no order of rows changes a digit."""
    out = []
    for ladder, labels in zip(problem.ladders, columns, strict=True):
        carried = int(kept @ np.asarray(ladder.sizes, np.int64)[labels])
        out.append(column_loss((carried + dropped * ladder.rows) / ladder.rows, problem.records, ladder.rows))
    return tuple(out)
