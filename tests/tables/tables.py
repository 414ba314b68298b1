"""Helpers to load a table into a new engine and get it back."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from acompass.checked.uses import ColumnUse, Use
from acompass.diagnostics import Diagnostic, Span, TableError
from acompass.tables.content import content_like
from acompass.tables.load import load
from acompass.tables.loaded import Loaded
from acompass.tables.source import opened
from acompass.tables.to_frame import restore


def used(uses: Mapping[str, Use]) -> Any:
    """How a policy uses each column, by column name."""

    def of(names: Sequence[str]) -> dict[int, ColumnUse]:
        return {names.index(name): ColumnUse(use, Span(0, 0)) for name, use in uses.items()}

    return of


class Table:
    """A loaded table."""

    def __init__(self, con: duckdb.DuckDBPyConnection, loaded: Loaded):
        self.con = con
        self.loaded = loaded

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.loaded.schema]

    @property
    def types(self) -> list[str]:
        return [str(column.type) for column in self.loaded.schema]

    @property
    def select(self) -> str:
        columns = ", ".join(f"c{i}" for i in range(len(self.loaded.schema)))
        return f"SELECT {columns} FROM {self.loaded.relation} ORDER BY {self.loaded.row_number}"

    @property
    def records(self) -> list[tuple[Any, ...]]:
        return self.con.execute(self.select).fetchall()


@contextmanager
def loading(table: Any, missing: str = "error", delimiter: str | None = None, **uses: Use) -> Iterator[Table]:
    with duckdb.connect() as con, opened(table, delimiter) as source:
        yield Table(con, load(con, source, used(uses), missing))


def loaded(
    table: Any, missing: str = "error", delimiter: str | None = None, **uses: Use
) -> list[tuple[Any, ...]]:
    with loading(table, missing, delimiter, **uses) as found:
        return found.records


def returned(table: Any, changed: Sequence[int] = (), **uses: Use) -> Any:
    """The table that the engine returns if the policy changes nothing."""
    with duckdb.connect() as con, opened(table) as source:
        found = Table(con, load(con, source, used(uses)))
        content = content_like(found.loaded, found.select, found.loaded.schema, frozenset(changed))
        return restore(con, content, source)


def fault(table: Any, missing: str = "error", delimiter: str | None = None, **uses: Use) -> Diagnostic:
    with pytest.raises(TableError) as raised, loading(table, missing, delimiter, **uses):
        pass
    hidden = raised.value.__suppress_context__ or raised.value.__context__ is None
    assert hidden, "the engine's own error, which may quote records, would be shown with ours"
    (diagnostic,) = raised.value.diagnostics
    return diagnostic


def csv_file(folder: Path, content: str | bytes, name: str = "table.csv") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


@contextmanager
def unprivileged_folder() -> Iterator[Path]:
    """A folder that every user can enter, unlike pytest's folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Act as the user `nobody`, because root can read and write everything."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(before)
