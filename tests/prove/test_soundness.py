"""What is proved holds on every table tried, and every counterexample is one (`soundness` says how)."""

import pytest

from tests.prove.decided import measure
from tests.prove.soundness import campaign

POLICIES = 300
TABLES = 200


@pytest.mark.slow
def test_what_is_proved_survives_random_tables_and_counterexamples_replay() -> None:
    figures = campaign(seed=6, policies=POLICIES, tables=TABLES)
    assert figures.broken == []
    assert figures.policies == POLICIES
    assert figures.verdicts["proved"] > POLICIES / 3, "too few proofs to say anything"
    assert figures.verdicts["refuted"] > POLICIES / 3, "too few counterexamples to say anything"


@pytest.mark.slow
def test_nine_of_ten_claims_are_decided() -> None:
    figures = measure(seed=7, policies=250)
    assert figures.decided >= 0.9, figures.undecided.most_common(5)
