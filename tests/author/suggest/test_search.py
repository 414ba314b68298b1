"""A search reaches k and l, drops few records if possible, uses few lines, and is deterministic."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest

import acompass
from acompass.author.suggest import flow as search_module
from acompass.author.suggest.flow import Style, curve, search
from acompass.author.suggest.search_problem import (
    Changes,
    Found,
    Outcome,
    Problem,
    Step,
    count_changes,
    evaluate,
    is_close,
)
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
    apply_steps,
    assert_tidy,
    make_problem,
    random_ladder,
    random_problem,
    random_steps,
    write_table,
)
from tests.folding import folded
from tests.length import at_length

STYLES: tuple[Style, ...] = ("cascade", "uniform", "stars")


def find(problem: Problem, style: Style = "cascade", lines: int = 12) -> Found:
    return search(problem, style, lines, None, lambda: False, lambda done, loss: None)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.campaign
@folded("seed", range(at_length(5)))
def test_a_found_policy_keeps_its_promises(style: Style, seed: int) -> None:
    problem = random_problem(Random(seed))
    found = find(problem, style)
    release = apply_steps(problem, found.always, found.steps)
    assert found.outcome == evaluate(problem, found.always, found.steps)
    assert all(count >= problem.k for count in Counter(release.records).values())
    assert len(found.always) + len(found.steps) + 1 <= 12
    assert found.outcome.dropped <= problem.most_dropped or _top(problem).dropped > problem.most_dropped


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_few_lines_drop_few_records_if_any_chain_does(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=30, most_dropped=1)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).dropped for n in range(3) for chain in product(menu, repeat=n))
    found = find(problem, lines=3)
    assert len(found.steps) <= 2
    assert found.outcome.dropped <= 1 or least > 1


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_a_cascade_is_the_best_short_chain(seed: int) -> None:
    problem = random_problem(Random(seed), columns=2, records=40, named=frozenset(), most_dropped=40)
    menu = [Step(c, level + 1) for c, ladder in enumerate(problem.ladders) for level in range(len(ladder.up))]
    least = min(evaluate(problem, (), chain).loss for n in range(4) for chain in product(menu, repeat=n))
    assert find(problem, lines=4).outcome.loss == pytest.approx(least)


@pytest.mark.campaign
@folded("seed", range(at_length(8)))
def test_uniform_levels_are_the_best_levels(seed: int) -> None:
    problem = random_problem(Random(seed))
    allowed = [outcome for outcome in _uniform(problem) if outcome.dropped <= problem.most_dropped]
    found = find(problem, "uniform").outcome
    if allowed:
        assert found.loss == pytest.approx(min(outcome.loss for outcome in allowed))
        assert found.dropped <= problem.most_dropped


def test_too_many_vectors_of_levels_are_searched_greedily(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "MOST_VECTORS", 1)
    problem = random_problem(Random(7), most_dropped=0, k=3, l=None)
    found = find(problem, "uniform").outcome
    assert found.dropped == 0
    assert found.loss < _top(problem).loss


@pytest.mark.slow
def test_columns_to_keep_lose_less() -> None:
    problem = random_problem(Random(5), columns=4, records=200, k=4, l=None, most_dropped=0)
    plain = find(problem).outcome.per_column
    for column, loss in enumerate(plain):
        kept = find(replace(problem, importance={column: 20.0})).outcome.per_column[column]
        assert kept <= loss
    assert any(
        find(replace(problem, importance={column: 20.0})).outcome.per_column[column] < loss
        for column, loss in enumerate(plain)
    )


def test_labels_are_left_unchanged_only_if_a_policy_may_name_them() -> None:
    """Leaving a frequent value unchanged helps, but a policy cannot name the values of a numeric column."""
    gains = []
    for seed in range(8):
        random = Random(seed)
        ladders = [random_ladder(random, f"c{column}", values=5) for column in range(3)]
        rows = [tuple(min(random.randrange(12), 4) for _ in ladders) for _ in range(400)]
        problem = make_problem(ladders, rows, [0] * 400, k=8, l=None, most_dropped=5, named=frozenset({0}))
        found = find(problem)
        unnamed = find(replace(problem, named=frozenset()))
        assert {step.column for step in found.steps if step.but} <= {0}
        assert not any(step.but for step in unnamed.steps)
        gains.append(unnamed.outcome.loss - found.outcome.loss)
    assert max(gains) > 0.001


@pytest.mark.parametrize("style", STYLES)
def test_the_same_problem_has_the_same_answer(style: Style) -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    assert find(problem, style) == find(problem, style)


@pytest.mark.parametrize("style", STYLES)
def test_a_search_that_is_stopped_at_once_still_drops_few_records(style: Style) -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    found = search(problem, style, 12, None, lambda: True, lambda done, loss: None)
    assert not found.finished
    assert found.outcome.dropped == 0


def test_a_search_without_time_is_not_finished() -> None:
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    assert not search(problem, "cascade", 12, 0.0, lambda: False, lambda done, loss: None).finished


def test_progress_rises_and_the_loss_falls() -> None:
    reports: list[tuple[float, float]] = []
    problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0)
    search(problem, "cascade", 12, None, lambda: False, lambda done, loss: reports.append((done, loss)))
    assert reports == sorted(reports, key=lambda each: each[0])
    assert [loss for _, loss in reports] == sorted((loss for _, loss in reports), reverse=True)
    assert all(0 <= done <= 1 for done, _ in reports)


def test_more_lines_lose_less() -> None:
    problem = random_problem(Random(5), columns=4, records=300, k=5, l=None, most_dropped=3)
    points = curve(problem, "cascade", None, lambda: False, lambda done, loss: None)
    lines = [len(found.steps) + 1 for found in points]
    worth = [(max(0, found.outcome.dropped - 3), found.outcome.loss) for found in points]
    assert len(points) > 1
    assert lines == sorted(set(lines))
    assert worth == sorted(set(worth), reverse=True)


@pytest.mark.parametrize("style", STYLES)
def test_one_line_only_drops_records(style: Style) -> None:
    problem = random_problem(Random(1), most_dropped=60)
    assert find(problem, style, lines=1).lines == 1


def test_a_table_that_reaches_the_goal_needs_no_steps() -> None:
    problem = random_problem(Random(1), k=1, l=None)
    found = find(problem)
    assert found.steps == ()
    assert found.outcome.loss == 0


def _top(problem: Problem) -> Outcome:
    return evaluate(problem, _levels([len(ladder.up) for ladder in problem.ladders]), ())


def _uniform(problem: Problem) -> list[Outcome]:
    heights = [range(len(ladder.up) + 1) for ladder in problem.ladders]
    return [evaluate(problem, _levels(levels), ()) for levels in product(*heights)]


def _levels(levels: Iterable[int]) -> tuple[Step, ...]:
    return tuple(Step(column, level) for column, level in enumerate(levels) if level)


@pytest.mark.campaign
@folded("seed", range(at_length(50)))
def test_an_outcome_equals_the_effect_on_each_record(seed: int) -> None:
    random = Random(seed)
    problem = random_problem(random)
    always = tuple(step._replace(but=()) for step in random_steps(random, problem, 1))
    steps = random_steps(random, problem, 6)
    expected = apply_steps(problem, always, steps)
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
        assert _left_counts(space, steps) == _violating_counts(problem, steps)
        assert space.loss(_last(space, steps)) == pytest.approx(evaluate(problem, (), steps).loss, abs=1e-12)


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
def test_labels_may_need_more_than_one_machine_word(seed: int) -> None:
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}", values=40) for column in range(12)]
    rows = [tuple(random.randrange(2) for _ in ladders) for _ in range(300)]
    problem = make_problem(ladders, rows, [0] * 300, k=3, l=None, most_dropped=300)
    assert not fits(problem)
    steps = random_steps(random, problem, 12)
    space = WideSpace(problem)
    assert _left_counts(space, steps) == _violating_counts(problem, steps)


@pytest.mark.parametrize("kind", [BitSets, ValueLists])
@pytest.mark.campaign
@folded("seed", range(at_length(20)))
def test_any_number_of_values_is_counted_exactly(seed: int, kind: type[ValueSets]) -> None:
    """Few records of a class share a value, and many values are 256 apart."""
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}") for column in range(3)]
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(120)]
    largest = 255 if kind is BitSets else 100_000
    values = [random.choice([random.randrange(3), random.randint(0, largest), largest]) for _ in rows]
    values = [value - value % 256 if kind is ValueLists else value for value in values]
    most = random.randint(2, 5)
    problem = make_problem(ladders, rows, [*values[:-1], largest], k=2, l=most, most_dropped=120)
    steps = random_steps(random, problem, 8)
    space = WideSpace(problem)
    assert type(space.start.value_sets[0]) is kind
    assert _left_counts(space, steps) == _violating_counts(problem, steps)
    assert evaluate(problem, (), steps).dropped == apply_steps(problem, (), steps).dropped


def test_no_weight_costs_as_much_as_too_many_dropped_records() -> None:
    problem = random_problem(Random(3), k=100, l=None, most_dropped=0)
    for weight in (0.001, 1.0, 1000.0):
        weighted = replace(problem, importance={0: weight})
        assert NarrowSpace(weighted).loss(NarrowSpace(weighted).start) > OVER
        lenient = NarrowSpace(replace(weighted, most_dropped=60))
        assert lenient.loss(lenient.start) == pytest.approx(1)
        assert lenient.plain_loss(lenient.start) == pytest.approx(1)


@pytest.mark.campaign
@folded("seed", range(at_length(6)))
def test_uniform_levels_have_the_least_weighted_loss(seed: int) -> None:
    problem = random_problem(Random(seed), l=None, importance={0: 20.0, 1: 0.05})
    allowed = [outcome for outcome in _uniform(problem) if outcome.dropped <= problem.most_dropped]
    found = find(problem, "uniform").outcome
    if allowed:
        assert _weighted(problem, found) == pytest.approx(min(_weighted(problem, each) for each in allowed))


def _weighted(problem: Problem, outcome: Outcome) -> float:
    weights = [problem.importance.get(column, 1.0) for column in range(len(outcome.per_column))]
    powers = (math.log1p(loss) * weight for loss, weight in zip(outcome.per_column, weights, strict=True))
    return math.expm1(sum(powers) / sum(weights))


def test_progress_shows_the_loss_without_weights() -> None:
    shown: list[float] = []
    for importance in ({}, {0: 20.0, 1: 0.05}):
        problem = random_problem(Random(11), columns=4, records=300, k=5, l=None, most_dropped=0, importance=importance)
        found = search(problem, "cascade", 12, None, lambda: False, lambda done, loss: shown.append(loss))
        assert shown[-1] == pytest.approx(found.outcome.loss)


@pytest.mark.campaign
@folded("seed", range(at_length(20)))
def test_changed_cells_and_the_smallest_class_are_those_of_the_released_records(seed: int) -> None:
    problem = random_problem(Random(seed))
    always = tuple(step._replace(but=()) for step in random_steps(Random(seed), problem, 1))
    steps = random_steps(Random(seed), problem, 6)
    release = apply_steps(problem, always, steps)
    assert count_changes(problem, always, steps) == Changes(release.cells_changed, release.smallest)


def _spaces(problem: Problem) -> list[SearchSpace]:
    return [WideSpace(problem), *([NarrowSpace(problem)] if fits(problem) else [])]


def _violating_counts(problem: Problem, steps: tuple[Step, ...]) -> list[int]:
    """The records that violate before each step, including those that it leaves unchanged."""
    return [evaluate(problem, (), steps[:place]).dropped for place in range(len(steps) + 1)]


def _left_counts(space: SearchSpace, steps: tuple[Step, ...]) -> list[int]:
    states = [space.start]
    for step in steps:
        states.append(space.after(states[-1], step))
    return [state.left for state in states]


def _last(space: SearchSpace, steps: tuple[Step, ...]) -> State:
    state = space.start
    for step in steps:
        state = space.after(state, step)
    return state


def close_problem(seed: int, t: Fraction) -> Problem:
    random = Random(seed)
    ladders = [random_ladder(random, f"c{column}") for column in range(2)]
    rows = [tuple(random.randrange(each.values) for each in ladders) for _ in range(60)]
    values = [min(sum(row), random.randrange(4)) for row in rows]
    return replace(make_problem(ladders, rows, values, k=2, l=1, most_dropped=0), t=t)


def distance(problem: Problem) -> Fraction:
    """The largest distance of a class from the table, if no record is dropped."""
    sensitive = problem.sensitive[0]
    total: Counter[int] = Counter()
    classes: dict[int, Counter[int]] = {}
    for row, value, count in zip(sensitive.rows, sensitive.values, sensitive.counts, strict=True):
        total[int(value)] += int(count)
        classes.setdefault(int(row), Counter())[int(value)] += int(count)
    return max(_variation_distance(each, total) for each in classes.values())


def _variation_distance(one: Counter[int], other: Counter[int]) -> Fraction:
    values = set(one) | set(other)
    shares = [abs(Fraction(one[v], one.total()) - Fraction(other[v], other.total())) for v in values]
    return sum(shares, Fraction(0)) / 2


@pytest.mark.campaign
@folded("seed", range(at_length(10)))
def test_a_table_is_as_close_as_its_furthest_class(seed: int) -> None:
    exact = distance(replace(close_problem(seed, Fraction(1)), k=1))
    assert is_close(replace(close_problem(seed, exact), k=1), (), ())
    assert not is_close(replace(close_problem(seed, exact - Fraction(1, 10**6)), k=1), (), ())


@pytest.mark.campaign
@folded("seed", range(at_length(4)))
def test_a_found_policy_is_close_and_loses_no_more_than_uniform_levels(seed: int) -> None:
    problem = close_problem(seed, Fraction(1, 10))
    found, for_all = find(problem), find(problem, "uniform")
    asserted = replace(problem, k=found.k)
    assert found.k >= problem.k
    assert is_close(asserted, found.always, found.steps)
    assert found.outcome == evaluate(asserted, found.always, found.steps)
    assert found.outcome.loss <= for_all.outcome.loss


def test_a_larger_k_is_tried() -> None:
    """Two thirds of the records have frequent combinations, which need no change."""
    raised = []
    for seed in range(6):
        random = Random(seed)
        ladders = [random_ladder(random, f"c{column}", values=8) for column in range(2)]
        rows = [tuple(int(8 * random.random() ** 3) for _ in ladders) for _ in range(600)]
        values = [random.randrange(4) for _ in rows]
        problem = replace(make_problem(ladders, rows, values, k=2, l=1, most_dropped=0), t=Fraction(1, 5))
        found, for_all = find(problem), find(problem, "uniform")
        raised.append(found.k > 2 and found.outcome.loss < for_all.outcome.loss)
    assert any(raised)


def test_a_search_that_is_stopped_at_once_is_close() -> None:
    problem = close_problem(3, Fraction(1, 10))
    found = search(problem, "cascade", 12, None, lambda: True, lambda done, loss: None)
    assert not found.finished
    assert is_close(replace(problem, k=found.k), found.always, found.steps)


@pytest.mark.campaign
@folded("seed", range(at_length(1)))
def test_t_equals_that_of_measure(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
