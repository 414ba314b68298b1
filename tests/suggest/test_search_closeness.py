"""Law: t-closeness is the largest distance between a class and the whole release, by its definition."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from acompass.suggest.problem import Found, Problem
from acompass.suggest.search import Style, evaluate, search
from acompass.suggest.search.closeness import is_close
from tests.suggest.problems import problem_of, random_ladder


def a_problem(seed: int, t: Fraction) -> Problem:
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}") for column in range(2)]
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(60)]
    values = [min(sum(row), random.randrange(4)) for row in rows]
    return replace(problem_of(ladders, rows, values, k=2, l=1, most_dropped=0), t=t)


def distance(problem: Problem) -> Fraction:
    """Of a table of which nothing is dropped."""
    sensitive = problem.sensitive[0]
    total: Counter[int] = Counter()
    classes: dict[int, Counter[int]] = {}
    for row, value, count in zip(sensitive.rows, sensitive.values, sensitive.counts, strict=True):
        total[int(value)] += int(count)
        classes.setdefault(int(row), Counter())[int(value)] += int(count)
    return max(_apart(each, total) for each in classes.values())


def _apart(one: Counter[int], other: Counter[int]) -> Fraction:
    values = set(one) | set(other)
    shares = [abs(Fraction(one[v], one.total()) - Fraction(other[v], other.total())) for v in values]
    return sum(shares, Fraction(0)) / 2


@pytest.mark.parametrize("seed", range(20))
def test_a_table_is_as_close_as_its_furthest_class(seed: int) -> None:
    exact = distance(replace(a_problem(seed, Fraction(1)), k=1))
    assert is_close(replace(a_problem(seed, exact), k=1), (), ())
    assert not is_close(replace(a_problem(seed, exact - Fraction(1, 10**6)), k=1), (), ())


def found_for(problem: Problem, style: Style = "cascade") -> Found:
    return search(problem, style, 12, None, lambda: False, lambda done, loss: None)


@pytest.mark.parametrize("seed", range(10))
def test_what_is_found_is_close_and_loses_no_more_than_levels_for_all(seed: int) -> None:
    problem = a_problem(seed, Fraction(1, 10))
    found, for_all = found_for(problem), found_for(problem, "uniform")
    asserted = replace(problem, k=found.k)
    assert found.k >= problem.k
    assert is_close(asserted, found.always, found.steps)
    assert found.outcome == evaluate(asserted, found.always, found.steps)
    assert found.outcome.loss <= for_all.outcome.loss


def test_classes_of_more_records_than_asked_are_tried() -> None:
    """Two thirds of the records are of a few frequent combinations, which need no change."""
    raised = []
    for seed in range(6):
        random = Random(seed)
        ladders = [random_ladder(random, f"c{column}", values=8) for column in range(2)]
        rows = [tuple(int(8 * random.random() ** 3) for _ in ladders) for _ in range(600)]
        values = [random.randrange(4) for _ in rows]
        problem = replace(problem_of(ladders, rows, values, k=2, l=1, most_dropped=0), t=Fraction(1, 5))
        found, for_all = found_for(problem), found_for(problem, "uniform")
        raised.append(found.k > 2 and found.outcome.loss < for_all.outcome.loss)
    assert any(raised)


def test_a_search_that_is_stopped_at_once_is_close() -> None:
    problem = a_problem(3, Fraction(1, 10))
    found = search(problem, "cascade", 12, None, lambda: True, lambda done, loss: None)
    assert not found.finished
    assert is_close(replace(problem, k=found.k), found.always, found.steps)
