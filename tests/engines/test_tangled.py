"""Requirements that read what others wrote, on every engine: right results, and no statement grows."""

import random
from contextlib import contextmanager

import pytest

from acompass.checked.types import INTEGER, Column
from acompass.conformance.compare import compare, observe_session
from acompass.conformance.generate import Case
from acompass.engines.connect import open_session
from benchmarks.policies import TANGLED_COLUMNS, tangled

REQUIREMENTS = 20
#: characters: 400 comparisons of one scan of `check`, with some room; see also tests/plan/test_growth.py
LONGEST = 15_000


@contextmanager
def counted_session(url):
    with open_session(url) as session:
        yield session
        assert max(map(len, session.statements)) < LONGEST


@pytest.mark.parametrize("engine", ["duckdb", "postgres", "spark"])
def test_tangled_requirements_agree_and_stay_small(engine, engine_url):
    rng = random.Random("tangled")
    schema = tuple(Column(name, INTEGER) for name in TANGLED_COLUMNS)
    records = [tuple(rng.randrange(1000) for _ in schema) for _ in range(200)]
    case = Case(tangled(REQUIREMENTS), schema, records, [], {})
    with counted_session(engine_url) as session:
        assert compare(case, observe_session(session)) is None
