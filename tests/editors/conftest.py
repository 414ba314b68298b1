""""""

from pathlib import Path

import pytest

from tests.editors.classes import installed_copy


@pytest.fixture(scope="session")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of editors/vscode in which its packages are installed."""
    return installed_copy(tmp_path_factory.mktemp("editors"))
