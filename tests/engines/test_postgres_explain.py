"""Records of a table on a server are numbered in canonical order, whatever its order and columns."""

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from tests.engines.postgres_server import Server

POLICY = "EACH PROCESS COUNT(*) AS n GROUP BY zip : n >= 2 : REPLACE zip WITH '*';"


@pytest.fixture
def url(postgres: Server) -> str:
    """A table with column names that plans use, a type without an order, and two equal records."""
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS lived")
        con.execute("CREATE TABLE lived (rk text, zip char(5), c0 json, i numeric)")
        con.execute(
            "INSERT INTO lived VALUES ('b', '212', '{}', 1.50), ('B', '211', '{}', 2), "
            "('a', '211', NULL, 'NaN'), ('B', '211', '{}', 2), (NULL, '214', '{}', 0)"
        )
    return url


def _explain(url: str, **choice: Any) -> list[tuple[int, dict[str, Any] | None]]:
    found = acompass.explain(POLICY, "lived", engine=url, **choice)
    return [(life.record, life.left) for life in found.lives]


def test_records_are_numbered_in_canonical_order(url: str) -> None:
    names = [_explain(url, record=place)[0][1] for place in range(1, 6)]
    assert [left and (left["rk"], left["zip"]) for left in names] == [
        (None, "*"),
        ("B", "211"),
        ("B", "211"),
        ("a", "211"),
        ("b", "*"),
    ]


def test_records_found_by_a_condition_have_the_same_numbers(url: str) -> None:
    assert [place for place, _ in _explain(url, where="zip = '211'")] == [2, 3, 4]
    assert [place for place, _ in _explain(url, where="i >= 1.5", limit=2)] == [2, 3]
    assert _explain(url, where="zip = '9'") == []


def test_a_number_after_the_last_record_is_an_error(url: str) -> None:
    with pytest.raises(acompass.AcompassError, match="AC702"):
        _explain(url, record=6)


def test_nothing_is_left_on_the_server(url: str) -> None:
    with acompass.open("lived", engine=url) as session:
        session.explain(POLICY, record=1)
        session.measure(["zip"], ["rk"])
        assert session.check(POLICY).records_in == 5
        with psycopg.connect(url) as con:
            assert con.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'kept%'").fetchone() == (0,)


def test_explain_and_measure_accept_an_engine(url: str, tmp_path: Path) -> None:
    policy = tmp_path / "policy.acp"
    policy.write_text(POLICY, encoding="utf-8")
    on = ("lived", "--engine", url, "--json")
    explained = CliRunner().invoke(app, ["explain", str(policy), *on, "--where", "zip = '214'"])
    assert json.loads(explained.stdout)["records"][0]["left"]["zip"] == "*", explained.stderr
    measured = CliRunner().invoke(app, ["measure", *on, "--qi", "zip", "--against", "lived"])
    assert json.loads(measured.stdout)["k"] == 1, measured.stderr
    sql = CliRunner().invoke(app, ["explain", str(policy), "lived", "--engine", url, "--sql"])
    assert "c1 is zip, text" in sql.stdout, sql.stderr


def test_a_sample_needs_a_file(url: str) -> None:
    with acompass.open("lived", engine=url) as session, pytest.raises(acompass.AcompassError, match="AC328"):
        session.sample(2, seed="a seed")
