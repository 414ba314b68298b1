"""What a search promises: k and l, few dropped where that can be, few lines, one answer to one question."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from acompass.suggest.problem import Found, Outcome, Problem, Step
from acompass.suggest.search import Style, curve, evaluate, search
from acompass.suggest.search import uniform as uniform_module
from tests.suggest.problems import problem_of, random_ladder, random_problem, released

STYLES: tuple[Style, ...] = ("cascade", "uniform", "stars")


def found_for(problem: Problem, style: Style = "cascade", lines: int = 12) -> Found:
    return search(problem, style, lines, None, lambda: False, lambda done, loss: None)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", range(12))
def test_a_found_policy_keeps_its_promises(style: Style, seed: int) -> None:
    problem = random_problem(Random(seed))
    found = found_for(problem, style)
    release = released(problem, found.always, found.steps)
    assert found.outcome == evaluate(problem, found.always, found.steps)
    assert all(count >= problem.k for count in Counter(release.records).values())
    assert len(found.always) + len(found.steps) + 1 <= 12
    assert found.outcome.dropped <= problem.most_dropped or _top(problem).dropped > problem.most_dropped


@pytest.mark.parametrize("seed", range(12))
def test_few_lines_drop_few_records_where_any_chain_does(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=30, most_dropped=1)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).dropped for n in range(3) for chain in product(menu, repeat=n))
    found = found_for(problem, lines=3)
    assert len(found.steps) <= 2
    assert found.outcome.dropped <= 1 or least > 1


@pytest.mark.parametrize("seed", range(20))
def test_a_cascade_is_the_best_of_short_chains(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=40, named=frozenset(), most_dropped=40)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).loss for n in range(4) for chain in product(menu, repeat=n))
    assert found_for(problem, lines=4).outcome.loss == pytest.approx(least)


@pytest.mark.parametrize("seed", range(20))
def test_uniform_levels_are_the_best_of_all(seed: int) -> None:
    problem = random_problem(Random(seed))
    allowed = [outcome for outcome in _uniform(problem) if outcome.dropped <= problem.most_dropped]
    found = found_for(problem, "uniform").outcome
    if allowed:
        assert found.loss == pytest.approx(min(outcome.loss for outcome in allowed))
        assert found.dropped <= problem.most_dropped


def test_too_many_vectors_of_levels_are_walked_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uniform_module, "MOST_VECTORS", 1)
    problem = random_problem(Random(7), most_dropped=0, k=3, l=None)
    found = found_for(problem, "uniform").outcome
    assert found.dropped == 0
    assert found.loss < _top(problem).loss


def test_columns_to_keep_lose_less() -> None:
    problem = random_problem(Random(5), columns=4, records=200, k=4, l=None, most_dropped=0)
    plain = found_for(problem).outcome.per_column
    for column, loss in enumerate(plain):
        kept = found_for(replace(problem, keep=frozenset({column}))).outcome.per_column[column]
        assert kept <= loss
    assert any(
        found_for(replace(problem, keep=frozenset({column}))).outcome.per_column[column] < loss
        for column, loss in enumerate(plain)
    )


def test_labels_are_left_only_where_a_policy_may_name_them() -> None:
    """A frequent value is worth leaving; nobody may say so of a column that is read as numbers."""
    gains = []
    for seed in range(8):
        random = Random(seed)
        ladders = [random_ladder(random, f"c{column}", values=5) for column in range(3)]
        rows = [tuple(min(random.randrange(12), 4) for _ in ladders) for _ in range(400)]
        problem = problem_of(ladders, rows, [0] * 400, k=8, l=None, most_dropped=5, named=frozenset({0}))
        found = found_for(problem)
        unnamed = found_for(replace(problem, named=frozenset()))
        assert {step.column for step in found.steps if step.but} <= {0}
        assert not any(step.but for step in unnamed.steps)
        gains.append(unnamed.outcome.loss - found.outcome.loss)
    assert max(gains) > 0.001


@pytest.mark.parametrize("style", STYLES)
def test_the_same_question_has_the_same_answer(style: Style) -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    assert found_for(problem, style) == found_for(problem, style)


@pytest.mark.parametrize("style", STYLES)
def test_a_search_that_is_stopped_at_once_still_drops_few(style: Style) -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    found = search(problem, style, 12, None, lambda: True, lambda done, loss: None)
    assert not found.finished
    assert found.outcome.dropped == 0


def test_no_time_is_too_little_time() -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    assert not search(problem, "cascade", 12, 0.0, lambda: False, lambda done, loss: None).finished


def test_progress_rises_and_the_loss_falls() -> None:
    told: list[tuple[float, float]] = []
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    search(problem, "cascade", 12, None, lambda: False, lambda done, loss: told.append((done, loss)))
    assert told == sorted(told, key=lambda each: each[0])
    assert [loss for _, loss in told] == sorted((loss for _, loss in told), reverse=True)
    assert all(0 <= done <= 1 for done, _ in told)


def test_more_lines_lose_less() -> None:
    problem = random_problem(Random(5), columns=4, records=300, k=5, l=None, most_dropped=3)
    points = curve(problem, "cascade", None, lambda: False, lambda done, loss: None)
    lines = [len(found.steps) + 1 for found in points]
    worth = [(max(0, found.outcome.dropped - 3), found.outcome.loss) for found in points]
    assert len(points) > 1
    assert lines == sorted(set(lines))
    assert worth == sorted(set(worth), reverse=True)


def test_one_line_only_drops() -> None:
    problem = random_problem(Random(1), most_dropped=60)
    assert found_for(problem, lines=1).steps == ()


def test_nothing_to_do() -> None:
    problem = random_problem(Random(1), k=1, l=None)
    found = found_for(problem)
    assert found.steps == ()
    assert found.outcome.loss == 0


def _top(problem: Problem) -> Outcome:
    return evaluate(problem, _levels([len(ladder.up) for ladder in problem.ladders]), ())


def _uniform(problem: Problem) -> list[Outcome]:
    heights = [range(len(ladder.up) + 1) for ladder in problem.ladders]
    return [evaluate(problem, _levels(levels), ()) for levels in product(*heights)]


def _levels(levels: Iterable[int]) -> tuple[Step, ...]:
    return tuple(Step(column, level) for column, level in enumerate(levels) if level)
