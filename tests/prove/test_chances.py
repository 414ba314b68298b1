"""Law: the trace of a chance makes `semantics` draw the values and hit the records of the chance."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.kernels import Uniform, Weighted, WeightedValue
from acompass.language.program.program import Action, Program, Remove
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.prove.refute.replay import Chance, Replayer, Stream, replay, rho_for_miss
from acompass.semantics.core import pick, random
from tests.generators.strategies import parse_and_check

PROBABILITIES = st.fractions(0, 1, max_denominator=10**6).filter(lambda q: 0 < q < 1)
RHOS = st.integers(0, 999).map(lambda n: Fraction(n, 1000))
STREAMS = st.builds(Stream, st.lists(RHOS, max_size=3).map(tuple), st.lists(RHOS, min_size=1, max_size=3).map(tuple))


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=20), st.data())
def test_an_urn_draws_the_value_that_is_aimed_at(weights: list[int], data: st.DataObject) -> None:
    kernel = Weighted(tuple(WeightedValue(value, weight) for value, weight in enumerate(weights)))
    value = data.draw(st.integers(0, len(weights) - 1))
    assert pick(kernel.values, kernel.trace_value(value)) == value


@given(st.integers(-(10**9), 10**9), st.integers(0, 10**9), st.data())
def test_random_draws_the_value_that_is_aimed_at(lower: int, width: int, data: st.DataObject) -> None:
    value = data.draw(st.integers(lower, lower + width))
    assert random(lower, lower + width, Uniform(lower, lower + width).trace_value(value)) == value


@given(PROBABILITIES)
def test_a_coin_misses(probability: Fraction) -> None:
    assert probability <= rho_for_miss(Action(Remove(), probability)) < 1


POLICY = """\
EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 3 : WITH PROBABILITY 0.4 RANDOM Zip FROM ('a', 3 OF 'b');
ALWAYS : WITH PROBABILITY 0.7 REJECT;
EACH RESULT : Age > 2 : RANDOM Age 0 9;
"""


def program() -> Program:
    return parse_and_check(POLICY, (Column("Age", INTEGER), Column("Zip", TEXT)))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), max_size=8),
    st.lists(st.builds(Chance, STREAMS, STREAMS), min_size=3, max_size=3),
)
def test_a_played_run_replays(records: list[tuple[int, str]], chances: list[Chance]) -> None:
    played = Replayer(program()).play(records, dict(enumerate(chances)))
    assert played is not None
    assert played == replay(program(), records, played.trace)
