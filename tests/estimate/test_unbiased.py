"""The expectation of the estimate is the truth, and that of its variance is its variance: by all releases of
small tables, each with its exact probability."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import acompass
from acompass.checked.types import TEXT, Column
from acompass.estimates import Estimate
from tests.generators.programs import program_of
from tests.laws.pushforward import law

INVARIANT = "ALWAYS : WITH PROBABILITY 0.3 RANDOM d FROM (2 OF 'a', 1 OF 'b', 1 OF 'c');"
MATRIX = """\
EACH RESULT : d IN ('a', 'b', 'c');
EACH RESULT : d != 'a' : RANDOM d FROM (8 OF '~a', 1 OF '~b', 1 OF '~c');
EACH RESULT : d != 'b' : RANDOM d FROM (2 OF '~a', 7 OF '~b', 1 OF '~c');
EACH RESULT : d != 'c' : RANDOM d FROM ('~b', '~c');
EACH RESULT : d != '~a' : REPLACE d WITH 'a';
EACH RESULT : d != '~b' : REPLACE d WITH 'b';
EACH RESULT : d != '~c' : REPLACE d WITH 'c';
"""
SAMPLE = "ALWAYS : WITH PROBABILITY 0.25 REJECT;"
DECOY = "EACH RESULT : d IN ('a', 'b'); ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'b', 'x', 'y');"
UNEVEN = "EACH RESULT : d != 'a' : WITH PROBABILITY 0.5 REJECT;"
POLICIES = {
    "an urn": INVARIANT,
    "a matrix": MATRIX,
    "a sample": SAMPLE,
    "a sample, then an urn": f"{SAMPLE}\n{INVARIANT}",
    "an urn, then a sample": f"{INVARIANT}\n{SAMPLE}",
    "two urns": f"{INVARIANT}\nALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'c');",
    "values that were never there": DECOY,
    "one value sampled": f"{UNEVEN}\n{INVARIANT}",
}
TABLES = ["ab", "aab", "abc", "aac"]


def _releases(policy: str, table: str) -> Iterator[tuple[Fraction, Estimate]]:
    """Each release of a table with its probability, and the estimate from it."""
    program = program_of(policy, (Column("d", TEXT),))
    for left, probability in law(program, [(value,) for value in table]).items():
        if left:  # a table without records has no columns
            yield probability, acompass.estimate([{"d": value} for (value,) in left], policy, "d")


def _rest(policy: str, table: str) -> Fraction:
    """The probability that nothing is left, from which every estimate would be 0."""
    program = program_of(policy, (Column("d", TEXT),))
    return law(program, [(value,) for value in table]).get((), Fraction(0))


def _mean(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((probability * number for probability, number in pairs), Fraction(0))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
def test_counts_and_their_variances_are_right_on_average(policy: str, table: str) -> None:
    """Also that of the number of records, and of values that are not in the table or in the release."""
    if policy == DECOY:
        table = table.replace("c", "b")
    found: defaultdict[str, list[tuple[Fraction, Fraction, Fraction]]] = defaultdict(list)
    total = _rest(policy, table)
    for probability, estimate in _releases(policy, table):
        total += probability
        found["*"].append((probability, estimate.records.estimate, estimate.records.variance))
        for each in estimate.values:
            found[each.value].append((probability, each.count.estimate, each.count.variance))
    assert total == 1
    truth = Counter({"*": len(table), **Counter(table)})
    assert found.keys() >= truth.keys()
    for value, cases in found.items():
        mean = _mean([(probability, count) for probability, count, _ in cases])
        square = _mean([(probability, count**2) for probability, count, _ in cases])
        assert mean == truth[value]
        assert _mean([(probability, variance) for probability, _, variance in cases]) == square - mean**2


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", [name for name in POLICIES if name != "one value sampled"])
def test_shares_are_right_on_average_for_each_number_of_released_records(name: str, table: str) -> None:
    """The expectation of the variance is the variance where a sample has the part of the records that is
    expected of it: 1 - n/N is taken for the probability of a rejection."""
    policy, rate = POLICIES[name], Fraction(3, 4) if "sample" in name else Fraction(1)
    if policy == DECOY:
        table = table.replace("c", "b")
    cases: defaultdict[tuple[int, str], list[tuple[Fraction, Fraction, Fraction | None]]] = defaultdict(list)
    sizes: defaultdict[int, Fraction] = defaultdict(Fraction)
    for probability, estimate in _releases(policy, table):
        sizes[estimate.released] += probability
        for each in estimate.values:
            assert each.share is not None
            found = (probability, each.share.estimate, each.share.variance)
            cases[estimate.released, str(each.value)].append(found)
    for (released, value), found in cases.items():
        # a value that is neither seen nor named is estimated to be absent, without an error
        given_size = [(probability / sizes[released], *rest) for probability, *rest in found]
        share = Fraction(table.count(value), len(table))
        mean = _mean([(probability, estimate) for probability, estimate, _ in given_size])
        assert mean == share
        if released == 1 and rate < 1:
            assert all(variance is None for _, _, variance in given_size)
            continue
        true = _mean([(probability, estimate**2) for probability, estimate, _ in given_size]) - mean**2
        claimed = _mean([(probability, variance) for probability, _, variance in given_size])
        spread = share * (1 - share) * len(table) / (len(table) - 1)
        actual, assumed = 1 - Fraction(released, len(table)), 1 - rate
        assert claimed == true + (assumed - actual) * spread / released


def test_the_number_of_released_records_is_that_of_a_sample() -> None:
    """A check of the enumeration above."""
    sizes: defaultdict[int, Fraction] = defaultdict(Fraction)
    for probability, estimate in _releases(SAMPLE, "aab"):
        sizes[estimate.released] += probability
    assert sizes == {n: comb(3, n) * Fraction(3, 4) ** n * Fraction(1, 4) ** (3 - n) for n in (1, 2, 3)}


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.sampled_from(["0.1", "0.5", "0.99"]),
    st.text("abc", min_size=1, max_size=3),
)
def test_any_urn_is_inverted_without_bias(weights: list[int], change: str, table: str) -> None:
    urn = ", ".join(f"{weight} OF '{value}'" for weight, value in zip(weights, "abc", strict=False))
    policy = f"ALWAYS : WITH PROBABILITY {change} RANDOM d FROM ({urn});"
    means: defaultdict[str, Fraction] = defaultdict(Fraction)
    for probability, estimate in _releases(policy, table):
        for each in estimate.values:
            means[str(each.value)] += probability * each.count.estimate
    assert {value: mean for value, mean in means.items() if mean} == Counter(table)
