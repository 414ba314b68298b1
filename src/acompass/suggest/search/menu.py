"""The steps that a search tries: every level of every column, for all labels or all but a frequent one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acompass.suggest.problem import IntArray, Problem, Step

OFTEN = 0.2  # of the records: a label that a step may leave as it is
MOST = 3  # labels that a step leaves as they are


@dataclass(frozen=True, slots=True)
class Menu:
    steps: tuple[Step, ...]
    frequent: dict[tuple[int, int], tuple[int, ...]]  # labels that a step of column and level may leave

    def variants(self, step: Step) -> list[Step]:
        """Other steps of the same column, and the step with one more or one fewer label left as it is."""
        same = [each for each in self.steps if each.column == step.column]
        toggled = (set(step.but) ^ {label} for label in self.frequent[step.column, step.level])
        some = [Step(step.column, step.level, tuple(sorted(but))) for but in toggled if len(but) <= MOST]
        return [each for each in dict.fromkeys((*same, *some)) if each != step]


def full_menu(problem: Problem) -> Menu:
    steps: list[Step] = []
    frequent = {}
    for column, ladder in enumerate(problem.ladders):
        records = _records(problem, column) if column in problem.named else np.zeros(0, np.int64)
        for level, up in enumerate(ladder.up, start=1):
            often = [label for label in _frequent(records, problem.records) if up[label] != label]
            frequent[column, level] = tuple(often)
            steps += [Step(column, level), *(Step(column, level, (label,)) for label in often)]
    return Menu(tuple(steps), frequent)


def top_menu(problem: Problem) -> Menu:
    """The last level of each column alone."""
    steps = tuple(Step(column, len(ladder.up)) for column, ladder in enumerate(problem.ladders) if ladder.up)
    return Menu(steps, {(step.column, step.level): () for step in steps})


def _records(problem: Problem, column: int) -> IntArray:
    """Records of each label, at the level where it has most."""
    ladder = problem.ladders[column]
    values = np.zeros(len(ladder.labels), np.int64)
    np.add.at(values, problem.combinations[:, column], problem.counts)
    most = values
    for up in ladder.up:
        level = np.zeros_like(values)
        np.add.at(level, np.asarray(up, np.int64), values)
        most = np.maximum(most, level)
    return most


def _frequent(records: IntArray, total: int) -> list[int]:
    """Labels, the most frequent first."""
    order = np.argsort(-records, kind="stable")
    return [int(label) for label in order if records[label] >= OFTEN * total]
