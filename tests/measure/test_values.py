"""Missing values, `*` and numbers in text columns are counted, never dropped, and ordered as documented."""

from fractions import Fraction

from acompass import measure
from tests.measure.tables import csv_table


def test_missing_quasi_identifiers_form_a_class_of_their_own() -> None:
    table = csv_table("q,r,s", (None, 1, "x"), (None, 1, "y"), (None, None, "x"), ("a", 1, "x"))
    measures = measure(table, ["q", "r"], ["s"])
    assert measures.records == 4
    assert measures.classes.sizes == ((1, 2), (2, 1))


def test_a_missing_sensitive_value_is_one_value_equal_to_itself() -> None:
    found = measure(csv_table("q,s", ("a", None), ("a", None), ("a", "x")), ["q"], ["s"]).sensitive[0]
    assert (found.values, found.distinct_l, found.alpha) == (2, 2, Fraction(2, 3))


def test_empty_text_is_not_missing() -> None:
    table = csv_table("q,s", ("a", "x"), ("a", "x"))
    with open(table, "a", encoding="utf-8") as file:
        file.write('"",x\n,x\n')
    assert measure(table, ["q"]).classes.sizes == ((1, 2), (2, 1))


def test_a_star_is_a_value_like_any_other() -> None:
    found = measure(csv_table("q,s", ("*", "*"), ("*", "x"), ("a", "*")), ["q"], ["s"])
    assert found.classes.sizes == ((1, 1), (2, 1))
    assert found.sensitive[0].values == 2


def test_decimals_of_a_csv_are_ordered_as_numbers() -> None:
    decimals = csv_table("q,s", ("a", "9.5"), ("a", "10.5"), ("b", "11.5"))
    integers = csv_table("q,s", ("a", 9), ("a", 10), ("b", 11))
    found = measure(decimals, ["q"], ["s"]).sensitive[0]
    assert found.t_ordered == measure(integers, ["q"], ["s"]).sensitive[0].t_ordered == Fraction(1, 2)


def test_codes_with_leading_zeros_have_no_order() -> None:
    found = measure(csv_table("q,s", ("a", "01"), ("a", "2"), ("b", "3")), ["q"], ["s"]).sensitive[0]
    assert found.t_ordered is None
    assert found.t == found.t_equal


def test_missing_comes_first_in_the_ordered_distance() -> None:
    with_missing = measure(csv_table("q,s", ("a", None), ("b", 5), ("b", 7)), ["q"], ["s"]).sensitive[0]
    with_least = measure(csv_table("q,s", ("a", -9), ("b", 5), ("b", 7)), ["q"], ["s"]).sensitive[0]
    assert with_missing.t_ordered == with_least.t_ordered


def test_a_table_of_no_records_has_nothing_to_measure() -> None:
    measures = measure(csv_table("q,s"), ["q"], ["s"])
    assert (measures.records, measures.k, measures.sensitive) == (0, None, ())
    assert measures.to_json()["k"] is None


def test_against_the_table_before_says_what_was_lost() -> None:
    before = csv_table("Age,Zip", (31, "a"), (38, "a"), (44, "b"), (47, "b"))
    after = csv_table("Age,Zip", ("3*", "a"), ("3*", "a"), ("4*", "b"))
    comparison = measure(after, ["Age", "Zip"], against=before).comparison
    assert comparison is not None
    age, zip_ = comparison.columns
    assert (age.column, age.distance, age.values_before, age.values_after) == ("Age", 1, 4, 2)
    assert age.entropy_before == 2.0
    assert (zip_.column, zip_.distance) == ("Zip", Fraction(1, 6))
    assert (comparison.records_before, comparison.records_after) == (4, 3)
    assert comparison.discernibility == 4 + 1 + 1 * 4


def test_columns_that_only_one_table_has_are_named() -> None:
    one, other = csv_table("q,new", ("a", 1)), csv_table("q,old", ("a", 1))
    comparison = measure(one, ["q"], against=other).comparison
    assert comparison is not None
    assert (comparison.only_before, comparison.only_after) == (("old",), ("new",))


def test_a_policy_names_the_columns() -> None:
    policy = """
        EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip: Size >= 2;
        EACH PROCESS COUNT DISTINCT(Disease) AS L GROUP BY age, Zip: L >= 2;
    """
    table = csv_table("Age,Zip,Disease", (1, 2, "x"), (1, 2, "y"))
    measures = measure(table, policy=policy)
    assert measures.quasi_identifiers == ("Age", "Zip")
    assert [each.column for each in measures.sensitive] == ["Disease"]
    assert measure(table, ["Age"], policy=policy).quasi_identifiers == ("Age",)


def test_a_population_coded_as_text_still_matches_numbers() -> None:
    table = csv_table("Age", (31,), (40,))
    population = csv_table("Age", (31,), (31,), (40,), ("unknown",))
    journalist = measure(table, ["Age"], population=population).journalist
    assert journalist is not None
    assert journalist.marketer == Fraction(3, 4)
