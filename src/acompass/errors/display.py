"""Display messages and answers: counts, quotes and printable text; color on a terminal; HTML and Markdown reports.

Text from a policy or a table must not control a terminal, so control characters are escaped or replaced. Answers of
every layer inherit from the classes below, which import their renderers on use, because `report` is a higher layer."""

import unicodedata

from acompass.dataclasses import dataclass


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


GREEN, RED, YELLOW, BOLD = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[1m"
_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Style:
    color: bool = False
    width: int | None = None  # of the terminal; None to never cut lines

    def paint(self, text: str, tint: str) -> str:
        return f"{tint}{text}{_RESET}" if self.color else text


PLAIN = Style()


class DisplayedAnswer:
    """An answer that notebooks display as HTML (`acompass.report.notebook`)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from acompass.report.notebook import answer_html  # only needed in a notebook

        return answer_html(self)


class ReportedAnswer(DisplayedAnswer):
    """An answer that also has a Markdown report (`acompass.report.markdown_answers`)."""

    __slots__ = ()

    def to_markdown(self, name: str | None = None) -> str:
        """The report of `--format markdown`, for the summary of a CI job.

        `name` is the policy or the table to show in the heading.
        """
        from acompass.report.markdown_answers import answer_markdown  # only needed for a report

        return answer_markdown(self, name)
