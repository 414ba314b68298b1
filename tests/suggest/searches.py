"""Tables to search, and a search that finds any steps at all, so that tests do not depend on the real one."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from acompass.suggest.problem import Found, Problem, Step
from acompass.suggest.search import evaluate

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
class Drawn:
    """A column of a random table: its name, the values to draw from, and levels that fit them."""

    name: str
    values: Sequence[str]
    levels: Sequence[str | None]

    @property
    def has_two_spellings(self) -> bool:
        return self.values in (DECIMALS, FRACTIONS)


COLUMNS = (
    Drawn("age", AGES, [None, "bands:5", "bands:5,10,20", "bands:7,21", "prefix:1"]),
    Drawn("in come", DECIMALS, [None, "bands:1,5"]),
    Drawn("share", FRACTIONS, [None, "bands:0.5,1,5"]),
    Drawn("zip", CODES, [None, "prefix:4,2", "prefix:3"]),
    Drawn("Group", DATES, [None, "dates"]),
    Drawn("n", WORDS, [None, "words.csv"]),
)


def write_table(random: Random, folder: Path, columns: Sequence[Drawn], records: int) -> Path:
    """A table with these columns and a sensitive one. Few of the values occur, so that classes are large."""
    chosen = [random.sample(column.values, random.randint(1, len(column.values))) for column in columns]
    rows = [[*map(random.choice, chosen), random.choice(["a", "b", "c"])] for _ in range(records)]
    path = folder / "table.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([[*(column.name for column in columns), "d"], *rows])
    with (folder / "words.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(HIERARCHY)
    return path


def any_steps(random: Random, style: str) -> Any:
    """A search that finds random steps of a style, with their true outcome."""

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
        levels = range(reached[column] + 1, len(problem.ladders[column].rungs) + 1)
        if levels:
            reached[column] = random.choice(levels)
            steps.append(Step(column, reached[column], _but(random, problem, column)))
    return tuple(steps)


def _but(random: Random, problem: Problem, column: int) -> tuple[int, ...]:
    """Labels that a step leaves, where a WHERE can name them; mostly none."""
    if column not in problem.named or random.random() < 0.5:
        return ()
    labels = range(len(problem.ladders[column].labels))
    return tuple(sorted(random.sample(labels, min(random.randint(1, 2), len(labels)))))
