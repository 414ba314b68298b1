"""The package stays as small as it is: these numbers may shrink, or grow with a reason in the commit."""

import re
from dataclasses import asdict

import pytest

from tests.repo import habits, house
from tests.repo.sources import PACKAGE, ROOT

#: upper bounds; `python -m tests.repo.house` prints the current numbers
MOST = {
    "files": 299,
    "lines": 78_590,
    "longest": 600,
    "single_importer": 59,
    "test_files": 408,
    "run_quiet_imports": 93,
    "run_quiet_runs": 62,
    "check_imports": 100,
    "check_runs": 67,
}
#: modules of fewer than 40 lines, and why they are separate
SHORT = {
    "semantics/anonymity.py": "definitions 12 to 15 of the paper, which the equations of `core` do not need",
    "__main__.py": "`python -m acompass`",
    "version.py": "read by the build without importing the package",
}
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_package_does_not_grow() -> None:
    numbers = asdict(house.measure_house())
    assert {name: numbers[name] for name, most in MOST.items() if numbers[name] > most} == {}


def test_every_short_module_has_a_reason() -> None:
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in PACKAGE.rglob("*.py")}
    assert {path.relative_to(PACKAGE).as_posix() for path in house.short_modules(lengths)} == set(SHORT)


def test_the_architecture_is_one_page() -> None:
    assert ARCHITECTURE.count("\n") <= 150


def test_the_architecture_names_files_that_exist() -> None:
    named = re.findall(r"`([a-z_]+(?:/[a-z_0-9]+)*(?:/|\.py))`", ARCHITECTURE)
    assert len(named) > 50, "the names were not found"
    folders = (PACKAGE, ROOT, *(path for path in PACKAGE.iterdir() if path.is_dir()), ROOT / "tests")
    assert [name for name in named if not any((folder / name).exists() for folder in folders)] == ["utils.py"]


@pytest.mark.slow
def test_prose_avoids_known_bad_phrases() -> None:
    assert habits.find_phrases(habits.files()) == []
