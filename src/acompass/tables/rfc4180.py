"""Parse CSV text record by record, with line numbers.

The engine reads tables. This parser reads headers, locates errors, and is strict where the engine's reader is
lenient: a quote opens a field only as its first character, and after the closing quote only a delimiter or a
line end may follow.
"""

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import TypeAlias

#: None is a missing value: an empty field without quotes (D11)
Field: TypeAlias = str | None
NumberedLine: TypeAlias = tuple[int, str]


class Problem(Enum):
    NOT_UTF8 = auto()
    OPEN_QUOTE = auto()
    TEXT_AFTER_QUOTE = auto()


class MalformedCsv(Exception):
    def __init__(self, problem: Problem, line: int):
        super().__init__(problem, line)
        self.problem = problem
        self.line = line


def records(raw: Iterable[bytes], delimiter: str) -> Iterator[tuple[int, list[Field]]]:
    """Each record with the line that it begins on. An empty line is a record with one missing value."""
    lines = _lines(raw)
    for number, text in lines:
        if '"' in text:
            yield number, list(_fields(number, text, lines, delimiter))
        else:
            yield number, [field or None for field in text.rstrip("\r\n").split(delimiter)]


def _lines(raw: Iterable[bytes]) -> Iterator[NumberedLine]:
    """Numbered lines with their line ends. A lone carriage return also ends a line."""
    number = 0
    for chunk in raw:
        try:
            text = chunk.decode("utf-8-sig" if number == 0 else "utf-8")
        except UnicodeDecodeError:
            raise MalformedCsv(Problem.NOT_UTF8, number + 1) from None
        for line in re.split(r"(?<=\r)(?!\n)", text) if "\r" in text else (text,):
            if line:
                number += 1
                yield number, line


def _fields(number: int, text: str, more: Iterator[NumberedLine], delimiter: str) -> Iterator[Field]:
    at = 0
    while True:
        if text.startswith('"', at):
            value, text, at = _quoted(number, text, at + 1, more)
            yield value
        else:
            end = _end_of_plain(text, at, delimiter)
            yield text[at:end] or None
            at = end
        if at >= len(text) or text[at] in "\r\n":
            return
        if text[at] != delimiter:
            raise MalformedCsv(Problem.TEXT_AFTER_QUOTE, number)
        at += 1


def _end_of_plain(text: str, at: int, delimiter: str) -> int:
    end = text.find(delimiter, at)
    return len(text.rstrip("\r\n")) if end < 0 else end


def _quoted(number: int, text: str, at: int, more: Iterator[NumberedLine]) -> tuple[str, str, int]:
    """The quoted value that begins at `at`, the line that it ends on, and the position after its quote."""
    parts: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            parts.append(text[at:])
            text, at = _continued(number, more), 0
        elif text.startswith('"', end + 1):
            parts.append(text[at : end + 1])
            at = end + 2
        else:
            parts.append(text[at:end])
            return "".join(parts), text, end + 1


def _continued(number: int, more: Iterator[NumberedLine]) -> str:
    for _, text in more:
        return text
    raise MalformedCsv(Problem.OPEN_QUOTE, number)
