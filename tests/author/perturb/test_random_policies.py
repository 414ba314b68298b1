"""Law: every estimate is unbiased, and so is its variance, unless it is rejected."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import acompass
from acompass.author.answers import Estimate, Quantity
from acompass.author.perturb.estimate import solve
from acompass.author.perturb.transitions import CountedColumn, Lines, Stopped, deciding_lines, transitions
from acompass.errors.diagnostics import CallError
from acompass.language.program.program import Program
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.plan.run.queries import ValueCount
from acompass.semantics.core import holds
from tests.folding import folded
from tests.generators.strategies import parse_and_check
from tests.laws.pushforward import Law, law
from tests.length import at_length

CONDITIONS = ["d < 3", "d != 2", "d IN (1, 2, 3)", "d >= 2", "e > 0", "NOT (d = 2 OR e = 0)"]
ACTIONS = ["REJECT", "REPLACE d WITH 2", "REPLACE e WITH 0", "RANDOM d 1 2", "RANDOM d FROM (1, 2 OF 4)"]
COINS = ["", "WITH PROBABILITY 0.25 ", "WITH PROBABILITY 0.5 "]
VALUES = (0, 1, 2, 3, 4, 7)


@st.composite
def lines(draw: st.DrawFn) -> str:
    condition = draw(st.sampled_from(CONDITIONS))
    action = f"{draw(st.sampled_from(COINS))}{draw(st.sampled_from(ACTIONS))}"
    form = draw(st.sampled_from(["always", "always", "each", "each", "filter", "check", "class"]))
    match form:
        case "always":
            return f"ALWAYS : {action};"
        case "each":
            return f"EACH RESULT : {condition} : {action};"
        case "filter":
            return f"EACH FILTER e >= 0 : {condition} : {action};"
        case "class":
            return f"EACH PROCESS COUNT(*) AS n GROUP BY d : n >= 2 : {action};"
        case _:
            return f"EACH RESULT : {condition};"


def _estimate(program: Program, counts: Counter[int]) -> Estimate | None:
    """None if the estimate is rejected."""
    found = deciding_lines(program, 0)
    if not isinstance(found, Lines):
        return None
    column = CountedColumn("d", INTEGER, {str(v): ValueCount(v, n) for v, n in sorted(counts.items())})
    try:
        return solve(column, transitions(program, found, 0, {str(value): value for value in counts}), None)
    except (CallError, Stopped):
        return None


def _law_before(program: Program, records: list[tuple[int, int]]) -> Law | None:
    """The law of the table before the first draw; None if a check stops the run."""
    found = deciding_lines(program, 0)
    assert isinstance(found, Lines)
    return _checked_law(Program(program.schema, found.before, program.named), records)


def _checked_law(program: Program, records: list[tuple[int, int]]) -> Law | None:
    """None if a check can stop the run."""
    for at, line in enumerate(program.requirements):
        if line.action is None:
            before = law(Program(program.schema, program.requirements[:at], program.named), records)
            after = Program(program.schema, (line,), program.named)
            if any(_stops(after, list(table)) for table in before):
                return None
    return law(program, records)


def _stops(check: Program, records: list[tuple[int, ...]]) -> bool:
    return not holds(records, check.requirements[0].assertion)


@settings(max_examples=at_length(40))
@given(
    st.lists(lines(), min_size=1, max_size=4),
    st.lists(st.tuples(st.sampled_from(VALUES), st.integers(0, 1)), min_size=1, max_size=2),
)
def test_every_estimate_is_unbiased_and_so_is_its_variance(policy: list[str], records: list[tuple[int, int]]) -> None:
    program = parse_and_check("\n".join(policy), (Column("d", INTEGER), Column("e", INTEGER)))
    released = _checked_law(program, records)
    assume(released is not None)
    found: defaultdict[int | None, list[tuple[Fraction, Quantity]]] = defaultdict(list)
    for table, probability in (released or {}).items():
        estimate = _estimate(program, Counter(record[0] for record in table))
        assume(estimate is not None)
        for each in estimate.values if estimate else ():
            assert each.value is None or isinstance(each.value, int)
            found[each.value].append((probability, each.count))
    means = {value: sum(p * count.estimate for p, count in cases) for value, cases in found.items()}
    before = _law_before(program, records) or {}
    truth: Counter[int | None] = Counter()
    for table, probability in before.items():
        truth.update({value: n * probability for value, n in Counter(r[0] for r in table).items()})
    assert {value: mean for value, mean in means.items() if mean} == _merge_unnamed(truth, means)
    if len(before) == 1:  # otherwise, lines above the first draw make the truth vary
        for value, cases in found.items():
            square = sum(p * count.estimate**2 for p, count in cases)
            assert sum(p * (count.variance or 0) for p, count in cases) == square - means[value] ** 2


def _merge_unnamed(truth: Mapping[int | None, Any], means: Mapping[int | None, Any]) -> dict[int | None, Any]:
    """Count together the values that the policy does not name."""
    merged: Counter[int | None] = Counter()
    for value, count in truth.items():
        merged[value if value in means or None not in means else None] += count
    return {value: count for value, count in merged.items() if count}


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
MORE = "EACH RESULT : d NOT IN ('x', 'y'); ALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM (2 OF 'a', 'x', 'y');"
UNEVEN = "EACH RESULT : d != 'a' : WITH PROBABILITY 0.5 REJECT;"
POLICIES = {
    "an urn": INVARIANT,
    "a matrix": MATRIX,
    "a sample": SAMPLE,
    "a sample, then an urn": f"{SAMPLE}\n{INVARIANT}",
    "an urn, then a sample": f"{INVARIANT}\n{SAMPLE}",
    "two urns": f"{INVARIANT}\nALWAYS : WITH PROBABILITY 0.5 RANDOM d FROM ('a', 'c');",
    "values that never occurred": DECOY,
    "values that never occurred, and values that the policy does not name": MORE,
    "one value sampled": f"{UNEVEN}\n{INVARIANT}",
}
TABLES = ["ab", "aab", "abc", "aac"]


def _releases(policy: str, table: str) -> Iterator[tuple[Fraction, Estimate]]:
    """The probability of each release of a table, and the estimate from it."""
    program = parse_and_check(policy, (Column("d", TEXT),))
    for left, probability in law(program, [(value,) for value in table]).items():
        if left:  # a table without records has no columns
            yield probability, _estimate_unbiased(policy, left)


@cache
def _estimate_unbiased(policy: str, released: tuple[tuple[str], ...]) -> Estimate:
    """Cached, because many tables can become the same release."""
    return acompass.estimate([{"d": value} for (value,) in released], policy, "d")


def _empty_probability(policy: str, table: str) -> Fraction:
    """The probability that no record is left; every estimate is then 0."""
    program = parse_and_check(policy, (Column("d", TEXT),))
    return law(program, [(value,) for value in table]).get((), Fraction(0))


def _mean(pairs: list[tuple[Fraction, Fraction]]) -> Fraction:
    return sum((probability * number for probability, number in pairs), Fraction(0))


@pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
@folded("table", TABLES)
@pytest.mark.slow
def test_counts_and_their_variances_are_unbiased(policy: str, table: str) -> None:
    """Including the number of records, and values that are not in the table or the release."""
    if policy == DECOY:
        table = table.replace("c", "b")
    found: defaultdict[str, list[tuple[Fraction, Fraction, Fraction]]] = defaultdict(list)
    total = _empty_probability(policy, table)
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


@pytest.mark.parametrize("name", [name for name in POLICIES if name != "one value sampled"])
@folded("table", TABLES)
def test_shares_are_unbiased_for_each_number_of_released_records(name: str, table: str) -> None:
    """The expected variance is exact if a sample has its expected share of the records: the estimate uses
    1 - n/N for the probability of a rejection."""
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


def test_the_number_of_released_records_is_binomial() -> None:
    """Checks the enumeration above."""
    sizes: defaultdict[int, Fraction] = defaultdict(Fraction)
    for probability, estimate in _releases(SAMPLE, "aab"):
        sizes[estimate.released] += probability
    assert sizes == {n: comb(3, n) * Fraction(3, 4) ** n * Fraction(1, 4) ** (3 - n) for n in (1, 2, 3)}


@settings(max_examples=at_length(5))
@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=3),
    st.sampled_from(["0.1", "0.5", "0.99"]),
    st.text("abc", min_size=1, max_size=3),
)
@pytest.mark.slow
def test_estimates_are_unbiased_for_any_weights(weights: list[int], change: str, table: str) -> None:
    urn = ", ".join(f"{weight} OF '{value}'" for weight, value in zip(weights, "abc", strict=False))
    policy = f"ALWAYS : WITH PROBABILITY {change} RANDOM d FROM ({urn});"
    means: defaultdict[str, Fraction] = defaultdict(Fraction)
    for probability, estimate in _releases(policy, table):
        for each in estimate.values:
            means[str(each.value)] += probability * each.count.estimate
    assert {value: mean for value, mean in means.items() if mean} == Counter(table)
