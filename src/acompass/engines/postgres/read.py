"""A table or view on the server. It is only read, never modified."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal

from acompass.checked.types import MOST_DIGITS, OPAQUE, decimal
from acompass.checked.uses import ColumnUse
from acompass.engines.engine import Opener
from acompass.engines.facts import Facts
from acompass.engines.loading import Prepared, prepare_typed, questions
from acompass.engines.postgres import errors
from acompass.engines.postgres.columns import COLUMNS, PostgresColumn, stored_column
from acompass.engines.postgres.relation import Relation, find_relation
from acompass.engines.postgres.session import Connection, KeepingSession, ReadingSession, about
from acompass.engines.postgres.table import LoadedOnServer, StoredTable
from acompass.options import ReadingOptions
from acompass.plan.lowering import sql
from acompass.plan.lowering.sql import Sql
from acompass.tables import errors as table_errors


def stored_table(connection: Connection, name: str) -> StoredTable:
    reading = ReadingSession(connection)
    relation = find_relation(reading, name)
    if relation is None:
        raise errors.no_such_table(name)
    rows = reading.execute(COLUMNS.format(oid=relation.oid)).fetchall()
    return StoredTable(relation, tuple(stored_column(*row) for row in rows))


class ServerTable:
    """Each policy runs in one transaction, during which the table does not change."""

    duckdb_table = None

    def __init__(self, connection: Connection, stored: StoredTable, memory_limit: str | None, beside: Opener):
        self._connection = connection
        self._stored = stored
        self._memory_limit = memory_limit
        self.about = about(connection.server)
        self.cancellation = connection.cancellation
        self.cancel = connection.cancel
        self.beside = beside
        self.names = tuple(column.name for column in stored.columns)

    @contextmanager
    def load(self, uses: Mapping[int, ColumnUse], options: ReadingOptions) -> Iterator[LoadedOnServer]:
        """The transaction in which records were numbered goes on after a load."""
        reading, keeping = self._reading(), KeepingSession(self._connection)
        try:
            columns, prepared = self._prepare(reading, uses, options)
            stored = replace(self._stored, columns=columns)
            yield LoadedOnServer(reading, keeping, stored, prepared, self._memory_limit)
        finally:
            if not self._stored.has_row_key:
                keeping.clear()

    @contextmanager
    def numbered(self) -> Iterator["ServerTable"]:
        """A copy in a temporary table, with the places of the records in canonical order."""
        keeping = KeepingSession(self._connection)
        try:
            columns, prepared = self._prepare(self._reading(), {}, ReadingOptions())
            stored, source = [column.stored() for column in columns], self._stored.relation.table()
            name = keeping.store(prepared.numbered(keeping, stored, source))
            copied = StoredTable(
                Relation(self._stored.relation.oid, name, "r"),
                tuple(replace(c, stored_as=sql.name(i)) for i, c in enumerate(self._stored.columns)),
                has_row_key=True,
            )
            yield ServerTable(self._connection, copied, self._memory_limit, self.beside)
        finally:
            keeping.clear()

    def _reading(self) -> ReadingSession:
        return ReadingSession(self._connection)

    def _prepare(
        self, reading: ReadingSession, uses: Mapping[int, ColumnUse], options: ReadingOptions
    ) -> tuple[tuple[PostgresColumn, ...], Prepared]:
        """The sized columns and the prepared table. All aggregates are computed in one scan of the table."""
        facts = Facts(reading, self._stored.relation.table())
        wide = [column for column in self._stored.columns if column.is_wide]
        asked = questions(self._stored.columns, sorted(uses))
        facts.ask([*asked, *(each for c in wide for each in _extent(c))])
        columns = tuple(
            _sized(facts, column, position in uses) if column.is_wide else column
            for position, column in enumerate(self._stored.columns)
        )
        return columns, prepare_typed(facts, columns, uses, options)


def _extent(column: PostgresColumn) -> list[Sql]:
    """SQL for the largest absolute value and the largest scale."""
    value = column.without_nan()
    return [sql.call("max", sql.call("abs", value)), sql.call("max", sql.call("scale", value.copy()))]


def _sized(facts: Facts, column: PostgresColumn, is_named: bool) -> PostgresColumn:
    """The column with the scale that its values need, for a numeric without declared digits."""
    largest, scale = facts.ask(_extent(column))
    digits = _whole_digits(largest or Decimal(0)) + (scale or 0)
    if digits <= MOST_DIGITS:
        return replace(column, type=decimal(scale or 0))
    if is_named:
        raise table_errors.not_exact(column.name, table_errors.DIGITS)
    return replace(column, type=OPAQUE)


def _whole_digits(value: Decimal) -> int:
    return max(value.adjusted() + 1, 0) if value.is_finite() else MOST_DIGITS + 1
