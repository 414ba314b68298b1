"""A short campaign of `soundness`, and a bound on the claims that are left undecided."""

import pytest

from tests.prove.decided import measure
from tests.prove.soundness import campaign

POLICIES = 120
TABLES = 200


@pytest.mark.slow
def test_proved_claims_hold_on_random_tables_and_counterexamples_replay() -> None:
    figures = campaign(seed=6, policies=POLICIES, tables=TABLES)
    assert figures.broken == []
    assert figures.policies == POLICIES
    assert figures.verdicts["proved"] > POLICIES / 3, "too few proofs to be meaningful"
    assert figures.verdicts["refuted"] > POLICIES / 3, "too few counterexamples to be meaningful"


@pytest.mark.slow
def test_nine_of_ten_claims_are_decided() -> None:
    figures = measure(seed=7, policies=250)
    assert figures.decided >= 0.9, figures.undecided.most_common(5)


@pytest.mark.slow
def test_nine_of_ten_claims_about_everyday_policies_are_decided() -> None:
    figures = measure(seed=8, policies=50, everyday=True)
    assert figures.decided >= 0.9, figures.undecided.most_common(5)
