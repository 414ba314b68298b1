"""The pages of the errors about rules."""

from pathlib import Path

import pytest

from tests.errors.pages import Page, pages, require_error, run_fix

PAGES = [page for page in pages() if page.code.startswith("AC65")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_does_not(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    require_error(page)
    assert not list(tmp_path.rglob("release.acp"))
    run_fix(page)
