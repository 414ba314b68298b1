"""PostgreSQL never sees the key of PSEUDONYM and SHIFT in a statement: only COPY sends what HMAC makes of it (X15)."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

import acompass
from acompass.engines.postgres.session import KeepingSession
from acompass.language.program.keys import Key
from tests.engines.postgres_server import Server, query_all
from tests.promise.key_search import KEY, NEEDLES

POLICY = "ALWAYS : SHIFT day BY name WITHIN 30 DAYS; ALWAYS : PSEUDONYM name;"
RECORDS = [{"name": "Ann", "day": "2024-03-01"}, {"name": "Bob", "day": "2024-04-01"}]
#: everything that a server can log about a statement
LOGGING = "-c log_statement=all -c log_min_duration_statement=0 -c log_parameter_max_length=-1 -c debug_print_plan=on"


def test_neither_the_log_nor_the_list_of_activities_has_the_key(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"{postgres.url('english')}&options={quote(LOGGING)}"
    seen: list[str] = []
    run = KeepingSession.run

    def watched(session: KeepingSession, statement: str) -> Any:
        ran = run(session, statement)
        with psycopg.connect(postgres.url("english")) as other:
            seen.extend(str(row) for row in other.execute("SELECT query FROM pg_stat_activity").fetchall())
        return ran

    monkeypatch.setattr(KeepingSession, "run", watched)
    (log,) = query_all(url, "SELECT current_setting('data_directory')")
    before = len((Path(log[0]) / "log").read_bytes())
    result = acompass.run(POLICY, RECORDS, engine=url, key=KEY)
    assert result.table[0]["name"] == Key(KEY.encode()).pseudonym("Ann")
    logged = (Path(log[0]) / "log").read_bytes()[before:].decode("latin-1")
    assert "COPY pg_temp" in logged, "the server logs statements"
    assert "inner_pad" in "".join(seen), "the list shows statements of the run"
    assert [needle for needle in NEEDLES if needle in logged + "".join(seen)] == []


def test_a_dry_run_sends_no_key(postgres: Server) -> None:
    planned = acompass.plan(POLICY, RECORDS, engine=postgres.url("english"), key=KEY)
    assert planned.statements
    assert [needle for needle in NEEDLES if needle in "".join(planned.statements)] == []
