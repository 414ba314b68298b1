"""Servers that several folders of tests share; each starts when first asked for."""

import pytest

from tests.engines.postgres_server import postgres
from tests.engines.spark_sessions import cluster, spark

__all__ = ["cluster", "postgres", "spark"]


@pytest.fixture
def engine_url(engine: str, request: pytest.FixtureRequest) -> str:
    """What `--engine` takes for the engine of this name."""
    if engine == "postgres":
        return str(request.getfixturevalue("postgres").url("english"))
    if engine == "spark":
        return str(request.getfixturevalue("spark").sparkContext.master)
    return engine
