"""Definition 4 and D19: the trace of a seed, the formula of RANDOM, and a trace that is too short."""

from fractions import Fraction

import pytest

from acompass.checked.types import INTEGER, Column
from acompass.semantics import (
    TraceExhausted,
    pref,
    random,
    run_program,
    tail,
    trace_of_seed,
    trace_of_values,
)
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
def test_a_seed_gives_a_trace(seed: str, digits: list[str]) -> None:
    expected = [Fraction(int(text, 16), 2**52) for text in digits]
    assert list(pref(len(digits), trace_of_seed(seed))) == expected
    assert all(0 <= rho < 1 for rho in pref(100, trace_of_seed(seed)))


def test_a_trace_is_its_prefix_and_its_tail() -> None:
    rho = trace_of_seed("a secret")
    assert pref(5, rho) == pref(2, rho) + pref(3, tail(2, rho))
    assert (rho.used, tail(2, rho).used, tail(3, tail(2, rho))) == (0, 2, tail(5, rho))


def test_a_trace_does_not_show_its_seed() -> None:
    assert "a secret" not in repr(trace_of_seed("a secret"))


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


def test_a_random_continues_where_the_last_one_stopped() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    trace = [Fraction(n, 10) for n in range(1, 10)]
    outcome = run_program(program_of(policy, SCHEMA), [(5,), (1,), (0,)], trace_of_values(trace))
    # order(V) is 0, 1 and then 0→11, 1→12, 5
    assert outcome.records == [(23,), (25,), (24,)]
    assert outcome.trace_used == 5


def test_the_error_of_a_short_trace_has_the_length_that_is_needed() -> None:
    policy = "EACH RESULT : A > 1 : RANDOM A 10 19; SOME RESULT : A > 99 : RANDOM A 20 29;"
    rho = trace_of_values([Fraction(1, 2)] * 4)
    with pytest.raises(TraceExhausted) as raised:
        run_program(program_of(policy, SCHEMA), [(5,), (1,), (0,)], rho)
    assert raised.value.needed == 5
