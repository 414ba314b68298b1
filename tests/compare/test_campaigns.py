"""Short runs of the campaigns; `python -m tests.compare.campaign` and `any_policies` run longer ones."""

import pytest

from tests.compare import any_policies, campaign


def test_record_level_policies_are_compared_exactly() -> None:
    found = campaign.campaign(24, seed=3)
    assert found.total() == 24
    assert found["certain None"] == 0
    assert found["certain True"]
    assert found["certain False"]


@pytest.mark.slow
def test_other_policies_are_compared_soundly() -> None:
    found = any_policies.campaign(20, seed=5)
    assert found["True"]
    assert found["False"]
