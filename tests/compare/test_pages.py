"""The pages of the errors of claims and assumptions: the example gives the error, and the fix does not."""

import pytest

import acompass
from tests.errors.pages import FOLDER, Page, read_page

PAGES = [read_page(FOLDER / f"{code}.md") for code in ("AC560", "AC561", "AC562")]


def _codes(policy: str, blocks: dict[str, str]) -> list[str]:
    claims, assumed = ([blocks[kind]] if kind in blocks else None for kind in ("claim", "assumption"))
    try:
        acompass.prove(policy, claims, assume=assumed)
    except acompass.AcompassError as error:
        return [finding.code for finding in error.diagnostics]
    return []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_does_not(page: Page) -> None:
    assert _codes(page.example["acompass"], page.example) == [page.code]
    assert _codes(page.example["acompass"], page.fix) == []
