"""Read the reference tables of policies (X14): CSV and Parquet files, read by D3, D11 and D37, without any option.

They are read in Python, because policies are checked and proved without an engine. Editors check a policy after every
keystroke, so a file is read once for each content, and only the columns that a policy uses."""

import importlib.util
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program.references import Group, Number, Reference, StoredColumn
from acompass.language.program.types import BOOLEAN, DATE, FLOAT, INTEGER, OPAQUE, TEXT, TIMESTAMP, Type, decimal
from acompass.language.text.parser import pause_garbage_collection
from acompass.tables import errors, format_errors
from acompass.tables.csv import Csv, require_names
from acompass.tables.source import Files, file_stamp, find_files, plain_bytes, report_read_errors
from acompass.tables.temporary_files import private_file, temporary_folder

#: the number of files whose columns stay in memory
_MOST_FILES = 8


class _Reader(Protocol):
    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def records(self) -> int: ...

    def read(self, names: Sequence[str]) -> list[StoredColumn]: ...


@dataclass(frozen=True)
class ReferenceFile:
    digest: str  # the SHA-256 of its content, in hexadecimal
    _reader: _Reader
    _columns: dict[str, StoredColumn] = field(default_factory=dict)
    totals: dict[Reference, Mapping[Group, Number]] = field(default_factory=dict)  # those that are known

    @property
    def names(self) -> tuple[str, ...]:
        return self._reader.names

    @property
    def records(self) -> int:
        return self._reader.records

    def columns(self, names: Sequence[str]) -> list[StoredColumn]:
        """The columns with these names, in one pass over the file. Raises a TableError if the file is malformed."""
        unread = [name for name in dict.fromkeys(names) if name not in self._columns]
        if unread:
            self._columns.update(zip(unread, self._reader.read(unread), strict=True))
        return [self._columns[name] for name in names]


def open_reference(name: str, content: bytes | Path) -> ReferenceFile:
    """The file at a path, or with a content that came with the policy; `name` is its name in the policy."""
    if isinstance(content, bytes):
        return _open_content(name, content)
    return _open_path(str(content), file_stamp(str(content)))


@lru_cache(_MOST_FILES)
def _open_path(path: str, _stamp: tuple[int, int, int]) -> ReferenceFile:
    return _open(path)


@lru_cache(_MOST_FILES)
def _open_content(name: str, content: bytes) -> ReferenceFile:
    """Read the whole content from a temporary file."""
    with temporary_folder() as folder:
        path = private_file(folder, Path(name).name)
        Path(path).write_bytes(content)
        found = _open(path)
        found.columns(found.names)
        return found


def _open(path: str) -> ReferenceFile:
    if not os.path.lexists(path):  # it may look like a glob
        raise errors.not_found(path)
    files = find_files(path)
    if files.format == "workbook":
        raise format_errors.unknown_suffix(path)
    reader = _ParquetFile(path) if files.format == "parquet" else _CsvFile.open(files)
    with report_read_errors(path), open(path, "rb") as file:
        digest = sha256()
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return ReferenceFile(digest.hexdigest(), reader)


#: lines that are split at once, so that the cells of unused columns are freed soon
_LINES = 1 << 16


