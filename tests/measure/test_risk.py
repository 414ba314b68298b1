"""Risks by sampling weights, by quasi-identifier, and with weighted records."""

import random
import statistics
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from acompass.errors.diagnostics import CallError, TableError
from acompass.measure.answer import Classes, Journalist, Sampling
from acompass.measure.measurement import count_outstanding, individual_risk
from acompass.report.page.measures import quasi_identifiers_section, sampling_section
from tests.length import at_length
from tests.measure import by_definition
from tests.measure.by_definition import csv_table

weight = st.decimals("0.25", "40", places=2)
records = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 2), weight), min_size=1)


def _risks(table: Any, *qi: str, **options: Any) -> tuple[Journalist, Sampling]:
    measures = measure(table, qi or ["q"], sampling_weight="w", **options)
    assert measures.journalist is not None
    assert measures.sampling is not None
    return measures.journalist, measures.sampling


@given(records)
@settings(max_examples=at_length(10))
def test_every_risk_matches_its_definition(table: list[tuple[str | None, int, Decimal]]) -> None:
    journalist, sampling = _risks(csv_table("q,r,w", *table), "q", "r", below=[4])
    found = by_definition.sample_sizes(table, (0, 1), [Fraction(each[2]) for each in table])
    population = [max(persons, Fraction(number)) for number, persons in found]
    assert journalist.maximum == 1 / min(population)
    assert float(journalist.marketer) == pytest.approx(sum(1 / each for each in population) / len(table))
    classes = {(each[0], each[1]): persons for each, persons in zip(table, population, strict=True)}
    spread = len(classes) / sum(classes.values())
    assert float(journalist.average) == pytest.approx(float(max(spread, journalist.marketer)))
    risks = [by_definition.individual_risk(*each) for each in found]
    assert sampling.maximum == pytest.approx(max(risks))
    assert sampling.average == pytest.approx(statistics.fmean(risks))
    assert sampling.expected == pytest.approx(sum(risks))
    assert sampling.persons == sum(Fraction(each[2]) for each in table)
    assert sampling.above[0].journalist == sum(each < 4 for each in population)
    assert sampling.above[0].individual == sum(risk > 0.25 + 1e-12 for risk in risks)
    below = {(each[0], each[1]) for each, (n, persons) in zip(table, found, strict=True) if persons < n}
    assert sampling.understated == len(below)


@given(st.lists(st.decimals("0", "1", places=3), min_size=1, max_size=30))
def test_records_that_stand_out_are_those_of_sdc_micro(risks: list[Decimal]) -> None:
    middle = statistics.median(risks)
    deviation = Decimal("1.4826") * statistics.median(abs(risk - middle) for risk in risks)
    expected = sum(risk > middle + 2 * deviation and risk > Decimal("0.1") for risk in risks)
    assert count_outstanding([(risk, 1) for risk in risks]) == expected
    repeated = [(risk, risks.count(risk)) for risk in set(risks)]
    assert count_outstanding(repeated) == expected


@pytest.mark.parametrize(("risk", "expected"), [("0.05", 0), ("0.1", 0), ("0.11", 2)])
def test_records_stand_out_only_above_a_tenth(risk: str, expected: int) -> None:
    assert count_outstanding([(Decimal("0.01"), 9), (Decimal(risk), 2)]) == expected


def test_prosecutor_risk_and_class_sizes_are_those_of_the_sample() -> None:
    measures = measure(csv_table("q,w", ("a", "12.5"), ("a", 3), ("b", 100)), ["q"], sampling_weight="w")
    assert (measures.k, measures.records, measures.weight) == (1, 3, None)
    assert measures.classes.prosecutor_maximum == 1
    assert measures.journalist is not None
    assert measures.journalist.maximum == Fraction(2, 31)


