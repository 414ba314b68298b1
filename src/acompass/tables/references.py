"""Read the reference tables of policies (X14): CSV and Parquet files, read by D3, D11 and D37, without any option.

They are read in Python, because policies are checked and proved without an engine; DuckDB answers questions about large
files. Editors check a policy after every keystroke, so a file is read once for each content, and only the columns that
a policy uses."""

import importlib.util
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import TableError
from acompass.language.program.references import NUMBER, Group, Number, Reference, StoredColumn
from acompass.language.program.types import (
    BOOLEAN,
    DATE,
    FLOAT,
    INTEGER,
    MOST_DIGITS,
    OPAQUE,
    TEXT,
    TIMESTAMP,
    Type,
    decimal,
)
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
    def scan(self) -> "Scan | None": ...

    def type_of_sums(self, name: str) -> Type: ...

    def read(self, names: Sequence[str]) -> list[StoredColumn]: ...


@dataclass(frozen=True)
class Scan:
    """A file that DuckDB reads as this package does."""

    table: str  # a call of its table function
    columns: Mapping[str, tuple[str, Type]]  # the column of the call for each column of the file, and its type

    def select(self, columns: str, most: int | None = None) -> list[tuple[Any, ...]] | None:
        """The rows of a query over the file, at most `most` of them; None if the file is malformed, which the slower
        reader reports."""
        import duckdb

        limit = "" if most is None else f" LIMIT {most}"
        with duckdb.connect(":memory:") as con:
            try:
                return con.execute(f"SELECT {columns} FROM {self.table}{limit}").fetchall()
            except duckdb.Error:
                return None

    def ask(self, aggregates: str) -> tuple[Any, ...] | None:
        """The row of aggregates over the file."""
        rows = self.select(aggregates)
        return rows[0] if rows else None


@dataclass(frozen=True)
class ReferenceFile:
    digest: str  # the SHA-256 of its content, in hexadecimal
    _reader: _Reader
    _columns: dict[str, StoredColumn] = field(default_factory=dict)
    _types: dict[str, Type] = field(default_factory=dict)
    _many: dict[tuple[str | int, ...], bool] = field(default_factory=dict)
    totals: dict[Reference, Mapping[Group, Number]] = field(default_factory=dict)  # those that are known

    @property
    def names(self) -> tuple[str, ...]:
        return self._reader.names

    @property
    def records(self) -> int:
        return len(self.columns(self.names[:1])[0].values)

    def type_of_sums(self, name: str) -> Type:
        """The type of sums of this column; not a number if it cannot be added."""
        if name not in self._types:
            self._types[name] = self._reader.type_of_sums(name)
        return self._types[name]

    def columns(self, names: Sequence[str]) -> list[StoredColumn]:
        """The columns with these names, in one pass over the file. Raises a TableError if the file is malformed."""
        unread = [name for name in dict.fromkeys(names) if name not in self._columns]
        if unread:
            self._columns.update(zip(unread, self._reader.read(unread), strict=True))
        return [self._columns[name] for name in names]

    def has_more_combinations(self, names: Sequence[str], most: int) -> bool:
        """Whether these columns have more than `most` combinations of values."""
        question: tuple[str | int, ...] = (*names, most)
        if question not in self._many:
            scan = self._reader.scan if names else None
            distinct = "" if scan is None else ", ".join(scan.columns[name][0] for name in names)
            rows = None if scan is None else scan.select(f"DISTINCT {distinct}", most + 1)
            if rows is None:
                rows = list(set(zip(*(column.values for column in self.columns(names)), strict=True)))
            self._many[question] = len(rows) > most
        return self._many[question]

    def complete_scan(self, names: Sequence[str], added: str | None) -> Scan | None:
        """How DuckDB reads a large file, if these columns are complete and those of `added` are numbers."""
        scan = self._reader.scan
        if scan is None or not names:
            return None
        wrong = [f"{scan.columns[name][0]} IS NULL" for name in names]
        if added is not None and scan.columns[added][1] == TEXT:
            column = scan.columns[added][0]
            wrong.append(f"NOT regexp_full_match({column}, '{NUMBER}') OR length({column}) > {MOST_DIGITS}")
        return scan if scan.ask(f"count(*) FILTER (WHERE {' OR '.join(wrong)})") == (0,) else None


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
        try:
            found = _open(path)
            columns = dict(zip(found.names, found.columns(found.names), strict=True))
        except TableError as error:
            shown = (replace(each, message=each.message.replace(path, name)) for each in error.diagnostics)
            raise TableError(shown) from None
    return ReferenceFile(found.digest, _Content(found.names, columns))


