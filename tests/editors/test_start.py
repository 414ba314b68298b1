"""The extension starts the server, or says why it cannot and what to do."""

import subprocess
import sys
from pathlib import Path

from tests.waiting import PATIENCE


def _started(extension: Path, setting: str, folder: Path) -> str:
    """What `editors/vscode/test/start.mjs` prints."""
    command = ["node", str(extension / "test" / "start.mjs"), setting, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _command(folder: Path, code: str) -> None:
    """A command `acompass` in a folder."""
    path = folder / "acompass"
    path.write_text(f"#!{sys.executable}\n{code}\n", encoding="utf-8")
    path.chmod(0o755)


def test_a_real_server_is_started(extension: Path, tmp_path: Path) -> None:
    _command(tmp_path, "from acompass.cli import main; main()")
    assert '"capabilities"' in _started(extension, "${workspaceFolder}/acompass", tmp_path)


def test_a_missing_command_is_explained(extension: Path, tmp_path: Path) -> None:
    said = _started(extension, "${workspaceFolder}/acompass", tmp_path)
    assert f"`{tmp_path}/acompass` was not found" in said
    assert "`pip install 'acompass[lsp]'`" in said
    assert "acompass.path" in said


def test_a_command_that_may_not_be_executed_is_explained(extension: Path, tmp_path: Path) -> None:
    (tmp_path / "acompass").write_text("")
    assert "may not be executed" in _started(extension, "${workspaceFolder}/acompass", tmp_path)


def test_what_the_command_says_when_it_cannot_start_is_shown(extension: Path, tmp_path: Path) -> None:
    """Without pygls it says what to install."""
    code = (
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'pygls' else find(name, *a)\n"
        "from acompass.cli import main; main()"
    )
    _command(tmp_path, code)
    said = _started(extension, "${workspaceFolder}/acompass", tmp_path)
    assert "could not be started: error[AC811]: `lsp` needs pygls" in said
    assert "pip install 'acompass[lsp]'" in said
