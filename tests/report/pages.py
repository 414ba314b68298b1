"""Parses HTML reports and rendered Markdown into data, and provides tables and results for reports."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from acompass.result import RequirementOutcome, Result

VOID = {"meta"}


@dataclass
class Element:
    name: str
    attributes: dict[str, str | None]
    children: list["Element"] = field(default_factory=list)
    text: str = ""
    parts: list["Element | str"] = field(default_factory=list)  # texts and children in their order

    def all(self, name: str) -> list["Element"]:
        own = [self] if self.name == name else []
        return own + [found for child in self.children for found in child.all(name)]

    @property
    def words(self) -> str:
        return " ".join([self.text, *(child.words for child in self.children)])

    @property
    def prose(self) -> str:
        """The text as it is read, with one space between words."""
        return " ".join("".join(each if isinstance(each, str) else f"{each.prose} " for each in self.parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self._open[-1].children.append(element)
        self._open[-1].parts.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag, f"{tag} closes another element"

    def handle_data(self, data: str) -> None:
        self._open[-1].text += data
        self._open[-1].parts.append(data)


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


POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Zip >= '21000' AND Zip <= '21199' : Zip = '211**' : REPLACE Zip WITH '211**';
EACH PROCESS COUNT(*) AS Size GROUP BY Age, Zip : Size >= k : REJECT;
EACH PROCESS COUNT DISTINCT Disease AS Kinds GROUP BY Age, Zip : Kinds >= 1;
"""
#: values that occur once in the table, and therefore in no report
NAME, RARE = "Zebulon Pike", "kuru"


def people(records: int = 400) -> str:
    rng = random.Random(7)
    rows = [
        f"Person {i},{rng.randint(30, 90)},{rng.choice((21101, 21102, 21103, 21501))},"
        f"{rng.choice(('flu', 'asthma', 'gout'))}"
        for i in range(records)
    ]
    return "\n".join(["Name,Age,Zip,Disease", f"{NAME},97,21777,{RARE}", *rows]) + "\n"


AGES = RequirementOutcome(
    index=1,
    line=2,
    text="EACH RESULT\n   : Age <= 80\n   : REPLACE Age WITH 80",
    holds=False,
    affected=3,
    action="REPLACE",
    records=1000,
)
SIZES = RequirementOutcome(
    index=2,
    line=6,
    text="EACH PROCESS COUNT(*) AS Size GROUP BY Age : Size >= 2 : REJECT",
    holds=True,
    affected=0,
    action="REJECT",
    records=1000,
)
DIVERSITY = RequirementOutcome(
    index=3,
    line=7,
    text="EACH RESULT : Name < '<b>&' OR Name > '\x07'",
    holds=False,
    affected=1,
    action=None,
    records=1000,
)

MIXED = Result(records_in=1000, records_out=1000, ok=False, requirements=(AGES, SIZES, DIVERSITY), trace_used=1)
EMPTY = Result(records_in=1, records_out=1, ok=True, requirements=(), trace_used=0)

_GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
#: a line break inside a cell; reports contain no other HTML
_BREAK = "<br>"
#: the marks of text, code, headings, lists, tables and bold words
_EXPECTED = {
    *("text", "text_special", "code_inline", "inline", "strong_open", "strong_close"),
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
    *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
}


@dataclass(frozen=True)
class Rendered:
    tokens: list[Token]

    @property
    def headings(self) -> list[str]:
        return self._texts("heading_open")

    @property
    def paragraphs(self) -> list[str]:
        """Including those of lists."""
        return self._texts("paragraph_open")

    @property
    def tables(self) -> list[list[list[str]]]:
        """The tables, as rows of cell texts, with the header first."""
        tables: list[list[list[str]]] = []
        for token, following in zip(self.tokens, self.tokens[1:], strict=False):
            if token.type == "table_open":
                tables.append([])
            elif token.type == "tr_open":
                tables[-1].append([])
            elif token.type in ("th_open", "td_open"):
                tables[-1][-1].append(_text(following))
        return tables

    def table(self, *header: str) -> list[list[str]]:
        """The rows of the only table with this header."""
        ((_, *rows),) = [table for table in self.tables if table[0] == list(header)]
        return rows

    @property
    def surprises(self) -> list[str]:
        """Tokens that no report has: links, images, HTML, emphasis and so on."""
        return [
            f"{token.type} {token.content}"
            for token in _flat(self.tokens)
            if token.type not in _EXPECTED and token.content != _BREAK
        ]

    def _texts(self, opening: str) -> list[str]:
        pairs = zip(self.tokens, self.tokens[1:], strict=False)
        return [_text(following) for token, following in pairs if token.type == opening]


def render(markdown: str) -> Rendered:
    return Rendered(_GITHUB.parse(markdown))


def _text(inline: Token) -> str:
    return "".join("\n" if each.content == _BREAK else each.content for each in inline.children or ())


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
