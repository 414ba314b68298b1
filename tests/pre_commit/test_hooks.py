"""pre-commit runs the hooks of this repository in an environment that it builds with pip."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_repositories import Repository, clean_environment, copy_this_repository, require_packages

pytestmark = pytest.mark.slow

FORMATTED = "EACH RESULT\n   : Age <= 80\n   : REPLACE Age WITH 80;\n"
UNFORMATTED = "EACH   RESULT:Age<=80:REPLACE Age WITH 80;"
POINTLESS = "EACH RESULT : Age <= 80 OR Age > 80 : REJECT;\n"
HOOKS = ("acompass fmt", "acompass lint", "acompass check")
GOOD, BAD = "Age\n34\n80\n", "Age\n34\n8191\n"
SETTINGS = '[policy."release.acp"]\ntable = "people.csv"\n'

PreCommit = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, Path]:
    """A copy of this repository, and the folder where pre-commit keeps its environments."""
    pytest.importorskip("pre_commit")
    require_packages(tmp_path_factory.mktemp("download"))
    return copy_this_repository(tmp_path_factory.mktemp("acompass")), tmp_path_factory.mktemp("home")


@pytest.fixture
def repository(hooks: tuple[Repository, Path], tmp_path: Path) -> Repository:
    """A team's repository, with all three hooks."""
    source, _ = hooks
    made = Repository.create(tmp_path / "team")
    config = f"""\
repos:
  - repo: {source.folder}
    rev: {source.git("rev-parse", "HEAD")}
    hooks:
      - id: acompass-fmt
      - id: acompass-lint
      - id: acompass-check
"""
    made.commit({".pre-commit-config.yaml": config, "notes.md": "about our data\n"})
    return made


@pytest.fixture
def pre_commit(repository: Repository, hooks: tuple[Repository, Path]) -> PreCommit:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--color=never", *arguments],
            cwd=repository.folder,
            env={**clean_environment(), "PRE_COMMIT_HOME": str(hooks[1])},
            capture_output=True,
            text=True,
        )

    return run


def results(ran: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """The status that pre-commit prints after the dots of each hook."""
    lines = (line for line in ran.stdout.splitlines() if line.startswith("acompass ") and ".." in line)
    return {line.split(".")[0]: line.rpartition(".")[2] for line in lines}


def test_good_policies_and_tables_pass(repository: Repository, pre_commit: PreCommit) -> None:
    repository.commit({"release.acp": FORMATTED, "people.csv": GOOD, "acompass.toml": SETTINGS})
    ran = pre_commit("--all-files")
    assert list(results(ran).items()) == [(hook, "Passed") for hook in HOOKS], ran
    assert ran.returncode == 0


def test_fmt_rewrites_policies_and_fails_once(repository: Repository, pre_commit: PreCommit) -> None:
    policies = {"one.acp": UNFORMATTED, "in/a folder/two.acp": UNFORMATTED, "three.acp": FORMATTED}
    repository.commit(policies)
    first, second = pre_commit("acompass-fmt", "--all-files"), pre_commit("acompass-fmt", "--all-files")
    assert (first.returncode, second.returncode) == (1, 0), first
    assert "files were modified by this hook" in first.stdout
    assert {(repository.folder / name).read_text() for name in policies} == {FORMATTED}


def test_lint_reports_the_findings_of_all_policies(repository: Repository, pre_commit: PreCommit) -> None:
    repository.commit({"first.acp": POINTLESS, "second.acp": FORMATTED, "third.acp": POINTLESS})
    ran = pre_commit("acompass-lint", "--all-files")
    assert (ran.returncode, results(ran)) == (1, {"acompass lint": "Failed"})
    assert ran.stdout.count("warning[AC501]") == 2
    assert "first.acp:1" in ran.stdout
    assert "third.acp:1" in ran.stdout


def test_check_runs_when_only_the_table_changes(repository: Repository, pre_commit: PreCommit) -> None:
    settings = {"data/release.acp": FORMATTED, "data/acompass.toml": SETTINGS}
    repository.commit({**settings, "data/people.csv": GOOD})
    repository.write({"data/people.csv": BAD})
    repository.git("add", "--all")
    ran = pre_commit()
    assert results(ran)["acompass check"] == "Failed", ran
    assert f"data{os.sep}release.acp" in ran.stdout
    assert "1 of 1 requirement violated" in ran.stdout
    assert "8191" not in ran.stdout
    repository.write({"data/people.csv": "Age\n35\n"})
    repository.git("add", "--all")
    assert results(pre_commit())["acompass check"] == "Passed"


def test_nothing_runs_for_other_files(repository: Repository, pre_commit: PreCommit) -> None:
    repository.write({"notes.md": "about other data\n"})
    repository.git("add", "--all")
    assert set(results(pre_commit()).values()) == {"(no files to check)Skipped"}
