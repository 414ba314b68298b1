"""Every test is run by exactly one target of the Makefile, and the slow ones say so."""

import re

import pytest

from tests.conftest import COLLECTED
from tests.durations import LIMIT, is_too_long
from tests.repo.sources import ROOT

TARGETS = ("quick", "engines", "product")


def _selections() -> list[str]:
    """The marks that the Makefile runs, each with a recipe of its own."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return re.findall(r"^\t\$\(PYTEST\) .*-m (\w+) --durations-file", makefile, re.MULTILINE)


def test_each_target_runs_one_mark() -> None:
    assert tuple(_selections()) == TARGETS


def test_every_collected_test_has_one_target(pytestconfig: pytest.Config) -> None:
    """Of all tests in a whole run, of those that were asked for otherwise."""
    collected = pytestconfig.stash[COLLECTED]
    assert collected
    targets = {test: marks.intersection(TARGETS) for test, marks in collected.items()}
    assert {test: found for test, found in targets.items() if len(found) != 1} == {}


def test_what_a_test_needs_decides_its_target(pytestconfig: pytest.Config) -> None:
    for test, marks in pytestconfig.stash[COLLECTED].items():
        if marks & {"server", "spark"} and "smoke" not in marks:
            assert "engines" in marks, test
        elif marks & {"browser", "slow"} and "smoke" not in marks:
            assert "product" in marks, test


def test_only_slow_tests_wait_for_other_targets(pytestconfig: pytest.Config) -> None:
    for test, marks in pytestconfig.stash[COLLECTED].items():
        assert ("quick" in marks) == ("slow" not in marks or "smoke" in marks), test


def test_a_long_test_must_be_marked(request: pytest.FixtureRequest) -> None:
    item = request.node
    assert not is_too_long(LIMIT, item)
    assert is_too_long(100 * LIMIT, item)
    item.add_marker("slow")
    assert not is_too_long(100 * LIMIT, item)


@pytest.mark.parametrize("what", ["PostgreSQL", "Spark", "studio", "language server"])
def test_each_part_has_one_smoke_test(what: str) -> None:
    text = (ROOT / "tests" / "test_smoke.py").read_text(encoding="utf-8")
    assert re.search(rf"^def test_.*:\n    \"\"\"{what}", text, re.MULTILINE | re.IGNORECASE)
