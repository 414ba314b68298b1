"""Every test is run by exactly one target of the Makefile, and the slow ones say so."""

import re
import runpy
import sys

import pytest

from tests.conftest import COLLECTED
from tests.durations import LIMIT, exceeded_limit
from tests.repo.sources import ROOT

TARGETS = ("quick", "engines", "product")


def _selections() -> list[str]:
    """The marks that the Makefile runs, each in a recipe of its own."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return re.findall(r"^\t\$\(PYTEST\) .*-m (\w+) --durations-file", makefile, re.MULTILINE)


def test_each_target_runs_one_mark() -> None:
    assert tuple(_selections()) == TARGETS


def test_every_collected_test_has_one_target(pytestconfig: pytest.Config) -> None:
    """Covers all tests in a full run, otherwise the selected ones."""
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
    assert exceeded_limit(LIMIT, item) is None
    assert exceeded_limit(100 * LIMIT, item) is not None
    item.add_marker("slow")
    assert exceeded_limit(100 * LIMIT, item) is None


@pytest.mark.parametrize("what", ["PostgreSQL", "Spark", "studio", "language server"])
def test_each_part_has_one_smoke_test(what: str) -> None:
    text = (ROOT / "tests" / "test_smoke.py").read_text(encoding="utf-8")
    assert re.search(rf"^def test_.*:\n    \"\"\"(The )?{what}", text, re.MULTILINE)


def _commands() -> list[str]:
    """The modules of the tests that the Makefile and CONTRIBUTING.md run."""
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", "CONTRIBUTING.md"))
    return sorted({module for text in texts for module in re.findall(r"python -m\s(tests\.[\w.]+)", text)})


@pytest.mark.filterwarnings("ignore:.* found in sys.modules:RuntimeWarning")
@pytest.mark.parametrize("module", _commands())
def test_a_command_of_the_tests_has_a_help(
    module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fails if the module cannot be imported."""
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(module, run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")
