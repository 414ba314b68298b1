"""The parts of a display. It has no colours of its own, so that it fits light and dark notebooks."""

from collections.abc import Iterable, Sequence

from acompass.report.html.elements import Html, joined, tag

# notebooks align cells to the right and may make captions pale
_CELL = "text-align:left;vertical-align:top;padding:.2em 1.5em .2em 0"
_TABLE = "min-width:min(40em,100%);margin:.5em 0"
_CAPTION = "caption-side:top;text-align:left;color:inherit;font-weight:600"
_CODE = "white-space:pre-wrap;color:inherit;background:none"


def display(*parts: str) -> str:
    return str(tag("div", *parts))


def table(caption: str, rows: Iterable[Sequence[str]]) -> Html:
    """The first row is the header, and the first cell of each other row its header. A wide table scrolls on
    its own, with the mouse or the keyboard."""
    header, *body = rows
    head = tag("tr", *(tag("th", name, scope="col", style=_CELL) for name in header))
    titled = tag("caption", caption, style=_CAPTION)
    filled = tag("table", titled, tag("thead", head), tag("tbody", *map(_row, body)), style=_TABLE)
    return tag("div", filled, style="overflow-x:auto", tabindex="0", role="group", aria_label=caption)


def _row(cells: Sequence[str]) -> Html:
    first, *others = cells
    return tag(
        "tr",
        tag("th", first, scope="row", style=_CELL),
        *(tag("td", cell, style=_CELL) for cell in others),
    )


def code(text: str) -> Html:
    return tag("code", text, style=_CODE)


def paragraphs(texts: Iterable[str]) -> Html:
    return joined(tag("p", text) for text in texts)


def lines(texts: Iterable[str]) -> Html:
    return joined(tag("div", text) for text in texts)
