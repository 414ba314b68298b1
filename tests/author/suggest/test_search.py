"""What a search promises: k and l, few dropped where that can be, few lines, one answer to one question."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

import acompass
from acompass.author.suggest import search as uniform_module
from acompass.author.suggest.search import Style, curve, search
from acompass.author.suggest.search_problem import Found, Outcome, Problem, Step, evaluate, is_close
from acompass.author.suggest.search_state import (
    OVER,
    BitSets,
    NarrowSpace,
    SearchSpace,
    State,
    ValueLists,
    ValueSets,
    WideSpace,
    fits,
)
from tests.author.suggest.problems import (
    COLUMNS,
    assert_tidy,
    problem_of,
    random_ladder,
    random_problem,
    random_steps,
    released,
    write_table,
)
from tests.folding import folded
from tests.length import at_length

STYLES: tuple[Style, ...] = ("cascade", "uniform", "stars")


def found_for(problem: Problem, style: Style = "cascade", lines: int = 12) -> Found:
    return search(problem, style, lines, None, lambda: False, lambda done, loss: None)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.campaign
@folded("seed", range(at_length(5)))
def test_a_found_policy_keeps_its_promises(style: Style, seed: int) -> None:
    problem = random_problem(Random(seed))
    found = found_for(problem, style)
    release = released(problem, found.always, found.steps)
    assert found.outcome == evaluate(problem, found.always, found.steps)
    assert all(count >= problem.k for count in Counter(release.records).values())
    assert len(found.always) + len(found.steps) + 1 <= 12
    assert found.outcome.dropped <= problem.most_dropped or _top(problem).dropped > problem.most_dropped


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_few_lines_drop_few_records_where_any_chain_does(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=30, most_dropped=1)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).dropped for n in range(3) for chain in product(menu, repeat=n))
    found = found_for(problem, lines=3)
    assert len(found.steps) <= 2
    assert found.outcome.dropped <= 1 or least > 1


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_a_cascade_is_the_best_of_short_chains(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=40, named=frozenset(), most_dropped=40)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).loss for n in range(4) for chain in product(menu, repeat=n))
    assert found_for(problem, lines=4).outcome.loss == pytest.approx(least)


@pytest.mark.campaign
@folded("seed", range(at_length(8)))
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


@pytest.mark.slow
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


SEEDS = range(150)


@pytest.mark.campaign
@folded("seed", range(at_length(50)))
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


@pytest.mark.campaign
@folded("seed", range(at_length(50)))
def test_the_states_of_a_search_space_are_outcomes(seed: int) -> None:
    random = Random(seed)
    problem = random_problem(random, most_dropped=60)
    steps = random_steps(random, problem, 8)
    for space in _spaces(problem):
        assert _lefts(space, steps) == _affected(problem, steps)
        assert space.loss(_last(space, steps)) == pytest.approx(evaluate(problem, (), steps).loss, abs=1e-12)


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
def test_labels_need_more_than_one_word(seed: int) -> None:
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}", values=40) for column in range(12)]
    rows = [tuple(random.randrange(2) for _ in ladders) for _ in range(300)]
    problem = problem_of(ladders, rows, [0] * 300, k=3, l=None, most_dropped=300)
    assert not fits(problem)
    steps = random_steps(random, problem, 12)
    space = WideSpace(problem)
    assert _lefts(space, steps) == _affected(problem, steps)


@pytest.mark.parametrize("kind", [BitSets, ValueLists])
@pytest.mark.campaign
@folded("seed", range(at_length(20)))
def test_values_of_any_number_are_counted_exactly(seed: int, kind: type[ValueSets]) -> None:
    """Few records of a class share a value, and values that are 256 apart are common."""
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}") for column in range(3)]
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(120)]
    largest = 255 if kind is BitSets else 100_000
    values = [random.choice([random.randrange(3), random.randint(0, largest), largest]) for _ in rows]
    values = [value - value % 256 if kind is ValueLists else value for value in values]
    most = random.randint(2, 5)
    problem = problem_of(ladders, rows, [*values[:-1], largest], k=2, l=most, most_dropped=120)
    steps = random_steps(random, problem, 8)
    space = WideSpace(problem)
    assert type(space.start.value_sets[0]) is kind
    assert _lefts(space, steps) == _affected(problem, steps)
    assert evaluate(problem, (), steps).dropped == released(problem, (), steps).dropped


def test_a_kept_column_is_dearer_and_too_many_dropped_are_dearer_than_any_loss() -> None:
    problem = random_problem(Random(3), k=100, l=None, most_dropped=0)
    assert NarrowSpace(problem).loss(NarrowSpace(problem).start) > OVER
    lenient = replace(problem, most_dropped=60)
    kept = replace(lenient, keep=frozenset({0}))
    assert NarrowSpace(kept).loss(NarrowSpace(kept).start) > NarrowSpace(lenient).loss(NarrowSpace(lenient).start)


def _spaces(problem: Problem) -> list[SearchSpace]:
    return [WideSpace(problem), *([NarrowSpace(problem)] if fits(problem) else [])]


def _affected(problem: Problem, steps: tuple[Step, ...]) -> list[int]:
    """Records that violate before each step, those with labels that it leaves included."""
    return [evaluate(problem, (), steps[:place]).dropped for place in range(len(steps) + 1)]


def _lefts(space: SearchSpace, steps: tuple[Step, ...]) -> list[int]:
    states = [space.start]
    for step in steps:
        states.append(space.after(states[-1], step))
    return [state.left for state in states]


def _last(space: SearchSpace, steps: tuple[Step, ...]) -> State:
    state = space.start
    for step in steps:
        state = space.after(state, step)
    return state


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


@pytest.mark.campaign
@folded("seed", range(at_length(10)))
def test_a_table_is_as_close_as_its_furthest_class(seed: int) -> None:
    exact = distance(replace(a_problem(seed, Fraction(1)), k=1))
    assert is_close(replace(a_problem(seed, exact), k=1), (), ())
    assert not is_close(replace(a_problem(seed, exact - Fraction(1, 10**6)), k=1), (), ())


def found_for_search_closeness(problem: Problem, style: Style = "cascade") -> Found:
    return search(problem, style, 12, None, lambda: False, lambda done, loss: None)


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
def test_what_is_found_is_close_and_loses_no_more_than_levels_for_all(seed: int) -> None:
    problem = a_problem(seed, Fraction(1, 10))
    found, for_all = found_for_search_closeness(problem), found_for_search_closeness(problem, "uniform")
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
        found, for_all = found_for_search_closeness(problem), found_for_search_closeness(problem, "uniform")
        raised.append(found.k > 2 and found.outcome.loss < for_all.outcome.loss)
    assert any(raised)


def test_a_search_that_is_stopped_at_once_is_close() -> None:
    problem = a_problem(3, Fraction(1, 10))
    found = search(problem, "cascade", 12, None, lambda: True, lambda done, loss: None)
    assert not found.finished
    assert is_close(replace(problem, k=found.k), found.always, found.steps)


@pytest.mark.campaign
@folded("seed", range(at_length(1)))
def test_t_is_what_measure_finds_in_the_release(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    random = Random(seed)
    columns = random.sample(COLUMNS, 2)
    table, names = str(write_table(random, tmp_path, columns, 60)), [column.name for column in columns]
    found = acompass.suggest(table, names, 2, sensitive=["d"], t="0.2", max_lost="60%")
    acompass.run(found.policy, table, output="released.csv")
    measures = acompass.measure("released.csv", names, ["d"])
    (measured,) = measures.sensitive
    assert measures.k >= found.k >= 2
    assert f" >= {found.k}\n" in found.text
    assert_tidy(found.policy)
    assert found.t is not None
    assert found.t == pytest.approx(float(measured.t_equal or 0))
    assert found.t <= 0.2 + 1e-9
