"""The command as users run it, with small tables and policies."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from acompass.cli.app import app
from tests.cli.tables import PEOPLE

Acompass = Callable[..., Result]


@pytest.fixture
def acompass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Acompass:
    """Run a command in a folder with `people.csv`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")

    def invoke(*arguments: str, given: str | None = None) -> Result:
        return CliRunner().invoke(app, list(arguments), input=given)

    return invoke


@pytest.fixture
def policy(tmp_path: Path) -> Callable[[str], str]:
    """Write a policy and return its file name."""

    def write(text: str, name: str = "policy.acp") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write
