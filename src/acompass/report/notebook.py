"""Render documents as the HTML that a notebook displays. It has no colors, so it suits light and dark notebooks."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import assert_never

from acompass.report import document as doc
from acompass.report.html import Html, join_html, tag

# notebooks align cells to the right and may make captions pale
_CELL = "text-align:left;vertical-align:top;padding:.2em 1.5em .2em 0"
_TABLE = "min-width:min(40em,100%);margin:.5em 0"
_CAPTION = "caption-side:top;text-align:left;color:inherit;font-weight:600"
_CODE = "white-space:pre-wrap;color:inherit;background:none"


def document_html(blocks: Iterable[doc.Block]) -> str:
    shown = [*_without_captions(list(doc.rich_blocks(blocks)))]
    return str(tag("div", *(part for block in shown for part in _block_parts(block))))


def _without_captions(blocks: list[doc.RichBlock]) -> Iterator[doc.RichBlock]:
    """Omit headings that repeat the caption of the table below them."""
    for block, following in zip_longest(blocks, blocks[1:]):
        if not (
            isinstance(block, doc.Heading) and isinstance(following, doc.Table) and block.words == following.caption
        ):
            yield block


def _block_parts(block: doc.RichBlock) -> Iterator[Html]:
    match block:
        case doc.Heading(words):
            yield tag("p", tag("strong", _words_html(words)))
        case doc.Paragraph(words):
            yield tag("p", _words_html(words))
        case doc.Bullets(items):
            yield from (tag("p", _words_html(item)) for item in items)
        case doc.Table():
            yield from () if block.is_private else [_table(block.numbered())]
        case doc.CodeBlock(text, None):
            yield tag("pre", _code(text), style="background:none;color:inherit")
        case doc.CodeBlock(text, title):
            yield tag("details", tag("summary", title or ""), *(tag("div", line) for line in text.splitlines()))
        case _:
            assert_never(block)


def _table(table: doc.Table) -> Html:
    """The first row and the first cell of each row are headers. A wide table scrolls with the mouse or the keyboard."""
    caption = doc.as_sentence(table.caption)
    if table.placeholder is not None:
        return tag("p", f"{caption}: {table.placeholder}")
    head = tag("tr", *(tag("th", _words_html(name), scope="col", style=_CELL) for name in table.header))
    titled = tag("caption", caption, style=_CAPTION)
    filled = tag("table", titled, tag("thead", head), tag("tbody", *map(_table_row, table.rows)), style=_TABLE)
    return tag("div", filled, style="overflow-x:auto", tabindex="0", role="group", aria_label=caption)


def _table_row(cells: Sequence[doc.Words]) -> Html:
    first, *others = map(_words_html, cells)
    header = tag("th", first, scope="row", style=_CELL)
    return tag("tr", header, *(tag("td", cell, style=_CELL) for cell in others))


def _words_html(words: doc.Words) -> Html:
    match words:
        case doc.Code():
            return _code(words)
        case str():
            return join_html([words])
        case doc.Verdict():
            return join_html([words.words])
        case doc.Lines():
            return join_html(tag("div", _words_html(line)) for line in words)
        case doc.Phrase():
            return join_html(map(_words_html, words))
        case _:
            assert_never(words)


def _code(text: str) -> Html:
    return tag("code", text, style=_CODE)
