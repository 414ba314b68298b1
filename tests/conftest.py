"""Hypothesis without time limits, markers by what a test needs, servers that several folders share."""

import gc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.docs.pages import servers
from tests.engines.postgres_server import postgres
from tests.engines.spark_sessions import cluster, spark

__all__ = ["cluster", "postgres", "spark"]

# a slow machine is not a counterexample; a test that hangs meets the time limit in pyproject.toml
settings.register_profile("acompass", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fast", settings.get_profile("acompass"), max_examples=30)
settings.load_profile("acompass")

# trees of SQL are garbage in cycles, and searching for it after every 700 objects takes time
gc.set_threshold(50_000, 20, 100)

#: the markers of tests that use a fixture or an engine of this name, or have it in the name of their file
NEEDS = {
    "browser": ("browser",),
    "cluster": ("server", "spark"),
    "postgres": ("server",),
    "spark": ("spark",),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for need in _needs(item):
            for marker in NEEDS.get(need, ()):
                item.add_marker(marker)
    # pytest-xdist gives the first half to one process, so only that one starts Spark
    items.sort(key=lambda item: item.get_closest_marker("spark") is None)


def _needs(item: pytest.Item) -> set[str]:
    assert isinstance(item, pytest.Function)
    params = item.callspec.params if hasattr(item, "callspec") else {}
    named = {need for value in params.values() for need in _named_by(value)}
    return {*item.fixturenames, *named, *item.path.stem.split("_"), item.path.parent.name}


def _named_by(value: Any) -> set[str]:
    """An engine's name, or the servers that a page of the documentation asks for."""
    match value:
        case str():
            return {value}
        case Path() if value.suffix == ".md":
            return set(servers(value.read_text(encoding="utf-8")))
        case _:
            return set()


@pytest.fixture
def engine_url(engine: str, request: pytest.FixtureRequest) -> str:
    """The value of `--engine` for the engine of this name."""
    if engine == "postgres":
        return str(request.getfixturevalue("postgres").url("english"))
    if engine == "spark":
        return str(request.getfixturevalue("spark").sparkContext.master)
    return engine
