"""The Dockerfile passes its linter and our rules, and its commands run here without Docker."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.releasing.conftest import OFFLINE, minimal_environment
from tests.repo.sources import ROOT

DOCKERFILE = ROOT / "Dockerfile"
#: the folders of the image that the commands name
FOLDERS = ("/opt/acompass", "/wheelhouse", "/tmp", "/data")


def _instructions() -> Iterator[tuple[str, str]]:
    lines = DOCKERFILE.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if line and not line.startswith("#"))
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        name, _, rest = line.partition(" ")
        yield name, rest


def _stages() -> list[dict[str, list[str]]]:
    """The instructions before the first FROM, then those of each stage, by name."""
    stages: list[dict[str, list[str]]] = [{}]
    for name, rest in _instructions():
        if name == "FROM":
            stages.append({})
        stages[-1].setdefault(name, []).append(rest)
    return stages


def _final_stage() -> dict[str, list[str]]:
    return _stages()[-1]


def test_hadolint_finds_nothing() -> None:
    hadolint = shutil.which("hadolint", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if hadolint is None:
        pytest.skip("hadolint is missing; it is in the group lint")
    ran = subprocess.run([hadolint, "--no-color", str(DOCKERFILE)], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "")


def test_base_images_are_pinned() -> None:
    before, builder, final = _stages()
    version, digest = before["ARG"]
    assert re.fullmatch(r"PYTHON=3\.\d+\.\d+", version)
    assert digest == 'DIGEST=""'
    for stage in (builder, final):
        assert stage["FROM"][0].startswith("python:${PYTHON}-slim-bookworm${DIGEST}")


def test_the_image_runs_without_root_and_without_a_shell() -> None:
    final = _final_stage()
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", final["USER"][0])
    assert json.loads(final["ENTRYPOINT"][0]) == ["acompass"]
    assert json.loads(final["CMD"][0]) == ["--help"]
    assert final["HEALTHCHECK"] == ["NONE"]
    assert "RUN" not in final


def test_only_the_zip_reaches_the_image() -> None:
    everything, zips = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    (copied,) = _stages()[1]["COPY"]
    assert (everything, zips) == ("*", f"!{copied.partition(' ')[0]}")
    assert [each.split()[0] for each in _final_stage()["COPY"]] == ["--from=builder"]


class _Image:
    """The folders of the image, in a temporary folder."""

    def __init__(self, root: Path):
        self.root = root
        for folder in FOLDERS[1:]:
            self.at(folder).mkdir(parents=True)

    def at(self, folder: str) -> Path:
        return self.root / folder.removeprefix("/")

    def relocate(self, text: str) -> str:
        return re.sub(rf"(?<![\w.])({'|'.join(FOLDERS)})\b", rf"{self.root}\1", text)

    def run(self, command: str) -> str:
        """Run a command as Docker does: execute an array, and pass anything else to a shell."""
        placed = self.relocate(command)
        arguments = json.loads(placed) if placed.startswith("[") else ["/bin/sh", "-c", placed]
        environment = minimal_environment(TMPDIR=str(self.at("/tmp")), **OFFLINE)
        ran = subprocess.run(arguments, cwd=self.at("/wheelhouse"), env=environment, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def files(self) -> set[Path]:
        return {path for path in self.root.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_commands_of_the_dockerfile_install_a_working_command(wheelhouse: Path, tmp_path: Path) -> None:
    _, builder, final = _stages()
    image = _Image(tmp_path / "image")
    (pattern,) = [each.partition(" ")[0] for each in builder["COPY"]]
    assert wheelhouse.match(Path(pattern).name)
    shutil.copy(wheelhouse, image.at("/wheelhouse"))
    *_, examined = [image.run(command) for command in builder["RUN"]]
    assert "everything that is installed works" in examined
    assert image.at("/opt/acompass").is_dir()
    before = image.files()
    _run_the_demo(image, final)
    # only the output is written, so the image can be read-only
    assert image.files() - before == {image.at("/data") / "released.csv"}


def _run_the_demo(image: _Image, final: dict[str, list[str]]) -> None:
    environment = dict(item.split("=", 1) for item in image.relocate(final["ENV"][0]).split())
    (entry,) = json.loads(final["ENTRYPOINT"][0])
    program = shutil.which(entry, path=environment["PATH"])
    assert program is not None
    assert Path(program).is_relative_to(image.root)
    demo = ROOT / "examples" / "electricity"
    options = ["-o", "released.csv", "--set", "k=2", "--set", "l=1", "--trace", str(demo / "trace.txt")]
    command = [program, "run", str(demo / "policy.acp"), str(demo / "table.csv"), *options]
    ran = subprocess.run(
        command, cwd=image.relocate(final["WORKDIR"][0]), env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