def test_a_class_that_is_sampled_whole_has_the_risk_of_the_prosecutor() -> None:
    """Even if its weights add up to less, because the persons in the sample are in the population."""
    for persons in (Fraction(1, 2), 1, 2, 3):
        assert individual_risk(3, persons) == individual_risk(3, 3)
    assert (individual_risk(1, 1), individual_risk(2, 2)) == (1, Decimal("0.5"))
    journalist, sampling = _risks(csv_table("q,w", ("a", "0.5"), ("a", "0.7"), ("b", 1)))
    assert (journalist.maximum, journalist.marketer) == (1, Fraction(2, 3))
    assert (sampling.average, sampling.understated) == (float(Fraction(2, 3)), 1)


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_risk_is_continuous_where_a_class_is_sampled_whole(number: int) -> None:
    """With enough digits for the smallest weight that a table can have."""
    almost = individual_risk(number, number + Fraction(1, 10**18))
    assert float(almost) == pytest.approx(1 / number, rel=1e-15)


def test_sampling_weights_of_a_tenth_do_not_round() -> None:
    journalist, sampling = _risks(csv_table("q,w", *[("a", "0.1")] * 30, *[("b", "0.7")] * 2, ("b", "1.6")))
    assert sampling.persons == 6
    assert sampling.understated == 1
    assert journalist.maximum == Fraction(1, 3)


def test_weights_may_have_all_digits_of_a_double() -> None:
    weights = ["118.33333333333333"] * 4000
    _, sampling = _risks(csv_table("q,w", *(("a", each) for each in weights)))
    assert sampling.persons == 4000 * Fraction("118.33333333333333")


def test_the_order_of_records_does_not_change_a_digit() -> None:
    rng = random.Random(18)
    table = [(rng.randrange(80), f"{rng.uniform(0.5, 30):.3f}") for _ in range(300)]
    first = measure(csv_table("q,w", *table), ["q"], sampling_weight="w")
    rng.shuffle(table)
    again = measure(csv_table("q,w", *table), ["q"], sampling_weight="w")
    assert (first.journalist, first.sampling) == (again.journalist, again.sampling)


def test_an_empty_table_has_no_risk() -> None:
    measures = measure(csv_table("q,w"), ["q"], sampling_weight="w")
    assert (measures.journalist, measures.sampling, measures.by_quasi_identifier) == (None, None, ())


def test_the_report_has_the_risks_before_and_after(tmp_path: Any) -> None:
    before = csv_table("q,w", ("a", 5), ("b", 7))
    after = csv_table("q,w", ("*", 5), ("*", 7))
    page = tmp_path / "report.html"
    measured = measure(after, ["q"], sampling_weight="w", against=before, report=page)
    assert measured.journalist is not None
    assert measured.journalist.maximum == Fraction(1, 12)
    assert page.exists()


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"weight": "n"}, "`weight` and `sampling_weight` are given, expected one of them"),
        ({"population": [{"q": "a"}]}, "`population` and `sampling_weight` are given"),
    ],
)
def test_a_sampling_weight_excludes_other_ways_to_count(options: dict[str, Any], found: str) -> None:
    with pytest.raises(CallError) as error:
        _risks(csv_table("q,w,n", ("a", 2, 3)), **options)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == "AC609"
    assert diagnostic.message.startswith(found)


def test_a_sampling_weight_has_no_other_role() -> None:
    with pytest.raises(CallError) as error:
        _risks(csv_table("q,w", ("a", 2)), "q", "w")
    assert error.value.diagnostics[0].code == "AC604"


@pytest.mark.parametrize("value", [0, "-1.5", "many", None])
def test_a_sampling_weight_is_a_positive_number(value: object) -> None:
    with pytest.raises(TableError) as error:
        _risks(csv_table("q,w,z", ("a", 3, 1), ("a", value, 1)))
    assert error.value.diagnostics[0].code == "AC605"


