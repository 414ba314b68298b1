"""The newest question wins: a page that asks again, or is closed, leaves no work running."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import duckdb
import pytest

from acompass.engines.duckdb import input as reader
from acompass.session import Session
from tests.assist.studio.browsing import AGES, write_people
from tests.assist.studio.pages import Page, asking, open_studio
from tests.waiting import PATIENCE, wait_until

SLOW = "-- slow\n" + AGES


class Endless:
    """A call that blocks the table until it is canceled, like a statement of an engine."""

    def __init__(self) -> None:
        self.began, self.ended = Event(), Event()

    def hold(self, session: Session) -> None:
        try:
            with session._calling():
                self.began.set()
                while True:
                    session._source.cancellation.check()
                    Event().wait(0.01)
        finally:
            self.ended.set()


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Endless:
    """The verdicts for SLOW never finish."""
    call, preview = Endless(), Session.preview

    def slowly(session: Session, policy: Any, **given: Any) -> Any:
        if policy.text == SLOW:
            call.hold(session)
        return preview(session, policy, **given)

    monkeypatch.setattr(Session, "preview", slowly)
    return call


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Page]:
    with open_studio(*write_people(tmp_path)) as (page, _):
        yield page


@contextmanager
def send_and_close(page: Page, name: str, /, **body: Any) -> Iterator[None]:
    """A page that sends a question and is closed when the context ends, without reading the answer."""
    content = json.dumps(body).encode()
    host, _, port = page.origin.removeprefix("http://").partition(":")
    cookies = "; ".join(f"{key}={value}" for key, value in page.http.cookies.items())
    head = [
        f"POST /api/{name} HTTP/1.1",
        f"Host: {host}:{port}",
        f"Origin: {page.origin}",
        f"Cookie: {cookies}",
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
    ]
    with socket.create_connection((host, int(port))) as sent:
        sent.sendall("\r\n".join([*head, "", ""]).encode() + content)
        yield


def test_a_newer_question_replaces_an_older_one(fresh: Page, endless: Endless) -> None:
    with asking(fresh, "verdicts", text=SLOW, params={}) as older:
        assert endless.began.wait(PATIENCE)
        assert fresh.ask_about("verdicts", AGES)["verdicts"]["ok"]
        assert older() == {"stale": True}
    assert endless.ended.is_set()


def test_a_closed_page_leaves_nothing_running(fresh: Page, endless: Endless) -> None:
    with send_and_close(fresh, "verdicts", text=SLOW, params={}):
        assert endless.began.wait(PATIENCE)
    assert endless.ended.wait(PATIENCE)
    assert fresh.ask_about("verdicts", AGES)["verdicts"]["ok"]


def test_another_tab_is_not_replaced(fresh: Page, endless: Endless) -> None:
    """The other tab's question waits its turn and is answered."""
    with send_and_close(fresh, "verdicts", text=SLOW, params={}, page="first"):
        assert endless.began.wait(PATIENCE)
        with asking(fresh, "verdicts", text=AGES, params={}, page="second") as other:
            assert not endless.ended.is_set()
            fresh.ask_about("verdicts", AGES + "\n", page="first")
            assert other()["verdicts"]["ok"]


def test_the_studio_ends_while_a_question_runs(tmp_path: Path, endless: Endless) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _), send_and_close(page, "verdicts", text=SLOW, params={}):
        assert endless.began.wait(PATIENCE)
    assert endless.ended.is_set()


def test_a_repeated_question_is_answered_from_memory(fresh: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fresh.ask_about("verdicts", AGES)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(Session, "preview", never)
    assert fresh.ask_about("verdicts", AGES) == first
    assert fresh.send("verdicts", text=AGES + "\n", params={}).status_code == 500


def test_an_answer_computed_during_a_switch_is_discarded(fresh: Page, endless: Endless) -> None:
    """The answer belongs to neither table, so the page must ask again."""
    with asking(fresh, "verdicts", text=SLOW, params={}) as older:
        assert endless.began.wait(PATIENCE)
        assert fresh.ask("reading", reading={"missing": {"Age": "drop"}})["opened"] is not None
        assert older() == {"stale": True}
    assert fresh.ask_about("verdicts", AGES)["verdicts"]["ok"]


def test_a_closed_page_ends_the_measures_of_the_released_table(fresh: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """The released table has its own session."""
    call, measure = Endless(), Session.measure

    def slowly(session: Session, *args: Any, **given: Any) -> Any:
        if "after" in str(session._table):
            call.hold(session)
        return measure(session, *args, **given)

    monkeypatch.setattr(Session, "measure", slowly)
    with send_and_close(fresh, "risk", text=AGES, params={}, roles={"quasi_identifiers": ["Age"]}):
        assert call.began.wait(PATIENCE)
    assert call.ended.wait(PATIENCE)


@pytest.mark.parametrize("name", ["open/table", "reading"])
def test_a_table_that_is_being_opened_for_a_closed_page_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What was open stays open. DuckDB counts for minutes in place of reading the table."""
    began, interrupted, read = Event(), Event(), reader._read

    def read_slowly(con: duckdb.DuckDBPyConnection, *given: Any) -> None:
        began.set()
        try:
            con.execute("SELECT sum(range % 7) FROM range(1000000000000)").fetchall()
        except duckdb.InterruptException:
            interrupted.set()
            raise
        read(con, *given)

    policy, table = write_people(tmp_path)
    other = tmp_path / "other.csv"
    other.write_bytes(table.read_bytes())
    with open_studio(policy, table) as (page, _):
        before = page.ask("open")["opened"]
        with monkeypatch.context() as patch:
            patch.setattr(reader, "_read", read_slowly)
            reading = {} if name == "open/table" else {"header": True}
            with send_and_close(page, name, path=str(other), reading=reading):
                assert began.wait(PATIENCE)
            assert interrupted.wait(PATIENCE)
        wait_until(lambda: page.ask("open")["opened"] == before)
        assert page.ask_about("verdicts", AGES)["verdicts"]["ok"]
