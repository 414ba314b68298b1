"""Display messages and answers: counts, quotes and printable text; color on a terminal; values in JSON.

Text from a policy or a table must not control a terminal, so control characters are escaped or replaced. Answers of
every layer inherit from `Answer`, which imports the renderers on use, because `report` is a higher layer."""

import datetime
import math
import unicodedata
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from acompass.dataclasses import dataclass

if TYPE_CHECKING:
    from acompass.report import Format


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


def list_names(names: Iterable[object]) -> str:
    """The names in backticks, with commas between them."""
    return ", ".join(f"`{name}`" for name in names)


def reason_of(error: OSError) -> str:
    """What the system says is wrong with a file or a port, for the end of a message."""
    return (error.strerror or "unknown reason").lower()


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


class Answer:
    """An answer that shows itself: `print` as on the command line, a notebook as HTML."""

    __slots__ = ()

    def __str__(self) -> str:
        return self._render("text").rstrip("\n")

    def to_markdown(self, name: str | None = None) -> str:
        """The report of `--format markdown`, for the summary of a CI job.

        `name` is the policy or the table to show in the heading.
        """
        return self._render("markdown", file=name)

    def _repr_html_(self) -> str:
        return self._render("html")

    def _render(self, format_: "Format", **context: Any) -> str:
        from acompass.report import Context, render  # only needed for a report

        return render(self, format_, Context(**context))


def json_object(answer: Any, *names: str) -> dict[str, Any]:
    """These attributes of an answer. A fraction, which is a measure, becomes the nearest double."""
    values = {name: getattr(answer, name) for name in names}
    return {name: float(each) if isinstance(each, Fraction) else json_value(each) for name, each in values.items()}


def json_value(value: Any) -> Any:
    """Convert values that JSON cannot represent exactly, such as decimals and dates, to strings."""
    match value:
        case None | bool() | int():
            return value
        case str():
            return str(value)
        case float() if math.isfinite(value):
            return value
        case tuple() | list():
            return [json_value(each) for each in value]
        case Mapping():
            return {name: json_value(each) for name, each in value.items()}
        case _ if hasattr(value, "to_json"):
            return value.to_json()
        case Decimal():
            return f"{value:f}"
        case datetime.date():
            return value.isoformat()
        case _:
            return str(value)
