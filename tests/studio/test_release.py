"""A release is of all records, by the saved policy, whole or not at all."""

import base64
import hashlib
import os
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from acompass.pages.verify import verify
from tests.studio.pages import Page, opened
from tests.studio.tables import AGES, CLASSES, PEOPLE, written


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def release(page: Page, **given: Any) -> httpx.Response:
    saved = page.ask("policy")
    body = {
        "text": saved["text"],
        "seen": saved["version"],
        "params": {},
        "table": "out.csv",
        "report": "out.html",
        "replace": False,
    }
    return page.send("release", **(body | given))


def verified(folder: Path) -> bool:
    """Whether the report's certificate is that of the files."""
    files = ("out.html", "people.acp", "people.csv", "out.csv")
    return all(part.matches for part in verify(*(str(folder / name) for name in files)))


def test_a_policy_with_other_line_ends_is_certified(tmp_path: Path) -> None:
    with opened(*written(tmp_path, "\ufeff" + AGES.replace("\n", "\r\n"))) as (page, _):
        assert release(page).json()["released"]["ok"]
    assert verified(tmp_path)


def test_table_and_report_are_written(tmp_path: Path) -> None:
    policy, table = written(tmp_path)
    with opened(policy, table) as (page, _):
        assert page.ask("open")["release"] == {"table": "people-released.csv", "report": "people-report.html"}
        released = release(page).json()["released"]
    assert released == {
        "table": "out.csv",
        "report": "out.html",
        "records_in": 6,
        "records_out": 6,
        "ok": True,
    }
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == PEOPLE.replace("86", "80")
    assert verified(tmp_path)
    assert names(tmp_path) == ["out.csv", "out.html", "people.acp", "people.csv"]


def test_the_report_may_be_left_out(tmp_path: Path) -> None:
    with opened(*written(tmp_path)) as (page, _):
        assert release(page, report=None, table="out.parquet").json()["released"]["report"] is None
    assert names(tmp_path) == ["out.parquet", "people.acp", "people.csv"]


def test_a_violated_check_writes_nothing(tmp_path: Path) -> None:
    with opened(*written(tmp_path, "EACH RESULT : Age <= 80;\n")) as (page, _):
        released = release(page).json()["released"]
        assert (released["ok"], released["table"], released["report"]) == (False, None, None)
        assert page.about("preview", "EACH RESULT : Age <= 80;\n")["ok"] is False
        assert "No table was written" in page.http.get("/preview").text
    assert names(tmp_path) == ["people.acp", "people.csv"]


def test_a_policy_that_cannot_run_writes_nothing(tmp_path: Path) -> None:
    with opened(*written(tmp_path, CLASSES)) as (page, _):
        answer = release(page).json()
        assert answer["released"] is None
        assert answer["diagnostics"][0]["code"] == "AC106"
        assert release(page, params={"k": "2"}).json()["released"]["records_out"] == 5


def test_only_the_saved_text_is_released(tmp_path: Path) -> None:
    policy, table = written(tmp_path)
    with opened(policy, table) as (page, _):
        unsaved = release(page, text=AGES.replace("80", "70"))
        assert unsaved.status_code == 409
        assert unsaved.json()["text"] == AGES
        seen = page.ask("policy")["version"]
        policy.write_text("-- changed outside\n" + AGES, encoding="utf-8")
        changed = release(page, text=AGES, seen=seen)
        assert changed.status_code == 409
        assert changed.json()["text"].startswith("-- changed outside")
    assert names(tmp_path) == ["people.acp", "people.csv"]


def test_existing_files_are_replaced_only_on_demand(tmp_path: Path) -> None:
    policy, table = written(tmp_path)
    (tmp_path / "out.html").write_text("mine", encoding="utf-8")
    with opened(policy, table) as (page, _):
        refused = release(page)
        assert refused.status_code == 409
        assert refused.json()["exists"] == ["out.html"]
        assert (tmp_path / "out.html").read_text(encoding="utf-8") == "mine"
        assert not (tmp_path / "out.csv").exists()
        assert release(page, replace=True).json()["released"]["ok"]
    assert "Release report" in (tmp_path / "out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "../out.csv",
        "/tmp/out.csv",
        "a/out.csv",
        "..",
        ".",
        "",
        "a\\out.csv",
        "out.csv\0",
        "link.csv",
        "nothing/../out.csv",
    ],
)
def test_nothing_is_written_elsewhere(tmp_path: Path, name: str) -> None:
    folder, outside = tmp_path / "inside", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    policy, table = written(folder)
    (folder / "link.csv").symlink_to(outside / "out.csv")
    with opened(policy, table) as (page, _):
        assert release(page, table=name, report=None, replace=True).status_code == 400
        assert release(page, report=name.replace("csv", "html") + "x", replace=True).status_code == 400
    assert names(outside) == []
    assert names(folder) == ["link.csv", "people.acp", "people.csv"]


@pytest.mark.parametrize("target", ["people.csv", "people.acp", "zips.csv", "link.csv"])
def test_no_input_is_replaced(tmp_path: Path, target: str) -> None:
    text = "ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'zips.csv';\n"
    policy, table = written(tmp_path, text)
    (tmp_path / "zips.csv").write_text("21401;214*\n21402;214*\n21403;214*\n", encoding="utf-8")
    os.link(table, tmp_path / "link.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with opened(policy, table) as (page, _):
        answer = release(page, table=target, report=None, replace=True)
        assert answer.status_code == 400 or answer.json()["released"] is None
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_release_reads_the_table_as_it_is_now(tmp_path: Path) -> None:
    policy, table = written(tmp_path)
    with opened(policy, table) as (page, _):
        table.write_text(PEOPLE + "Gus,34,21401,flu\n", encoding="utf-8")
        assert release(page).json()["released"]["records_in"] == 7


def test_random_draws_are_not_those_of_the_preview(tmp_path: Path) -> None:
    """The seed of the panels is known to everybody."""
    text = "ALWAYS : RANDOM Age 0 1000000;\n"
    policy, table = written(tmp_path, text)
    with opened(policy, table) as (page, _):
        release(page, table="one.csv", report=None)
        release(page, table="two.csv", report=None)
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "two.csv").read_bytes()


def test_there_is_no_preview_before_it_is_asked_for(page: Page) -> None:
    assert page.http.get("/preview").status_code == 404


def test_the_preview_may_use_its_own_style_and_nothing_else(tmp_path: Path) -> None:
    with opened(*written(tmp_path)) as (page, _):
        page.about("preview", AGES)
        shown = page.http.get("/preview")
    (style,) = re.findall("<style>(.*?)</style>", shown.text, re.DOTALL)
    hashed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{hashed}';" in shown.headers["Content-Security-Policy"]
    assert " style=" not in shown.text
