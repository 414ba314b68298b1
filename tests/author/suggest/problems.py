"""Random search problems, and a slow, obvious reference for the effect of a cascade on each record."""

import csv
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import acompass
from acompass.author.suggest.search_problem import Found, Problem, Sensitive, Step, evaluate
from acompass.language.text.formatter import format_program
from acompass.measure.levels import ColumnLevels
from acompass.policy import Policy


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
        "persons": [random.randrange(records // 2) for _ in rows] if random.random() < 0.3 else None,
    }
    return make_problem(ladders, rows, values, **(given | changes))  # type: ignore[arg-type]


def make_problem(
    ladders: Sequence[ColumnLevels],
    rows: Sequence[tuple[int, ...]],
    values: Sequence[int],
    *,
    k: int,
    l: int | None,  # noqa: E741
    most_dropped: int,
    persons: Sequence[int] | None = None,
    **more: object,
) -> Problem:
    counts = Counter(rows)
    places = {row: place for place, row in enumerate(counts)}

    def pairs_with(values: Sequence[int]) -> Sensitive:
        pairs = Counter((places[row], value) for row, value in zip(rows, values, strict=True))
        return Sensitive(
            np.array([row for row, _ in pairs], np.int64),
            np.array([value for _, value in pairs], np.int64),
            np.array(list(pairs.values()), np.int64),
        )

    return Problem(
        tuple(ladders),
        np.array(list(counts), np.int64).reshape(len(counts), len(ladders)),
        np.array(list(counts.values()), np.int64),
        () if l is None else (pairs_with(values),),
        k,
        l,
        most_dropped,
        persons=None if persons is None else pairs_with(persons),
        **more,  # type: ignore[arg-type]
    )


def random_ladder(random: Random, column: str, values: int | None = None) -> ColumnLevels:
    """Levels that merge labels of the level below; a label that merges with no other may keep its name."""
    texts = [f"{column}v{value}" for value in range(values or random.randint(2, 5))]
    levels = [texts]
    for level in range(random.randint(0, 2)):
        levels.append(_merge(random, levels[-1], f"{column}l{level}"))
    levels.append(["*"] * len(texts))
    labels = list(dict.fromkeys(label for each in levels for label in each))
    lowest = {label: next(n for n, each in enumerate(levels) if label in each) for label in labels}
    return ColumnLevels(
        column,
        (),
        tuple(labels),
        len(texts),
        tuple(
            tuple(labels.index(_lift(levels, lowest[label], level, label)) for label in labels)
            for level in range(1, len(levels))
        ),
        tuple(levels[lowest[label]].count(label) for label in labels),
        len(texts),
        "random",
    )


def _merge(random: Random, below: list[str], name: str) -> list[str]:
    groups = {label: random.randrange(3) for label in dict.fromkeys(below)}
    alone = {label for label, group in groups.items() if list(groups.values()).count(group) == 1}
    kept = {label for label in alone if random.random() < 0.5}
    return [label if label in kept else f"{name}g{groups[label]}" for label in below]


def _lift(levels: list[list[str]], lowest: int, level: int, label: str) -> str:
    return label if lowest >= level else levels[level][levels[lowest].index(label)]


def random_steps(random: Random, problem: Problem, most: int) -> tuple[Step, ...]:
    steps = []
    for _ in range(random.randint(0, most)):
        column = random.randrange(len(problem.ladders))
        ladder = problem.ladders[column]
        but = random.sample(range(len(ladder.labels)), random.choice([0, 0, 1, 2]))
        steps.append(Step(column, random.randint(1, len(ladder.up)), tuple(sorted(but))))
    return tuple(steps)


#: a record's labels, and its value in each column whose distinct values the goal counts, persons first
LabeledRecord = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Release:
    affected: list[int]
    records: list[tuple[int, ...]]
    dropped: int
    loss: float
    cells_changed: int
    smallest: int | None  # records of the smallest class, or its persons


def apply_steps(problem: Problem, always: Sequence[Step], steps: Sequence[Step]) -> Release:
    """Apply each step to the affected bag V, record by record, and drop V at the end, as the language defines."""
    records = _records(problem)
    for step in always:
        records = [(_generalize(problem, step, row), values) for row, values in records]
    affected = []
    for step in steps:
        bad = _violating(problem, records)
        hit = [row in bad and row[step.column] not in step.but for row, _ in records]
        affected.append(sum(hit))
        records = [
            (_generalize(problem, step, row) if is_hit else row, values)
            for (row, values), is_hit in zip(records, hit, strict=True)
        ]
    bad = _violating(problem, records)
    kept = [row for row, _ in records if row not in bad]
    dropped = len(records) - len(kept)
    changed = sum(
        old != new
        for (before, _), (after, _) in zip(_records(problem), records, strict=True)
        for old, new in zip(before, after, strict=True)
        if after not in bad
    )
    smallest = _smallest(problem, [each for each in records if each[0] not in bad])
    return Release([*affected, dropped], kept, dropped, _loss(problem, kept, dropped), changed, smallest)


def _smallest(problem: Problem, released: list[LabeledRecord]) -> int | None:
    classes = defaultdict(list)
    for row, values in released:
        classes[row].append(values)
    if problem.persons is None:
        return min(map(len, classes.values()), default=None)
    return min((len({person for person, *_ in each}) for each in classes.values()), default=None)


def _records(problem: Problem) -> list[LabeledRecord]:
    goals = [_values_by_row(each) for each, _ in problem.distinct_goals]
    return [
        (tuple(int(label) for label in row), tuple(values[place][number] for values in goals))
        for place, (row, count) in enumerate(zip(problem.combinations, problem.counts, strict=True))
        for number in range(int(count))
    ]


def _values_by_row(column: Sensitive) -> dict[int, list[int]]:
    values: dict[int, list[int]] = defaultdict(list)
    for row, value, count in zip(column.rows, column.values, column.counts, strict=True):
        values[int(row)] += [int(value)] * int(count)
    return values


def _generalize(problem: Problem, step: Step, row: tuple[int, ...]) -> tuple[int, ...]:
    label = problem.ladders[step.column].up[step.level - 1][row[step.column]]
    return (*row[: step.column], label, *row[step.column + 1 :])


def _violating(problem: Problem, records: list[LabeledRecord]) -> set[tuple[int, ...]]:
    classes = defaultdict(list)
    for row, values in records:
        classes[row].append(values)
    least = [problem.k if column is problem.persons else problem.l or 1 for column, _ in problem.distinct_goals]
    return {
        row
        for row, members in classes.items()
        if len(members) < problem.k
        or any(len(set(values)) < number for values, number in zip(zip(*members, strict=True), least, strict=True))
    }


def _loss(problem: Problem, kept: list[tuple[int, ...]], dropped: int) -> float:
    losses = []
    for column, ladder in enumerate(problem.ladders):
        shares = sum(ladder.sizes[row[column]] / ladder.rows for row in kept) + dropped
        mean = shares / (len(kept) + dropped)
        lowest = 1 / ladder.rows
        losses.append(max(0.0, (mean - lowest) / (1 - lowest)))
    return prod(1 + loss for loss in losses) ** (1 / len(losses)) - 1


AGES = [str(age) for age in range(17, 60, 3)]
DECIMALS = ["0", "0.5", "0.50", "1", "1.0", "1.25", "2.75", "3", "3.0", "4.5", "12.5", "13"]
FRACTIONS = ["0.5", "0.50", "1.0", "1.25", "2.75", "3.0"]
CODES = ["21000", "21001", "21012", "21100", "21212", "20001", "20002", "20030", "02139", "02140"]
DATES = ["2018-01-02", "2018-01-30", "2018-02-01", "2018-11-05", "2019-01-02", "2020-06-30"]
WORDS = ["flu", "asthma", "it's", 'a "b"', "x,y", "*", " ü "]

#: the hierarchy of WORDS, without the `*`
HIERARCHY = [
    ("flu", "lung", "body", "any"),
    ("asthma", "lung", "body", "any"),
    ("it's", "mind", "mind", "any"),
    ('a "b"', "mind", "mind", "any"),
    ("x,y", "other", "other", "any"),
    (" ü ", "other", "other", "any"),
    ("never seen", "other", "other", "any"),
]


@dataclass(frozen=True)
class RandomColumn:
    """A column of a random table: its name, the values to draw from, and levels that fit them."""

    name: str
    values: Sequence[str]
    levels: Sequence[str | None]

    @property
    def has_two_spellings(self) -> bool:
        return self.values in (DECIMALS, FRACTIONS)


COLUMNS = (
    RandomColumn("age", AGES, [None, "bands:5", "bands:5,10,20", "bands:7,21", "prefix:1"]),
    RandomColumn("in come", DECIMALS, [None, "bands:1,5"]),
    RandomColumn("share", FRACTIONS, [None, "bands:0.5,1,5"]),
    RandomColumn("zip", CODES, [None, "prefix:4,2", "prefix:3"]),
    RandomColumn("Group", DATES, [None, "dates"]),
    RandomColumn("n", WORDS, [None, "words.csv"]),
)


def write_table(random: Random, folder: Path, columns: Sequence[RandomColumn], records: int) -> Path:
    """Write a table with these columns and a sensitive one. Few values occur, so that classes are large."""
    chosen = [random.sample(column.values, random.randint(1, len(column.values))) for column in columns]
    rows = [[*map(random.choice, chosen), random.choice(["a", "b", "c"])] for _ in range(records)]
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*(column.name for column in columns), "d"], *rows])
    with (folder / "words.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(HIERARCHY)
    return path


def any_steps(random: Random, style: str) -> Any:
    """A search that returns random steps of a style, with their true outcome."""

    def search(problem: Problem, *_: object) -> Found:
        steps = _rising(random, problem, random.randint(0, 6))
        cut = {"cascade": 0, "uniform": len(steps)}.get(style, len(steps) // 2)
        always, chain = tuple(step._replace(but=()) for step in steps[:cut]), steps[cut:]
        return Found(always, chain, evaluate(problem, always, chain), True, problem.k)

    return search


def _rising(random: Random, problem: Problem, count: int) -> tuple[Step, ...]:
    """Steps to higher and higher levels of a column, as the language requires."""
    reached = [0] * len(problem.ladders)
    steps = []
    for _ in range(count):
        column = random.randrange(len(reached))
        levels = range(reached[column] + 1, len(problem.ladders[column].maps) + 1)
        if levels:
            reached[column] = random.choice(levels)
            steps.append(Step(column, reached[column], _but(random, problem, column)))
    return tuple(steps)


def _but(random: Random, problem: Problem, column: int) -> tuple[int, ...]:
    """Labels that a step leaves unchanged, if WHERE can name them; mostly none."""
    if column not in problem.named or random.random() < 0.5:
        return ()
    labels = range(len(problem.ladders[column].labels))
    return tuple(sorted(random.sample(labels, min(random.randint(1, 2), len(labels)))))


def assert_tidy(policy: Policy, *, may_idle: bool = False) -> None:
    """`may_idle` allows a step that changes nothing (AC512), as among random steps."""
    assert format_program(policy.text) == policy.text
    assert max(map(len, policy.text.splitlines())) <= 100
    found = {finding.code for finding in acompass.lint(policy)}
    assert found <= ({"AC512"} if may_idle else set())
    assert {claim.verdict for claim in acompass.prove(policy).claims} == {"proved"}
