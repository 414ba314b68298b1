"""The VS Code extension: its package, how it starts the server, and the settings of other editors."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from acompass.cli.assist import LSP_EXAMPLES
from acompass.version import __version__
from tests.docs.pages import Block, blocks
from tests.editors.classes import EXTENSION
from tests.programs import write_program
from tests.repo.sources import ROOT
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
def test_the_package_has_every_file_of_the_manifest(extension: Path) -> None:
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
    """The modules that are built into Node."""
    code = "process.stdout.write(JSON.stringify(require('module').builtinModules))"
    names = json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True).stdout)
    return {*names, *(f"node:{name}" for name in names)}


def _start(extension: Path, setting: str, folder: Path) -> str:
    """Start the extension and return what `editors/vscode/test/start.mjs` prints."""
    command = ["node", str(extension / "test" / "start.mjs"), setting, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _write_command(folder: Path, code: str) -> None:
    """Write a command `acompass` into a folder."""
    write_program(folder / "acompass", sys.executable, "-c", code)


def test_a_real_server_is_started(extension: Path, tmp_path: Path) -> None:
    _write_command(tmp_path, "from acompass.cli import main; main()")
    assert '"capabilities"' in _start(extension, "${workspaceFolder}/acompass", tmp_path)


def test_a_missing_command_is_explained(extension: Path, tmp_path: Path) -> None:
    said = _start(extension, "${workspaceFolder}/acompass", tmp_path)
    assert f"`{tmp_path}/acompass` was not found" in said
    assert "`pip install 'acompass[lsp]'`" in said
    assert "acompass.path" in said


def test_a_command_that_may_not_be_executed_is_explained(extension: Path, tmp_path: Path) -> None:
    (tmp_path / "acompass").write_text("")
    assert "may not be executed" in _start(extension, "${workspaceFolder}/acompass", tmp_path)


def test_the_error_of_a_command_that_cannot_start_is_shown(extension: Path, tmp_path: Path) -> None:
    """Without pygls, it says what to install."""
    code = (
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'pygls' else find(name, *a)\n"
        "from acompass.cli import main; main()"
    )
    _write_command(tmp_path, code)
    said = _start(extension, "${workspaceFolder}/acompass", tmp_path)
    assert "could not be started: error[AC811]: `lsp` needs pygls" in said
    assert "pip install 'acompass[lsp]'" in said


BLOCKS = blocks((ROOT / "docs" / "editors.md").read_text("utf-8"))
TOML = [block for block in BLOCKS if block.language == "toml"]


@pytest.mark.parametrize("block", TOML, ids=lambda block: block.content.splitlines()[0])
def test_toml_blocks_are_valid(block: Block) -> None:
    assert tomllib.loads(block.content)


def test_the_help_and_the_page_configure_helix_in_the_same_way() -> None:
    on_page = next(tomllib.loads(block.content) for block in TOML if "[[language]]" in block.content)
    shown = tomllib.loads(LSP_EXAMPLES.partition("languages.toml:\n")[2])
    assert on_page["language-server"] == shown["language-server"]
    assert shown["language"][0].items() <= on_page["language"][0].items()


@pytest.mark.parametrize("language", ["lua", "toml", "rust", "elisp"])
def test_each_editor_starts_the_server(language: str) -> None:
    text = "".join(block.content for block in BLOCKS if block.language == language)
    assert "acompass" in text
    assert "lsp" in text
