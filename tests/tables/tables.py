"""Load a table into a new engine, and read it back."""

import os
import re
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import openpyxl
import pytest

from acompass.engines.duckdb.output import Output, restore
from acompass.engines.duckdb.session import report_failures
from acompass.engines.duckdb.table import LoadedInDuckDB, open_table
from acompass.errors.diagnostics import CallError, Diagnostic, Span, TableError
from acompass.language.program.uses import ColumnUse, Use
from acompass.plan.lowering.state import ROW_KEY
from acompass.tables.formats import FileFormat, MissingOptions, ReadingOptions
from acompass.tables.input import open_source


def column_uses(uses: Mapping[str, Use], names: Sequence[str]) -> dict[int, ColumnUse]:
    """The uses of a policy by position, from its uses by column name."""
    return {names.index(name): ColumnUse(use, Span(0, 0)) for name, use in uses.items()}


class Table:
    """A loaded table, for tests to inspect."""

    def __init__(self, loaded: LoadedInDuckDB):
        self.con = loaded.con
        self.loaded = loaded

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.loaded.schema]

    @property
    def types(self) -> list[str]:
        return [str(column.type) for column in self.loaded.schema]

    @property
    def missing(self) -> dict[int, int]:
        return dict(self.loaded.prepared.missing)

    @property
    def select(self) -> str:
        columns = ", ".join(f"c{i}" for i in range(len(self.loaded.schema)))
        return f"SELECT {columns} FROM {self.loaded.layout.view} ORDER BY {ROW_KEY}"

    @property
    def records(self) -> list[tuple[Any, ...]]:
        return [self.loaded.state.record(row) for row in self.con.execute(self.select).fetchall()]

    def output(self, changed: Sequence[int] = ()) -> Output:
        """The output of a policy that changes only the columns `changed`."""
        layout = self.loaded.layout
        stored = {position: type_ for position, type_ in layout.converted.items() if position not in changed}
        return Output(self.select, self.loaded.schema, layout.style, stored, frozenset(changed), layout.arrow_types)


@contextmanager
def loading(
    table: Any, missing: str = "error", delimiter: str | None = None, *, header: bool = False, **uses: Use
) -> Iterator[Table]:
    format_ = FileFormat(delimiter, header=header)
    with duckdb.connect() as con, open_source(table, format_) as source, report_failures():
        found = open_table(con, source)
        with found.load(column_uses(uses, found.names), ReadingOptions(MissingOptions(missing))) as loaded:
            yield Table(loaded)


def load_records(
    table: Any, missing: str = "error", delimiter: str | None = None, **uses: Use
) -> list[tuple[Any, ...]]:
    with loading(table, missing, delimiter, **uses) as found:
        return found.records


def round_trip(table: Any, changed: Sequence[int] = (), **uses: Use) -> Any:
    """The table that the engine returns for a policy that changes only the columns `changed`."""
    with loading(table, **uses) as found:
        return restore(found.con, found.output(changed), found.loaded.source)


def fault(table: Any, missing: str = "error", delimiter: str | None = None, **uses: Use) -> Diagnostic:
    with pytest.raises((TableError, CallError)) as raised, loading(table, missing, delimiter, **uses):
        pass
    hidden = raised.value.__suppress_context__ or raised.value.__context__ is None
    assert hidden, "the traceback would show the engine's own error, which may quote records"
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


def csv_file(folder: Path, content: str | bytes, name: str = "table.csv") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """A folder that every user can enter, unlike pytest's folders."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@contextmanager
def drop_privileges() -> Iterator[None]:
    """Act as the user `nobody`, because root can read and write everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)


def workbook(path: Path, **sheets: Sequence[Sequence[Any]]) -> Path:
    """Save rows as sheets with these names."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def with_stored_values(path: Path, *values: str) -> Path:
    """Store the values of formulas, in the order of their cells, as Excel does."""
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    name = "xl/worksheets/sheet1.xml"
    left = iter(values)
    parts[name] = re.sub(rb"<v ?/>|<v></v>", lambda _: f"<v>{next(left)}</v>".encode(), parts[name])
    with zipfile.ZipFile(path, "w") as file:
        for part, content in parts.items():
            file.writestr(part, content)
    return path
