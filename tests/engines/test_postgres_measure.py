"""A table on a server is measured on the server: no record value leaves it."""

from pathlib import Path
from typing import Any

import psycopg
import pytest

import acompass
from acompass.engines.postgres import session as sessions
from acompass.measure import classes
from tests.engines.postgres_server import Server
from tests.report.pages import certificate_in, read_page

ROLES = {"qi": ["name", "age"], "sensitive": ["disease", "cost"], "weight": "weight"}


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS measured")
        con.execute(
            "CREATE TABLE measured AS "
            "SELECT 'name ' || i % 7 AS name, i % 3 AS age, 'disease ' || i % 4 AS disease, "
            "(i % 5 + 0.25)::numeric(6, 2) AS cost, 0.5::numeric(4, 1) AS weight "
            "FROM generate_series(1, 60) AS i"
        )
    return url


@pytest.fixture
def sent_values(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every value that the server sends in answer to a query on records."""
    found: list[Any] = []
    rows_of = sessions._rows

    def record_rows(cursor: Any) -> list[tuple[Any, ...]]:
        rows = rows_of(cursor)
        found.extend(value for row in rows for value in row)
        return rows

    monkeypatch.setattr(sessions, "_rows", record_rows)
    return found


def test_only_numbers_leave_the_server(url: str, sent_values: list[Any]) -> None:
    acompass.measure("measured", **ROLES, against="measured", population="measured", engine=url)
    assert len(sent_values) > 100
    assert {type(value) for value in sent_values} <= {int, float, bool, type(None)}


def test_a_loss_needs_the_values_of_the_quasi_identifiers(url: str, sent_values: list[Any]) -> None:
    """The levels need the distinct values of the quasi-identifiers."""
    acompass.measure("measured", ["age", "name"], against="measured", hierarchies={}, engine=url)
    assert {value for value in sent_values if isinstance(value, str)} == {f"name {i}" for i in range(7)}


def test_many_groups_are_fetched_in_parts(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = acompass.measure("measured", **ROLES, engine=url)
    monkeypatch.setattr(classes, "AT_ONCE", 10)
    assert acompass.measure("measured", **ROLES, engine=url) == whole


def test_an_empty_table_has_no_k(url: str) -> None:
    with psycopg.connect(url) as con:
        con.execute("DELETE FROM measured")
    measures = acompass.measure("measured", **ROLES, engine=url)
    assert (measures.k, measures.records, measures.sensitive) == (None, 0, ())


@pytest.mark.parametrize("against", [None, "measured"])
def test_a_report_has_the_measures_of_the_table(url: str, against: str | None, tmp_path: Path) -> None:
    acompass.measure("measured", **ROLES, against=against, engine=url, report=tmp_path / "report.html")
    page = read_page(tmp_path / "report.html")
    headings = [each.words.strip() for each in page.all("h2")]
    assert {"Class sizes", "Risk", "Sensitive columns"} <= set(headings), headings
    certificate = certificate_in(page)
    assert certificate["tables"]["input"] == "measured"
    assert certificate["versions"]["engine"].startswith("PostgreSQL ")


def test_a_name_is_a_table_even_if_the_other_table_is_a_file(url: str, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("name,age\nname 1,1\n", encoding="utf-8")
    with pytest.raises(acompass.AcompassError, match="no table or view `nowhere`"):
        acompass.measure(people, ["name"], against="nowhere", engine=url)
    found = acompass.measure(people, ["name"], against="measured", engine=url).comparison
    assert found is not None
    assert (found.records_before, found.only_before) == (60, ("disease", "cost", "weight"))
