"""Read CSV files (RFC 4180) in Python, record by record, with line numbers.

This is slow. Engines read the tables; this parser reads headers, normalizes files and locates errors. It is strict
where an engine's reader is lenient: a quote opens a field only as its first character, and only a delimiter or a line
end may follow the closing quote. The last two functions search a file for text that an engine would misread."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto
from functools import cached_property
from gzip import GzipFile
from io import BufferedReader
from itertools import islice
from typing import Any, NoReturn, TypeAlias

from acompass.dataclasses import dataclass
from acompass.tables import errors, format_errors
from acompass.tables.formats import COMMA, COMMA_NUMBER, DELIMITERS, CsvStyle, looks_like_value
from acompass.tables.source import WORKBOOK_MAGICS, Files, plain_bytes, require_no_partitions

#: names with these characters are quoted in a header, so that the delimiter can be detected again
_MARKS = (*DELIMITERS, '"', "\r", "\n", "#")
#: None is a missing value: an empty field without quotes (D11)
Field: TypeAlias = str | None
NumberedLine: TypeAlias = tuple[int, str]


def is_missing(field: Field, na: Collection[str]) -> bool:
    """`na` are texts that count as missing values, in quotes or not."""
    return field is None or field in na


class Problem(Enum):
    OPEN_QUOTE = auto()
    TEXT_AFTER_QUOTE = auto()


class MalformedCsv(Exception):
    def __init__(self, problem: Problem, line: int):
        super().__init__(problem, line)
        self.problem = problem
        self.line = line


class NotUtf8(Exception):
    def __init__(self, line: int, byte: int, likely: str):
        super().__init__(line, byte, likely)
        self.line = line
        self.byte = byte  # the position of the first byte that is not UTF-8, counted from 1
        self.likely = likely  # an encoding that fits the line


@dataclass(frozen=True)
class Csv:
    """The files of a CSV table, and the column names and delimiter that they share."""

    source: Files
    names: tuple[str, ...]
    delimiter: str

    @classmethod
    def open(cls, source: Files) -> "Csv":
        """Read the first line, and detect the delimiter if the source has none. `require_header` checks the names."""
        csv = cls(source, *first_record(source))
        for path, shown in islice(csv.files, 1, None):
            if _read_names(path, shown, csv.delimiter) != csv.names:
                raise errors.files_differ(source.shown[0], shown, "columns")
        if source.has_comma and csv.delimiter == COMMA and not csv._has_quoted_comma():
            raise format_errors.ambiguous_comma(source.shown[0])
        return csv

    @property
    def files(self) -> Iterator[tuple[str, str]]:
        """The path of each file, and its name in messages."""
        return zip(self.source.paths, self.source.shown, strict=True)

    @cached_property
    def style(self) -> CsvStyle:
        """The style of the first file, which the output shares."""
        end = first_line_end(self.source.paths[0], self.source.shown[0], self.delimiter)
        return CsvStyle(self.delimiter, self.source.encoding, self.source.has_mark, end)

    def records(self, path: str, shown: str) -> Iterator[tuple[int, list[Field]]]:
        """The records of one file after the header, each with its line number.

        Empty fields beyond the last column are ignored, and so are empty lines if the table has several columns.
        """
        width = len(self.names)
        for line, fields in islice(self._numbered_records(path, shown), 1, None):
            if len(fields) >= width and not any(field is not None for field in fields[width:]):
                yield line, fields[:width]
            elif fields != [None]:
                raise errors.ragged_record(shown, line, len(fields), width)

    def _has_quoted_comma(self) -> bool:
        # the copy of a sheet has all values in quotes
        return bool(self.source.header_rows) or any(has_quoted_comma(*file) for file in self.files)

    def _numbered_records(self, path: str, shown: str) -> Iterator[tuple[int, list[Field]]]:
        """All records with their line numbers; in the copy of a sheet, with the row numbers that Excel shows."""
        numbered = numbered_records(path, shown, self.delimiter)
        if not self.source.header_rows:
            return numbered
        first = self.source.header_rows[self.source.paths.index(path)]
        return ((row, fields) for row, (_, fields) in enumerate(numbered, first))

    def first_place(self, matches: Callable[[Sequence[Field]], bool]) -> tuple[str, int] | None:
        """The file and line number of the first record that matches; None if no record does."""
        for path, shown in self.files:
            for line, fields in self.records(path, shown):
                if matches(fields):
                    return shown, line
        return None

    def require_header(self, find_repeated: Callable[[], Collection[int]]) -> None:
        """Raise if the first line looks like a record (D37), or names are not distinct. No name may be shown before.

        `find_repeated` returns the columns in which the name occurs again as a value.
        """
        if not self.source.has_header:
            values = {position for position, name in enumerate(self.names) if looks_like_value(name)}
            if found := values.union(find_repeated()):
                row = self.source.header_rows[0] if self.source.header_rows else None
                raise format_errors.header_is_a_record(self.source.shown[0], row, len(found), len(self.names))
        require_names(self.names)
        require_no_partitions(self.source, self.names)

    def require_well_formed(self) -> None:
        """Read all files; raise at the first malformed record."""
        for path, shown in self.files:
            for _ in self.records(path, shown):
                pass


#: the number of records, including the header, that are used to detect the delimiter
_SAMPLED = 20
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"')


def first_record(source: Files) -> tuple[tuple[str, ...], str]:
    """The cells of the first line of the first file, and the delimiter."""
    path, shown = source.paths[0], source.shown[0]
    delimiter = source.delimiter or _find_delimiter(path, shown)
    return _read_names(path, shown, delimiter), delimiter


def require_text(names: Sequence[Any]) -> list[str]:
    for position, name in enumerate(names, 1):
        if not isinstance(name, str):
            raise errors.name_not_text(position)
    return list(names)


def require_names(names: Sequence[str]) -> None:
    """Raise unless there is at least one column and all names are distinct."""
    if not names:
        raise errors.no_columns()
    seen: dict[str, int] = {}
    for position, name in enumerate(names, 1):
        if name in seen:
            raise errors.repeated_name(name, seen[name], position)
        seen[name] = position


def numbered_records(path: str, shown: str, delimiter: str) -> Iterator[tuple[int, list[Field]]]:
    """All records of a file, including the header. Malformed text raises a TableError."""
    with open_bytes(path, shown) as file:
        try:
            yield from read_records(file, delimiter)
        except NotUtf8 as found:
            raise format_errors.not_utf8(shown, found.line, found.byte, found.likely) from None
        except MalformedCsv as malformed:
            _raise_malformed(malformed, shown)


@contextmanager
def open_bytes(path: str, shown: str) -> Iterator[BufferedReader | GzipFile]:
    with plain_bytes(path, shown) as file:
        start = file.peek(1)
        if start.startswith(WORKBOOK_MAGICS):
            raise format_errors.is_a_workbook(shown)
        if _JSON.match(start):
            raise format_errors.is_json(shown)
        yield file


def _raise_malformed(malformed: MalformedCsv, shown: str) -> NoReturn:
    match malformed.problem:
        case Problem.OPEN_QUOTE:
            raise errors.open_quote(shown, malformed.line) from None
        case Problem.TEXT_AFTER_QUOTE:
            raise errors.text_after_quote(shown, malformed.line) from None


def _read_names(path: str, shown: str, delimiter: str) -> tuple[str, ...]:
    for _, fields in numbered_records(path, shown, delimiter):
        if fields == [None]:
            break
        return tuple(field or "" for field in fields)
    raise errors.no_header(shown)


def _find_delimiter(path: str, shown: str) -> str:
    def widths(delimiter: str) -> list[int]:
        with open_bytes(path, shown) as file:
            return first_widths(file, delimiter)

    return likely_delimiter(widths)


def likely_delimiter(widths: Callable[[str], list[int]]) -> str:
    """The delimiter that gives the most columns, preferring those that split the first records evenly."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        names, *sample = widths(delimiter) or [0]
        return names > 1 and all(width == names for width in sample), names

    return max(DELIMITERS, key=fitness)


