"""Hostile names and values stay text."""

from pathlib import Path

import pytest

from tests.studio.pages import Page, opened
from tests.studio.tables import written

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\nb",
    "\u202egnp.exe",
    "'; DROP TABLE x;--",
    "{{7*7}}",
]


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each value occurs often enough to be shown."""
    lines = [NAMES, *([NAMES] * 30), *([["1", "2", "3", "4", "5", "6"]] * 12)]
    table = "".join(",".join(map(quoted, line)) + "\n" for line in lines)
    folder = tmp_path_factory.mktemp("hostile")
    return written(folder, "", table)[0]


def test_names_and_values_are_data(hostile: Path) -> None:
    with opened(hostile, hostile.with_suffix(".csv")) as (page, _):
        assert page.ask("open")["table"]["columns"] == NAMES
        table = page.send("table")
        assert table.headers["Content-Type"] == "application/json"
        columns = table.json()["columns"]
        assert [each["name"] for each in columns] == NAMES
        for name, column in zip(NAMES, columns, strict=True):
            assert " ".join(name.split()) in [" ".join(bar["label"].split()) for bar in column["bars"]]
            assert not any("script" in bar["bar"] or "onerror" in bar["bar"] for bar in column["bars"])


def test_charts_and_reports_escape_them(hostile: Path) -> None:
    with opened(hostile, hostile.with_suffix(".csv")) as (page, _):
        roles = {"quasi_identifiers": NAMES[:2], "sensitive": NAMES[2:3], "identifiers": []}
        templates = page.ask("roles", roles=roles)["templates"]
        text = next(each["text"] for each in templates if "GROUP BY" in each["text"])
        answer = page.about("risk", text, {"k": "2", "l": "1"}, roles=roles)
        assert answer["diagnostics"] == []
        assert "<script" not in answer["risk"]["chart"]
        assert "<img" not in answer["risk"]["chart"]
        assert page.about("preview", text, {"k": "2", "l": "1"})["diagnostics"] == []
        preview = page.http.get("/preview")
        assert "<script>alert" not in preview.text
        assert "<img" not in preview.text
        assert "&lt;script&gt;" in preview.text
        assert "script-src" not in preview.headers["Content-Security-Policy"]
        assert preview.headers["Content-Security-Policy"].endswith("sandbox")


def test_a_hostile_policy_is_text(page: Page) -> None:
    text = "EACH RESULT : \"<script>alert(1)</script>\" = '</textarea><script>';"
    answer = page.send("diagnose", text=text, params={"<b>": "1"})
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_itself_has_nothing_of_the_files(tmp_path: Path) -> None:
    policy, table = written(tmp_path, "-- <script>alert(1)</script>\n")
    hostile = tmp_path / "<img src=x>.csv"
    table.rename(hostile)
    with opened(policy, hostile) as (page, _):
        assert "<img" not in page.http.get("/").text
        assert page.ask("open")["table"]["name"] == "<img src=x>.csv"
