"""Every claim of corpus.md gets the verdict stated there, and every counterexample replays."""

from dataclasses import replace

import pytest

from acompass.prove import ClaimVerdict, prove_policy
from acompass.syntax.parse import parse
from tests.prove.corpus import PATH, Case, cases
from tests.prove.replaying import fails


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_the_verdict_is_the_truth(case: Case) -> None:
    tree, problems = parse(case.policy)
    assert not problems
    tree = replace(tree, folder=str(PATH.parent))
    types = dict(type_.split("=") for type_ in case.types)
    (claim,) = prove_policy(tree, case.policy, [case.claim], types=types).claims
    assert claim.verdict == case.verdict, claim.reason
    assert claim.reason
    assert (claim.counterexample is not None) == (claim.verdict is ClaimVerdict.REFUTED)
    if claim.counterexample is not None:
        assert fails(tree, case.policy, case.claim, claim.counterexample)


def test_there_are_enough_policies_both_ways() -> None:
    every = cases()
    assert len({case.policy for case in every}) >= 60
    assert sum(case.verdict == "proved" for case in every) >= 50
    assert sum(case.verdict == "refuted" for case in every) >= 50