def test_every_renderer_shows_the_risks_of_a_sample() -> None:
    table = csv_table("q,w", *[("a", "0.4")] * 2, ("b", "7.5"), ("c", 1000))
    measured = measure(table, ["q"], sampling_weight="w", below=[10])
    text = str(measured)
    assert "a sample of 1,008.30 persons, by w; 1 class has less weight than records\n" in text
    assert "individual" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["above", "1/10", "3", "3"] in rows
    found: Any = measured.to_json()
    assert found["sampling_weight"] == "w"
    assert found["risk"]["individual"]["maximum"] == 0.5
    assert found["sampling"]["records_above"] == {"1/10": {"journalist": 3, "individual": 3}}
    assert found["sampling"]["understated_classes"] == 1
    page = sampling_section([measured], ["table"])
    for expected in ("1,008.30", "50\N{NO-BREAK SPACE}%", "records with individual risk above 1/10"):
        assert expected in page
    assert "by w" in measured._repr_html_()
    assert "a sample of 1,008.30 persons" in measured.to_markdown()


# Published figures of sdcMicro.
#
# The reference pages of sdcMicro 5.7.9 (M. Templ, B. Meindl, A. Kowarik, J. Gussenbauer:
# sdctools.github.io) print the example of A. Capobianchi, S. Polettini and M. Lucarelli: `freqCalc` the key
# variables, weights and frequencies of its eight records, `indivRisk` their risks. `measure_risk` prints
# risks in a larger table. `python -m benchmarks.individual_risk` measures sdcMicro's tables themselves,
# which are not shipped.


#: Key1, Key2, Key3, Key4, w; fk, Fk of `freqCalc`; rk of `indivRisk`
EXAMPLE = (
    ((1, 2, 5, 1, "18.0"), 2, "110.0", "0.01714426"),
    ((1, 2, 1, 1, "45.5"), 2, "84.5", "0.02204233"),
    ((1, 2, 1, 1, "39.0"), 2, "84.5", "0.02204233"),
    ((3, 3, 1, 5, "17.0"), 1, "17.0", "0.17707583"),
    ((4, 3, 1, 4, "541.0"), 1, "541.0", "0.01165448"),
    ((4, 3, 1, 1, "8.0"), 1, "8.0", "0.29706308"),
    ((6, 2, 1, 5, "5.0"), 1, "5.0", "0.40235948"),
    ((1, 2, 5, 1, "92.0"), 2, "110.0", "0.01714426"),
)
KEYS = ["Key1", "Key2", "Key3", "Key4"]
#: the same records with the missing values of the page on `freqCalc`, and the fk that it prints
INCOMPLETE = (
    ((1, 2, 5, 1, "18.0"), 3),
    ((1, 2, 1, 1, "45.5"), 2),
    ((1, 2, None, 1, "39.0"), 4),
    ((None, None, 1, 5, "17.0"), 3),
    ((4, 3, 1, None, "541.0"), 3),
    ((None, 3, 1, 1, "8.0"), 2),
    ((6, 2, 1, 5, "5.0"), 2),
    ((1, 2, 5, 1, "92.0"), 3),
)


@pytest.mark.parametrize(("_record", "records", "persons", "risk"), EXAMPLE)
def test_each_record_has_the_published_individual_risk(_record: object, records: int, persons: str, risk: str) -> None:
    assert round(individual_risk(records, Fraction(persons)), 8) == Decimal(risk)


#: fk, Fk, risk of some records of `testdata` by urbrur, roof, walls, water, sex, on the page `measure_risk`
SURVEYED = ((359, 35900, "2.793218e-05"), (351, 35100, "2.857061e-05"), (161, 16100, "6.249609e-05"))


@pytest.mark.parametrize(("records", "persons", "risk"), SURVEYED)
def test_large_classes_have_the_published_individual_risk(records: int, persons: int, risk: str) -> None:
    assert f"{individual_risk(records, persons):.6e}".replace("e-5", "e-05") == risk


