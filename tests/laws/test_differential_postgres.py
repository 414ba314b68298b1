"""Invariant 3 on PostgreSQL: random programs, tables and traces give the results of `semantics`.

The databases collate text in dictionary order, so that a missing `COLLATE "C"` makes a case fail.
"""

from acompass.conformance.run import conform
from acompass.engines.connect import open_session
from acompass.engines.postgres.connect import connected
from acompass.engines.postgres.session import Connection, ReadingSession
from tests.engines.postgres_server import Server


def test_with_every_rewrite(postgres: Server) -> None:
    report = conform(postgres.url("english"), cases=110, seed=1)
    assert report.ok, report.smallest


def test_with_no_rewrite(postgres: Server) -> None:
    with open_session(postgres.url("german")) as session:
        report = conform(session, cases=45, seed=2, rewrites=())
    assert report.ok, report.smallest


def test_without_keeping_tables(postgres: Server) -> None:
    with connected(postgres.url("english")) as server:
        report = conform(ReadingSession(Connection(server)), cases=35, seed=3)
    assert report.ok, report.smallest
