"""Markdown rendered by a library: what a reader sees, and what a report must not contain."""

from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

_GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
#: what stands for a line break inside a cell; no other HTML is ever written
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
        """Those of lists as well."""
        return self._texts("paragraph_open")

    @property
    def tables(self) -> list[list[list[str]]]:
        """The text in each cell of each row of each table, the header first."""
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


def rendered(markdown: str) -> Rendered:
    return Rendered(_GITHUB.parse(markdown))


def _text(inline: Token) -> str:
    return "".join("\n" if each.content == _BREAK else each.content for each in inline.children or ())


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])
