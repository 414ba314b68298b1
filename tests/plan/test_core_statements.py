"""Core programs plan to the SQL that they planned to before the everyday language came (X0)."""

import pytest

from tests.language.cases import all_cases
from tests.plan.core_statements import digest, recorded

RECORDED = recorded()
#: PROCESS lines that read what others wrote: the table is grouped once now
CASCADES: set[str] = set()


@pytest.mark.parametrize(
    "case", [case for case in all_cases() if case.id in RECORDED], ids=lambda case: case.id
)
def test_a_core_program_plans_as_before(case):
    assert (digest(case) == RECORDED[case.id]) == (case.id not in CASCADES)
