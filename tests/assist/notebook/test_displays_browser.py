"""Displays in a real browser, below a cell of a light and of a dark notebook."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.assist.notebook import answers
from tests.report.browser import inaccessible

SHEETS = {"light": "background:#fff;color:#222", "dark": "background:#111;color:#ddd"}


@pytest.fixture(scope="module")
def displays() -> str:
    found = {**answers.without_records(), "explanation": answers.explanation()}
    return "".join(f"<h2>{kind}</h2>{answer._repr_html_()}" for kind, answer in found.items())


@pytest.mark.parametrize("scheme", SHEETS)
def test_axe_finds_nothing(browser: Browser, displays: str, scheme: str, tmp_path: Path) -> None:
    page = tmp_path / "notebook.html"
    head = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Notebook</title></head>'
    body = f'<body style="{SHEETS[scheme]}"><main><h1>Notebook</h1>{displays}</main></body></html>'
    page.write_text(head + body, encoding="utf-8")
    for width in (1280, 390):
        assert inaccessible(browser, page, scheme, width) == []