def test_the_published_example_has_its_published_risks() -> None:
    table = csv_table("Key1,Key2,Key3,Key4,w", *(record for record, *_ in EXAMPLE))
    measures = measure(table, KEYS, sampling_weight="w")
    sampling, journalist = measures.sampling, measures.journalist
    assert sampling is not None
    assert journalist is not None
    risks = [Decimal(risk) for *_, risk in EXAMPLE]
    assert sampling.maximum == pytest.approx(float(max(risks)), abs=1e-8)
    assert sampling.expected == pytest.approx(float(sum(risks)), abs=1e-7)
    assert sampling.average == pytest.approx(float(sum(risks) / 8), abs=1e-8)
    assert sampling.outstanding == count_outstanding([(risk, 1) for risk in risks]) == 3
    assert sampling.persons == Fraction("765.5")
    # `freqCalc`: 4 records violate 2-anonymity, 8 violate 3-anonymity
    assert (measures.classes.records_below(2), measures.classes.records_below(3)) == (4, 8)
    population = [Fraction(persons) for _, _, persons, _ in EXAMPLE]
    assert journalist.maximum == Fraction(1, 5)
    assert float(journalist.marketer) == pytest.approx(float(sum(1 / each for each in population) / 8))


def test_a_missing_value_is_a_value_of_its_own() -> None:
    """In sdcMicro, it matches every value, so that classes overlap and are larger."""
    table = csv_table("Key1,Key2,Key3,Key4,w", *(record for record, _ in INCOMPLETE))
    measures = measure(table, KEYS, sampling_weight="w")
    assert measures.classes.sizes == ((1, 6), (2, 1))
    keys = [record[:4] for record, _ in INCOMPLETE]
    overlapping = [sum(_matches(one, other) for other in keys) for one in keys]
    assert overlapping == [published for _, published in INCOMPLETE]


def _matches(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=True))


NAMES = ("q", "r", "s")
values = st.sampled_from([None, "*", "a", "b"])
tables = st.lists(st.tuples(values, values, st.integers(0, 3)), min_size=1, max_size=25)
weights = st.decimals("0.1", "3", places=1)


def _sizes(records: Sequence[Sequence[Any]], columns: Sequence[int]) -> tuple[tuple[Fraction, int], ...]:
    """The sizes of the classes. The last value of a record is its weight."""
    groups = by_definition.classes(records, columns)
    return tuple(sorted(Counter(sum(Fraction(r[-1]) for r in each) for each in groups).items()))


@given(
    st.lists(st.tuples(values, values, st.integers(0, 3), weights), min_size=1, max_size=25),
    st.integers(1, 3),
)
@settings(max_examples=at_length(8))
def test_each_column_is_measured_alone_and_left_out(table: list[tuple[Any, ...]], columns: int) -> None:
    qi = range(columns)
    found = measure(csv_table("q,r,s,w", *table), NAMES[:columns], weight="w").by_quasi_identifier
    assert [each.column for each in found] == list(NAMES[:columns])
    for column, each in zip(qi, found, strict=True):
        assert each.alone == Classes(_sizes(table, [column]))
        assert each.without == Classes(_sizes(table, [other for other in qi if other != column]))


PEOPLE = csv_table("Age,Sex,Zip", (31, "f", 1), (31, "m", 1), (42, "f", 1), (57, "f", 2))


def test_a_small_table_has_these_figures() -> None:
    measures = measure(PEOPLE, ["Age", "Sex", "Zip"])
    age, sex, _ = measures.by_quasi_identifier
    assert (age.alone.number, age.alone.uniques) == (3, 2)
    assert (age.without.k, age.without.uniques, age.without.prosecutor_average) == (1, 2, Fraction(3, 4))
    assert (sex.alone.number, sex.without.uniques) == (2, 2)
    found: Any = measures.to_json()
    assert found["by_quasi_identifier"][0] == {
        "column": "Age",
        "values": 3,
        "uniques": 2,
        "without": {"k": 1, "uniques": 2, "average_risk": 0.75},
    }


def test_without_the_only_quasi_identifier_all_records_are_equal() -> None:
    measures = measure(PEOPLE, ["Age"])
    (age,) = measures.by_quasi_identifier
    assert age.without == Classes(((4, 1),))
    assert "without it" not in str(measures)


