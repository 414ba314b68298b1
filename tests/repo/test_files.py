"""Files stay small and contain no paths of a particular machine."""

import re
from pathlib import Path

from acompass.version import __version__
from tests.repo.sources import ROOT, kept_files, shown

LONGEST = 400
#: spelled in two parts, so that this file passes its own test
MACHINE = re.compile(
    "|".join(first + second for first, second in [("/wo", "rk/"), ("/ro", "ot/"), ("/ho", "me/")])
)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def test_no_file_of_code_is_long() -> None:
    code = [path for path in kept_files() if path.suffix in {".py", ".lark"}]
    lengths = {shown(path): _text(path).count("\n") for path in code}
    assert {name: length for name, length in lengths.items() if length > LONGEST} == {}


def test_no_file_names_a_machine() -> None:
    assert [shown(path) for path in kept_files() if MACHINE.search(_text(path))] == []


def test_the_changelog_has_the_version() -> None:
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_ci_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "make test" in script.read_text(encoding="utf-8")
