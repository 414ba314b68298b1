"""Servers that several folders of tests share; each starts when first asked for."""

import pytest

from tests.engines.postgres_server import postgres

__all__ = ["postgres"]


@pytest.fixture
def engine_url(engine: str, request: pytest.FixtureRequest) -> str:
    """What `--engine` takes for the engine of this name."""
    if engine == "postgres":
        return str(request.getfixturevalue("postgres").url("english"))
    return engine
