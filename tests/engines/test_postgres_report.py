"""A report on PostgreSQL names the tables and the server's version, and no part of the URL."""

import re
from pathlib import Path

import psycopg
import pytest

import acompass
from tests.engines.postgres_server import Server
from tests.report.pages import certificate_in, read_page

POLICY = "EACH RESULT : age <= 80 : REPLACE age WITH 80;"


@pytest.fixture
def url(postgres: Server) -> str:
    url = postgres.url("english")
    with psycopg.connect(url) as con:
        con.execute("DROP TABLE IF EXISTS reported, released")
        con.execute("CREATE TABLE reported AS SELECT i AS id, 20 + i AS age FROM generate_series(1, 70) AS i")
    return url


def test_a_report_names_the_tables_and_the_version_of_the_server(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reported").write_text("a file with the name of the table", encoding="utf-8")
    acompass.run(POLICY, "reported", engine=url, output="released", report="report.html")
    page = read_page(Path("report.html"))
    certificate = certificate_in(page)
    assert certificate["tables"] == {"input": "reported", "output": "released"}
    assert (certificate["input"], certificate["output"]) == (None, None)
    assert re.fullmatch(r"PostgreSQL \d+(\.\d+)*", certificate["versions"]["engine"])
    assert set(certificate["versions"]) == {"acompass", "engine"}
    assert page.all("h1")[0].words.strip() == "Release report: released"
    assert url not in Path("report.html").read_text(encoding="utf-8")


def test_an_uploaded_file_has_a_hash(url: str, tmp_path: Path) -> None:
    table, report = tmp_path / "people.csv", tmp_path / "report.html"
    table.write_text("id,age\n1,90\n", encoding="utf-8")
    acompass.run(POLICY, table, engine=url, output="released", report=report)
    certificate = certificate_in(read_page(report))
    assert [file["name"] for file in certificate["input"]] == ["people.csv"]
    assert certificate["tables"] == {"output": "released"}
    assert certificate["versions"]["engine"].startswith("PostgreSQL ")


def test_a_check_names_its_table(url: str, tmp_path: Path) -> None:
    acompass.check(POLICY, "public.reported", engine=url, report=tmp_path / "report.html")
    assert certificate_in(read_page(tmp_path / "report.html"))["tables"] == {"input": "public.reported"}
