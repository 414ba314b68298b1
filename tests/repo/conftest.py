"""Parse the sources once, before the first test, because that takes longer than any test."""

import pytest

from tests.repo.sources import imports, modules


@pytest.fixture(scope="session", autouse=True)
def _read_sources() -> None:
    for path in modules():
        imports(path)
