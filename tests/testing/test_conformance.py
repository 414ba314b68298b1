"""The runs of a case share the results of equal statements, but never those of dropped tables. A disagreement is
reduced to a small case."""

import datetime

import pytest

from acompass.engines.duckdb.session import DuckDBSession
from acompass.engines.registry import open_session
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.types import DATE, INTEGER, Column
from acompass.plan.lowering import sql
from acompass.testing.conformance.cases import REFERENCE, Case
from acompass.testing.conformance.comparison import Disagreement, write_literate_test
from acompass.testing.conformance.differential import CachedSession, shrink_disagreement

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


def _shrunk(policy: str, wrong: str, reference: str = "") -> Disagreement:
    """The smallest case for an engine that is wrong about each policy with these words."""
    schema = (Column("a", INTEGER), Column("b", INTEGER), Column("d", DATE), Column("e", DATE))
    day = datetime.date(2024, 1, 1)
    case = Case(policy, schema, [(1, 2, day, day)] * 2, [], {}, reference=reference)

    def judge(case: Case) -> Disagreement | None:
        return Disagreement(case, "records", None, None) if wrong in case.policy_text else None

    found = judge(case)
    assert found is not None
    return shrink_disagreement(found, judge)


def test_a_smaller_case_has_fewer_aggregates_groups_and_columns() -> None:
    policy = """EACH PROCESS COUNT(*) AS n, SHARE OF LARGEST 2 (a) AS s WHERE a > 0 GROUP BY a, b : n > 1 AND s <= 0.5
        : SHIFT d, e BY a WITHIN 3 DAYS;"""
    smallest = _shrunk(policy, "SHIFT").case
    assert " ".join(smallest.policy_text.split()) == (
        "EACH PROCESS COUNT(*) AS n GROUP BY b : n > 1 : SHIFT e BY a WITHIN 3 DAYS;"
    )
    assert [column.name for column in smallest.schema] == ["a", "b", "e"]
    assert smallest.records == []


def test_a_smaller_case_keeps_its_reference_table_and_its_key() -> None:
    policy = f"""EACH PROCESS SUM(people) IN '{REFERENCE}' AS t, COUNT(*) AS n GROUP BY a, b : t > 1 OR n > 3 : REJECT;
        ALWAYS : PSEUDONYM b;"""
    written = write_literate_test(_shrunk(policy, "SUM(people)", "a,b,people\n1,2,3\n"))
    assert "COUNT" not in written
    assert "key:" not in written
    assert "```reference\na,b,people\n1,2,3\n```" in written
    assert "key: 0123456789abcdef" in write_literate_test(_shrunk(policy, "PSEUDONYM", "a,b,people\n1,2,3\n"))
