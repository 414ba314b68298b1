"""The extension is packaged as `make vscode` does it."""

import json
import re
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from acompass.version import __version__
from tests.editors.node import EXTENSION
from tests.waiting import PATIENCE


def _read(name: str) -> dict[str, object]:
    content: dict[str, object] = json.loads((EXTENSION / name).read_text("utf-8"))
    return content


def test_the_versions_agree() -> None:
    assert _read("package.json")["version"] == __version__
    assert _read("package-lock.json")["version"] == __version__


def test_the_lock_file_names_no_registry() -> None:
    assert "resolved" not in (EXTENSION / "package-lock.json").read_text("utf-8")
    assert "omit-lockfile-registry-resolved=true" in (EXTENSION / ".npmrc").read_text("utf-8")


@pytest.mark.slow
def test_the_package_has_what_the_manifest_names(extension: Path) -> None:
    (extension / "../../build").mkdir()
    command = ["npm", "run", "package"]
    ran = subprocess.run(command, cwd=extension, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with ZipFile(extension / "../../build/acompass.vsix") as package:
        names = set(package.namelist())
        manifest = json.loads(package.read("extension/package.json"))
        bundle = package.read("extension/out/extension.cjs").decode()
    assert {f"extension/{name}" for name in _named_files(manifest)} <= names
    assert {"extension/LICENSE.txt", "extension/readme.md"} <= names
    assert [name for name in names if "node_modules" in name or name.endswith(".ts")] == []
    assert set(re.findall(r'require\("([^"./][^"]*)"\)', bundle)) <= {"vscode", *_built_in()}


def _named_files(manifest: dict[str, object]) -> set[str]:
    found = re.findall(r'"\./([^"]+)"', json.dumps(manifest))
    assert len(found) == 3
    return set(found)


def _built_in() -> set[str]:
    """The modules of Node itself, which need no package."""
    code = "process.stdout.write(JSON.stringify(require('module').builtinModules))"
    names = json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True).stdout)
    return {*names, *(f"node:{name}" for name in names)}
