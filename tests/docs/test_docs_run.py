"""Run the commands and Python blocks of the documentation and compare their output with the pages."""

import re
from pathlib import Path

import pytest
import yaml

from tests.docs.pages import blocks, pages, servers, without_blocks
from tests.docs.running import COLUMNS, matches, run_page
from tests.docs.update import UPDATING
from tests.repo.sources import relative_name

TEXTS = {page: page.read_text(encoding="utf-8") for page in pages()}


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if blocks(text)], ids=relative_name)
def test_a_page_shows_what_happens(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    text = TEXTS[page]
    addresses = {name: _address(server, request) for server, name in servers(text).items()}
    happened = run_page(text, tmp_path, addresses)
    if request.config.pluginmanager.has_plugin(UPDATING):
        page.write_text(happened, encoding="utf-8")
    assert text.splitlines() == happened.splitlines()


def _address(server: str, request: pytest.FixtureRequest) -> str:
    match server:
        case "postgres":
            return str(request.getfixturevalue("postgres").url("english"))
        case "spark":
            return str(request.getfixturevalue("spark").sparkContext.master)
        case "cluster":
            return str(request.getfixturevalue("cluster").url)
        case _:
            raise ValueError(f"no server `{server}` to run a page with")


@pytest.mark.parametrize("page", TEXTS, ids=relative_name)
def test_no_block_is_overlooked(page: Path) -> None:
    """A fence that is indented or uses `~~~` would not be run."""
    assert re.findall(r"^\s*(?:```|~~~).*", without_blocks(TEXTS[page]), re.MULTILINE) == []


def test_the_most_important_pages_are_run() -> None:
    run = {
        relative_name(page)
        for page, text in TEXTS.items()
        if any(block.language in ("console", "python") and block.excuse is None for block in blocks(text))
    }
    assert {"README.md", "docs/tutorial.md", "docs/measure.md", "examples/adult/README.md"} <= run


@pytest.mark.parametrize(
    ("page", "printed", "same"),
    [
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\nd\n", "a\nd\n", True),
        ("a\n…\nd\n", "a\nb\n", False),
        ("a…\n", "abc\n", False),
        ("a \n", "a\n", True),
        ("", "a\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_a_line_of_dots_stands_for_any_lines(page: str, printed: str, same: bool) -> None:
    assert matches(page, printed) is same


@pytest.mark.parametrize(
    "block",
    [
        "```console\n$ echo one\ntwo\n```",
        "```console\n$ false\n$ echo $?\n0\n```",
        "```console\n$ echo oops >&2\n```",
        "```python\n>>> 1 + 1\n3\n```",
        "```python\n>>> def twice(x):\n...     return 2 * x\n>>> twice(2)\n5\n```",
        "```python\n>>> {}['k']\n```",
    ],
)
def test_a_wrong_page_is_detected_and_corrected(block: str, tmp_path: Path) -> None:
    happened = run_page(f"{block}\n", tmp_path, {})
    assert happened != f"{block}\n"
    (tmp_path / "examples").unlink()
    assert run_page(happened, tmp_path, {}) == happened


@pytest.mark.parametrize(
    "block",
    [
        "```sh\nacompass check a b\n```",
        "```acompass\nEACH RESULT Age = 3;\n```",
        "```python\nprint(1)\n```",
        "```pycon\n>>> 1\n```",
        "<!-- not run: too slow -->\n```console\n$ sleep 9\n```",
        "<!-- not run: too slow; tests/none.py -->\n```console\n$ sleep 9\n```",
    ],
)
def test_a_block_that_cannot_be_checked_is_rejected(block: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page(f"{block}\n", tmp_path, {})


@pytest.mark.parametrize("block", ["```yaml ci.yml\na: [\n```", "```json\n{\n```"])
def test_a_block_that_cannot_be_parsed_is_rejected(block: str, tmp_path: Path) -> None:
    with pytest.raises((ValueError, yaml.YAMLError)):
        run_page(f"{block}\n", tmp_path, {})


def test_files_commands_and_python_of_a_page_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = (
        "```csv a/table.csv\nAge\n3\n```\n\n"
        "```console\n$ cp a/table.csv \\\n    copy.csv\n```\n\n"
        "```python\nfrom pathlib import Path\n```\n\n"
        "```python\n>>> Path('copy.csv').read_text()\n'Age\\n3\\n'\n```\n"
    )
    assert run_page(page, tmp_path, {}) == page


def test_a_server_has_the_address_of_the_page(tmp_path: Path) -> None:
    page = (
        "<!-- needs: postgres as postgres://db -->\n\n"
        "```console\n$ echo postgres://db; echo postgres://db | tr a-z A-Z\npostgres://db\nPOSTGRES://REAL\n```\n"
    )
    assert servers(page) == {"postgres": "postgres://db"}
    assert run_page(page, tmp_path, {"postgres://db": "postgres://real"}) == page
