"""Theorem 6, RANDOM soundness: a value outside [l, u] never stays."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Random
from acompass.checked.types import Kind
from acompass.semantics import perform, random, trace_of_values
from tests.generators.strategies import Violation, violations, with_action
from tests.laws.effort import LAW

INTEGERS = st.one_of(st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1))
RHO = st.one_of(
    st.fractions(0, Fraction(2**60 - 1, 2**60)), st.sampled_from((Fraction(0), Fraction(2**52 - 1, 2**52)))
)


@LAW
@given(INTEGERS, INTEGERS, RHO)
def test_random_stays_between_its_bounds(one: int, other: int, rho: Fraction) -> None:
    lower, upper = sorted((one, other))
    assert lower <= random(lower, upper, rho) <= upper


@LAW
@given(violations(kinds=(Kind.INTEGER,)), INTEGERS, INTEGERS, st.data())
def test_an_outlier_never_keeps_its_value(
    violation: Violation, one: int, other: int, data: st.DataObject
) -> None:
    lower, upper = sorted((one, other))
    named = violation.requirement.before
    column = data.draw(st.sampled_from([c for c in range(len(named)) if violation.bag[0][c] is not None]))
    rhos = data.draw(st.lists(RHO, min_size=len(violation.affected), max_size=len(violation.affected)))
    requirement = with_action(violation.requirement, Random(column, lower, upper))
    after, rest = perform(requirement, violation.bag, trace_of_values(rhos))
    assert rest.used == len(violation.affected)
    drawn = sorted(random(lower, upper, rho) for rho in rhos)
    assert sorted(after[position][column] for position in violation.affected) == drawn
    for position, (old, new) in enumerate(zip(violation.bag, after, strict=True)):
        if position not in violation.affected:
            assert new is old
        elif old[column] is None or not lower <= old[column] <= upper:
            assert new[column] != old[column]
