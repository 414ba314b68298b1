"""A real IPython shell with the magic loaded, and a frame called `people`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

from tests.report.browser import browser

__all__ = ["Cell", "CellResult", "browser", "cell", "shell"]


@dataclass(frozen=True)
class CellResult:
    value: Any
    succeeded: bool
    output: str
    errors: str


Cell = Callable[[str], CellResult]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.chdir(tmp_path)
    InteractiveShell.clear_instance()
    config = Config({"HistoryManager": {"enabled": False}, "InteractiveShell": {"colors": "nocolor"}})
    shell = InteractiveShell.instance(config=config, ipython_dir=str(tmp_path / "ipython"))
    shell.run_line_magic("load_ext", "acompass")
    shell.user_ns["people"] = pd.DataFrame({"Age": [54, 54, 82, 86, 36], "Area": ["n", "n", "s", "s", "n"]})
    yield shell
    InteractiveShell.clear_instance()


@pytest.fixture
def cell(shell: InteractiveShell) -> Cell:
    def run(text: str) -> CellResult:
        with capture_output() as captured:
            ran = shell.run_cell(text)
        return CellResult(ran.result, bool(ran.success), captured.stdout, captured.stderr)

    return run
