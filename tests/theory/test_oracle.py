"""The interpreter that is extracted from the theory gives the results of `semantics`."""

import pytest

from tests.theory.building import needs
from tests.theory.oracle import differences

#: `python -m tests.theory.campaign` runs any number
CASES = 150


@pytest.mark.slow
@needs("make", "coqc", "ocamlfind")
def test_no_case_differs() -> None:
    cases, found = differences(f"suite {number}" for number in range(CASES))
    assert (cases, found) == (CASES, [])