def first_widths(raw: Iterable[bytes], delimiter: str) -> list[int]:
    """The number of fields in the header and the first records, up to the first malformed one."""
    widths: list[int] = []
    try:
        for _, fields in islice(read_records(raw, delimiter), _SAMPLED):
            widths.append(len(fields))
    except (MalformedCsv, NotUtf8):
        pass
    return widths


def read_records(raw: Iterable[bytes], delimiter: str) -> Iterator[tuple[int, list[Field]]]:
    """Each record with the line that it begins on. An empty line is a record with one missing value."""
    lines = _lines(raw)
    for number, text in lines:
        if '"' in text:
            yield number, list(_fields(number, text, lines, delimiter))
        else:
            yield number, [field or None for field in text.rstrip("\r\n").split(delimiter)]


def _lines(raw: Iterable[bytes]) -> Iterator[NumberedLine]:
    """Numbered lines with their line ends. A lone carriage return also ends a line."""
    number = done = 0
    for chunk in raw:
        try:
            text = chunk.decode("utf-8-sig" if number == 0 else "utf-8")
        except UnicodeDecodeError as error:
            # `error.object` does not include the byte order mark
            start = len(chunk) - len(error.object) + error.start
            raise NotUtf8(number + 1, done + start + 1, _likely_encoding(chunk)) from None
        done += len(chunk)
        for line in re.split(r"(?<=\r)(?!\n)", text) if "\r" in text else (text,):
            if line:
                number += 1
                yield number, line


