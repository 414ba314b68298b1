"""Law: outcomes, and the states of both boards, are those of a cascade performed record by record."""

from dataclasses import replace
from random import Random

import pytest

from acompass.suggest.problem import Problem, Step
from acompass.suggest.search import evaluate
from acompass.suggest.search.board import OVER, Board, State
from acompass.suggest.search.marks import Bits, Lists, Marks
from acompass.suggest.search.narrow import NarrowBoard, fits
from acompass.suggest.search.wide import WideBoard
from tests.suggest.problems import problem_of, random_ladder, random_problem, random_steps, released

SEEDS = range(150)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_outcome_is_what_happens_to_each_record(seed: int) -> None:
    random = Random(seed)
    problem = random_problem(random)
    always = tuple(step._replace(but=()) for step in random_steps(random, problem, 1))
    steps = random_steps(random, problem, 6)
    expected = released(problem, always, steps)
    outcome = evaluate(problem, always, steps)
    assert list(outcome.affected) == expected.affected
    assert outcome.dropped == expected.dropped
    assert outcome.loss == pytest.approx(expected.loss, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_states_of_a_board_are_outcomes(seed: int) -> None:
    random = Random(seed)
    problem = random_problem(random, most_dropped=60)
    steps = random_steps(random, problem, 8)
    for board in _boards(problem):
        assert _lefts(board, steps) == _affected(problem, steps)
        assert board.loss(_last(board, steps)) == pytest.approx(evaluate(problem, (), steps).loss, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_labels_need_more_than_one_word(seed: int) -> None:
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}", values=40) for column in range(12)]
    rows = [tuple(random.randrange(2) for _ in ladders) for _ in range(300)]
    problem = problem_of(ladders, rows, [0] * 300, k=3, l=None, most_dropped=300)
    assert not fits(problem)
    steps = random_steps(random, problem, 12)
    board = WideBoard(problem)
    assert _lefts(board, steps) == _affected(problem, steps)


@pytest.mark.parametrize("kind", [Bits, Lists])
@pytest.mark.parametrize("seed", range(60))
def test_values_of_any_number_are_counted_exactly(seed: int, kind: type[Marks]) -> None:
    """Few records of a class share a value, and values that are 256 apart are common."""
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}") for column in range(3)]
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(120)]
    largest = 255 if kind is Bits else 100_000
    values = [random.choice([random.randrange(3), random.randint(0, largest), largest]) for _ in rows]
    values = [value - value % 256 if kind is Lists else value for value in values]
    most = random.randint(2, 5)
    problem = problem_of(ladders, rows, [*values[:-1], largest], k=2, l=most, most_dropped=120)
    steps = random_steps(random, problem, 8)
    board = WideBoard(problem)
    assert type(board.start.marks[0]) is kind
    assert _lefts(board, steps) == _affected(problem, steps)
    assert evaluate(problem, (), steps).dropped == released(problem, (), steps).dropped


def test_a_kept_column_is_dearer_and_too_many_dropped_are_dearer_than_any_loss() -> None:
    problem = random_problem(Random(3), k=100, l=None, most_dropped=0)
    assert NarrowBoard(problem).loss(NarrowBoard(problem).start) > OVER
    lenient = replace(problem, most_dropped=60)
    kept = replace(lenient, keep=frozenset({0}))
    assert NarrowBoard(kept).loss(NarrowBoard(kept).start) > NarrowBoard(lenient).loss(
        NarrowBoard(lenient).start
    )


def _boards(problem: Problem) -> list[Board]:
    return [WideBoard(problem), *([NarrowBoard(problem)] if fits(problem) else [])]


def _affected(problem: Problem, steps: tuple[Step, ...]) -> list[int]:
    """Records that violate before each step, those with labels that it leaves included."""
    return [evaluate(problem, (), steps[:place]).dropped for place in range(len(steps) + 1)]


def _lefts(board: Board, steps: tuple[Step, ...]) -> list[int]:
    states = [board.start]
    for step in steps:
        states.append(board.after(states[-1], step))
    return [state.left for state in states]


def _last(board: Board, steps: tuple[Step, ...]) -> State:
    state = board.start
    for step in steps:
        state = board.after(state, step)
    return state
