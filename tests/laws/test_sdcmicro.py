"""MICROAGGREGATE gives the group means of sdcMicro's individual ranking, and ADD RANDOM noise of a known variance.

`tests/laws/sdcmicro.py` compares them on sdcMicro's own tables."""

import random
from fractions import Fraction

import pytest

from tests.laws.sdcmicro import differences_in_means, individual_ranking, noise, uniform_variance, variance


def _sales(records: int, digits: int) -> list[str]:
    """Numbers as in sdcMicro's Tarragona: skewed, some negative, some repeated."""
    source = random.Random(records)
    numbers = (int(source.gauss(0, 3) ** 3 * 40) for _ in range(records))
    return [f"{number / 10**digits:.{digits}f}" for number in numbers]


def test_the_last_group_takes_the_remaining_values() -> None:
    values = [Fraction(number) for number in (100, 250, 120, 900, 260, 110, 880)]
    assert individual_ranking(values, 3) == [
        110,
        Fraction(1145, 2),
        110,
        *[Fraction(1145, 2)] * 2,
        110,
        Fraction(1145, 2),
    ]


@pytest.mark.parametrize("records", [2, 3, 5, 6, 7, 200])
@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("digits", [0, 2])
def test_the_means_are_those_of_individual_ranking(records: int, size: int, digits: int) -> None:
    assert differences_in_means(_sales(records, digits), size) == 0


def test_noise_has_the_variance_of_its_bounds() -> None:
    """A uniform integer from -50 to 50 has the mean 0 and the variance (101² - 1) / 12 = 850."""
    added = noise(_sales(4_000, 0), -50, 50)
    assert uniform_variance(-50, 50) == 850
    assert min(added) == -50
    assert max(added) == 50
    assert abs(sum(added, Fraction(0)) / len(added)) < 2
    assert abs(variance(added) - 850) < 40
