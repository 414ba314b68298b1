"""CSV files read record by record in Python. This is slow; it is used for headers, for normalizing files and
for locating errors."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from acompass.tables import errors, format_errors
from acompass.tables.decimal_comma import has_quoted_comma
from acompass.tables.file_format import COMMA, DELIMITERS, CsvStyle
from acompass.tables.header import first_line_end, numbered_records, read_header
from acompass.tables.rfc4180 import Field
from acompass.tables.source import Files

#: names with these characters are quoted in a header, so that the delimiter can be detected again
_MARKS = (*DELIMITERS, '"', "\r", "\n", "#")


@dataclass(frozen=True)
class Csv:
    """The files of a CSV table, and the column names and delimiter that they share."""

    source: Files
    names: tuple[str, ...]
    delimiter: str

    @classmethod
    def of(cls, source: Files) -> "Csv":
        """The table in the files, whose header is read."""
        csv = cls(source, *read_header(source))
        if source.has_comma and csv.delimiter == COMMA and not csv._has_quoted_comma():
            raise format_errors.ambiguous_comma(source.shown[0])
        return csv

    @property
    def files(self) -> Iterator[tuple[str, str]]:
        """The path of each file, and its name in messages."""
        return zip(self.source.paths, self.source.shown, strict=True)

    @cached_property
    def style(self) -> CsvStyle:
        """How the output is written: as the first file."""
        end = first_line_end(self.source.paths[0], self.source.shown[0], self.delimiter)
        return CsvStyle(self.delimiter, self.source.encoding, self.source.has_mark, end)

    def records(self, path: str, shown: str) -> Iterator[tuple[int, list[Field]]]:
        """The records of one file after the header, each with its line number.

        Empty fields beyond the last column are ignored, and so are empty lines unless the table has only
        one column.
        """
        width = len(self.names)
        numbered = self._numbered(path, shown)
        next(numbered)
        for line, fields in numbered:
            if len(fields) >= width and not any(field is not None for field in fields[width:]):
                yield line, fields[:width]
            elif fields != [None]:
                raise errors.ragged(shown, line, len(fields), width)

    def _has_quoted_comma(self) -> bool:
        """A sheet's copy has everything in quotes."""
        return bool(self.source.header_rows) or any(has_quoted_comma(*file) for file in self.files)

    def _numbered(self, path: str, shown: str) -> Iterator[tuple[int, list[Field]]]:
        """Of a sheet, the rows have the numbers that Excel shows."""
        numbered = numbered_records(path, shown, self.delimiter)
        if not self.source.header_rows:
            return numbered
        first = self.source.header_rows[self.source.paths.index(path)]
        return ((row, fields) for row, (_, fields) in enumerate(numbered, first))

    def first_place(self, matches: Callable[[Sequence[Field]], bool]) -> tuple[str, int] | None:
        """The file and line number of the first record that matches; None if only a filling does."""
        for path, shown in self.files:
            for line, fields in self.records(path, shown):
                if matches(fields):
                    return shown, line
        return None

    def require_well_formed(self) -> None:
        """Read all files; raise at the first malformed record."""
        for path, shown in self.files:
            for _ in self.records(path, shown):
                pass


def header_line(names: Iterable[str], style: CsvStyle) -> str:
    """The first line of a file, after its byte order mark."""
    return style.mark + style.delimiter.join(_quoted_name(name) for name in names) + style.line_end


def quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _quoted_name(name: str) -> str:
    is_plain = name and name == name.strip() and not any(mark in name for mark in _MARKS)
    return name if is_plain else quoted(name)
