"""Labels are shown in the order of what they mean."""

import random

import pytest

from acompass.hierarchies.hierarchy import Hierarchy
from acompass.measure.label_order import in_order, places_in

ORDERED = {
    "bands": ["<20", "20-29", "30-39", "80+", "*"],
    "of several digits": ["9-10", "10-19", "100-109"],
    "wide before narrow": ["20-39", "20-29", "20", "29", "30-39"],
    "negative": ["-5 to -1", "0-4", "5-9"],
    "intervals": ["<0.5", "[0.5,1.0)", "[1.0,10.0)", "10.0+"],
    "numbers": ["-1", "2", "2.5", "10"],
    "months": ["2023-12", "2024-01", "2024-10"],
    "quarters": ["2023-Q4", "2024-Q1", "2024-Q2"],
    "dates of several units": ["1990s", "2000s", "2001", "2001-Q1", "2001-01", "2001-01-31", "2001-02"],
    "years": ["1999", "2000", "2010"],
    "prefixes": ["1****", "21***", "21401", "3****", "*"],
}


@pytest.mark.parametrize("labels", ORDERED.values(), ids=ORDERED)
def test_labels_are_in_order(labels: list[str]) -> None:
    shuffled = list(labels)
    for seed in range(5):
        random.Random(seed).shuffle(shuffled)
        assert [shuffled[place] for place in in_order(shuffled)] == labels


def test_texts_without_a_meaning_stay_as_they_are_after_the_others() -> None:
    labels = ["unknown", "30-39", "missing", "20-29", "9th grade"]
    assert [labels[place] for place in in_order(labels)] == [
        *("20-29", "30-39", "unknown", "missing", "9th grade")
    ]
    assert in_order(["flu", "asthma", "²-²", "2024-²²", "0000-01"]) == [0, 1, 2, 3, 4]


def test_labels_of_a_hierarchy_are_in_the_order_of_its_rows() -> None:
    rows = (("primary", "school", "*"), ("secondary", "school", "*"), ("bachelor", "university", "*"))
    labels = ["bachelor", "*", "secondary", "university", "school"]
    places = in_order(labels, places_in(Hierarchy(rows, "")))
    assert [labels[place] for place in places] == ["school", "secondary", "university", "bachelor", "*"]
