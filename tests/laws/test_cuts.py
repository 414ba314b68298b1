"""Cuts (docs/randomness.md, X5, X6, D19): which values of the trace have which outcome."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Ball, Draw, Program
from acompass.semantics import Record, TraceExhausted, random, run_program, trace_of_values
from acompass.semantics.requirements import pick
from tests.generators.small_draws import SmallCase, small_cases
from tests.laws.effort import LAW
from tests.laws.pushforward import Law, as_table, law

ONE = 2**52


@LAW
@given(st.fractions(0, 1), st.data())
def test_a_cut_is_an_integer(cut: Fraction, data: st.DataObject) -> None:
    """h / 2⁵² < c exactly where h < ⌈2⁵² c⌉."""
    integer = ceil(ONE * cut)
    near = [h for h in range(integer - 2, integer + 2) if 0 <= h < ONE]
    h = data.draw(st.one_of(st.integers(0, ONE - 1), st.sampled_from(near)))
    assert (Fraction(h, ONE) < cut) == (h < integer)


@LAW
@given(st.integers(-5, 5), st.integers(1, 12), st.integers(1, 40))
def test_random_inverts_the_distribution_function(lower: int, many: int, parts: int) -> None:
    """random(l, u, ρ) is the first v with ρ < F(v), where F(v) = (v − l + 1) / (u − l + 1)."""
    upper = lower + many - 1
    for part in range(parts):
        rho = Fraction(part, parts)
        first = next(v for v in range(lower, upper + 1) if rho < Fraction(v - lower + 1, many))
        assert random(lower, upper, rho) == first


@LAW
@given(st.integers(-5, 5), st.integers(1, 12), st.integers(0, ONE - 1))
def test_random_is_an_urn_of_equal_weights(lower: int, many: int, h: int) -> None:
    urn = Draw(0, tuple(Ball(lower + j, 1) for j in range(many)))
    assert pick(urn, Fraction(h, ONE)) == random(lower, lower + many - 1, Fraction(h, ONE))


def _law_of_all_traces(program: Program, records: list[Record], bits: int) -> Law:
    """Every trace of b-bit values is run, without a thought about cuts."""
    values = [Fraction(h, 2**bits) for h in range(2**bits)]
    total: Counter[object] = Counter()
    pending: list[tuple[Fraction, ...]] = [()]
    while pending:
        prefix = pending.pop()
        try:
            outcome = run_program(program, records, trace_of_values(prefix))
        except TraceExhausted as short:
            pending += [(*prefix, *more) for more in product(values, repeat=short.needed - len(prefix))]
        else:
            left = as_table(program.final_schema, outcome.records)
            total[left] += Fraction(1, 2 ** (bits * len(prefix)))
    return dict(total)


@LAW
@given(small_cases(most=1), st.sampled_from((1, 2, 3)))
def test_every_value_of_a_small_trace(case: SmallCase, bits: int) -> None:
    """The law by cells, with its cuts rounded up, is the law of all values h / 2ᵇ, equally often."""
    program = case.program()
    assert law(program, case.records, bits) == _law_of_all_traces(program, case.records, bits)


@LAW
@given(small_cases(most=3, most_records=1))
def test_every_value_of_a_small_trace_through_several_requirements(case: SmallCase) -> None:
    program = case.program()
    assert law(program, case.records, bits=2) == _law_of_all_traces(program, case.records, bits=2)
