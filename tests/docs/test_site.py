"""The documentation site is complete, has no broken links and loads nothing from other sites."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs import errors_index, rules_table
from tests.repo.sources import ROOT

EXTERNAL = re.compile(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=\"?(?:https?:)?//[^>]*>")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    # without --quiet, because --strict then ignores warnings
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return folder


def test_every_page_is_on_the_site(site: Path) -> None:
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in ROOT.glob("docs/**/*.md")}
    built = {path.parent.relative_to(site).as_posix() for path in site.rglob("index.html")}
    assert {re.sub(r"(^|/)index$", "", page) or "." for page in pages} <= built


def test_the_site_loads_nothing_from_other_sites(site: Path) -> None:
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    assert [(path.name, found) for path, text in pages.items() for found in EXTERNAL.findall(text)] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"url\(\"?(?:https?:)?//|@import", styles) == []


def test_policies_have_colors_and_files_have_names(site: Path) -> None:
    tutorial = (site / "tutorial" / "index.html").read_text(encoding="utf-8")
    assert '<span class="filename">policy.acp</span>' in tutorial
    assert '<span class="kt">REJECT</span>' in tutorial


def test_the_list_of_codes_is_complete() -> None:
    assert errors_index.PAGE.read_text(encoding="utf-8") == errors_index.text(), (
        "run `python -m tests.docs.errors_index`"
    )


def test_the_table_of_rules_is_complete() -> None:
    assert rules_table.PAGE.read_text(encoding="utf-8") == rules_table.text(), "run `python -m tests.docs.rules_table`"
