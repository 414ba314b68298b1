"""Short runs of the campaigns; `python -m tests.reason.compare.campaign`, `any_policies` and `release_pairs` run longer
ones."""

import pytest

from tests.length import at_length
from tests.reason.compare import any_policies, campaign, release_pairs


@pytest.mark.campaign
@pytest.mark.slow
def test_record_level_policies_are_compared_exactly() -> None:
    found = campaign.campaign(at_length(4), seed=3)
    assert found.total() == at_length(4)
    assert found["certain None"] == 0
    assert found["words True"] + found["words False"] + found["words None"]
    assert found["certain True"]
    assert found["certain False"]


@pytest.mark.campaign
def test_other_policies_are_compared_soundly() -> None:
    found = any_policies.campaign(at_length(2), seed=23)
    assert found["True"]
    assert found["False"]


@pytest.mark.campaign
@pytest.mark.slow
def test_what_a_new_policy_releases_agrees_with_runs() -> None:
    found = release_pairs.campaign(at_length(40), seed=4)
    assert found.total() == at_length(40)
    for verdict in ("same", "no more", "more"):
        assert found[f"kept, {verdict}"], verdict