def test_every_renderer_shows_the_risk_by_quasi_identifier() -> None:
    measures = measure(PEOPLE, ["Age", "Sex", "Zip"])
    rows = [line.split() for line in str(measures).splitlines()]
    assert ["Age", "3", "2", "1", "2", "0.75"] in rows
    page = quasi_identifiers_section([measures, measures], ["before", "after"])
    assert page.count("75\N{NO-BREAK SPACE}%") >= 2
    assert "Risk by quasi-identifier, after" in page
    assert "Risk by quasi-identifier" in measures._repr_html_()
    assert "| `Age` | 3 | 2 | 1 | 2 | 0.75 |" in measures.to_markdown()


def test_decimal_weights_are_exact() -> None:
    table = csv_table("q,r,w", *[("a", "x", Decimal("0.1"))] * 30, ("b", "x", 2))
    first, second = measure(table, ["q", "r"], weight="w").by_quasi_identifier
    assert first.alone.sizes == ((2, 1), (3, 1))
    assert second.alone.sizes == ((5, 1),)


RECORDS = (("a", "12.5", "flu"), ("a", "0.75", "cold"), ("b", "7", "flu"))
SAMPLE = ("q,w,s", *RECORDS)


def _arrow(type_: pyarrow.DataType, weights: list[Any]) -> pyarrow.Table:
    return pyarrow.table({"q": ["a", "a", "b"], "w": pyarrow.array(weights, type_), "s": ["flu", "cold", "flu"]})


TABLES = {
    "CSV": csv_table(*SAMPLE),
    "text": _arrow(pyarrow.string(), ["12.5", "0.75", "7"]),
    "decimal": _arrow(pyarrow.decimal128(9, 4), [Decimal("12.5"), Decimal("0.75"), Decimal(7)]),
    "float": _arrow(pyarrow.float64(), [12.5, 0.75, 7.0]),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_sizes_are_exact_sums_of_weights(table: Any) -> None:
    measured = measure(table, ["q"], ["s"], weight="w")
    assert measured.classes.sizes == ((7, 1), (Fraction(53, 4), 1))
    assert (measured.k, measured.records) == (7, Fraction(81, 4))
    assert measured.sensitive[0].alpha == 1
    assert measured.classes.prosecutor_maximum == Fraction(1, 7)
    assert measured.classes.prosecutor_average == Fraction(2) / Fraction(81, 4)


def test_weights_of_a_tenth_do_not_round() -> None:
    table = csv_table("q,w", *(("a", "0.1") for _ in range(30)))
    assert measure(table, ["q"], weight="w").classes.sizes == ((3, 1),)


def test_weights_may_be_below_one() -> None:
    table = _arrow(pyarrow.decimal128(2, 2), [Decimal("0.25"), Decimal("0.5"), Decimal("0.99")])
    measured = measure(table, ["q"], weight="w")
    assert measured.classes.sizes == ((Fraction(3, 4), 1), (Fraction(99, 100), 1))
    assert (measured.classes.prosecutor_maximum, measured.classes.prosecutor_average) == (1, 1)
    assert "below 1" in str(measured)


def test_a_population_may_have_other_weights_or_none() -> None:
    table = csv_table("q,w", ("a", "1.5"), ("b", "2.25"))
    weighted = csv_table("q,w", ("a", "3"), ("b", "4.125"))
    found = measure(table, ["q"], weight="w", population=weighted).journalist
    assert found is not None
    assert found.maximum == Fraction(1, 3)
    counted = csv_table("q", *([("a",)] * 2 + [("b",)] * 3))
    found = measure(table, ["q"], weight="w", population=counted).journalist
    assert found is not None
    assert found.maximum == Fraction(1, 2)


def test_every_renderer_shows_weighted_records(tmp_path: Path) -> None:
    measured = measure(
        csv_table(*SAMPLE), ["q"], ["s"], weight="w", against=csv_table(*SAMPLE), report=tmp_path / "r.html"
    )
    text = str(measured)
    assert text.startswith("20.25 records in 2 equivalence classes by q, weighted by w\n")
    assert "k = 7" in text
    value = measured.to_json()
    assert (value["records"], value["k"]) == (20.25, 7)
    assert "20.25" in (tmp_path / "r.html").read_text(encoding="utf-8")
