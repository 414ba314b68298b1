"""If a column tells persons apart, every measure counts persons (D35). The definitions here are sets of persons."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass import measure
from acompass.errors.diagnostics import AcompassError
from acompass.report import render
from tests.length import at_length
from tests.measure import by_definition
from tests.measure.by_definition import csv_table, measure_command

#: patient, two quasi-identifiers, a sensitive text and a sensitive number
Visit = tuple[int, str, int, str, int]
HEADER = "patient,q,r,s,v"
visits = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from("ab"), st.integers(0, 1), st.sampled_from("xyz"), st.integers(0, 2)),
    min_size=1,
    max_size=16,
)


def classes_of(table: Sequence[Visit]) -> dict[Any, list[Visit]]:
    found = defaultdict(list)
    for visit in table:
        found[visit[1:3]].append(visit)
    return dict(found)


def persons_in(table: Sequence[Visit]) -> set[int]:
    return {visit[0] for visit in table}


def holders(table: Sequence[Visit], column: int) -> dict[Any, set[int]]:
    """The persons that have each value."""
    found = defaultdict(set)
    for visit in table:
        found[visit[column]].add(visit[0])
    return dict(found)


def worst_counts(table: Sequence[Visit], column: int) -> list[int]:
    """The persons of a class, each with one value, as unevenly as their values could allow: the most frequent value has
    all persons that have it, the next as many of the others as it has, and so on."""
    left, counts = len(persons_in(table)), []
    for count in sorted(map(len, holders(table, column).values()), reverse=True):
        counts.append(min(count, left))
        left -= counts[-1]
    return [count for count in counts if count]


def with_one_value_each(counts: Sequence[int]) -> list[tuple[Any, ...]]:
    """A class of records with these counts of values, for the definitions of records."""
    return [("class", value) for value, count in enumerate(counts) for _ in range(count)]


def worst(table: Sequence[Visit], model: Any, column: int, *more: Any) -> list[Any]:
    """A model of records, for each class, as if each person had one value."""
    groups = classes_of(table).values()
    return [model(with_one_value_each(worst_counts(group, column)), (0,), 1, *more) for group in groups]


def pairs(table: Sequence[Visit], column: int) -> list[tuple[Any, ...]]:
    """The distinct pairs of a person and a value in each class, and in the table, as records."""
    return sorted({(visit[0], *visit[1:3], visit[column]) for visit in table})


@given(visits)
@settings(max_examples=at_length(10))
def test_every_measure_counts_persons(table: list[Visit]) -> None:
    found = measure(csv_table(HEADER, *table), ["q", "r"], ["s", "v"], person="patient")
    groups = [persons_in(group) for group in classes_of(table).values()]
    everyone = persons_in(table)
    assert found.k == min(map(len, groups))
    assert found.classes.sizes == tuple(sorted(Counter(map(len, groups)).items()))
    assert found.people is not None
    assert (found.people.persons, found.people.records) == (len(everyone), len(table)) == (found.persons, found.records)
    assert found.people.several == sum(sum(person in group for group in groups) > 1 for person in everyone)
    for k in found.classes.thresholds:
        assert found.classes.records_below(k) == len(set().union(*(group for group in groups if len(group) < k)))
    risks = [max(Fraction(1, len(group)) for group in groups if person in group) for person in everyone]
    assert found.classes.prosecutor_maximum == max(risks)
    assert found.classes.prosecutor_average == found.marketer == sum(risks) / len(risks)
    for sensitive, column in zip(found.sensitive, (3, 4), strict=True):
        _assert_models(sensitive, table, column)


def _assert_models(found: Any, table: Sequence[Visit], column: int) -> None:
    groups, everyone = classes_of(table).values(), persons_in(table)
    assert found.alpha == max(worst(table, by_definition.alpha, column))
    assert found.distinct_l == min(worst(table, by_definition.distinct_l, column))
    assert found.entropy_l == min(worst(table, by_definition.entropy_l, column))
    assert found.recursive_c == max(worst(table, by_definition.recursive_c, column, found.distinct_l))
    whole = {value: Fraction(len(have), len(everyone)) for value, have in holders(table, column).items()}
    shares = [
        (Fraction(len(holders(group, column).get(value, ())), len(persons_in(group))), p)
        for group in groups
        for value, p in whole.items()
    ]
    assert found.basic_beta == max((q - p) / p for q, p in shares)
    assert (found.enhanced_beta is None) == any((q - p) / p > -math.log(p) + 1e-13 for q, p in shares)
    assert found.delta == pytest.approx(max(abs(math.log(q / p)) for q, p in shares if q), rel=1e-12, abs=1e-12)
    assert (found.delta_every_value is None) == any(q == 0 for q, _ in shares)
    # a pair of a person and a value counts once in the table, and once in each class
    inside = [Counter(pair[3] for pair in pairs(group, column)) for group in groups]
    total = {value: len(have) for value, have in holders(table, column).items()}
    assert found.t_equal == max(_distance(counts, total) for counts in inside)
    if found.t_ordered is not None:
        assert found.t_ordered == max(_ordered_distance(counts, total) for counts in inside)


def _differences(counts: Counter[Any], total: dict[Any, int]) -> list[Fraction]:
    return [
        Fraction(counts[value], counts.total()) - Fraction(total[value], sum(total.values())) for value in sorted(total)
    ]


def _distance(counts: Counter[Any], total: dict[Any, int]) -> Fraction:
    return sum(map(abs, _differences(counts, total)), Fraction(0)) / 2


def _ordered_distance(counts: Counter[Any], total: dict[Any, int]) -> Fraction:
    moved = sum(map(abs, itertools.accumulate(_differences(counts, total))), Fraction(0))
    return moved / (len(total) - 1) if len(total) > 1 else Fraction(0)


@given(st.lists(st.lists(st.sampled_from("xyz"), min_size=1, max_size=3, unique=True), min_size=1, max_size=5))
@settings(max_examples=at_length(20))
def test_no_choice_of_one_value_for_each_person_is_less_diverse(persons: list[list[str]]) -> None:
    table = [(number, "a", 0, value, 0) for number, values in enumerate(persons) for value in values]
    (found,) = measure(csv_table(HEADER, *table), ["q"], ["s"], person="patient").sensitive
    for choice in itertools.product(*persons):
        records = [("a", value) for value in choice]
        assert found.alpha >= by_definition.alpha(records, (0,), 1)
        assert found.distinct_l <= by_definition.distinct_l(records, (0,), 1)
        assert found.entropy_l <= by_definition.entropy_l(records, (0,), 1)


@given(visits)
@settings(max_examples=at_length(8))
def test_with_one_record_for_each_person_every_measure_is_that_of_records(table: list[Visit]) -> None:
    path = csv_table(HEADER, *((number, *visit[1:]) for number, visit in enumerate(table)))
    records, persons = (measure(path, ["q", "r"], ["s", "v"], person=each).to_json() for each in (None, "patient"))
    assert persons.pop("people") == {"column": "patient", "persons": len(table), "records": len(table), "several": 0}
    assert records.pop("people") is None
    assert persons == records


SIX_VISITS = (HEADER, *((1, "a", 0, "x", n) for n in range(6)), *((n, "b", 0, "y", 1) for n in range(2, 5)))


def test_six_visits_of_one_patient_are_one_person() -> None:
    table = csv_table(*SIX_VISITS)
    assert measure(table, ["q"]).k == 3
    found = measure(table, ["q"], person="patient")
    assert (found.k, found.classes.prosecutor_maximum) == (1, 1)
    assert [(each.alone.k, each.without.k) for each in measure(table, ["q", "r"], person="patient").by_quasi_identifier]


def test_each_column_is_measured_alone_and_left_out() -> None:
    """A person in two classes that are merged is one person of the merged class."""
    table = csv_table(HEADER, (1, "a", 0, "x", 0), (1, "b", 0, "x", 0), (2, "b", 0, "x", 0))
    q, r = measure(table, ["q", "r"], person="patient").by_quasi_identifier
    assert (q.alone.sizes, q.without.sizes) == (((1, 1), (2, 1)), ((2, 1),))
    assert (r.alone.sizes, r.alone.uniques, q.alone.uniques) == (((2, 1),), 0, 1)


def test_a_population_is_counted_in_persons_too() -> None:
    table = csv_table("patient,q", (1, "a"), (1, "a"), (2, "b"))
    register = csv_table("patient,q", (1, "a"), (1, "a"), (3, "a"), (2, "b"))
    found = measure(table, ["q"], person="patient", population=register).journalist
    assert found is not None
    assert (found.maximum, found.marketer) == (1, Fraction(3, 4))
    without_names = csv_table("q", ("a",), ("a",), ("b",))
    assert measure(table, ["q"], person="patient", population=without_names).journalist == found
    with pytest.raises(AcompassError, match="1 of 2 equivalence classes have more persons in the table") as error:
        measure(csv_table("patient,q", (1, "a"), (2, "a"), (3, "b")), ["q"], person="patient", population=table)
    assert error.value.diagnostics[0].code == "AC607"


def test_the_change_and_the_loss_are_those_of_records() -> None:
    table = csv_table(*SIX_VISITS)
    options: dict[str, Any] = {"against": table, "hierarchies": {}}
    records, persons = (measure(table, ["q"], person=each, **options) for each in (None, "patient"))
    assert (persons.comparison, persons.loss) == (records.comparison, records.loss)


def test_the_person_may_stand_in_acompass_toml(tmp_path: Path) -> None:
    table = tmp_path / "visits.csv"
    table.write_text(Path(csv_table(*SIX_VISITS)).read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "acompass.toml").write_text('[table."visits.csv"]\nperson = "patient"\n', encoding="utf-8")
    assert measure(table, ["q"]).k == 1
    assert "k = 1" in measure_command(str(table), "--qi", "q").stdout


@pytest.mark.parametrize("option", ["weight", "sampling_weight"])
def test_weights_and_persons_exclude_each_other(option: str) -> None:
    with pytest.raises(AcompassError, match=f"`{option}` cannot be used with `person`") as error:
        measure(csv_table(*SIX_VISITS), ["q"], person="patient", **{option: "v"})
    assert error.value.diagnostics[0].code == "AC617"


def test_a_record_without_a_person_is_an_error() -> None:
    with pytest.raises(AcompassError, match="2 records have no value in it") as error:
        measure(csv_table("patient,q", (1, "a"), (None, "a"), (None, "b")), ["q"], person="patient")
    assert error.value.diagnostics[0].code == "AC617"


@pytest.mark.parametrize(("person", "code"), [("q", "AC604"), ("s", "AC604"), ("doctor", "AC602")])
def test_the_person_is_a_column_without_another_measured_role(person: str, code: str) -> None:
    with pytest.raises(AcompassError) as error:
        measure(csv_table(*SIX_VISITS), ["q"], ["s"], person=person)
    assert error.value.diagnostics[0].code == code


def test_a_policy_that_counts_persons_has_no_sensitive_person() -> None:
    policy = "EACH PROCESS COUNT DISTINCT(Patient) AS n GROUP BY q : n >= 2 : REJECT;"
    found = measure(csv_table(*SIX_VISITS), policy=policy, person="patient")
    assert (found.k, found.sensitive) == (1, ())


def test_an_empty_table_has_no_persons() -> None:
    found = measure(csv_table(HEADER), ["q"], ["s"], person="patient")
    assert (found.k, found.persons, found.sensitive) == (None, 0, ())


def test_every_renderer_says_persons(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    table = csv_table(HEADER, (1, "a", 0, "x", 0), (1, "a", 0, "x", 1), (1, "b", 0, "x", 0), (2, "b", 0, "x", 0))
    found = measure(table, ["q", "r"], ["s"], person="patient", report=page)
    text, markdown, html = render(found, "text"), render(found, "markdown"), page.read_text(encoding="utf-8")
    assert text.startswith("4 records of 2 persons (patient) in 2 equivalence classes by q, r\n")
    for each in (text, markdown):
        assert "unique persons" in each
        assert "1 person has records in several classes" in each
    assert "the smallest class has 1 of 2 persons" in html
    assert "1 person has records in several classes" in html
    assert "unique records" not in text + markdown + html
