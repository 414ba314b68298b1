"""How far the law of a seed, of 52 bits, is from that of ρ uniform on [0, 1) (docs/randomness.md)."""

from fractions import Fraction
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Program
from tests.generators.small_draws import SmallCase, small_cases
from tests.laws.effort import LAW
from tests.laws.pushforward import Law, cells, law

STEP = Fraction(1, 2**52)
#: an outcome of X5 or X6 is at least this probable (X7)
RAREST = Fraction(1, 2**32)
#: so 52 bits change its probability by this share at most
SHARE = STEP / RAREST


def _distance(one: dict[object, Fraction], other: dict[object, Fraction]) -> Fraction:
    """The distance in total variation."""
    return sum((abs(one.get(x, 0) - other.get(x, 0)) for x in {*one, *other}), start=Fraction(0)) / 2


def _outcomes(weights: list[int], bits: int | None) -> dict[object, Fraction]:
    """The probability of each ball of an urn."""
    total = sum(weights)
    cuts = [Fraction(below, total) for below in accumulate(weights)]
    return dict(enumerate(cell.probability for cell in cells(cuts, bits)))


@LAW
@given(st.lists(st.integers(1, 2**20), min_size=2, max_size=8))
def test_one_draw(weights: list[int]) -> None:
    """n outcomes: each is off by less than 2⁻⁵², so their distance is below n/2 · 2⁻⁵²."""
    ideal, seeded = _outcomes(weights, None), _outcomes(weights, 52)
    assert all(abs(seeded[ball] - ideal[ball]) < STEP for ball in ideal)
    assert _distance(ideal, seeded) < Fraction(len(weights), 2) * STEP
    assert all(abs(seeded[ball] - p) <= SHARE * p for ball, p in ideal.items() if p >= RAREST)


@LAW
@given(st.integers(0, 10), st.data())
def test_halves_and_quarters_are_exact(exponent: int, data: st.DataObject) -> None:
    cut = Fraction(data.draw(st.integers(1, 2**exponent)), 2**exponent)
    assert cells((cut, Fraction(1)), 52) == cells((cut, Fraction(1)))


#: the generator's draws have three outcomes at most
_PER_VALUE = Fraction(3, 2) * STEP


def _most_values(program: Program, case: SmallCase) -> int:
    """A coin and a draw for each record and requirement."""
    return 2 * len(case.records) * len(program.requirements)


@LAW
@given(small_cases(most_records=3))
def test_whole_programs(case: SmallCase) -> None:
    """Distances add up over the values that are consumed, and shares multiply."""
    program = case.program()
    ideal, seeded = law(program, case.records), law(program, case.records, bits=52)
    values = _most_values(program, case)
    assert _distance(ideal, seeded) <= values * _PER_VALUE
    assert ideal.keys() == seeded.keys()
    for table, probability in ideal.items():
        assert (1 - SHARE) ** values <= seeded[table] / probability <= (1 + SHARE) ** values


def test_the_distance_is_real() -> None:
    """A third is no multiple of 2⁻⁵²: a seed draws the first of three integers too often, by 2/3 · 2⁻⁵²."""
    program = SmallCase("ALWAYS : RANDOM a 0 2;", []).program()
    record = (0, "y", 0)
    ideal: Law = law(program, [record])
    assert _distance(ideal, law(program, [record], bits=52)) == Fraction(2, 3) * STEP
