"""A studio with a small table on a real port, shared by the tests of a module."""

from collections.abc import Iterator

import pytest

from acompass.assist.studio.access import Access
from tests.assist.studio.browsing import write_people
from tests.assist.studio.pages import Page, open_studio


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Access]]:
    with open_studio(*write_people(tmp_path_factory.mktemp("studio"))) as found:
        yield found


@pytest.fixture(scope="module")
def page(studio: tuple[Page, Access]) -> Page:
    return studio[0]


@pytest.fixture(scope="module")
def access(studio: tuple[Page, Access]) -> Access:
    return studio[1]
