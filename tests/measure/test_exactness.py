"""Where doubles mislead, whole numbers decide."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest

from acompass import measure
from acompass.measure.entropy import Profile, effective_values, whole_l
from acompass.measure.exact import exceeds_log, sign_of_product
from tests.measure.tables import csv_table


@pytest.mark.parametrize(
    ("profile", "l_"),
    [
        (((1, 2),), 2),
        (((50, 2),), 2),
        (((7, 3),), 3),
        (((333_333, 3),), 3),
        (((1, 1_000),), 1_000),
        # five values of shares 1/2, 1/8, 1/8, 1/8, 1/8: exp(H) is 4 without being balanced
        (((1, 4), (4, 1)), 4),
        (((1_000, 4), (4_000, 1)), 4),
        # one record from balance: below, by less than a double can tell
        (((333_333, 2), (333_334, 1)), 2),
        (((2**46 - 1, 1), (2**46, 1)), 1),
        (((9, 1), (1, 1)), 1),
    ],
)
def test_entropy_l_is_the_floor_of_the_true_value(profile: Profile, l_: int) -> None:
    assert whole_l(profile) == l_


def test_the_value_beside_it_is_exact_where_it_is_whole() -> None:
    assert float(effective_values(((50, 2),))) == 2.0
    assert float(effective_values(((1, 4), (4, 1)))) == 4.0


@pytest.mark.parametrize("size", [2, 6, 10, 98, 1_000])
def test_a_balanced_binary_column_is_entropy_2_diverse(size: int) -> None:
    table = csv_table("q,s", *(("a", "xy"[i % 2]) for i in range(size)))
    found = measure(table, ["q"], ["s"]).sensitive[0]
    assert (found.entropy_l, found.entropy_effective) == (2, 2.0)


def test_the_table_takes_the_least_diverse_of_classes_that_doubles_cannot_tell_apart() -> None:
    halves = [("a", "x", 2**40), ("a", "y", 2**40), ("b", "x", 2**40), ("b", "y", 2**40 + 1)]
    assert measure(csv_table("q,s,n", *halves[:2]), ["q"], ["s"], "n").sensitive[0].entropy_l == 2
    assert measure(csv_table("q,s,n", *halves), ["q"], ["s"], "n").sensitive[0].entropy_l == 1


def test_ratios_that_doubles_cannot_tell_apart_are_told_apart() -> None:
    big = 2**40
    table = csv_table("q,s,n", ("a", "x", big), ("a", "y", big), ("b", "x", big + 1), ("b", "y", big))
    assert measure(table, ["q"], ["s"], "n").sensitive[0].alpha == Fraction(big + 1, 2 * big + 1)


def test_a_fraction_is_compared_with_a_logarithm_to_as_many_digits_as_it_takes() -> None:
    with localcontext(Context(prec=120)):
        near = Fraction(Decimal(2).ln())
    assert exceeds_log(near + Fraction(1, 10**100), Fraction(2))
    assert not exceeds_log(near - Fraction(1, 10**100), Fraction(2))
    assert not exceeds_log(Fraction(0), Fraction(1))


def test_products_of_powers_are_compared_exactly() -> None:
    assert sign_of_product([(12, 10), (2, -20), (3, -10)]) == 0
    assert sign_of_product([(12, 10), (2, -20), (3, -9)]) == 1
    assert sign_of_product([(6, 2), (37, -1)]) == -1
    assert sign_of_product([]) == 0
