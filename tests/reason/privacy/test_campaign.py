"""A short run of tests/reason/privacy/campaign.py."""

import pytest

from acompass.language.program.program import Program
from acompass.reason.privacy.answer import ColumnVerdict
from tests.length import at_length
from tests.reason.privacy.campaign import campaign
from tests.reason.privacy.judged import require_true
from tests.reason.privacy.policies import Policy

D = frozenset((0,))
LIMITED = "EACH RESULT : d IN ('a', 'b', 'c') : REPLACE d WITH 'c';"
NOISE = "ALWAYS : WITH PROBABILITY 0.25 RANDOM d FROM ('a', 'b', 'c');"
K = "EACH PROCESS COUNT(*) AS n GROUP BY d : n >= 2 : REJECT;"
K_OF_OTHERS = "EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;"


@pytest.mark.campaign
@pytest.mark.slow
def test_verdicts_on_random_policies_are_true() -> None:
    counts = campaign(policies=at_length(4), seed=11)
    assert counts["finite and above 1"] > 0
    assert counts[ColumnVerdict.NONE] > 0


#: lines with a finite ratio, the lines of a mutant, and its ratio; None if it has no bound
MUTANTS = {
    "two lines swapped": ((LIMITED, NOISE, K), (K, LIMITED, NOISE), None),
    "the limit after the noise": ((LIMITED, NOISE), (NOISE, LIMITED), 10),
    "a column of GROUP BY": ((K_OF_OTHERS, LIMITED, NOISE), (K, LIMITED, NOISE), None),
    "a condition that reads the column": (
        (LIMITED, NOISE),
        (LIMITED, NOISE.replace("ALWAYS", "EACH RESULT : d = 'a'")),
        None,
    ),
    "a narrower urn": ((LIMITED, NOISE), (LIMITED, NOISE.replace(", 'c'", "")), None),
    "a wider urn": ((LIMITED, NOISE), (LIMITED, NOISE.replace("'c')", "'c', 'z')")), 13),
    "a limit less": ((LIMITED, NOISE), (NOISE,), None),
    "a check before": ((LIMITED, NOISE), ("EACH RESULT : d = 'a';", LIMITED, NOISE), None),
}


def _program(lines: tuple[str, ...]) -> Program:
    program = Policy(lines).program()
    assert program is not None
    return program


@pytest.mark.parametrize("change", sorted(MUTANTS))
def test_a_mutant_keeps_no_claim_that_enumeration_refutes(change: str) -> None:
    lines, changed, ratio = MUTANTS[change]
    assert require_true(_program(lines), D).ratio == 10
    mutant = require_true(_program(changed), D)
    assert mutant.ratio == ratio
    assert mutant.verdict is (ColumnVerdict.NONE if ratio is None else ColumnVerdict.EXACT)
