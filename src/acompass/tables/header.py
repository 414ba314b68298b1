"""The header of a CSV file: the column names and the delimiter."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader
from itertools import islice
from typing import Any, NoReturn

from acompass.tables import errors, format_errors
from acompass.tables.file_format import DELIMITERS
from acompass.tables.gzipped import plain_bytes
from acompass.tables.rfc4180 import Field, MalformedCsv, NotUtf8, Problem, line_end, records
from acompass.tables.source import Files

#: how many records, including the header, are used to detect the delimiter
_SAMPLED = 20
#: the first bytes of workbooks: .xlsx and other zip files, .xls
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_MARK = 4


def read_header(source: Files) -> tuple[tuple[str, ...], str]:
    """The column names that all files share, and the delimiter, which is detected if not given."""
    names, delimiter = first_record(source)
    require_names(names)
    for path, shown in zip(source.paths[1:], source.shown[1:], strict=True):
        if _names(path, shown, delimiter) != names:
            raise errors.files_differ(source.shown[0], shown, "columns")
    return names, delimiter


def first_record(source: Files) -> tuple[tuple[str, ...], str]:
    """The cells of the first line of the first file, and the delimiter."""
    path, shown = source.paths[0], source.shown[0]
    delimiter = source.delimiter or _find_delimiter(path, shown)
    return _names(path, shown, delimiter), delimiter


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
    with opened_bytes(path, shown) as file:
        try:
            yield from records(file, delimiter)
        except NotUtf8 as found:
            raise format_errors.not_utf8(shown, found.line, found.byte, found.likely) from None
        except MalformedCsv as malformed:
            _raise(malformed, shown)


def first_line_end(path: str, shown: str, delimiter: str) -> str:
    """What ends the header, in which quoted names may have line breaks of their own."""
    with opened_bytes(path, shown) as file:
        return line_end(file, delimiter)


@contextmanager
def opened_bytes(path: str, shown: str) -> Iterator[BufferedReader | GzipFile]:
    with plain_bytes(path, shown) as file:
        if file.peek(_MARK)[:_MARK].startswith(_WORKBOOKS):
            raise format_errors.is_a_workbook(shown)
        yield file


def _raise(malformed: MalformedCsv, shown: str) -> NoReturn:
    match malformed.problem:
        case Problem.OPEN_QUOTE:
            raise errors.open_quote(shown, malformed.line) from None
        case Problem.TEXT_AFTER_QUOTE:
            raise errors.text_after_quote(shown, malformed.line) from None


def _names(path: str, shown: str, delimiter: str) -> tuple[str, ...]:
    for _, fields in numbered_records(path, shown, delimiter):
        if fields == [None]:
            break
        return tuple(field or "" for field in fields)
    raise errors.no_header(shown)


def _find_delimiter(path: str, shown: str) -> str:
    """The delimiter that gives the most columns, preferring those that split the first records evenly."""
    return max(DELIMITERS, key=lambda delimiter: _fitness(path, shown, delimiter))


def _fitness(path: str, shown: str, delimiter: str) -> tuple[bool, int]:
    names, *sample = _first_widths(path, shown, delimiter) or [0]
    return names > 1 and all(width == names for width in sample), names


def _first_widths(path: str, shown: str, delimiter: str) -> list[int]:
    """The number of fields in the header and the first records, up to the first malformed one."""
    widths: list[int] = []
    with opened_bytes(path, shown) as file:
        try:
            for _, fields in islice(records(file, delimiter), _SAMPLED):
                widths.append(len(fields))
        except (MalformedCsv, NotUtf8):
            pass
    return widths
