"""Every page of docs/errors is complete: its example gives the error, and its fix does not."""

from pathlib import Path

import pytest

from tests.errors.pages import SECTIONS, Page, pages
from tests.errors.runner import codes_of

PAGES = pages()
#: run by tests/lint, tests/measure, tests/privacy, tests/suggest, tests/pram, tests/dbt and tests/studio
ELSEWHERE = ("AC5", "AC6", "AC8")
RUNNABLE = [page for page in PAGES if "acompass" in page.example and not page.code.startswith(ELSEWHERE)]
#: pages that depend on the state of the machine; they only show the message
SHOWN = [page for page in PAGES if page not in RUNNABLE and page.shows_output]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_page_has_its_sections(page: Page) -> None:
    assert tuple(page.sections) == SECTIONS
    assert all(text.strip() for text in page.sections.values())


def test_every_page_has_an_example_that_some_test_runs() -> None:
    rest = [page.code for page in PAGES if page not in RUNNABLE and page not in SHOWN]
    assert all(code.startswith(ELSEWHERE) for code in rest)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.code)
def test_example_gives_the_error(page: Page, tmp_path: Path) -> None:
    assert page.code in codes_of(page.example, tmp_path)


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.code)
def test_fix_does_not_give_the_error(page: Page, tmp_path: Path) -> None:
    assert page.fix != page.example
    assert page.code not in codes_of(page.fix, tmp_path)


@pytest.mark.parametrize("page", [page for page in RUNNABLE if page.code < "AC1"], ids=lambda page: page.code)
def test_fix_of_a_policy_reads_whole(page: Page, tmp_path: Path) -> None:
    assert not {code for code in codes_of(page.fix, tmp_path) if code < "AC1"}


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.code)
def test_shown_example_names_the_error(page: Page) -> None:
    assert f"[{page.code}]" in page.sections["Example"]
