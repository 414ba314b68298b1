"""ARX's loss."""

from fractions import Fraction

import pytest

from acompass.propose.loss import column_loss, total_loss


def test_values_lose_nothing_and_stars_everything() -> None:
    assert column_loss(Fraction(10, 4), 10, 4) == 0
    assert column_loss(10, 10, 4) == 1
    assert column_loss(0.2 * 10, 10, 5) == pytest.approx(0)


def test_the_mean_share_is_scaled() -> None:
    shares = 3 * Fraction(1, 4) + 2 * Fraction(2, 4) + 1
    assert column_loss(shares, 6, 4) == pytest.approx((2.75 / 6 - 0.25) / 0.75)


def test_a_single_value_or_no_record_loses_nothing() -> None:
    assert column_loss(5, 5, 1) == 0
    assert column_loss(0, 0, 7) == 0


def test_the_total_is_a_geometric_mean() -> None:
    assert total_loss([0.0, 0.0]) == 0
    assert total_loss([1.0, 1.0, 1.0]) == pytest.approx(1)
    assert total_loss([0.0, 1.0]) == pytest.approx(2**0.5 - 1)
