"""Every claim of the corpus gets the verdict stated there, and every counterexample replays."""

import pytest

from acompass.prove import ClaimVerdict
from tests.prove.corpus import Case, cases
from tests.prove.replaying import fails


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_verdict_is_the_truth(case: Case) -> None:
    claim = case.asked()
    assert case.is_given(claim.verdict), claim.reason
    assert claim.reason
    assert (claim.counterexample is not None) == (claim.verdict is ClaimVerdict.REFUTED)
    if claim.counterexample is not None and not case.is_own:
        assert fails(case.parsed(), case.policy, case.claim, claim.counterexample)


def test_there_are_enough_policies_both_ways() -> None:
    every = cases()
    assert len({case.policy for case in every}) >= 60
    assert sum(case.verdict == "proved" for case in every) >= 50
    assert sum(case.verdict == "refuted" for case in every) >= 50
