"""Hypothesis settings, the marks of each test, and fixtures that several folders share."""

import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.docs.pages import servers
from tests.durations import Recorder
from tests.engines.postgres_server import postgres
from tests.engines.spark_sessions import cluster, spark
from tests.grouping import Grouping, write_groups
from tests.length import at_length

__all__ = ["cluster", "postgres", "spark"]

# a slow machine is not a counterexample; the time limit in pyproject.toml ends a test that hangs
settings.register_profile(
    "acompass", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=at_length(25)
)
settings.load_profile("acompass")

# SQL trees contain reference cycles, and collecting them after every 700 allocations is slow
gc.set_threshold(50_000, 20, 100)

#: the marks of tests that use a fixture or an engine with this name, or whose file name contains it
NEEDS = {
    "browser": ("browser",),
    "cluster": ("server", "spark"),
    "postgres": ("server",),
    "spark": ("spark",),
}
#: folders whose tests need Coq, a network, Node, or packages that are built or installed
PRODUCT = {"action", "certify", "docs", "editors", "pre_commit", "releasing", "theory"}
#: folders whose tests share an environment that is slow to build
ENVIRONMENTS = {"action", "editors", "pre_commit", "releasing"}
#: every collected test, with its marks
COLLECTED = pytest.StashKey[dict[str, set[str]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--durations-file",
        default="build/durations.csv",
        help="the file for the CPU seconds of every test",
    )
    parser.addoption(
        "--no-cpu-limit",
        action="store_true",
        help="do not limit the CPU time of tests without the mark `slow`",
    )


def pytest_configure(config: pytest.Config) -> None:
    _restore_signals()
    if not hasattr(config, "workerinput") and config.pluginmanager.has_plugin("xdist"):
        config.pluginmanager.register(Grouping(), "acompass-grouping")
    path = config.rootpath / config.getoption("--durations-file")
    is_limited = not config.getoption("--no-cpu-limit")
    config.pluginmanager.register(Recorder(path, is_limited), "acompass-durations")


def _restore_signals() -> None:
    """`nohup make test &` starts pytest with signals ignored, and the commands that tests interrupt would inherit
    that. A handler that does nothing has the same effect here and is not inherited."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for need in _needs(item):
            for mark in NEEDS.get(need, ()):
                item.add_marker(mark)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("campaign")
        target = _target(item)
        item.add_marker(target)
        if target != "quick":
            item.add_marker("slow")  # servers, Java, browsers, Coq and pip are slow to start
        if group := _group(item):
            item.add_marker(pytest.mark.group(group))
    write_groups(config, items)
    config.stash[COLLECTED] = {item.nodeid: {mark.name for mark in item.iter_markers()} for item in items}


def _target(item: pytest.Item) -> str:
    """The mark that says which target of the Makefile runs the test: `make test`, `make test-engines` or
    `make test-product`."""
    has = {mark.name for mark in item.iter_markers()}
    if "smoke" in has:
        return "quick"
    if has & {"server", "spark"}:
        return "engines"
    folders = set(item.path.relative_to(Path(__file__).parent).parts)
    return "product" if has & {"browser", "slow"} or folders & PRODUCT else "quick"


def _group(item: pytest.Item) -> str | None:
    """The group of a test (`tests/grouping.py`)."""
    if item.get_closest_marker("spark"):
        return "spark"
    if item.get_closest_marker("browser"):
        return item.path.stem
    folder = item.path.parent.name
    return folder if folder in ENVIRONMENTS else None


def _needs(item: pytest.Item) -> set[str]:
    assert isinstance(item, pytest.Function)
    params = item.callspec.params if hasattr(item, "callspec") else {}
    named = {need for value in params.values() for need in _names_in(value)}
    return {*item.fixturenames, *named, *item.path.stem.split("_"), item.path.parent.name}


def _names_in(value: Any) -> set[str]:
    """An engine's name, or the servers that a documentation page needs."""
    match value:
        case str():
            return {value}
        case Path() if value.suffix == ".md":
            return set(servers(value.read_text(encoding="utf-8")))
        case _:
            return set()


@pytest.fixture(scope="session", autouse=True)
def _own_data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The studio keeps recent projects and copies of tables in the user's data folder; tests use another one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def engine_url(engine: str, request: pytest.FixtureRequest) -> str:
    """The value of `--engine` for the engine of this name."""
    if engine == "postgres":
        return str(request.getfixturevalue("postgres").url("english"))
    if engine == "spark":
        return str(request.getfixturevalue("spark").sparkContext.master)
    return engine