@dataclass(frozen=True)
class _CsvFile:
    csv: Csv
    text: str | None = field(repr=False)  # None if it has quotes or is not UTF-8, so that only `Csv` can read it

    @classmethod
    def open(cls, files: Files) -> "_CsvFile":
        found = cls(Csv.open(replace(files, given=())), _plain_text(*files.paths))
        found.csv.require_header(found._repeated_names)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return self.csv.names

    @property
    def records(self) -> int:
        return len(self.read(self.names[:1])[0].values)

    def _repeated_names(self) -> set[int]:
        """The columns in which the column's name occurs as a value."""
        text = self.text
        found = [name for name in dict.fromkeys(self.names) if text is None or text.count(name) > 1]
        repeated = {name for name, column in zip(found, self.read(found), strict=True) if name in column.values}
        return {position for position, name in enumerate(self.names) if name in repeated}

    @pause_garbage_collection()
    def read(self, names: Sequence[str]) -> list[StoredColumn]:
        if not names:
            return []
        positions = [self.names.index(name) for name in names]
        columns = self._split_lines(positions) or self._parse_records(positions)
        return [StoredColumn(TEXT, column) for column in columns]

    def _split_lines(self, positions: Sequence[int]) -> list[list[str | None]] | None:
        """Three times as fast as `Csv`; None unless each line is a record."""
        columns: list[list[str | None]] = [[] for _ in positions]
        lines = [] if self.text is None else self.text.split("\n")[1:]
        if lines and not lines[-1]:
            lines.pop()
        for start in range(0, len(lines), _LINES):
            records = [line.split(self.csv.delimiter) for line in lines[start : start + _LINES]]
            if set(map(len, records)) != {len(self.names)}:
                return None
            cells = list(zip(*records, strict=True))
            for column, position in zip(columns, positions, strict=True):
                found = cells[position]
                column += (cell or None for cell in found) if "" in found else found
        return None if self.text is None else columns

    def _parse_records(self, positions: Sequence[int]) -> list[list[str | None]]:
        columns: list[list[str | None]] = [[] for _ in positions]
        for path, shown in self.csv.files:
            for _, fields in self.csv.records(path, shown):
                for column, position in zip(columns, positions, strict=True):
                    column.append(fields[position])
        return columns


def _plain_text(path: str) -> str | None:
    """The text of a file without quotes."""
    with plain_bytes(path, path) as file:
        content = file.read()
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
    return None if '"' in text or "\r" in text else text


class _ParquetFile:
    """A Parquet file; DuckDB could read it too, but engines come after the checks that need it."""

    records: int
    names: tuple[str, ...]

    def __init__(self, path: str):
        if importlib.util.find_spec("pyarrow") is None:
            raise errors.library_needed("a Parquet file as a reference table")
        import pyarrow
        from pyarrow import parquet

        self._path = path
        try:
            with report_read_errors(path):
                about = parquet.ParquetFile(path)
        except pyarrow.ArrowException:
            raise errors.damaged_file(path, "Parquet") from None
        self.names, self.records = tuple(about.schema_arrow.names), about.metadata.num_rows
        require_names(self.names)

    def read(self, names: Sequence[str]) -> list[StoredColumn]:
        import pyarrow
        from pyarrow import parquet

        try:
            with report_read_errors(self._path), parquet.ParquetFile(self._path) as file:
                table = file.read(columns=list(names))
        except pyarrow.ArrowException:
            raise errors.damaged_file(self._path, "Parquet") from None
        return [_stored_column(name, table.column(name)) for name in names]


def _stored_column(name: str, values: Any) -> StoredColumn:
    """A column of Arrow values. NaN is missing (D11), and a time with a time zone is converted to UTC."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if types.is_timestamp(values.type):
        try:
            values = values.cast(pyarrow.timestamp("us"))
        except pyarrow.ArrowInvalid:
            raise errors.not_exact(name, errors.MICROSECONDS) from None
    type_ = _type(values.type)
    found = [None] * len(values) if type_ == OPAQUE else values.to_pylist()
    return StoredColumn(type_, [None if each != each else each for each in found] if type_ == FLOAT else found)


def _type(type_: Any) -> Type:
    from pyarrow import types

    if types.is_decimal(type_):
        return decimal(max(type_.scale, 0))
    tests = {
        types.is_integer: INTEGER,
        types.is_floating: FLOAT,
        types.is_string: TEXT,
        types.is_large_string: TEXT,
        types.is_boolean: BOOLEAN,
        types.is_date: DATE,
        types.is_timestamp: TIMESTAMP,
    }
    return next((found for test, found in tests.items() if test(type_)), OPAQUE)
