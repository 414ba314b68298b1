"""Invariant 3 on PostgreSQL: random programs, tables and traces give the results of `semantics`.

The databases collate text in dictionary order, so a missing `COLLATE "C"` makes a case fail."""

import pytest

from acompass.engines.postgres.session import Connection, ReadingSession, open_connection
from acompass.engines.registry import open_session
from acompass.testing.conformance.differential import conform
from tests.engines.postgres_server import Server
from tests.length import at_length


@pytest.mark.campaign
def test_no_case_differs_with_every_rewrite(postgres: Server) -> None:
    report = conform(postgres.url("english"), cases=at_length(110), seed=1)
    assert report.ok, report.smallest


@pytest.mark.campaign
def test_no_case_differs_without_rewrites(postgres: Server) -> None:
    with open_session(postgres.url("german")) as session:
        report = conform(session, cases=at_length(45), seed=2, rewrites=())
    assert report.ok, report.smallest


@pytest.mark.campaign
def test_no_case_differs_if_no_table_can_be_stored(postgres: Server) -> None:
    with open_connection(postgres.url("english")) as server:
        report = conform(ReadingSession(Connection(server)), cases=at_length(35), seed=3)
    assert report.ok, report.smallest
