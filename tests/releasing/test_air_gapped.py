"""acompass can be installed and used without a network."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import acompass
from release.wheelhouse import Wheel, choose_extras, declared_extras, lay_out, write_zip
from tests.docs.pages import blocks
from tests.docs.running import run_page
from tests.releasing.conftest import OFFLINE, Packages, minimal_environment
from tests.repo.sources import ROOT

DEMO = ROOT / "examples" / "electricity"


def _readme_commands(folder: Path) -> list[str]:
    """The commands of the zip's README, which are indented."""
    blocks = re.findall(r"(?:^ {4}.*\n)+", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE) for block in blocks]


def _run(command: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = minimal_environment(HOME=str(home), **OFFLINE)
    return subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)


def _expected_release(tmp_path: Path) -> bytes:
    """The table that the demo releases."""
    trace = (DEMO / "trace.txt").read_text(encoding="utf-8").split()
    output = tmp_path / "expected.csv"
    policy = acompass.load(DEMO / "policy.acp")
    acompass.run(policy, DEMO / "table.csv", params={"k": 2, "l": 1}, trace=trace, output=output)
    return output.read_bytes()


@pytest.mark.slow
def test_the_packages_work_in_an_empty_environment(
    packages: Packages, extracted_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Follow the README of the zip without an index: verify, install, run the doctor and the demo. Then run the
    blocks of the project's README.

    Then install the sdist in place of the wheel. Its build needs hatchling from an index.
    """
    home = tmp_path / "home"
    home.mkdir()
    verify, install, doctor, demo = _readme_commands(extracted_folder)
    for command in (verify, install):
        assert _run(command, extracted_folder, home).returncode == 0
    python = home / "acompass" / "bin" / "python"
    _assert_works(python, doctor, demo, extracted_folder, tmp_path)
    monkeypatch.chdir(home)
    _assert_readme_runs(python, home)
    subprocess.run([python, "-m", "pip", "uninstall", "--yes", "acompass"], check=True, capture_output=True)
    index = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run([python, "-m", "pip", "install", "--quiet", packages.sdist], check=True, env=index)
    _assert_works(python, doctor, demo, extracted_folder, tmp_path)


def _assert_works(python: Path, doctor: str, demo: str, folder: Path, tmp_path: Path) -> None:
    home = python.parents[2]
    where = "import acompass; print(acompass.__file__)"
    found = subprocess.run(
        [python, "-c", where], cwd=tmp_path, env=minimal_environment(), capture_output=True, text=True
    )
    assert found.stdout.startswith(str(home))
    _assert_bare(_run(doctor, folder, home))
    assert _run(demo, folder, home).returncode == 0
    released = folder / "released.csv"
    assert released.read_bytes() == _expected_release(tmp_path)
    released.unlink()


def _assert_readme_runs(python: Path, folder: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert run_page(page, folder, {}, python.parent).splitlines() == page.splitlines()
    statements = "\n".join(block.content for block in blocks(page) if block.language == "python")
    (folder / "readme.txt").write_text(statements, encoding="utf-8")
    subprocess.run([python, "-m", "doctest", "readme.txt"], cwd=folder, env=minimal_environment(), check=True)


def _assert_bare(ran: subprocess.CompletedProcess[str]) -> None:
    """Both engines work, and every optional dependency is missing, which is not a failure."""
    report = ran.stdout
    assert ran.returncode == 0, report
    rows = [line.split() for line in report.splitlines()]
    states = {row[0]: row[1] for row in rows if len(row) > 1 and row[1] in ("works", "missing")}
    assert states["duckdb"] == states["reference"] == "works"
    assert {name for name, state in states.items() if state == "missing"} == declared_extras()
    assert report.rstrip().rpartition("\n")[2].startswith("everything that is installed works; missing: ")


def _install(folder: Path, target: Path) -> subprocess.CompletedProcess[str]:
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(target)]
    command = [*pip, "--no-index", "--find-links", "wheels", "--require-hashes", "-r", "requirements.txt"]
    return subprocess.run(command, cwd=folder, env=minimal_environment(**OFFLINE), capture_output=True, text=True)


@pytest.mark.slow
def test_a_changed_wheel_is_rejected(extracted_folder: Path, tmp_path: Path) -> None:
    (wheel,) = (extracted_folder / "wheels").glob("click-*.whl")
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    ran = _install(extracted_folder, tmp_path / "target")
    assert ran.returncode != 0
    assert "DO NOT MATCH THE HASHES" in ran.stderr
    assert not (tmp_path / "target").exists()
    assert _run(_readme_commands(extracted_folder)[0], extracted_folder, tmp_path).returncode != 0


@pytest.mark.slow
def test_a_wheel_without_a_hash_is_rejected(extracted_folder: Path, tmp_path: Path) -> None:
    listed = extracted_folder / "requirements.txt"
    lines = listed.read_text(encoding="utf-8").splitlines()
    listed.write_text("\n".join(line.partition(" --hash")[0] for line in lines), encoding="utf-8")
    ran = _install(extracted_folder, tmp_path / "target")
    assert ran.returncode != 0
    assert "Hashes are required" in ran.stderr


@pytest.mark.slow
def test_the_same_wheels_give_the_same_bytes(wheelhouse: Path, extracted_folder: Path, tmp_path: Path) -> None:
    """Dates, owners and the order of files in a folder do not matter."""
    for file in (extracted_folder / "wheels").iterdir():
        os.utime(file, (0, 0))
    wheels = sorted(map(Wheel, (extracted_folder / "wheels").iterdir()), key=lambda wheel: wheel.name)
    lay_out(tmp_path / "content", wheels, [])
    again = write_zip(tmp_path / "content", tmp_path / "again", wheelhouse.stem)
    assert again.read_bytes() == wheelhouse.read_bytes()
    assert list(again.parent.iterdir()) == [again]


@pytest.mark.slow
def test_the_requirements_include_the_extras(extracted_folder: Path, tmp_path: Path) -> None:
    wheels = [Wheel(file) for file in (extracted_folder / "wheels").iterdir()]
    lay_out(tmp_path / "content", wheels, ["frames", "lsp"])
    text = (tmp_path / "content" / "requirements.txt").read_text(encoding="utf-8")
    assert f"\nacompass[frames,lsp]=={acompass.__version__} --hash=sha256:" in text


def test_the_extras_are_those_of_the_project() -> None:
    assert choose_extras("all") == sorted(declared_extras())
    assert choose_extras("") == sorted(declared_extras() - {"spark"})
    assert choose_extras("none") == []
    assert choose_extras("lsp, frames") == ["frames", "lsp"]
    with pytest.raises(SystemExit, match="unknown extras: framse; known: "):
        choose_extras("framse")


def test_make_builds_the_wheelhouse() -> None:
    make = shutil.which("make")
    if make is None:
        pytest.skip("make is missing")
    shown = subprocess.run([make, "-n", "wheelhouse", "EXTRAS=lsp"], cwd=ROOT, capture_output=True, text=True)
    assert "release/wheelhouse.py --into build --extras 'lsp'" in shown.stdout
