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
    OPEN_QUOTE = auto()
    TEXT_AFTER_QUOTE = auto()


class MalformedCsv(Exception):
    def __init__(self, problem: Problem, line: int):
        super().__init__(problem, line)
        self.problem = problem
        self.line = line


class NotUtf8(Exception):
    """`byte` is the first that is not UTF-8, counted from 1. `likely` is an encoding that the line fits."""

    def __init__(self, line: int, byte: int, likely: str):
        super().__init__(line, byte, likely)
        self.line = line
        self.byte = byte
        self.likely = likely


def records(raw: Iterable[bytes], delimiter: str) -> Iterator[tuple[int, list[Field]]]:
    """Each record with the line that it begins on. An empty line is a record with one missing value."""
    lines = _lines(raw)
    for number, text in lines:
        if '"' in text:
            yield number, list(_fields(number, text, lines, delimiter))
        else:
            yield number, [field or None for field in text.rstrip("\r\n").split(delimiter)]


def line_end(raw: Iterable[bytes], delimiter: str) -> str:
    """The characters that end the first record; a line feed if nothing does."""
    seen: list[str] = []

    def remembered() -> Iterator[NumberedLine]:
        for number, text in _lines(raw):
            seen.append(text)
            yield number, text

    lines = remembered()
    for number, text in lines:
        if '"' in text:
            for _ in _fields(number, text, lines, delimiter):
                pass
        break
    last = seen[-1] if seen else ""
    return last[len(last.rstrip("\r\n")) :][-2:] or "\n"


def _lines(raw: Iterable[bytes]) -> Iterator[NumberedLine]:
    """Numbered lines with their line ends. A lone carriage return also ends a line."""
    number = done = 0
    for chunk in raw:
        try:
            text = chunk.decode("utf-8-sig" if number == 0 else "utf-8")
        except UnicodeDecodeError as error:
            # a byte order mark is not part of what could not be decoded
            start = len(chunk) - len(error.object) + error.start
            raise NotUtf8(number + 1, done + start + 1, _likely_encoding(chunk)) from None
        done += len(chunk)
        for line in re.split(r"(?<=\r)(?!\n)", text) if "\r" in text else (text,):
            if line:
                number += 1
                yield number, line


def _likely_encoding(line: bytes) -> str:
    """Most files that are not UTF-8 come from Windows, whose encoding lacks five bytes that Latin-1 has."""
    try:
        line.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


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
