"""A copy of the VS Code extension, shared by all tests."""

from pathlib import Path

import pytest

from tests.editors.classes import copy_extension


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of editors/vscode with its packages installed."""
    return copy_extension(tmp_path_factory.mktemp("editors"))
