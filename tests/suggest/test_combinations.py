"""The combinations that an engine counts, however they are packed and fetched."""

import csv
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest

import acompass
from acompass.plan.running import combinations
from acompass.suggest import flow
from acompass.suggest.problem import Found, Problem
from acompass.suggest.search import evaluate

COLUMNS = ("a", "b", "c")


@pytest.fixture
def records(tmp_path: Path) -> list[tuple[str, ...]]:
    random = Random(3)
    found = [
        (*(str(random.randint(0, 4)) for _ in COLUMNS), random.choice("xyz"), random.choice("uv"))
        for _ in range(200)
    ]
    with (tmp_path / "table.csv").open("w", newline="") as file:
        csv.writer(file).writerows([(*COLUMNS, "s", "t"), *found])
    return found


def _problem(path: Path) -> Problem:
    """What a search of the table is given."""
    seen: list[Problem] = []

    def search(problem: Problem, *_: Any) -> Found:
        seen.append(problem)
        return Found((), (), evaluate(problem, (), ()), True, problem.k)

    with patch.object(flow, "search", search):
        acompass.suggest(str(path), COLUMNS, 2, sensitive=["s", "t"], l=2, max_lost="100%")
    return seen[0]


@pytest.mark.parametrize(("largest", "at_once"), [(2**62, 1_000_000), (30, 1_000_000), (2**62, 7), (6, 50)])
def test_every_combination_is_counted_once(
    records: list[tuple[str, ...]], tmp_path: Path, largest: int, at_once: int
) -> None:
    with patch.object(combinations, "LARGEST", largest), patch.object(combinations, "AT_ONCE", at_once):
        problem = _problem(tmp_path / "table.csv")
    texts = [
        tuple(ladder.labels[code] for ladder, code in zip(problem.ladders, row, strict=True))
        for row in problem.combinations
    ]
    assert dict(zip(texts, problem.counts.tolist(), strict=True)) == Counter(each[:3] for each in records)
    assert len(set(texts)) == len(texts)
    for column, sensitive in enumerate(problem.sensitive, start=3):
        expected = Counter(
            (each[:3], sorted({r[column] for r in records}).index(each[column])) for each in records
        )
        pairs = zip((texts[row] for row in sensitive.rows), sensitive.values.tolist(), strict=True)
        assert dict(zip(pairs, sensitive.counts.tolist(), strict=True)) == expected
