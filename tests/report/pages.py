"""Parses a page that `--report` wrote into a tree."""

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    children: list["Element"] = field(default_factory=list)
    text: str = ""

    def all(self, name: str) -> list["Element"]:
        own = [self] if self.name == name else []
        return own + [found for child in self.children for found in child.all(name)]

    @property
    def words(self) -> str:
        return " ".join([self.text, *(child.words for child in self.children)])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self._open[-1].children.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag, f"{tag} closes another element"

    def handle_data(self, data: str) -> None:
        self._open[-1].text += data


def read_page(path: Path) -> Element:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.root


def certificate_in(page: Element) -> dict[str, Any]:
    (block,) = page.all("script")
    assert block.attributes == {"type": "application/json", "id": "certificate"}
    content: dict[str, Any] = json.loads(block.text)
    return content
