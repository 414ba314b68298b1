"""The pages of the errors of a search: the example gives the error, and the fix does not."""

import re
from pathlib import Path

import pytest

from acompass.diagnostics.codes import CODES
from tests.errors.pages import FOLDER, Page, read_page
from tests.measure.pages import Ran, run_blocks

#: AC620 depends on the installation
PAGES = [
    read_page(FOLDER / f"{code}.md") for code in sorted(CODES) if code.startswith("AC62") and code != "AC620"
]


def _ran(section: str) -> tuple[Ran, set[str]]:
    (ran,) = run_blocks(section)
    return ran, set(re.findall(r"\[(AC\d{3})\]", ran.errors))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.code)
def test_the_example_gives_the_error_and_the_fix_writes_a_policy(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran, codes = _ran(page.sections["Example"])
    assert (ran.exit_code, codes) == (1 if page.code == "AC624" else 2, {page.code})
    assert not Path("release.acp").exists()
    ran, codes = _ran(page.sections["Fix"])
    assert (ran.exit_code, codes) == (0, set())
    assert Path("release.acp").exists()
