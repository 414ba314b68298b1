"""Build HTML elements and SVG charts for the report page and the studio, and render documents for notebooks.

All text is escaped unless it is already markup."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import zip_longest
from typing import assert_never

from acompass.dataclasses import dataclass
from acompass.measure.answer import Persons
from acompass.report import document as doc

#: the size and the margins of a chart
_WIDTH, _HEIGHT = 720, 240
_LEFT, _BOTTOM, _TOP = 56, 26, 12


class Html(str):
    """Text that is already markup."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Group:
    """Bars drawn side by side, one for each series."""

    label: str
    values: tuple[Persons, ...]


def tag(name: str, *content: str, **attributes: str | float | None) -> Html:
    """An element. `class_` and `aria_label` become `class` and `aria-label`; None omits an attribute."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{pairs}>{join_html(content)}</{name}>")


def join_html(parts: Iterable[str]) -> Html:
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def row(header: str, *cells: str, class_: str | None = None) -> Html:
    """A table row whose first cell is its header."""
    return tag("tr", tag("th", header, scope="row"), *(_cell(cell) for cell in cells), class_=class_)


def _cell(cell: str) -> Html:
    is_number = not isinstance(cell, Html) and cell[:1].isdigit()
    return tag("td", cell, class_="number" if is_number else None)


def table(caption: str, header: Iterable[str], rows: Iterable[Html], class_: str | None = None) -> Html:
    """A wide table scrolls with the mouse or the keyboard."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in header)))
    body = tag("table", tag("caption", caption), head, tag("tbody", *rows), class_=class_)
    return tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=caption)


def section(title: str, identifier: str, *content: str) -> Html:
    heading = tag("h2", title, id=identifier)
    return tag("section", heading, *content, aria_labelledby=identifier)


def badge(word: str, tone: str) -> Html:
    """A verdict in the color of its tone: good, open or bad."""
    return tag("span", word, class_=f"verdict {tone}")


def about(*content: str) -> Html:
    """The paragraph that introduces a section."""
    return tag("p", *content, class_="about")


def share_bar(part: Persons, whole: Persons, series: str) -> Html:
    """A bar for a table row. The row also shows the number, so screen readers skip the bar."""
    width = 0 if whole == 0 else max(float(100 * part / whole), 0.75 if part else 0)
    filled = tag("rect", width=f"{width:.2f}", height="8", rx="2", class_=series)
    ground = tag("rect", width="100", height="8", rx="2", class_="ground")
    return tag(
        "svg",
        ground,
        filled,
        viewBox="0 0 100 8",
        class_="bar",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def grouped_bars(title: str, description: str, groups: Sequence[Group], series: Sequence[str]) -> Html:
    """Vertical bars on a common scale; `description` is for screen readers."""
    highest = max((value for group in groups for value in group.values), default=0)
    scale = _ceiling(highest)
    marks = [_mark(value, scale) for value in range(0, scale + 1, max(scale // 4, 1))]
    room = (_WIDTH - _LEFT) / max(len(groups), 1)
    bars = [_bar_group(group, _LEFT + place * room, room, scale, series) for place, group in enumerate(groups)]
    identifier = "chart-" + "".join(letter for letter in title.lower() if letter.isalnum())
    return tag(
        "svg",
        tag("title", title, id=f"{identifier}-title"),
        tag("desc", description, id=f"{identifier}-desc"),
        *marks,
        *bars,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="chart",
        role="img",
        aria_labelledby=f"{identifier}-title {identifier}-desc",
    )


def _ceiling(highest: Persons) -> int:
    """The first of 4, 8, 12, 20, 40, 80, … that is at least `highest`; each divides into four integer steps."""
    power = 1
    while True:
        for by in (4, 8, 12, 20):
            if by * power >= highest:
                return by * power
        power *= 10


def _height(value: Persons, scale: int) -> float:
    return float((_HEIGHT - _BOTTOM - _TOP) * value / scale)


def _mark(value: int, scale: int) -> Html:
    y = f"{_HEIGHT - _BOTTOM - _height(value, scale):.1f}"
    line = tag("line", x1=_LEFT, x2=_WIDTH, y1=y, y2=y, class_="grid")
    return tag("g", line, tag("text", f"{value:,}", x=_LEFT - 8, y=y, dy="0.35em", text_anchor="end", class_="axis"))


def _bar_group(group: Group, left: float, room: float, scale: int, series: Sequence[str]) -> Html:
    width = min(room * 0.8 / len(group.values), 40)
    start = left + (room - width * len(group.values)) / 2
    bars = [
        _bar(value, start + place * width, width, scale, name)
        for place, (value, name) in enumerate(zip(group.values, series, strict=True))
    ]
    middle = f"{left + room / 2:.1f}"
    label = tag("text", group.label, x=middle, y=_HEIGHT - _BOTTOM + 18, text_anchor="middle", class_="axis")
    return tag("g", *bars, label)


def _bar(value: Persons, left: float, width: float, scale: int, series: str) -> Html:
    height = _height(value, scale)
    return tag(
        "rect",
        x=f"{left + 1:.1f}",
        y=f"{_HEIGHT - _BOTTOM - height:.1f}",
        width=f"{max(width - 2, 1):.1f}",
        height=f"{height:.1f}",
        rx="2",
        class_=series,
    )


# notebooks align cells to the right and may make captions pale
_CELL = "text-align:left;vertical-align:top;padding:.2em 1.5em .2em 0"
_TABLE = "min-width:min(40em,100%);margin:.5em 0"
_CAPTION = "caption-side:top;text-align:left;color:inherit;font-weight:600"
_CODE = "white-space:pre-wrap;color:inherit;background:none"


def document_html(blocks: Iterable[doc.Block]) -> str:
    """A document as a notebook displays it. It has no colors, so it suits light and dark notebooks."""
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
            yield from () if block.is_private else [_notebook_table(block.numbered())]
        case doc.CodeBlock(text, None):
            yield tag("pre", _code(text), style="background:none;color:inherit")
        case doc.CodeBlock(text, title):
            yield tag("details", tag("summary", title or ""), *(tag("div", line) for line in text.splitlines()))
        case _:
            assert_never(block)


def _notebook_table(shown: doc.Table) -> Html:
    """The first row and the first cell of each row are headers. A wide table scrolls with the mouse or the keyboard."""
    caption = doc.as_sentence(shown.caption)
    if shown.placeholder is not None:
        return tag("p", f"{caption}: {shown.placeholder}")
    head = tag("tr", *(tag("th", _words_html(name), scope="col", style=_CELL) for name in shown.header))
    titled = tag("caption", caption, style=_CAPTION)
    filled = tag("table", titled, tag("thead", head), tag("tbody", *map(_table_row, shown.rows)), style=_TABLE)
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
