"""Building the studio's sources gives the page's files, byte for byte."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.repo.sources import ROOT
from tests.waiting import PATIENCE

pytestmark = pytest.mark.slow

CLIENT = ROOT / "studio"
STATIC = ROOT / "src" / "acompass" / "assist" / "studio" / "static"
FILES = ("studio.js", "chunk.js", "more.js", "studio.css", "LICENSES.txt")


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a copy, with the packages of the lock file."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("no Node and npm on this machine")
    copy = tmp_path_factory.mktemp("client") / "studio"
    shutil.copytree(CLIENT, copy, ignore=shutil.ignore_patterns("node_modules"))
    installed = _run(npm, "ci", "--prefer-offline", folder=copy)
    if installed.returncode:
        pytest.skip(f"npm cannot install the packages: {installed.stderr.strip()[-300:]}")
    built = _run(node, "build.mjs", str(copy / "static"), folder=copy)
    assert built.returncode == 0, built.stderr
    return copy


def _run(*command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)


@pytest.mark.parametrize("name", FILES)
def test_a_build_gives_the_same_bytes(rebuilt: Path, name: str) -> None:
    assert (rebuilt / "static" / name).read_bytes() == (STATIC / name).read_bytes(), "run `make client`"


def test_the_types_are_correct(rebuilt: Path) -> None:
    node = shutil.which("node")
    assert node is not None
    checked = _run(node, "node_modules/typescript/bin/tsc", "--noEmit", folder=rebuilt)
    assert checked.returncode == 0, checked.stdout


def test_the_page_loads_nothing_from_other_sites() -> None:
    """Addresses in the files name XML formats and documentation; none is loaded."""
    loaded = re.compile(r"(?:src|href|url|import)\s*[=(]\s*[\"']?https?:")
    for name in FILES[:-1]:
        assert not loaded.search((STATIC / name).read_text(encoding="utf-8"))


def test_no_source_bypasses_type_checks_or_escaping() -> None:
    sources = [*CLIENT.glob("src/**/*.ts"), *CLIENT.glob("src/**/*.tsx")]
    assert sources
    for source in sources:
        text = source.read_text(encoding="utf-8")
        assert not re.search(r":\s*any\b|\bas any\b|@ts-ignore|@ts-expect-error|innerHTML", text), source


def test_versions_are_exact_and_no_registry_is_named() -> None:
    package, lock = ((CLIENT / name).read_text("utf-8") for name in ("package.json", "package-lock.json"))
    assert not re.search(r'": "[\^~>]', package)
    assert '"resolved"' not in lock
