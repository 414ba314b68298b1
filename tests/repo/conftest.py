"""The sources are read once, before the first test, since this takes longer than any test."""

import pytest

from tests.repo.sources import imports, modules


@pytest.fixture(scope="session", autouse=True)
def _read_sources() -> None:
    for path in modules():
        imports(path)
