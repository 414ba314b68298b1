"""The differential law with all rewrites, without each of them, and without any."""

import random

import pytest

from acompass.conformance.compare import compare, observe_session
from acompass.conformance.generate import random_case
from tests.plan.running import duckdb_session
from tests.plan.test_rewrites import VARIANTS

CASES = 45


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_variant_differs_from_semantics(variant):
    with duckdb_session() as session:
        observe = observe_session(session, VARIANTS[variant])
        for seed in range(CASES):
            disagreement = compare(random_case(random.Random(f"{variant} {seed}")), observe)
            session.clear()
            assert disagreement is None
