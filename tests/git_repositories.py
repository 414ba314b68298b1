"""Git repositories in temporary folders, and a copy of this one."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.repo.sources import ROOT, kept_files

_IDENTITY = {
    "GIT_AUTHOR_NAME": "curator",
    "GIT_AUTHOR_EMAIL": "curator@example.org",
    "GIT_COMMITTER_NAME": "curator",
    "GIT_COMMITTER_EMAIL": "curator@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def clean_environment() -> dict[str, str]:
    """The environment without variables that point to this checkout or to another repository."""
    leads_here = ("PYTHONPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if name not in leads_here}
    return {**{name: value for name, value in kept.items() if not name.startswith("GIT_")}, **_IDENTITY}


@dataclass(frozen=True)
class Repository:
    folder: Path

    @classmethod
    def create(cls, folder: Path) -> "Repository":
        if shutil.which("git") is None:
            pytest.skip("Git is missing")
        folder.mkdir(parents=True, exist_ok=True)
        repository = cls(folder)
        repository.git("init", "--quiet", "--initial-branch=main")
        return repository

    def git(self, *arguments: str) -> str:
        ran = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=clean_environment(),
            check=True,
            capture_output=True,
            text=True,
        )
        return ran.stdout.strip()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def commit(self, files: dict[str, str] | None = None) -> str:
        """Write these files, commit everything in the folder, and return the commit's hash."""
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A change")
        return self.git("rev-parse", "HEAD")


def copy_this_repository(folder: Path) -> Repository:
    """Copy the files that Git tracks or would track into a repository with one commit, uncommitted changes included."""
    repository = Repository.create(folder)
    for path in kept_files():
        copy = folder / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    repository.commit()
    return repository


def require_packages(folder: Path) -> None:
    """Skip the test if pip cannot download the packages that a new environment needs."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    if subprocess.run([*download, "hatchling"], capture_output=True, env=clean_environment()).returncode:
        pytest.skip("pip reaches no package index")
