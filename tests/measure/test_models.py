"""On random tables, the engine's measures equal the definitions; rational measures are equal exactly."""

from collections import Counter
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from acompass.measure.models import Profile, effective_values, exceeds_log, sign_of_product, whole_l
from tests.length import at_length
from tests.measure import by_definition
from tests.measure.by_definition import csv_table

NAMES = ("q", "r", "s", "v")
QI = (0, 1)

quasi_identifier = st.sampled_from([None, "*", "a", "b"])
record = st.tuples(
    quasi_identifier,
    st.integers(0, 1),
    st.sampled_from([None, "*", "x", "y", "z"]),
    st.none() | st.integers(-3, 6),
)
tables = st.lists(record, min_size=1, max_size=40)


def as_table(records: Sequence[Sequence[Any]], names: Sequence[str] = NAMES) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    types = {"q": pyarrow.string(), "s": pyarrow.string(), "Weight": pyarrow.decimal128(9, 3)}
    columns = list(zip(*records, strict=True)) if records else [()] * len(names)
    return pyarrow.table(
        {n: pyarrow.array(c, types.get(n, pyarrow.int64())) for n, c in zip(names, columns, strict=True)}
    )


def missing_first(values: set[Any]) -> list[Any]:
    return sorted(values, key=lambda value: (value is not None, value if value is not None else 0))


@given(tables)
@settings(max_examples=at_length(6))
def test_every_model_matches_its_definition(records: list[tuple[Any, ...]]) -> None:
    measures = measure(as_table(records), ["q", "r"], ["s", "v"])
    groups = by_definition.classes(records, QI)
    assert measures.classes.sizes == tuple(sorted(Counter(map(len, groups)).items()))
    assert measures.k == min(map(len, groups))
    assert measures.classes.discernibility == sum(len(each) ** 2 for each in groups)
    for column, found in zip((2, 3), measures.sensitive, strict=True):
        assert found.column == NAMES[column]
        assert found.values == len({r[column] for r in records})
        assert found.alpha == by_definition.alpha(records, QI, column)
        assert found.distinct_l == by_definition.distinct_l(records, QI, column)
        assert found.single_valued == sum(len({r[column] for r in each}) == 1 for each in groups)
        assert found.entropy_l == by_definition.entropy_l(records, QI, column)
        assert found.recursive_c == by_definition.recursive_c(records, QI, column, found.distinct_l)
        assert found.t_equal == by_definition.t_equal(records, QI, column)
        assert found.basic_beta == by_definition.basic_beta(records, QI, column)
        assert found.enhanced_beta == by_definition.enhanced_beta(records, QI, column)
        delta = by_definition.delta(records, QI, column)
        assert found.delta == pytest.approx(delta, rel=1e-12, abs=1e-12)
        strict = found.delta if by_definition.has_every_value(records, QI, column) else None
        assert found.delta_every_value == strict
    order = missing_first({r[3] for r in records})
    assert measures.sensitive[0].t_ordered is None
    assert measures.sensitive[1].t_ordered == by_definition.t_ordered(records, QI, 3, order)


@given(st.lists(st.tuples(record, st.integers(1, 5)), min_size=1, max_size=15))
@settings(max_examples=at_length(5))
@pytest.mark.slow
def test_a_weight_is_equivalent_to_repeating_the_record(weighted: list[tuple[tuple[Any, ...], int]]) -> None:
    grouped = as_table([(*r, n) for r, n in weighted], (*NAMES, "Number"))
    repeated = as_table([r for r, n in weighted for _ in range(n)])
    one = measure(grouped, ["q", "r"], ["s", "v"], weight="Number")
    other = measure(repeated, ["q", "r"], ["s", "v"])
    assert one.classes == other.classes
    assert one.sensitive == other.sensitive


@given(st.lists(st.tuples(record, st.integers(1, 5)), min_size=1, max_size=15))
@settings(max_examples=at_length(5))
@pytest.mark.slow
def test_decimal_weights_scale_the_sizes_and_nothing_else(
    weighted: list[tuple[tuple[Any, ...], int]],
) -> None:
    """The weights are eighths of integers, with three decimals."""
    whole = as_table([(*r, n) for r, n in weighted], (*NAMES, "Number"))
    eighths = as_table([(*r, Decimal(n) / 8) for r, n in weighted], (*NAMES, "Weight"))
    one = measure(whole, ["q", "r"], ["s", "v"], weight="Number")
    other = measure(eighths, ["q", "r"], ["s", "v"], weight="Weight")
    assert other.sensitive == one.sensitive
    assert other.classes.sizes == tuple((Fraction(size, 8), n) for size, n in one.classes.sizes)


@given(tables, tables)
@settings(max_examples=at_length(5))
def test_population_risk_matches_its_definition(records: list[Any], others: list[Any]) -> None:
    population = [*records, *others]
    found = measure(as_table(records), ["q", "r"], population=as_table(population)).journalist
    sizes = by_definition.population_sizes(records, population, QI)
    marketer = sum(Fraction(f, big) for f, big in sizes) / len(records)
    assert found is not None
    assert found.marketer == marketer
    assert found.maximum == Fraction(1, min(big for _, big in sizes))
    assert found.average == max(marketer, Fraction(len(sizes), sum(big for _, big in sizes)))


@given(tables, tables)
@settings(max_examples=at_length(5))
def test_a_column_changes_by_the_distance_of_its_distributions(after: list[Any], before: list[Any]) -> None:
    comparison = measure(as_table(after), ["q", "r"], against=as_table(before)).comparison
    assert comparison is not None
    for column, change in enumerate(comparison.columns):
        now, then = Counter(record[column] for record in after), Counter(record[column] for record in before)
        assert change.distance == pytest.approx(float(_distance(now, then)))
        assert (change.values_before, change.values_after) == (len({*then} - {"*"}), len({*now} - {"*"}))
    lost = max(0, len(before) - len(after))
    groups = by_definition.classes(after, QI)
    assert comparison.discernibility == sum(len(each) ** 2 for each in groups) + lost * len(before)


