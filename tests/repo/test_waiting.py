"""No test depends on the speed of the machine: tests wait with `tests/waiting.py`; only `benchmarks/` measures time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.folding import folded
from tests.repo.sources import ROOT
from tests.waiting import PATIENCE

TESTS = ROOT / "tests"
#: the modules that pytest loads; others are commands, such as campaigns that measure time
FILES = [
    path
    for pattern in ("test_*.py", "conftest.py", "*_server.py", "*_sessions.py", "browser.py")
    for path in TESTS.rglob(pattern)
]
CLOCKS = {"monotonic", "perf_counter", "perf_counter_ns", "process_time", "sleep", "time", "time_ns"}


def _uses_of_time(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr=name) if name in CLOCKS:
                yield f"line {node.lineno}: time.{name}"
            case ast.ImportFrom(module="time"):
                yield f"line {node.lineno}: from time import"
            case ast.keyword(arg="timeout", value=ast.Constant(value=int() | float() as seconds)):
                if seconds < PATIENCE:
                    yield f"line {node.lineno}: timeout={seconds}"
            # no machine is fast enough for a deadline of 0
            case ast.keyword(arg="deadline", value=ast.Constant(value=limit)) if limit:
                yield f"line {node.lineno}: deadline={limit}"


@folded("path", FILES, ids=lambda path: str(path.relative_to(TESTS)))
@pytest.mark.slow
def test_no_test_measures_time(path: Path) -> None:
    assert list(_uses_of_time(ast.parse(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    "text",
    [
        "import time\ntime.sleep(1)",
        "assert time.perf_counter() - start < 1",
        "from time import sleep",
        "process.wait(timeout=60)",
        "settings(deadline=200)",
    ],
)
def test_a_use_of_the_clock_is_found(text: str) -> None:
    assert list(_uses_of_time(ast.parse(text)))


def test_hypothesis_has_no_time_limit() -> None:
    assert settings.default is not None
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check


def test_patience_is_less_than_the_time_limit_of_a_test(pytestconfig: pytest.Config) -> None:
    assert 120 <= PATIENCE < float(pytestconfig.getini("timeout"))