@dataclass(frozen=True)
class _Content:
    """The columns of a file that does not exist anymore."""

    names: tuple[str, ...]
    columns: Mapping[str, StoredColumn]
    scan: Scan | None = None

    def type_of_sums(self, name: str) -> Type:
        return self.columns[name].type_of_sums

    def read(self, names: Sequence[str]) -> list[StoredColumn]:
        return [self.columns[name] for name in names]


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


#: the size in bytes from which DuckDB is asked about a file: to start it takes longer than to read a smaller one
LARGE = 1 << 20


@dataclass(frozen=True)
class _CsvFile:
    csv: Csv
    scan: Scan | None

    @classmethod
    def open(cls, files: Files) -> "_CsvFile":
        csv = Csv.open(replace(files, given=()))
        found = cls(csv, _csv_scan(csv) if os.path.getsize(files.paths[0]) >= LARGE else None)
        found.csv.require_header(found._repeated_names)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        return self.csv.names

    def _repeated_names(self) -> set[int]:
        """The columns in which the column's name occurs as a value."""
        if self.scan is not None:
            same = (f"bool_or({sql_name(i)} = {text_literal(name)})" for i, name in enumerate(self.names))
            row = self.scan.ask(", ".join(same))
            if row is not None:
                return {position for position, is_repeated in enumerate(row) if is_repeated}
        columns = zip(self.names, self.read(self.names), strict=True)
        return {position for position, (name, column) in enumerate(columns) if name in column.values}

    def type_of_sums(self, name: str) -> Type:
        if self.scan is not None:
            column = self.scan.columns[name][0]
            digits = f"length(split_part({column}, '.', 2))"
            row = self.scan.ask(f"max({digits}) FILTER (WHERE regexp_full_match({column}, '{NUMBER}'))")
            if row is not None:
                return decimal(row[0]) if row[0] else INTEGER
        return self.read([name])[0].type_of_sums

    @pause_garbage_collection()
    def read(self, names: Sequence[str]) -> list[StoredColumn]:
        if self.scan is not None:
            rows = self.scan.select(", ".join(self.scan.columns[name][0] for name in names))
            if rows is not None:
                return [StoredColumn(TEXT, [row[at] for row in rows]) for at in range(len(names))]
        positions = [self.names.index(name) for name in names]
        columns: list[list[str | None]] = [[] for _ in positions]
        for path, shown in self.csv.files:
            for _, fields in self.csv.records(path, shown):
                for column, position in zip(columns, positions, strict=True):
                    column.append(fields[position])
        return [StoredColumn(TEXT, column) for column in columns]


def _csv_scan(csv: Csv) -> Scan | None:
    """Only for files without quotes and with one kind of line end, which leave no choice to a reader."""
    (path,) = csv.source.paths
    with plain_bytes(path, path) as file:
        content = file.read()
    ends = content.count(b"\r\n")
    if b'"' in content or content.count(b"\r") != ends or ends not in (0, content.count(b"\n")) or len(csv.names) < 2:
        return None
    columns = ", ".join(f"'{sql_name(i)}': 'VARCHAR'" for i in range(len(csv.names)))
    options = f"columns = {{{columns}}}, auto_detect = false, header = true, delim = {text_literal(csv.delimiter)}, "
    options += "quote = '', escape = '', nullstr = '', null_padding = false, strict_mode = true"
    table = f"read_csv({text_literal(escape(path))}, {options}, hive_partitioning = false)"
    return Scan(table, {name: (sql_name(i), TEXT) for i, name in enumerate(csv.names)})


def sql_name(position: int) -> str:
    return f"c{position}"


def text_literal(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


class _ParquetFile:
    names: tuple[str, ...]
    scan: Scan | None = None

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
        self.names = tuple(about.schema_arrow.names)
        require_names(self.names)
        self._types = dict(zip(self.names, map(_type, about.schema_arrow.types), strict=True))
        if os.path.getsize(path) >= LARGE and len(set(map(str.casefold, self.names))) == len(self.names):
            columns = {name: (f'"{name.replace(chr(34), 2 * chr(34))}"', type_) for name, type_ in self._types.items()}
            options = "hive_partitioning = false, can_have_nan = true"
            self.scan = Scan(f"read_parquet({text_literal(escape(path))}, {options})", columns)

    def type_of_sums(self, name: str) -> Type:
        known = self._types[name]
        return self.read([name])[0].type_of_sums if known == TEXT else known

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
