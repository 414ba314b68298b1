"""Every answer in every format is as in its golden file: text, JSON, SARIF and JUnit byte for byte, Markdown and HTML
after rendering."""

from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tests.report.golden.cases import CASES, FOLDER, Case, parse_golden
from tests.report.pages import render

#: HTML elements that a browser shows on lines or in cells of their own
BLOCKS = {"div", "p", "caption", "th", "td", "pre", "summary", "li", "strong"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_an_answer_is_as_in_its_golden_file(case: Case, tmp_path: Path) -> None:
    expected = parse_golden(case.path.read_text(encoding="utf-8"))
    found = case.sections(tmp_path)
    assert list(found) == list(expected)
    assert {name: _content(name, text) for name, text in found.items()} == {
        name: _content(name, text) for name, text in expected.items()
    }


def _content(section: str, text: str) -> object:
    if "standard error" in section:
        return text
    if section.startswith("markdown"):
        return _markdown_content(text)
    return _html_content(text) if section == "html" else text


def _markdown_content(text: str) -> list[tuple[str, str]]:
    """Each heading, paragraph and cell: its kind, and its text as a reader sees it."""
    tokens = render(text).tokens
    pairs = pairwise(tokens)
    return [(token.type, following.content) for token, following in pairs if following.type in ("inline", "fence")]


class _Content(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.found.append((tag, ""))

    def handle_data(self, data: str) -> None:
        tag, text = self.found[-1]
        self.found[-1] = tag, text + data


def _html_content(text: str) -> list[tuple[str, str]]:
    """Each paragraph, caption and cell with its element."""
    reader = _Content()
    reader.feed(text)
    reader.close()
    return [(tag, " ".join(words.split())) for tag, words in reader.found]


def test_every_golden_file_belongs_to_a_case() -> None:
    assert {path.name for path in FOLDER.glob("*.golden")} == {case.path.name for case in CASES}
