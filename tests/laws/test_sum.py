"""D13: SUM is exact for integers and decimals, and gives the same bits for floats in any order."""

import random
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from acompass.semantics import total
from tests.laws.effort import LAW

LARGE = st.sampled_from((2**63 - 1, -(2**63), 2**53 + 1, 1))
FINE = st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**27), max_value=10**27)


@LAW
@given(st.lists(st.floats(allow_nan=False), min_size=1), st.randoms(use_true_random=False))
def test_floats_give_the_same_bits_in_any_order(values: list[float], rng: random.Random) -> None:
    shuffled = rng.sample(values, len(values))
    assert (total(values) + 0.0).hex() == (total(shuffled) + 0.0).hex()


def test_floats_are_added_one_by_one_from_the_least() -> None:
    assert total([0.3, 0.1, 0.2]) == (0.1 + 0.2) + 0.3 != 0.1 + (0.2 + 0.3)
    assert total([1.0, 1e100, -1e100]) == (-1e100 + 1.0) + 1e100 == 0.0


@LAW
@given(st.one_of(st.lists(LARGE, min_size=1), st.lists(FINE, min_size=1)))
def test_integers_and_decimals_are_exact(values: list[int] | list[Decimal]) -> None:
    assert Fraction(total(values)) == sum(map(Fraction, values))
