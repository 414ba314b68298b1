"""Every diagnostic code has a page and is reported somewhere, and every page and report has a code."""

import re

from acompass.diagnostics.codes import CODES
from tests.repo.sources import PACKAGE, ROOT, modules

PAGES = ROOT / "docs" / "errors"
CODE = re.compile(r"\bAC\d{3}\b")


def test_every_code_has_a_page_and_every_page_a_code() -> None:
    assert {page.stem for page in PAGES.glob("AC*.md")} == set(CODES)


def test_every_page_is_titled_as_its_code() -> None:
    titles = {page.stem: page.read_text(encoding="utf-8").partition("\n")[0] for page in PAGES.glob("AC*.md")}
    assert titles == {code: f"# {code}: {title}" for code, title in CODES.items()}


def test_every_code_is_given_somewhere_and_no_other_is() -> None:
    register = PACKAGE / "diagnostics" / "codes.py"
    sources = [path.read_text(encoding="utf-8") for path in modules() if path != register]
    given = {code for source in sources for code in CODE.findall(source)}
    assert given == set(CODES)
