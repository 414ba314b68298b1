"""Text helpers for messages and reports: counts, lists of choices, quotes, and text that is safe to print.

Text from a policy or a table must not control a terminal, so control characters are escaped or replaced."""

import unicodedata


def count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def on_one_line(text: str) -> str:
    """The text with single spaces in place of line ends, and with control characters escaped."""
    line = " ".join(text.split())
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in line)


_LONGEST_QUOTE = 40


def quote(text: str) -> str:
    """The user's words in backticks, shortened if they are long."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 1] + '…'}`"


def join_choices(choices: list[str]) -> str:
    if len(choices) < 2:
        return "".join(choices)
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


_TAB = 4


#: controls, formats (which can reverse a line), surrogates, line and paragraph separators
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable_text(text: str) -> str:
    """The text without anything that moves the cursor of a terminal; tabs become spaces."""
    return "".join(_printable_character(character) for character in text)


def _printable_character(character: str) -> str:
    if character == "\t":
        return " " * _TAB
    return "\N{REPLACEMENT CHARACTER}" if unicodedata.category(character) in _UNPRINTABLE else character


def display_width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
