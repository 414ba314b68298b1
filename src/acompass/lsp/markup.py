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
    return "".join(f"`{part}`" if at % 2 else _SPECIAL.sub(r"\\\1", part) for at, part in enumerate(parts))
