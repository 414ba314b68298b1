"""The pages of the errors of `prove --privacy`: the example gives the error, and the fix does not."""

import re
from pathlib import Path

import pytest

from tests.errors.pages import FOLDER, Page, read_page
from tests.measure.pages import run_blocks

PAGES = [read_page(FOLDER / f"{code}.md") for code in ("AC553", "AC554", "AC555")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_an_answer(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ran,) = run_blocks(page.sections["Example"])
    assert (ran.exit_code, ran.output, re.findall(r"\[(AC\d{3})\]", ran.errors)) == (2, "", [page.code])
    (ran,) = run_blocks(page.sections["Fix"])
    assert ran.exit_code == 0
    assert "error[" not in ran.errors
    assert ran.output
