"""Journalist and individual risk by sampling weights."""

import random
import statistics
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from acompass.diagnostics import CallError, TableError
from acompass.measure.individual_risk import individual_risk, outstanding
from acompass.measures import Journalist, Sampling
from acompass.report.html.sampling import sampling_section
from acompass.report.markdown.measures import measures_markdown
from acompass.report.notebook.measures import measures_html
from acompass.report.text.measures import measures_text
from tests.measure import by_definition
from tests.measure.tables import csv_table

weight = st.decimals("0.25", "40", places=2)
records = st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(0, 2), weight), min_size=1)


def _risks(table: Any, *qi: str, **options: Any) -> tuple[Journalist, Sampling]:
    measures = measure(table, qi or ["q"], sampling_weight="w", **options)
    assert measures.journalist is not None
    assert measures.sampling is not None
    return measures.journalist, measures.sampling


@pytest.mark.slow
@given(records)
@settings(max_examples=40)
def test_every_risk_matches_its_definition(table: list[tuple[str | None, int, Decimal]]) -> None:
    journalist, sampling = _risks(csv_table("q,r,w", *table), "q", "r", below=[4])
    found = by_definition.sampled(table, (0, 1), [Fraction(each[2]) for each in table])
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


@pytest.mark.slow
@given(st.lists(st.decimals("0", "1", places=3), min_size=1, max_size=30))
def test_records_that_stand_out_are_those_of_sdc_micro(risks: list[Decimal]) -> None:
    middle = statistics.median(risks)
    deviation = Decimal("1.4826") * statistics.median(abs(risk - middle) for risk in risks)
    expected = sum(risk > middle + 2 * deviation and risk > Decimal("0.1") for risk in risks)
    assert outstanding([(risk, 1) for risk in risks]) == expected
    repeated = [(risk, risks.count(risk)) for risk in set(risks)]
    assert outstanding(repeated) == expected


@pytest.mark.parametrize(("risk", "expected"), [("0.05", 0), ("0.1", 0), ("0.11", 2)])
def test_records_stand_out_only_above_a_tenth(risk: str, expected: int) -> None:
    assert outstanding([(Decimal("0.01"), 9), (Decimal(risk), 2)]) == expected


def test_prosecutor_risk_and_class_sizes_are_those_of_the_sample() -> None:
    measures = measure(csv_table("q,w", ("a", "12.5"), ("a", 3), ("b", 100)), ["q"], sampling_weight="w")
    assert (measures.k, measures.records, measures.weight) == (1, 3, None)
    assert measures.classes.prosecutor_maximum == 1
    assert measures.journalist is not None
    assert measures.journalist.maximum == Fraction(2, 31)


def test_a_class_that_is_sampled_whole_has_the_risk_of_the_prosecutor() -> None:
    """Also if its weights add up to less: the persons in the sample are in the population."""
    for persons in (Fraction(1, 2), 1, 2, 3):
        assert individual_risk(3, persons) == individual_risk(3, 3)
    assert (individual_risk(1, 1), individual_risk(2, 2)) == (1, Decimal("0.5"))
    journalist, sampling = _risks(csv_table("q,w", ("a", "0.5"), ("a", "0.7"), ("b", 1)))
    assert (journalist.maximum, journalist.marketer) == (1, Fraction(2, 3))
    assert (sampling.average, sampling.understated) == (float(Fraction(2, 3)), 1)


@pytest.mark.parametrize("number", [1, 2, 3, 7])
def test_risk_is_continuous_where_a_class_is_sampled_whole(number: int) -> None:
    """Digits enough for the smallest weight that a table can have."""
    almost = individual_risk(number, number + Fraction(1, 10**18))
    assert float(almost) == pytest.approx(1 / number, rel=1e-15)


def test_tenths_do_not_round() -> None:
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
        ({"weight": "n"}, "`--weight` and `--sampling-weight` are given, expected one of them"),
        ({"population": [{"q": "a"}]}, "`--population` and `--sampling-weight` are given"),
    ],
)
def test_other_ways_to_count_are_refused(options: dict[str, Any], found: str) -> None:
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


def test_renderers() -> None:
    table = csv_table("q,w", *[("a", "0.4")] * 2, ("b", "7.5"), ("c", 1000))
    measured = measure(table, ["q"], sampling_weight="w", below=[10])
    text = measures_text(measured)
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
    assert "by w" in measures_html(measured)
    assert "a sample of 1,008.30 persons" in measures_markdown(measured)
