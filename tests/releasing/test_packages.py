"""The sdist and the wheel are complete, and commands find their files in them."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from acompass.author.rules.library import all_rules, find_rule
from acompass.errors.catalog import CODES
from tests.releasing.conftest import Packages
from tests.repo.sources import PACKAGE, ROOT, kept_files, relative_name


@pytest.fixture(scope="module")
def wheel_folder(packages: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with only the content of the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    ZipFile(packages.wheel).extractall(folder)
    return folder


def test_the_sdist_has_every_file_of_the_repository_and_no_others(packages: Packages) -> None:
    with tarfile.open(packages.sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert files == {*map(relative_name, kept_files()), "PKG-INFO"}


def test_every_code_has_its_page_in_the_wheel(wheel_folder: Path) -> None:
    assert {page.stem for page in (wheel_folder / "acompass" / "error_pages").glob("AC*.md")} == set(CODES)


def test_the_files_of_the_studio_are_in_the_wheel(wheel_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    code = "from acompass.assist.studio import FILES, read_bundle; print(*(len(read_bundle(name)) for name in FILES))"
    ran = _run(wheel_folder, tmp_path, "-c", code)
    assert all(int(size) > 1_000 for size in ran.split())
    assert (wheel_folder / "acompass" / "report" / "page" / "style.css").exists()


def test_the_examples_of_the_start_page_are_in_the_wheel(wheel_folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    code = (
        "from acompass.assist.studio.workspace import EXAMPLES, read_example; "
        "print(*(f'{each.file}:{len(read_example(each.file))}' for each in EXAMPLES))"
    )
    table = ROOT / "examples" / "admissions" / "admissions.csv"
    assert _run(wheel_folder, tmp_path, "-c", code).split() == [f"{table.name}:{table.stat().st_size}"]


def test_the_page_of_a_code_is_printed_from_the_wheel(wheel_folder: Path, tmp_path: Path) -> None:
    printed = _run(wheel_folder, tmp_path, "-m", "acompass", "explain", "AC101")
    assert printed.startswith("AC101: unknown column\n\nWhat\n")


def test_the_rules_are_in_the_wheel(wheel_folder: Path, tmp_path: Path) -> None:
    for rule in all_rules():
        inside = wheel_folder / "acompass" / rule.folder.relative_to(PACKAGE)
        assert {path.name for path in inside.iterdir()} == {path.name for path in rule.folder.iterdir()}
    written = _run(wheel_folder, tmp_path, "-m", "acompass", "rules", "new", "us-census-puma", "-o", "release.acp")
    assert "wrote `release.acp`, `areas.csv`" in written
    assert (tmp_path / "areas.csv").read_bytes() == (find_rule("us-census-puma").folder / "areas.csv").read_bytes()


def _run(wheel_folder: Path, folder: Path, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(wheel_folder)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