def _likely_encoding(line: bytes) -> str:
    """Most files that are not UTF-8 come from Windows. Its encoding lacks five bytes; Latin-1 has all."""
    try:
        line.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _fields(number: int, text: str, more: Iterator[NumberedLine], delimiter: str) -> Iterator[Field]:
    at = 0
    while True:
        if text.startswith('"', at):
            value, text, at = _read_quoted(number, text, at + 1, more)
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


def _read_quoted(number: int, text: str, at: int, more: Iterator[NumberedLine]) -> tuple[str, str, int]:
    """The quoted value that begins at `at`, the line that it ends on, and the position after its quote."""
    parts: list[str] = []
    while True:
        end = text.find('"', at)
        if end < 0:
            parts.append(text[at:])
            text, at = _next_line(number, more), 0
        elif text.startswith('"', end + 1):
            parts.append(text[at : end + 1])
            at = end + 2
        else:
            parts.append(text[at:end])
            return "".join(parts), text, end + 1


def _next_line(number: int, more: Iterator[NumberedLine]) -> str:
    for _, text in more:
        return text
    raise MalformedCsv(Problem.OPEN_QUOTE, number)


def first_line_end(path: str, shown: str, delimiter: str) -> str:
    """The line end after the header, whose quoted names may contain line breaks; a line feed if there is none."""
    last = ""

    def numbered_lines() -> Iterator[NumberedLine]:
        nonlocal last
        for number, text in _lines(file):
            last = text
            yield number, text

    with open_bytes(path, shown) as file:
        lines = numbered_lines()
        for number, text in lines:
            if '"' in text:
                list(_fields(number, text, lines, delimiter))
            break
    return last[len(last.rstrip("\r\n")) :][-2:] or "\n"


def header_line(names: Iterable[str], style: CsvStyle) -> str:
    """The first line of a file, including the byte order mark."""
    written = (f"'{name}" if style.escapes_formulas and is_formula(name) else name for name in names)
    return style.mark + style.delimiter.join(map(_quote_name, written)) + style.line_end


#: a spreadsheet reads a text with one of these characters first as a formula (OWASP's list), unless it is a number
FORMULA_SIGNS = "=+-@\t\r"
SPREADSHEET_NUMBER = r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)([eE][+-]?[0-9]+)?"


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run the text; engines decide the same in SQL."""
    return len(text) > 1 and text[0] in FORMULA_SIGNS and re.fullmatch(SPREADSHEET_NUMBER, text) is None


def quote_field(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _quote_name(name: str) -> str:
    is_plain = name and name == name.strip() and not any(mark in name for mark in _MARKS)
    return name if is_plain else quote_field(name)


_CHUNK = 1 << 22


def has_blanks_at_quotes(path: str, shown: str, delimiter: str) -> bool:
    """Whether there are blanks between a quote and a delimiter, line end or other quote.

    The engine's CSV reader silently drops such blanks, and reads `"a" "b"`, which is malformed, as one field. Blanks
    inside quoted fields match too: such files are read by the slower reader, with the same result.
    """
    suspects = _blank_patterns(re.escape(delimiter.encode()))
    window = b""
    for window in _windows(path, shown, overlap=1 << 12):
        if b'"' in window and any(suspect.search(window) for suspect in suspects):
            return True
    return window.endswith(b" ") and window.rstrip(b" ").endswith(b'"')


def _blank_patterns(delimiter: bytes) -> list[re.Pattern[bytes]]:
    """Separate patterns, each starting with fixed bytes: one combined pattern took fifteen times as long."""
    before = [rb'%b +"' % edge for edge in (delimiter, b"\n", b"\r")]
    return [re.compile(pattern) for pattern in (rb'" +["\r\n%b]' % delimiter, *before)]


_QUOTED_COMMA = re.compile(rb'"%b"' % COMMA_NUMBER.encode())


def has_quoted_comma(path: str, shown: str) -> bool:
    """Whether a number with a decimal comma is in quotes, as it must be where commas separate fields."""
    return any(_QUOTED_COMMA.search(window) for window in _windows(path, shown, overlap=1 << 10))


_LINE_ENDS = tuple(map(re.compile, (rb"\r\n", rb"[^\r]\n", rb"\r[^\n]")))


def has_mixed_line_ends(path: str, shown: str) -> bool:
    """Whether a file has two kinds of line ends. In a single column, where an empty line is a record, the engine's CSV
    reader then counts empty lines wrong."""
    found = {end for window in _windows(path, shown, overlap=1) for end in _LINE_ENDS if end.search(window)}
    return len(found) > 1


def _windows(path: str, shown: str, overlap: int) -> Iterator[bytes]:
    """The bytes of a file in chunks, each with the last `overlap` bytes before it: no match is longer."""
    end = b""
    with open_bytes(path, shown) as file:
        while chunk := file.read(_CHUNK):
            yield end + chunk
            end = (end + chunk)[-overlap:]
