"""X5 and X6: the outcomes have exactly the probabilities that a policy says.

With ρ uniform on the multiples of 2⁻ᵇ, the j-th outcome has (⌈2ᵇcⱼ⌉ - ⌈2ᵇcⱼ₋₁⌉) / 2ᵇ, where c are the cuts:
the intended probability where its denominator divides 2ᵇ, and less than 2⁻ᵇ from it always. A seed gives
b = 52.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, prod

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.checked.program import Ball, Draw
from acompass.checked.types import INTEGER, TEXT, Column
from acompass.engines.duckdb.session import DuckDBSession
from acompass.plan.lowering import sql
from acompass.plan.lowering.state import State
from acompass.plan.running.outcomes import Decided
from acompass.plan.running.trace import SeededTrace
from acompass.semantics import run_program, trace_of_seed, trace_of_values
from acompass.semantics.requirements import pick
from tests.generators.programs import program_of
from tests.laws.effort import LAW
from tests.laws.exact_tests import LEVEL, p_value_bound

SCHEMA = (Column("Id", INTEGER), Column("d", TEXT))
SEEDS = ("", "a secret", "graine d'été: 1")
DRAWS = 120_000


def traces(bits: int, length: int) -> Iterator[tuple[Fraction, ...]]:
    """Every trace of that many values, all of which are equally likely."""
    return product([Fraction(h, 2**bits) for h in range(2**bits)], repeat=length)


def urn(weights: Sequence[int]) -> Draw:
    return Draw(0, tuple(Ball(j, weight) for j, weight in enumerate(weights)))


def law_of_bits(action: Draw, bits: int) -> dict[object, Fraction]:
    ends = [0, *(ceil(2**bits * cut) for cut in action.cuts)]
    widths = (Fraction(end - start, 2**bits) for start, end in pairwise(ends))
    return {ball.value: width for ball, width in zip(action.balls, widths, strict=True)}


WEIGHTS = st.lists(st.integers(1, 60), min_size=1, max_size=7)


@LAW
@given(WEIGHTS, st.integers(1, 9))
def test_every_value_of_a_small_trace_is_counted(weights: list[int], bits: int) -> None:
    action = urn(weights)
    drawn = Counter(pick(action, rho) for (rho,) in traces(bits, 1))
    law = law_of_bits(action, bits)
    assert {value: Fraction(drawn[value], 2**bits) for value in law} == law
    for weight, probability in zip(weights, law.values(), strict=True):
        assert abs(probability - Fraction(weight, sum(weights))) < Fraction(1, 2**bits)


@pytest.mark.parametrize("weights", [(1, 3), (5, 3, 7, 1), (1,), (1, 1, 6, 8), (1,) * 16])
def test_weights_whose_sum_divides_the_trace_have_exactly_their_law(weights: tuple[int, ...]) -> None:
    for bits in (4, 5, 8):
        assert list(law_of_bits(urn(weights), bits).values()) == [Fraction(w, sum(weights)) for w in weights]


POLICIES = {
    "ALWAYS : WITH PROBABILITY 0.25 REJECT;": {None: (1, 4), "-": (3, 4)},
    "ALWAYS : RANDOM d FROM ('a', 3 OF 'b');": {"a": (1, 4), "b": (3, 4)},
    "ALWAYS : WITH PROBABILITY 0.75 REPLACE d WITH '*';": {"*": (3, 4), "-": (1, 4)},
    "ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 3 OF 'b');": {"-": (1, 2), "a": (1, 8), "b": (3, 8)},
    "ALWAYS : WITH PROBABILITY 0.5 REJECT THEN RANDOM d FROM ('a', 'b');": {
        None: (1, 2),
        "a": (1, 4),
        "b": (1, 4),
    },
}


@pytest.mark.parametrize("records", [1, 2])
@pytest.mark.parametrize("policy", POLICIES)
def test_records_are_independent(policy: str, records: int) -> None:
    """All traces of two bits a value: the law of the output is the product of the laws of the records."""
    program = program_of(policy, SCHEMA)
    table = [(number, "-") for number in range(records)]
    found: Counter[tuple[object, ...]] = Counter()
    for trace in traces(2, 2 * records):
        left = dict(run_program(program, table, trace_of_values(trace)).records)
        found[tuple(left.get(number) for number in range(records))] += 1
    law = {outcome: Fraction(*share) for outcome, share in POLICIES[policy].items()}
    expected = {each: prod(law[one] for one in each) for each in product(law, repeat=records)}
    assert {each: Fraction(count, 4 ** (2 * records)) for each, count in found.items()} == expected


@LAW
@given(st.lists(st.integers(1, 2**20), min_size=1, max_size=12))
def test_every_cut_of_a_seed_is_at_its_integer(weights: list[int]) -> None:
    """An outcome ends before ⌈2⁵²c⌉. Outcomes do not come back, so the numbers at the cuts decide all 2⁵²."""
    action = urn(weights)
    ends = [ceil(2**52 * cut) for cut in action.cuts]
    starts = [0, *ends[:-1]]
    for j, (start, end) in enumerate(zip(starts, ends, strict=True)):
        assert [pick(action, Fraction(h, 2**52)) for h in (start, end - 1)] == [j, j]
    assert ends[-1] == 2**52


@pytest.mark.parametrize(
    "weights", [(1,), (5, 3, 2), (1, 2, 4, 8, 16, 32, 64, 128, 256), tuple(range(1, 41))]
)
def test_an_engine_compares_with_the_same_integers(weights: tuple[int, ...]) -> None:
    action = urn(weights)
    with duckdb.connect() as con:
        session = DuckDBSession(con)
        ends = SeededTrace("").choose(session, 0, 1, action.cuts).ends
        numbers = [h for end in ends for h in (end - 1, end) if h < 2**52]
        table = session.upload((("h", "BIGINT"), ("c0", "BIGINT")), [(h, -1) for h in numbers])
        state = State(sql.everything(sql.table(table)), (SCHEMA[0],), has_row_key=False, records=len(numbers))
        decided = Decided(None, state, ends)
        value = decided.one_of([sql.integer(ball.value) for ball in action.balls], 0)
        found = [drawn for (drawn,) in session.fetch(state.derive({0: value}).select)]
    assert found == [pick(action, Fraction(h, 2**52)) for h in numbers]


RESPONSE = "ALWAYS : WITH PROBABILITY 0.3 RANDOM d FROM (5 OF 'a', 3 OF 'b', 'c', 2 OF 'd');"


def response_law() -> dict[object, Fraction]:
    """Of the answers to RESPONSE, given 2⁵² equally likely values."""
    drawn = Fraction(ceil(2**52 * Fraction(3, 10)), 2**52)
    answers = law_of_bits(Draw(1, tuple(map(Ball, "abcd", (5, 3, 1, 2)))), 52)
    return {"-": 1 - drawn, **{answer: drawn * share for answer, share in answers.items()}}


@pytest.mark.parametrize("seed", SEEDS)
def test_seeds_draw_by_the_law(seed: str) -> None:
    table = [(number, "-") for number in range(DRAWS)]
    meant = run_program(program_of(RESPONSE, SCHEMA), table, trace_of_seed(seed))
    relation = duckdb.sql(f"SELECT range AS Id, '-' AS d FROM range({DRAWS})").to_arrow_table()
    ran = acompass.run(RESPONSE, relation, seed=seed)
    assert ran.trace_used == meant.trace_used
    assert list(zip(*(column.to_pylist() for column in ran.table.columns), strict=True)) == meant.records
    answers = [answer for _, answer in meant.records]
    law = response_law()
    assert p_value_bound(Counter(answers), law) > LEVEL
    neighbours = Counter(zip(answers[::2], answers[1::2], strict=True))
    assert p_value_bound(neighbours, {(a, b): law[a] * law[b] for a, b in product(law, repeat=2)}) > LEVEL


@pytest.mark.parametrize("off", [Fraction(1, 60), Fraction(-1, 60)])
def test_a_law_that_is_a_little_off_is_refused(off: Fraction) -> None:
    law = response_law()
    moved = {**law, "-": law["-"] + off, "a": law["a"] - off}
    counts = {answer: round(share * DRAWS) for answer, share in law.items()}
    assert p_value_bound(counts, law) > LEVEL
    assert p_value_bound(counts, moved) < LEVEL
