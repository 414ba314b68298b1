"""The runs of a case share the results of equal statements, but never those of dropped tables."""

import pytest

from acompass.engines.duckdb.session import DuckDBSession
from acompass.engines.registry import open_session
from acompass.errors.diagnostics import AcompassError
from acompass.plan.lowering import sql
from acompass.testing.conformance.differential import CachedSession

COLUMNS = (("c0", "BIGINT"),)


def test_a_statement_is_sent_once() -> None:
    with open_session("duckdb") as session:
        assert isinstance(session, DuckDBSession)
        once = CachedSession(session)
        table = once.upload(COLUMNS, [(1,), (2,)])
        assert once.upload(COLUMNS, [(1,), (2,)]) == table
        query = sql.select_all(sql.table(table))
        assert once.store(query) == once.store(query.copy())
        assert once.fetch(query) == once.fetch(query.copy()) == [(1,), (2,)]
        assert len(session.statements) == 3


def test_other_rows_are_another_table() -> None:
    with open_session("duckdb") as session:
        once = CachedSession(session)
        assert once.upload(COLUMNS, [(1,)]) != once.upload(COLUMNS, [(True,)])


def test_a_dropped_table_cannot_be_read() -> None:
    with open_session("duckdb") as session:
        once = CachedSession(session)
        query = sql.select_all(sql.table(once.upload(COLUMNS, [(1,)])))
        stored = once.store(query)
        reading = sql.select_all(sql.table(stored))
        assert once.fetch(reading) == [(1,)]
        once.drop(stored)
        with pytest.raises(AcompassError):
            once.fetch(reading)
        assert once.fetch(sql.select_all(sql.table(once.store(query)))) == [(1,)]
