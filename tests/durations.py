"""The CPU seconds of every test, and a limit for those that are not marked as slow.

The CPU seconds of this process and its children depend on what a test does, and hardly on the load of the
machine. A machine that is slower than ours has a higher limit. Fixtures do not count, because the first test that
uses a server starts it.

The seconds of the last run are in `build/durations.csv`, or in the file that `--durations-file` names."""

import csv
import os
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

#: seconds that a test without the mark `slow` may take
LIMIT = 2.0
#: seconds that our machine takes for `_reference_work`
_OURS = 0.08
_CPU = pytest.StashKey[float]()
_PROPERTY = "cpu"


def cpu_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _limit() -> float:
    """The limit now, on this machine. On a busy one, where processes share caches and the threads of a core, the same
    work takes up to twice the CPU seconds."""
    is_busy = os.getloadavg()[0] > 2 * (os.cpu_count() or 1)
    return LIMIT * _slowness() * (2 if is_busy else 1)


def _slowness() -> float:
    """How many times longer than our machine this one takes now: other machines may share its processor."""
    return max(1.0, min(_reference_work() for _ in range(3)) / _OURS)


def _reference_work() -> float:
    before = time.process_time()
    found: dict[int, str] = {}
    for number in range(250_000):
        found[number % 977] = str(number * number)
    return time.process_time() - before


def exceeded_limit(seconds: float, item: pytest.Item) -> float | None:
    """The limit that the test exceeds. It is measured only if the test took long."""
    if seconds <= LIMIT or item.get_closest_marker("slow") is not None:
        return None
    limit = _limit()
    return limit if seconds > limit else None


class Recorder:
    """Records the CPU seconds of each phase of each test, and writes them when the run ends."""

    def __init__(self, path: Path, is_limited: bool):
        self._path, self._is_limited = path, is_limited
        self._seconds: dict[str, dict[str, float]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._measure(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._measure(item))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, Any, Any]:
        return (yield from self._measure(item))

    def _measure(self, item: pytest.Item) -> Generator[None, Any, Any]:
        before = cpu_seconds()
        try:
            return (yield)
        finally:
            item.stash[_CPU] = cpu_seconds() - before

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        seconds = item.stash.get(_CPU, 0.0)
        # a new list: the item's own also has the earlier phases
        report.user_properties = [(_PROPERTY, round(seconds, 3))]
        if call.when == "call" and report.passed and self._is_limited:
            limit = exceeded_limit(seconds, item)
            if limit is not None:
                report.outcome = "failed"
                report.longrepr = (
                    f"{item.nodeid} took {seconds:.1f} s of CPU, which is over {limit:.1f} s: shorten it or "
                    "mark it as slow (CONTRIBUTING.md, Tests)"
                )
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """With pytest-xdist, the controller calls this too."""
        for name, value in report.user_properties:
            if name == _PROPERTY:
                phases = self._seconds.setdefault(report.nodeid, {})
                phases[str(report.when)] = float(str(value))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput") or not self._seconds:
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("test", "setup", "call", "teardown"), *self._rows()])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        total = sum(sum(phases.values()) for phases in self._seconds.values())
        terminalreporter.write_line(f"{total:,.0f} CPU seconds in {len(self._seconds):,} tests, listed in {self._path}")

    def _rows(self) -> Iterator[tuple[str, float, float, float]]:
        by_seconds = sorted(self._seconds.items(), key=lambda item: -sum(item[1].values()))
        for test, phases in by_seconds:
            yield test, phases.get("setup", 0), phases.get("call", 0), phases.get("teardown", 0)
