"""Random problems, and what a cascade does to their records one by one: obvious rather than fast."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from random import Random

import numpy as np

from acompass.propose.ladder import Ladder
from acompass.suggest.problem import Problem, Sensitive, Step


def random_problem(random: Random, columns: int = 3, records: int = 60, **changes: object) -> Problem:
    ladders = tuple(random_ladder(random, f"c{column}") for column in range(columns))
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(records)]
    values = [random.randrange(4) for _ in rows]
    with_l = random.random() < 0.5
    given = {
        "k": random.randint(1, 6),
        "l": random.randint(1, 3) if with_l else None,
        "most_dropped": random.choice([0, 2, records]),
        "named": frozenset(range(columns)),
    }
    return problem_of(ladders, rows, values, **(given | changes))  # type: ignore[arg-type]


def problem_of(
    ladders: Sequence[Ladder],
    rows: Sequence[tuple[int, ...]],
    values: Sequence[int],
    *,
    k: int,
    l: int | None,  # noqa: E741
    most_dropped: int,
    **more: object,
) -> Problem:
    counts = Counter(rows)
    places = {row: place for place, row in enumerate(counts)}
    pairs = Counter((places[row], value) for row, value in zip(rows, values, strict=True))
    sensitive = Sensitive(
        np.array([row for row, _ in pairs], np.int64),
        np.array([value for _, value in pairs], np.int64),
        np.array(list(pairs.values()), np.int64),
    )
    return Problem(
        tuple(ladders),
        np.array(list(counts), np.int64).reshape(len(counts), len(ladders)),
        np.array(list(counts.values()), np.int64),
        () if l is None else (sensitive,),
        k,
        l,
        most_dropped,
        **more,  # type: ignore[arg-type]
    )


def random_ladder(random: Random, column: str, values: int | None = None) -> Ladder:
    """Levels that merge labels of the level below; a label that is alone may keep its name."""
    texts = [f"{column}v{value}" for value in range(values or random.randint(2, 5))]
    levels = [texts]
    for level in range(random.randint(0, 2)):
        levels.append(_merged(random, levels[-1], f"{column}l{level}"))
    levels.append(["*"] * len(texts))
    labels = list(dict.fromkeys(label for each in levels for label in each))
    lowest = {label: next(n for n, each in enumerate(levels) if label in each) for label in labels}
    return Ladder(
        column,
        (),
        tuple(labels),
        len(texts),
        tuple(
            tuple(labels.index(_lifted(levels, lowest[label], level, label)) for label in labels)
            for level in range(1, len(levels))
        ),
        tuple(levels[lowest[label]].count(label) for label in labels),
        len(texts),
        "random",
    )


def _merged(random: Random, below: list[str], name: str) -> list[str]:
    groups = {label: random.randrange(3) for label in dict.fromkeys(below)}
    alone = {label for label, group in groups.items() if list(groups.values()).count(group) == 1}
    kept = {label for label in alone if random.random() < 0.5}
    return [label if label in kept else f"{name}g{groups[label]}" for label in below]


def _lifted(levels: list[list[str]], lowest: int, level: int, label: str) -> str:
    return label if lowest >= level else levels[level][levels[lowest].index(label)]


def random_steps(random: Random, problem: Problem, most: int) -> tuple[Step, ...]:
    steps = []
    for _ in range(random.randint(0, most)):
        column = random.randrange(len(problem.ladders))
        ladder = problem.ladders[column]
        but = random.sample(range(len(ladder.labels)), random.choice([0, 0, 1, 2]))
        steps.append(Step(column, random.randint(1, len(ladder.up)), tuple(sorted(but))))
    return tuple(steps)


@dataclass(frozen=True)
class Release:
    affected: list[int]
    records: list[tuple[int, ...]]
    dropped: int
    loss: float


def released(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Release:
    """Record after record, as the language says: V before each step, and what is left of V dropped."""
    records = _records(problem)
    for step in always:
        records = [(_generalized(problem, step, row), values) for row, values in records]
    affected = []
    for step in steps:
        bad = _violating(problem, records)
        hit = [row in bad and row[step.column] not in step.but for row, _ in records]
        affected.append(sum(hit))
        records = [
            (_generalized(problem, step, row) if is_hit else row, values)
            for (row, values), is_hit in zip(records, hit, strict=True)
        ]
    bad = _violating(problem, records)
    kept = [row for row, _ in records if row not in bad]
    dropped = len(records) - len(kept)
    return Release([*affected, dropped], kept, dropped, _loss(problem, kept, dropped))


def _records(problem: Problem) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Each record's labels and its sensitive values."""
    values: dict[int, list[int]] = defaultdict(list)
    for each in problem.sensitive:
        for row, value, count in zip(each.rows, each.values, each.counts, strict=True):
            values[int(row)] += [int(value)] * int(count)
    found = []
    for place, (row, count) in enumerate(zip(problem.combinations, problem.counts, strict=True)):
        for number in range(int(count)):
            own = (values[place][number],) if problem.sensitive else ()
            found.append((tuple(int(label) for label in row), own))
    return found


def _generalized(problem: Problem, step: Step, row: tuple[int, ...]) -> tuple[int, ...]:
    label = problem.ladders[step.column].up[step.level - 1][row[step.column]]
    return (*row[: step.column], label, *row[step.column + 1 :])


def _violating(
    problem: Problem, records: list[tuple[tuple[int, ...], tuple[int, ...]]]
) -> set[tuple[int, ...]]:
    sizes = Counter(row for row, _ in records)
    seen = defaultdict(set)
    for row, values in records:
        seen[row].update(values)
    return {
        row
        for row, size in sizes.items()
        if size < problem.k or (problem.l is not None and len(seen[row]) < problem.l)
    }


def _loss(problem: Problem, kept: list[tuple[int, ...]], dropped: int) -> float:
    losses = []
    for column, ladder in enumerate(problem.ladders):
        shares = sum(ladder.sizes[row[column]] / ladder.rows for row in kept) + dropped
        mean = shares / (len(kept) + dropped)
        lowest = 1 / ladder.rows
        losses.append(max(0.0, (mean - lowest) / (1 - lowest)))
    return prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1
