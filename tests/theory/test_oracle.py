"""The interpreter that is extracted from the theory gives the results of `semantics`."""

import struct
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest

from acompass.language.program.types import FLOAT, INTEGER, Column
from acompass.semantics import core
from acompass.testing.conformance.cases import Case
from tests.length import at_length
from tests.theory.building import needs
from tests.theory.oracle import differences, random_cases

#: `python -m tests.theory.campaign` runs any number
CASES = at_length(40)

pytestmark = [pytest.mark.slow, needs("make", "coqc", "ocamlfind")]


@pytest.mark.campaign
def test_no_case_differs() -> None:
    assert differences(random_cases(f"suite {number}" for number in range(CASES))) == []


def _float_case(values: list[float]) -> Case:
    """A case that compares the sum with that of `semantics`, and turns all values into text."""
    total = Decimal(repr(core.total(values)))
    policy = f"""EACH PROCESS SUM(x) AS s : s = {total:f} : REJECT;
        EACH RESULT : x <= 0 OR x > 0 : REPLACE x WITH 'never';"""
    return Case(policy, (Column("x", FLOAT),), [(value,) for value in values], [], {})


def test_sums_of_floats_are_rounded_alike() -> None:
    """Many of these sums differ if the values are not added in sorted order."""
    rng = Random("sums")
    lists = [[rng.uniform(-1, 1) * 2 ** rng.randint(-9, 9) for _ in range(9)] for _ in range(40)]
    assert any(sum(values) != core.total(values) for values in lists)
    assert differences([_float_case(values) for values in lists]) == []


def test_a_negative_zero_comes_before_zero() -> None:
    """In canonical order, which assigns the trace values. As values, they are equal."""
    schema = (Column("x", FLOAT), Column("n", INTEGER))
    cases = [
        Case("ALWAYS : RANDOM n 0 99;", schema, [(0.0, 0), (-0.0, 1)], [Fraction(1, 4), Fraction(3, 4)], {}),
        Case("EACH PROCESS COUNT(*) AS c GROUP BY x : c < 2 : REJECT;", schema, [(0.0, 0), (-0.0, 1)], [], {}),
    ]
    drawn = core.run_program(cases[0].program(), cases[0].records, core.trace_of_values(cases[0].trace))
    assert {repr(x): n for x, n in drawn.records} == {"-0.0": 25, "0.0": 75}
    assert differences(cases) == []


def test_floats_of_all_patterns_have_the_same_text() -> None:
    rng = Random("texts")
    patterns = [rng.getrandbits(52) | rng.randrange(2047) << 52 for _ in range(60)]
    powers = [exponent << 52 for exponent in range(0, 2047, 89)]
    floats = [struct.unpack(">d", struct.pack(">Q", bits))[0] for bits in (*patterns, *powers, 1, 2**52 - 1)]
    assert differences([_float_case([value]) for value in floats]) == []
