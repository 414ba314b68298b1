"""Runs the steps of action.yml as GitHub's runner does. Third-party actions are recorded, not run."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.action.expressions import Context
from tests.git_repositories import clean_environment
from tests.programs import write_acompass
from tests.repo.sources import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALLING = "Install acompass"
#: the command that runs a step with `shell: bash`
_BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail")


@dataclass
class JobResult:
    log: str = ""
    summary: str = ""
    #: the name of the step that failed
    failed: str | None = None
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Runner:
    """`workspace` is the checkout, `temporary` the runner's folder for temporary files."""

    workspace: Path
    temporary: Path
    base_ref: str = ""
    action: Path = ROOT

    def run(self, given: Mapping[str, str] | None = None) -> JobResult:
        unknown = set(given or {}) - set(ACTION["inputs"])
        assert not unknown, f"not inputs of the action: {unknown}"
        inputs = {name: about["default"] for name, about in ACTION["inputs"].items()} | dict(given or {})
        outputs: dict[str, dict[str, str]] = {step["id"]: {} for step in _steps() if "id" in step}
        context, ran = Context(inputs, outputs), JobResult()
        for step in _steps():
            # a step whose condition does not ask for the status runs only if all earlier steps succeeded
            if ran.failed is None and ("if" not in step or context.holds(step["if"])):
                self._perform(step, context, ran)
                if "id" in step:
                    outputs[step["id"]].update(self._outputs())
        ran.outputs = {name: context.fill(about["value"]) for name, about in ACTION["outputs"].items()}
        return ran

    def _perform(self, step: dict[str, Any], context: Context, ran: JobResult) -> None:
        if "uses" in step:
            ran.used[step["uses"]] = {name: context.fill(value) for name, value in step["with"].items()}
        elif step["name"] != INSTALLING or not (self.temporary / "acompass").exists():
            self._run_shell(step, context, ran)

    def _run_shell(self, step: dict[str, Any], context: Context, ran: JobResult) -> None:
        assert step["shell"] == "bash"
        script = self.temporary / "step.sh"
        script.write_text(context.fill(step["run"]), encoding="utf-8")
        for file in ("output", "summary"):
            self._file(file).write_text("", encoding="utf-8")
        own = {name: context.fill(value) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            [*_BASH, str(script)],
            cwd=self.workspace,
            env={**self._environment(), **own},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        ran.log += done.stdout.decode()
        ran.summary += self._file("summary").read_text(encoding="utf-8")
        if done.returncode:
            ran.failed = step["name"]

    def _environment(self) -> dict[str, str]:
        return {
            **clean_environment(),
            "CI": "true",
            "GITHUB_ACTION_PATH": str(self.action),
            "GITHUB_BASE_REF": self.base_ref,
            "GITHUB_EVENT_NAME": "pull_request" if self.base_ref else "push",
            "GITHUB_OUTPUT": str(self._file("output")),
            "GITHUB_STEP_SUMMARY": str(self._file("summary")),
            "GITHUB_WORKSPACE": str(self.workspace),
            "RUNNER_TEMP": str(self.temporary),
        }

    def _file(self, name: str) -> Path:
        return self.temporary / f"_{name}"

    def _outputs(self) -> dict[str, str]:
        lines = self._file("output").read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


def _steps() -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = ACTION["runs"]["steps"]
    return steps


def prepare_environment(temporary: Path) -> None:
    """Write programs that run this checkout, in place of the slow installing step."""
    programs = temporary / "acompass" / "bin"
    programs.mkdir(parents=True)
    write_acompass(programs, PYTHONPATH=str(ROOT / "src"))
