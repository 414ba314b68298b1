"""The records of the table, which are sent only while values are shown, and what is proposed for its columns."""

from pathlib import Path

import pytest

from acompass import session as sessions
from tests.assist.studio.browsing import PEOPLE, write_people
from tests.assist.studio.pages import Page, open_studio

RECORDS = [line.split(",") for line in PEOPLE.splitlines()[1:]]
WITHOUT_VALUE = PEOPLE.replace("Cid,86", "Cid,")


def test_rows_are_the_texts_of_the_file_in_its_order(page: Page) -> None:
    assert page.ask("rows", first=0, count=100)["rows"] == RECORDS
    assert page.ask("rows", first=4, count=1)["rows"] == RECORDS[4:5]
    assert page.ask("rows", first=6, count=10)["rows"] == []


@pytest.mark.parametrize(("first", "count"), [(-1, 10), (0, 0), (0, 1001)])
def test_other_pages_are_refused(page: Page, first: int, count: int) -> None:
    assert page.send("rows", first=first, count=count).status_code == 400


def test_a_missing_value_has_no_text(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, table=WITHOUT_VALUE)) as (page, _):
        assert page.ask("rows", first=2, count=1)["rows"] == [["Cid", None, "21403", "flu"]]


def test_no_value_is_sent_while_values_are_hidden(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        page.ask("show", on=False)
        for name, body in {"rows": {"first": 0, "count": 1}, "rarest": {"column": "Name"}}.items():
            refused = page.send(name, **body)
            assert refused.status_code == 403
            assert "Ann" not in refused.text
        assert "Ann" not in page.send("table").text


def test_the_rarest_values_of_a_column(page: Page) -> None:
    assert page.ask("rarest", column="Zip")["values"] == [
        {"text": "21403", "records": 1},
        {"text": "21402", "records": 2},
        {"text": "21401", "records": 3},
    ]
    assert page.send("rarest", column="nothing").status_code == 404


def test_each_column_has_a_proposal_and_nothing_is_assigned(page: Page) -> None:
    columns = page.ask("table")["columns"]
    assert {each["name"]: (each["role"], each["proposal"]["role"]) for each in columns} == {
        "Name": ("none", "identifier"),
        "Age": ("none", "quasi-identifier"),
        "Zip": ("none", "quasi-identifier"),
        "Disease": ("none", "sensitive"),
    }
    assert all(each["proposal"]["reason"] for each in columns)


def test_columns_have_their_kind_and_their_rare_values(page: Page) -> None:
    columns = {each["name"]: each for each in page.ask("table")["columns"]}
    assert [each["form"] for each in columns.values()] == ["text", "number", "code", "text"]
    assert [columns["Zip"][key] for key in ("rare", "unique", "distinct")] == [6, 1, 3]


def test_a_page_is_found_by_its_position_and_not_by_counting(tmp_path: Path) -> None:
    """So that the last page of a million records is as fast as the first."""
    path = tmp_path / "numbers.csv"
    path.write_text("n\n" + "\n".join(map(str, range(5_000))) + "\n", encoding="utf-8")
    with sessions.open(path) as session:
        assert session.rows(4_990, 100) == [(str(n),) for n in range(4_990, 5_000)]
        assert session._has_positions
        with session.sample(100, "seed") as sample:
            rows = [int(text or "") for (text,) in sample.rows(10, 30)]
            assert not sample._has_positions
    assert len(rows) == 30
    assert rows == sorted(rows)
