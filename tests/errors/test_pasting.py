"""The help of an error can be pasted: with what it offers to write, the error is gone."""

from pathlib import Path

import pytest

from acompass.syntax.parse import parse
from tests.errors.pages import Page, pages
from tests.errors.pasting import pasted, replacements
from tests.errors.runner import codes_of, diagnostics_of
from tests.syntax.mistakes import MISTAKES, Mistake

PAGES = [page for page in pages() if page.code < "AC2" and "acompass" in page.example]


def offers(mistake: Mistake) -> list[str]:
    (diagnostic,) = parse(mistake.text)[1]
    return replacements(diagnostic)


@pytest.mark.parametrize("mistake", [each for each in MISTAKES if offers(each)], ids=lambda each: each.text)
def test_a_pasted_help_leaves_no_mistake(mistake: Mistake) -> None:
    (diagnostic,) = parse(mistake.text)[1]
    for replacement in replacements(diagnostic):
        texts = list(pasted(mistake.text, diagnostic, replacement))
        assert any(not parse(text)[1] for text in texts), (replacement, texts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_a_pasted_help_removes_the_error_of_a_page(page: Page, tmp_path: Path) -> None:
    text = page.example["acompass"]
    for diagnostic in diagnostics_of(page.example, tmp_path):
        is_shown = diagnostic.code == page.code and diagnostic.labels
        for replacement in replacements(diagnostic) if is_shown else ():
            texts = list(pasted(text, diagnostic, replacement))
            left = [codes_of(page.example | {"acompass": each}, tmp_path) for each in texts]
            assert any(not {c for c in codes if c == page.code or c < "AC1"} for codes in left), (
                replacement,
                texts,
            )
