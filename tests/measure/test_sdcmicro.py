"""Published figures of sdcMicro.

The reference pages of sdcMicro 5.7.9 (M. Templ, B. Meindl, A. Kowarik, J. Gussenbauer: sdctools.github.io)
print the example of A. Capobianchi, S. Polettini and M. Lucarelli: `freqCalc` the key variables, weights and
frequencies of its eight records, `indivRisk` their risks. `measure_risk` prints risks in a larger table.
`python -m benchmarks.individual_risk` measures sdcMicro's tables themselves, which are not shipped.
"""

from decimal import Decimal
from fractions import Fraction

import pytest

from acompass import measure
from acompass.measure.individual_risk import individual_risk, outstanding
from tests.measure.tables import csv_table

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
def test_individual_risk_of_each_record(_record: object, records: int, persons: str, risk: str) -> None:
    assert round(individual_risk(records, Fraction(persons)), 8) == Decimal(risk)


#: fk, Fk, risk of some records of `testdata` by urbrur, roof, walls, water, sex, on the page `measure_risk`
SURVEYED = ((359, 35900, "2.793218e-05"), (351, 35100, "2.857061e-05"), (161, 16100, "6.249609e-05"))


@pytest.mark.parametrize(("records", "persons", "risk"), SURVEYED)
def test_individual_risk_in_large_classes(records: int, persons: int, risk: str) -> None:
    assert f"{individual_risk(records, persons):.6e}".replace("e-5", "e-05") == risk


def test_the_table_of_the_example() -> None:
    table = csv_table("Key1,Key2,Key3,Key4,w", *(record for record, *_ in EXAMPLE))
    measures = measure(table, KEYS, sampling_weight="w")
    sampling, journalist = measures.sampling, measures.journalist
    assert sampling is not None
    assert journalist is not None
    risks = [Decimal(risk) for *_, risk in EXAMPLE]
    assert sampling.maximum == pytest.approx(float(max(risks)), abs=1e-8)
    assert sampling.expected == pytest.approx(float(sum(risks)), abs=1e-7)
    assert sampling.average == pytest.approx(float(sum(risks) / 8), abs=1e-8)
    assert sampling.outstanding == outstanding([(risk, 1) for risk in risks]) == 3
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
