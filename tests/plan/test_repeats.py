"""Steps that ask one assertion again look only at what can have changed, and give what semantics gives."""

import random

import pytest

from acompass.checked.types import INTEGER, TEXT, Column
from acompass.conformance.compare import compare
from acompass.plan.running import repeats
from tests.plan.running import case_of, observed
from tests.plan.test_rewrites import VARIANTS

SCHEMA = (Column("Age", INTEGER), Column("Zip", TEXT), Column("Illness", TEXT))
ZIPS = ("11", "12", "1*", "21", "*")
#: the last ones can be broken by a record that comes into the class
CONDITIONS = ("n >= 3", "n >= 2 AND d >= 2", "n >= 2 AND n <= 3", "d < 2 OR n > 4")
#: some steps make labels that other records already have
STEPS = (
    "REPLACE Zip WITH '11'",
    "GENERALIZE Zip TO PREFIX OF 1",
    "REPLACE Zip WITH '*'",
    "REPLACE Illness WITH 'flu'",
    "REPLACE Age WITH 3",
    "REPLACE Age WITH '*'",
    "GENERALIZE Age TO BANDS OF 2",
)


def cascade(rng):
    """Random steps, numbers before labels, that end in REJECT or not."""
    numbers = rng.choices(STEPS[:5], k=rng.randint(1, 4))
    labels = rng.choices((*STEPS[:4], *STEPS[5:]), k=rng.randint(0, 3))
    steps = [*numbers, *labels, *(["REJECT"] if rng.random() < 0.6 else [])]
    aggregates = "COUNT(*) AS n, COUNT DISTINCT(Illness) AS d"
    steps_text = " THEN ".join(steps)
    return f"EACH PROCESS {aggregates} GROUP BY Age, Zip : {rng.choice(CONDITIONS)} : {steps_text};"


def people(rng):
    return [
        (rng.randint(1, 4), rng.choice(ZIPS), rng.choice(("flu", "asthma")))
        for _ in range(rng.randint(0, 25))
    ]


@pytest.mark.parametrize("seed", range(40))
def test_a_random_cascade_gives_what_semantics_gives(seed):
    rng = random.Random(f"repeats {seed}")
    case = case_of(cascade(rng), SCHEMA, people(rng))
    rewrites = VARIANTS["always count combinations"]
    assert compare(case, lambda each, program: observed(each, rewrites)) is None


def test_a_changed_record_wakes_the_class_that_it_comes_into(monkeypatch):
    """Two records of zip 12 become zip 11, where a class of three then has too many."""
    merged = []
    original = repeats._Steps.merged
    monkeypatch.setattr(repeats._Steps, "merged", lambda *args: merged.append(original(*args)) or merged[-1])
    policy = (
        "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 3 AND n <= 4"
        " : REPLACE Zip WITH '11' THEN REPLACE Age WITH 9 THEN REJECT;"
    )
    records = [(1, "11", "flu")] * 3 + [(1, "12", "flu")] * 2 + [(2, "21", "flu")] * 4
    found = compare(case_of(policy, SCHEMA, records), lambda each, program: observed(each, VARIANTS["all"]))
    assert found is None
    assert [step.active and step.active.records for step in merged] == [5, 5, None]
