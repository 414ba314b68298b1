"""The workflows and hook configurations in the documentation match the action and the hooks."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.action.actionlint import install, mistakes
from tests.action.runner import ACTION
from tests.docs.pages import Block, blocks, pages
from tests.repo.sources import ROOT, relative_name

NAME = "acompass/acompass@"
HOOKS_FILE = ROOT / ".pre-commit-hooks.yaml"
GITHUB_PAGE = (ROOT / "docs" / "how-to" / "github.md").read_text(encoding="utf-8")

YAML = [
    (relative_name(page), block)
    for page in pages()
    for block in blocks(page.read_text(encoding="utf-8"))
    if block.language == "yaml"
]
WORKFLOWS = [(page, block) for page, block in YAML if block.name.startswith(".github/workflows/")]
HOOK_CONFIGURATIONS = [(page, block) for page, block in YAML if "repos" in yaml.safe_load(block.content)]


@pytest.fixture(scope="module")
def actionlint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("actionlint"))


def _steps(workflow: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (step for job in workflow["jobs"].values() for step in job["steps"])


def test_the_pages_have_workflows_and_hooks() -> None:
    assert {"docs/how-to/ci.md", "docs/how-to/compare-in-ci.md", "docs/how-to/github.md"} == {
        page for page, _ in WORKFLOWS
    }
    assert {page for page, _ in HOOK_CONFIGURATIONS} == {"docs/how-to/pre-commit.md"}


@pytest.mark.parametrize(("page", "block"), WORKFLOWS)
def test_a_workflow_sets_only_inputs_that_exist(page: str, block: Block) -> None:
    workflow = yaml.safe_load(block.content)
    used = [step for step in _steps(workflow) if step.get("uses", "").startswith(NAME)]
    assert used or page != "docs/how-to/github.md"
    for step in used:
        given = step.get("with", {})
        assert set(given) <= set(ACTION["inputs"])
        if given.get("upload-sarif"):
            assert workflow["permissions"]["security-events"] == "write"


@pytest.mark.slow
@pytest.mark.parametrize(("page", "block"), WORKFLOWS)
def test_actionlint_accepts_the_workflows(page: str, block: Block, actionlint: Path) -> None:
    assert mistakes(actionlint, block.content) == []


@pytest.mark.slow
def test_actionlint_accepts_the_steps_of_the_action(actionlint: Path) -> None:
    """actionlint knows only workflows, so the steps become the job of a workflow with the same inputs."""
    inputs = {name: {**about, "type": "string"} for name, about in ACTION["inputs"].items()}
    steps = ACTION["runs"]["steps"]
    workflow = {
        "on": {"workflow_call": {"inputs": inputs}},
        "jobs": {"action": {"runs-on": "ubuntu-latest", "steps": steps}},
    }
    text = yaml.safe_dump(workflow)
    assert mistakes(actionlint, text) == []
    assert mistakes(actionlint, text.replace("inputs.table", "inputs.tables")) != []
    assert mistakes(actionlint, text.replace("steps.review", "steps.reviews")) != []


def test_the_page_has_every_input_with_its_default() -> None:
    rows = [line.strip("| ").split("|") for line in GITHUB_PAGE.splitlines() if line.startswith("| `")]
    documented = {name.strip(" `"): default.strip(" `") for names, default, *_ in rows for name in names.split(",")}
    for name, about in ACTION["inputs"].items():
        expected = "the pull request's" if name == "base" else about["default"]
        assert documented[name] == expected, name
    assert {*ACTION["outputs"]} <= set(documented)


def test_pre_commit_accepts_the_hooks() -> None:
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(HOOKS_FILE)]
    subprocess.run(command, check=True)


@pytest.mark.parametrize(("page", "block"), HOOK_CONFIGURATIONS)
def test_a_configuration_names_hooks_that_exist(page: str, block: Block, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    existing = {hook["id"] for hook in yaml.safe_load(HOOKS_FILE.read_text(encoding="utf-8"))}
    used = {hook["id"] for repo in yaml.safe_load(block.content)["repos"] for hook in repo["hooks"]}
    assert used == existing
    (tmp_path / "config.yaml").write_text(block.content, encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(tmp_path / "config.yaml")]
    subprocess.run(command, check=True)
