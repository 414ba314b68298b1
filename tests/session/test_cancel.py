"""A call canceled from another thread ends at once, leaves nothing behind, and the session stays usable."""

from pathlib import Path
from threading import Event, Thread

import duckdb
import pytest

import acompass
from tests.waiting import PATIENCE

#: slow enough to be canceled in the middle: every distinct value of a large table, again and again
SLOW = "EACH PROCESS SUM(b) AS s GROUP BY a : s >= 1.5 : REPLACE b WITH 0.5;\n" * 30


@pytest.fixture
def large(tmp_path: Path) -> str:
    path = tmp_path / "large.parquet"
    query = "SELECT hash(range) % 1000000 AS a, (hash(range * 7) % 1000)::DOUBLE AS b FROM range(2000000)"
    duckdb.sql(f"COPY (SELECT a::BIGINT AS a, b FROM ({query})) TO '{path}'")
    return str(path)


def canceled(session: acompass.Session, **call: object) -> acompass.AcompassError | None:
    """The error of a call that is canceled once its first requirement is done."""
    under_way, errors = Event(), []

    def run() -> None:
        try:
            session.run(SLOW, progress=lambda _done, _total: under_way.set(), **call)
        except acompass.AcompassError as error:
            errors.append(error)

    thread = Thread(target=run)
    thread.start()
    assert under_way.wait(PATIENCE)
    session.cancel()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "a canceled call ends"
    return errors[0] if errors else None


def test_a_call_is_canceled(large: str, tmp_path: Path) -> None:
    with acompass.open(large) as session:
        error = canceled(session, output=tmp_path / "out.parquet")
        assert isinstance(error, acompass.Canceled)
        assert error.diagnostics[0].code == "AC327"
        assert [path.name for path in tmp_path.iterdir()] == ["large.parquet"]
        assert session.check("EACH RESULT : a >= 0;").ok


def test_without_a_call_nothing_is_canceled(large: str) -> None:
    with acompass.open(large) as session:
        session.cancel()
        assert session.check("EACH RESULT : a >= 0;").ok
