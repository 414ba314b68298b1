"""The pages of the errors of `acompass dbt`: the example gives the error, and the fix does not."""

import re
import sys
from pathlib import Path

import pytest

from acompass.diagnostics.codes import CODES
from tests.errors.pages import FOLDER, Page, read_page
from tests.measure.pages import run_blocks

#: AC640 is shown where PyYAML is missing
PAGES = [read_page(FOLDER / f"{code}.md") for code in sorted(CODES) if "AC641" <= code < "AC65"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_an_answer(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ran,) = run_blocks(page.sections["Example"])
    assert (ran.exit_code, ran.output, re.findall(r"\[(AC\d{3})\]", ran.errors)) == (2, "", [page.code])
    (ran,) = run_blocks(page.sections["Fix"])
    assert (ran.exit_code, ran.errors) == (0, "")
    assert "written" in ran.output


def test_pyyaml_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    (ran,) = run_blocks(read_page(FOLDER / "AC641.md").sections["Example"])
    assert (ran.exit_code, re.findall(r"\[(AC\d{3})\]", ran.errors)) == (2, ["AC640"])
