"""Plain text as Markdown. Names and values come from tables, so nothing in them may be read as markup."""

import re

_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
_QUOTED = re.compile(r"`([^`\n]+)`")


def to_markdown(title: str, lines: tuple[str, ...]) -> str:
    """The title in bold, a paragraph for each line. Words in backticks are code."""
    return "\n\n".join([f"**{_line(title)}**", *map(_line, lines)])


def to_plain(title: str, lines: tuple[str, ...]) -> str:
    return "\n".join([title, *lines])


def _line(text: str) -> str:
    """Text outside of backticks is escaped; code needs no escapes."""
    parts = _QUOTED.split(" ".join(text.split()))
    last = len(parts) - 1
    return "".join(_part(part, at % 2 == 1, 0 < at < last) for at, part in enumerate(parts))


def _part(text: str, is_code: bool, is_inside: bool) -> str:
    """Code right after code would be one with it."""
    if is_code:
        return f"`{text}`"
    return _SPECIAL.sub(r"\\\1", text) or (" " if is_inside else "")