def _distance(now: Counter[Any], then: Counter[Any]) -> Fraction:
    """`*` could be any value of the table before, and so could a value that is missing only after."""
    size, known = now.total(), Counter({value: n for value, n in then.items() if value != "*"})
    if not size or not known:
        return Fraction(bool(size) != bool(then))
    read = Counter({value: min(n, known[None]) if value is None else n for value, n in now.items() if value != "*"})
    unread = Fraction(size - read.total(), known.total())
    return (
        sum(
            (abs((read[v] + unread * known[v]) / size - Fraction(known[v], known.total())) for v in {*read, *known}),
            Fraction(0),
        )
        / 2
    )


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
        # one record away from balance: below l by less than a double can represent
        (((333_333, 2), (333_334, 1)), 2),
        (((2**46 - 1, 1), (2**46, 1)), 1),
        (((9, 1), (1, 1)), 1),
    ],
)
def test_entropy_l_is_the_floor_of_the_true_value(profile: Profile, l_: int) -> None:
    assert whole_l(profile) == l_


def test_effective_values_are_exact_where_they_are_whole() -> None:
    assert float(effective_values(((50, 2),))) == 2.0
    assert float(effective_values(((1, 4), (4, 1)))) == 4.0


@pytest.mark.parametrize("size", [2, 6, 10, 98, 1_000])
def test_a_balanced_binary_column_is_entropy_2_diverse(size: int) -> None:
    table = csv_table("q,s", *(("a", "xy"[i % 2]) for i in range(size)))
    found = measure(table, ["q"], ["s"]).sensitive[0]
    assert (found.entropy_l, found.entropy_effective) == (2, 2.0)


def test_classes_that_round_to_the_same_entropy_are_distinguished() -> None:
    halves = [("a", "x", 2**40), ("a", "y", 2**40), ("b", "x", 2**40), ("b", "y", 2**40 + 1)]
    assert measure(csv_table("q,s,n", *halves[:2]), ["q"], ["s"], "n").sensitive[0].entropy_l == 2
    assert measure(csv_table("q,s,n", *halves), ["q"], ["s"], "n").sensitive[0].entropy_l == 1


def test_ratios_that_round_to_the_same_double_are_distinguished() -> None:
    big = 2**40
    table = csv_table("q,s,n", ("a", "x", big), ("a", "y", big), ("b", "x", big + 1), ("b", "y", big))
    assert measure(table, ["q"], ["s"], "n").sensitive[0].alpha == Fraction(big + 1, 2 * big + 1)


def test_a_fraction_is_compared_with_a_logarithm_to_enough_digits() -> None:
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


HEART, VIRAL, CANCER = "heart disease", "viral infection", "cancer"


def _inpatients(*classes: tuple[str, ...]) -> str:
    return csv_table("Zip,Condition", *((f"zip {i}", c) for i, each in enumerate(classes) for c in each))


def _salaries(*classes: tuple[int, ...]) -> str:
    return csv_table("Zip,Salary", *((f"zip {i}", s) for i, each in enumerate(classes) for s in each))


def test_the_inpatients_of_machanavajjhala_are_4_anonymous() -> None:
    table = _inpatients((HEART, HEART, VIRAL, VIRAL), (CANCER, HEART, VIRAL, VIRAL), (CANCER,) * 4)
    measures = measure(table, ["Zip"], ["Condition"])
    assert measures.k == 4
    assert measures.sensitive[0].distinct_l == 1
    assert measures.sensitive[0].alpha == 1


def test_the_inpatients_of_machanavajjhala_are_3_diverse() -> None:
    table = _inpatients((HEART, VIRAL, CANCER, CANCER), (CANCER, HEART, VIRAL, VIRAL), (HEART, VIRAL, CANCER, CANCER))
    found = measure(table, ["Zip"], ["Condition"]).sensitive[0]
    assert (found.distinct_l, found.entropy_l) == (3, 2)
    assert found.entropy_effective == pytest.approx(2.828, abs=1e-3)
    assert found.recursive_c == 2


def test_the_salaries_of_li_have_the_published_closeness() -> None:
    diverse = measure(_salaries((3, 4, 5), (6, 11, 8), (7, 9, 10)), ["Zip"], ["Salary"]).sensitive[0]
    assert diverse.t_ordered == diverse.t == Fraction(3, 8)
    close = measure(_salaries((3, 5, 9), (6, 11, 8), (4, 7, 10)), ["Zip"], ["Salary"]).sensitive[0]
    assert close.t_ordered == Fraction(1, 6)


def test_the_last_table_of_the_paper_is_2_anonymous_and_2_diverse() -> None:
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


def test_a_comparison_shows_what_was_lost() -> None:
    before = csv_table("Age,Zip", (31, "a"), (38, "a"), (44, "b"), (47, "b"))
    after = csv_table("Age,Zip", ("3*", "a"), ("3*", "a"), ("4*", "b"))
    comparison = measure(after, ["Age", "Zip"], against=before).comparison
    assert comparison is not None
    age, zip_ = comparison.columns
    assert (age.column, age.distance, age.values_before, age.values_after) == ("Age", pytest.approx(1 / 6), 4, 2)
    assert (age.information_before, age.information_left) == (2.0, 0.75)
    assert (zip_.column, zip_.distance) == ("Zip", pytest.approx(1 / 6))
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
