"""Nothing of the input is left after a killed run and the next start; `tests/promise/kills.py` does this at length."""

import pytest

from tests.length import at_length
from tests.promise.kills import KILLS, campaign


@pytest.mark.slow
@pytest.mark.campaign
def test_killed_runs_leave_a_whole_output_or_the_old_one_and_no_record() -> None:
    counts = campaign(at_length(10), seed=at_length(1), records=2_000)
    assert {name: count for name, count in counts.items() if name.startswith("fault")} == {}
    assert sum(counts[f"{kill}: {what}"] for kill in KILLS for what in ("none", "old", "new")) == at_length(10)
