"""D19: the trace a seed stands for, the formula of RANDOM, and a trace that ends too soon."""

from fractions import Fraction
from itertools import islice

import pytest

from acompass.checked.types import INTEGER, Column
from acompass.semantics import TraceExhausted, random, run_program, seeded_trace
from tests.generators.programs import program_of

SCHEMA = (Column("A", INTEGER),)


@pytest.mark.parametrize(
    ("seed", "digits"),
    [
        # printf %s 'SEED:I' | sha256sum | head -c 13
        ("", ["882e0dabc11b4", "5212c5c4e126c"]),
        ("naïve 🔑", ["c93fb8690e647", "1bdab23eb8ccf"]),
    ],
)
def test_a_seed_stands_for_a_trace(seed: str, digits: list[str]) -> None:
    expected = [Fraction(int(text, 16), 2**52) for text in digits]
    assert list(islice(seeded_trace(seed), len(digits))) == expected
    assert all(0 <= rho < 1 for rho in islice(seeded_trace(seed), 100))


@pytest.mark.parametrize(
    ("lower", "upper", "rho", "drawn"),
    [
        (3000, 4000, Fraction(1, 2), 3500),
        (3000, 4000, Fraction(0), 3000),
        (3000, 4000, 1 - Fraction(1, 2**80), 4000),
        (-3, -1, Fraction(1, 2), -2),
        (-(2**63), 2**63 - 1, 1 - Fraction(1, 2**64), 2**63 - 1),
        (-(2**63), 2**63 - 1, Fraction(1, 2) - Fraction(1, 2**64), -1),
        # in binary floating point, 0.57 * 100 is below 57
        (0, 99, Fraction(57, 100), 57),
    ],
)
def test_random_is_exact(lower: int, upper: int, rho: Fraction, drawn: int) -> None:
    assert random(lower, upper, rho) == drawn


def test_one_random_goes_on_where_the_last_one_stopped() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    trace = [Fraction(n, 10) for n in range(1, 10)]
    outcome = run_program(program_of(policy, SCHEMA), [(5,), (1,), (0,)], iter(trace))
    # order(V) is 0, 1 and then 0→11, 1→12, 5
    assert outcome.records == [(23,), (25,), (24,)]
    assert outcome.trace_used == 5


def test_a_trace_that_ends_too_soon_says_how_much_it_takes() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    with pytest.raises(TraceExhausted) as raised:
        run_program(program_of(policy, SCHEMA), [(5,), (1,), (0,)], iter([Fraction(1, 2)] * 4))
    assert raised.value.needed == 5
