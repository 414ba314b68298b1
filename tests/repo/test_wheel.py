"""The wheel contains the pages of the codes and the files of the studio, and the commands find them there."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from acompass.diagnostics.codes import CODES
from tests.repo.sources import ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the content of the wheel, and nothing else from the repository."""
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    ZipFile(wheel).extractall(folder / "installed")
    return folder / "installed"


def test_every_code_has_its_page_in_the_wheel(installed: Path) -> None:
    assert {page.stem for page in (installed / "acompass" / "error_pages").glob("AC*.md")} == set(CODES)


def test_the_files_of_the_studio_are_in_the_wheel(installed: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    code = "from acompass.studio.page import FILES, static_file as f; print(*(len(f(n).body) for n in FILES))"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(int(size) > 1_000 for size in ran.stdout.split())
    assert (installed / "acompass" / "report" / "html" / "style.css").exists()


def test_the_page_is_printed_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "acompass", "explain", "AC101"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("AC101: unknown column\n\nWhat\n")
