"""The tables printed in the papers give the numbers printed in the papers."""

from fractions import Fraction

import pytest

from acompass import measure
from tests.measure.tables import csv_table

HEART, VIRAL, CANCER = "heart disease", "viral infection", "cancer"


def _inpatients(*classes: tuple[str, ...]) -> str:
    return csv_table("Zip,Condition", *((f"zip {i}", c) for i, each in enumerate(classes) for c in each))


def _salaries(*classes: tuple[int, ...]) -> str:
    return csv_table("Zip,Salary", *((f"zip {i}", s) for i, each in enumerate(classes) for s in each))


def test_four_anonymous_inpatients_of_machanavajjhala() -> None:
    table = _inpatients((HEART, HEART, VIRAL, VIRAL), (CANCER, HEART, VIRAL, VIRAL), (CANCER,) * 4)
    measures = measure(table, ["Zip"], ["Condition"])
    assert measures.k == 4
    assert measures.sensitive[0].distinct_l == 1
    assert measures.sensitive[0].alpha == 1


def test_three_diverse_inpatients_of_machanavajjhala() -> None:
    table = _inpatients(
        (HEART, VIRAL, CANCER, CANCER), (CANCER, HEART, VIRAL, VIRAL), (HEART, VIRAL, CANCER, CANCER)
    )
    found = measure(table, ["Zip"], ["Condition"]).sensitive[0]
    assert (found.distinct_l, found.entropy_l) == (3, 2)
    assert found.entropy_effective == pytest.approx(2.828, abs=1e-3)
    assert found.recursive_c == 2


def test_salaries_of_li_before_and_after_closeness() -> None:
    diverse = measure(_salaries((3, 4, 5), (6, 11, 8), (7, 9, 10)), ["Zip"], ["Salary"]).sensitive[0]
    assert diverse.t_ordered == diverse.t == Fraction(3, 8)
    close = measure(_salaries((3, 5, 9), (6, 11, 8), (4, 7, 10)), ["Zip"], ["Salary"]).sensitive[0]
    assert close.t_ordered == Fraction(1, 6)


def test_the_table_that_the_a_compass_paper_ends_with() -> None:
    records = [
        (54, "212**", 3500),
        (54, "212**", 7400),
        (54, "212**", 8600),
        (80, "214**", 10500),
        (80, "214**", 3500),
        (80, "214**", 8600),
        (45, "211**", 6200),
        (45, "211**", 5400),
    ]
    measures = measure(csv_table("Age,Postal Code,AEC", *records), ["Age", "Postal code"], ["AEC"])
    assert measures.quasi_identifiers == ("Age", "Postal Code")
    assert (measures.k, measures.sensitive[0].distinct_l) == (2, 2)
    assert measures.classes.sizes == ((2, 1), (3, 2))
    assert measures.classes.records_below(3) == 2
    assert measures.classes.prosecutor_average == Fraction(3, 8)


def test_enhanced_likeness_of_cao_and_karras_bounds_rare_values_by_their_logarithm() -> None:
    """The rare value's share goes from 1/8 to 1/2: a gain of 3, above ln 8; from 1/8 to 1/4 it is 1."""
    rare = csv_table("q,s", *[("a", "x"), ("a", "y")], *[("b", "y")] * 6)
    assert measure(rare, ["q"], ["s"]).sensitive[0].basic_beta == 3
    assert measure(rare, ["q"], ["s"]).sensitive[0].enhanced_beta is None
    milder = csv_table("q,s", *[("a", "x")] * 2, *[("a", "y")] * 6, ("b", "x"), *[("b", "y")] * 15)
    assert measure(milder, ["q"], ["s"]).sensitive[0].enhanced_beta == 1
