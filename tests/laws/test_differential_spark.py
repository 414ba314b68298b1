"""Invariant 3 on Spark: random programs, tables and traces give the results of `semantics`."""

from dataclasses import replace
from typing import Any

import pytest

from acompass.plan.lowering.spark import SPARK
from acompass.testing.conformance.differential import conform
from tests.length import at_length


@pytest.mark.campaign
def test_no_case_differs_with_every_rewrite(spark: Any) -> None:
    report = conform("local[2]", cases=at_length(16), seed=1)
    assert report.ok, report.smallest


@pytest.mark.campaign
def test_no_case_differs_without_rewrites_if_few_groups_can_be_ranked(spark: Any) -> None:
    """As if there were more records than one worker can sort."""
    from acompass.engines.spark.session import PlanSession, own_session

    session = PlanSession(own_session(spark), replace(SPARK, most_rank_groups=3))
    report = conform(session, cases=at_length(10), seed=2, rewrites=())
    assert report.ok, report.smallest
