"""HTML elements. All text is escaped unless it is already markup."""

from collections.abc import Iterable
from html import escape


class Html(str):
    """Text that is already markup."""

    __slots__ = ()


def tag(name: str, *content: str, **attributes: str | float | None) -> Html:
    """An element. `class_` and `aria_label` become `class` and `aria-label`; None omits an attribute."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{written}>{joined(content)}</{name}>")


def joined(parts: Iterable[str]) -> Html:
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def row(header: str, *cells: str, class_: str | None = None) -> Html:
    """A table row whose first cell is its header."""
    return tag("tr", tag("th", header, scope="row"), *(_cell(cell) for cell in cells), class_=class_)


def _cell(cell: str) -> Html:
    is_number = not isinstance(cell, Html) and cell[:1].isdigit()
    return tag("td", cell, class_="number" if is_number else None)


def table(caption: str, header: Iterable[str], rows: Iterable[Html], class_: str | None = None) -> Html:
    """A table that scrolls on its own when it is wide, with the mouse or the keyboard."""
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in header)))
    body = tag("table", tag("caption", caption), head, tag("tbody", *rows), class_=class_)
    return tag("div", body, class_="scroll", tabindex="0", role="region", aria_label=caption)


def section(title: str, identifier: str, *content: str) -> Html:
    heading = tag("h2", title, id=identifier)
    return tag("section", heading, *content, aria_labelledby=identifier)


def badge(word: str, tone: str) -> Html:
    """A verdict in colour; `tone` is good, open or bad."""
    return tag("span", word, class_=f"verdict {tone}")


def about(*content: str) -> Html:
    """The paragraph that introduces a section."""
    return tag("p", *content, class_="about")
