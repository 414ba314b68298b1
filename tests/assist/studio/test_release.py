"""A release contains all records, uses the saved policy, and is written completely or not at all."""

import base64
import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from acompass.assist.studio.saved_files import ABSENT, PolicyFile, Unseen
from acompass.errors.diagnostics import AcompassError
from acompass.report.page.certificate import verify
from acompass.session import Session
from tests.assist.studio.browsing import AGES, CLASSES, PEOPLE, write_people
from tests.assist.studio.pages import Page, open_studio


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


def is_certified(folder: Path) -> bool:
    """Whether the certificate matches the files. The page is for recipients, so it has no hash of the input."""
    report, policy, output = (str(folder / name) for name in ("out.html", "people.acp", "out.csv"))
    return verify(report, policy, None, output).ok


def test_a_policy_with_other_line_ends_is_certified(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, "\ufeff" + AGES.replace("\n", "\r\n"))) as (page, _):
        assert release(page).json()["released"]["ok"]
    assert is_certified(tmp_path)


def test_table_and_report_are_written(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        names_proposed = {
            "table": "people-released.csv",
            "report": "people-report.html",
            "internal": "people-internal.html",
        }
        assert page.ask("open")["opened"]["release"] == names_proposed
        released = release(page).json()["released"]
    promised = released.pop("promised")
    assert promised["sentences"][0]["text"] == "Every released record satisfies `EACH RESULT : Age <= 80`."
    assert released == {
        "table": "out.csv",
        "report": "out.html",
        "internal": None,
        "folder": str(tmp_path),
        "records_in": 6,
        "records_out": 6,
        "ok": True,
        "checks_nothing": False,
    }
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == PEOPLE.replace("86", "80")
    assert is_certified(tmp_path)
    assert names(tmp_path) == ["out.csv", "out.html", "people.acp", "people.csv"]


def test_both_reports_are_written_and_shown_without_scripts(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert page.http.get("/released/report").status_code == 404
        assert release(page, internal="internal.html").json()["released"]["internal"] == "internal.html"
        for name, file in (("report", "out.html"), ("internal", "internal.html")):
            shown = page.http.get(f"/released/{name}")
            assert shown.text == (tmp_path / file).read_text(encoding="utf-8")
            assert "default-src 'none'" in shown.headers["Content-Security-Policy"]
            assert shown.headers["Content-Security-Policy"].endswith("; sandbox")
        (tmp_path / "out.html").unlink()
        assert page.http.get("/released/report").status_code == 404
    assert "internal" in (tmp_path / "internal.html").read_text(encoding="utf-8").casefold()


def test_the_reports_need_two_names(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert release(page, internal="out.html").status_code == 400
        assert release(page, internal="out.txt").status_code == 400
    assert names(tmp_path) == ["people.acp", "people.csv"]


def test_the_front_page_has_the_purpose_of_the_project(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        page.ask("settings/change", purpose="A study of tests", recipients="Everyone")
        page.ask("save", text=AGES, seen=page.ask("policy")["version"])
        assert release(page).json()["released"]["ok"]
    report = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert "A study of tests" in report
    assert "Everyone" in report


def test_a_release_shows_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of lines that are done is known while it is written, and gone afterwards."""
    seen: list[object] = []
    with open_studio(*write_people(tmp_path)) as (page, _):
        run = Session.run

        def run_and_look(self: Session, *given: Any, progress: Any, **options: Any) -> Any:
            progress(0, 1)
            seen.append(page.ask("release/progress")["written"])
            return run(self, *given, progress=progress, **options)

        monkeypatch.setattr(Session, "run", run_and_look)
        assert release(page).json()["released"]["ok"]
        assert page.ask("release/progress")["written"] is None
    assert seen == [{"done": 0, "of": 1}]


def test_the_report_may_be_left_out(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert release(page, report=None, table="out.parquet").json()["released"]["report"] is None
    assert names(tmp_path) == ["out.parquet", "people.acp", "people.csv"]


def test_a_violated_check_writes_nothing(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, "EACH RESULT : Age <= 80;\n")) as (page, _):
        released = release(page).json()["released"]
        assert (released["ok"], released["table"], released["report"]) == (False, None, None)
        assert page.ask_about("preview", "EACH RESULT : Age <= 80;\n")["ok"] is False
        assert "No table was written" in page.http.get("/preview").text
    assert names(tmp_path) == ["people.acp", "people.csv"]


def test_a_policy_that_cannot_run_writes_nothing(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, CLASSES)) as (page, _):
        answer = release(page).json()
        assert answer["released"] is None
        assert answer["diagnostics"][0]["code"] == "AC106"
        assert release(page, params={"k": "2"}).json()["released"]["records_out"] == 5


def test_only_the_saved_text_is_released(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
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
    policy, table = write_people(tmp_path)
    (tmp_path / "out.html").write_text("mine", encoding="utf-8")
    with open_studio(policy, table) as (page, _):
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
        "-",
        "out\n.csv",
        "\x1b[2J.csv",
        f"{'a' * 300}.csv",
        f"{'é' * 150}.csv",
    ],
)
def test_nothing_is_written_outside_the_folder(tmp_path: Path, name: str) -> None:
    folder, outside = tmp_path / "inside", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    policy, table = write_people(folder)
    (folder / "link.csv").symlink_to(outside / "out.csv")
    with open_studio(policy, table) as (page, _):
        assert release(page, table=name, report=None, replace=True).status_code == 400
        assert release(page, report=name.replace("csv", "html") + "x", replace=True).status_code == 400
    assert names(outside) == []
    assert names(folder) == ["link.csv", "people.acp", "people.csv"]


@pytest.mark.parametrize("target", ["people.csv", "people.acp", "zips.csv", "link.csv"])
def test_no_input_is_replaced(tmp_path: Path, target: str) -> None:
    text = "ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'zips.csv';\n"
    policy, table = write_people(tmp_path, text)
    (tmp_path / "zips.csv").write_text("21401;214*\n21402;214*\n21403;214*\n", encoding="utf-8")
    os.link(table, tmp_path / "link.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with open_studio(policy, table) as (page, _):
        answer = release(page, table=target, report=None, replace=True)
        assert answer.status_code == 400 or answer.json()["released"] is None
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_release_reads_the_table_as_it_is_now(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        table.write_text(PEOPLE + "Gus,34,21401,flu\n", encoding="utf-8")
        assert release(page).json()["released"]["records_in"] == 7


def test_random_draws_differ_from_those_of_the_preview(tmp_path: Path) -> None:
    """Everyone knows the seed of the panels."""
    text = "ALWAYS : RANDOM Age 0 1000000;\n"
    policy, table = write_people(tmp_path, text)
    with open_studio(policy, table) as (page, _):
        release(page, table="one.csv", report=None)
        release(page, table="two.csv", report=None)
    assert (tmp_path / "one.csv").read_bytes() != (tmp_path / "two.csv").read_bytes()


def test_there_is_no_preview_before_it_is_requested(page: Page) -> None:
    assert page.http.get("/preview").status_code == 404


def test_the_preview_may_use_its_own_style_and_nothing_else(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        page.ask_about("preview", AGES)
        shown = page.http.get("/preview")
    (style,) = re.findall("<style>(.*?)</style>", shown.text, re.DOTALL)
    hashed = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{hashed}';" in shown.headers["Content-Security-Policy"]
    assert " style=" not in shown.text


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "policy.acp"


@pytest.fixture
def file(path: Path) -> PolicyFile:
    return PolicyFile(str(path))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a;\n", b"b;\nc;\n"),
        (b"a;\r\nb;\r\n", b"b;\r\nc;\r\n"),
        (b"\xef\xbb\xbfa;\n", b"\xef\xbb\xbfb;\nc;\n"),
        (b"\xef\xbb\xbfa;\r\n", b"\xef\xbb\xbfb;\r\nc;\r\n"),
        (b"a;\r\nb;\nc;\n", b"b;\nc;\n"),
        (b"", b"b;\nc;\n"),
    ],
)
def test_line_ends_and_the_byte_order_mark_are_kept(file: PolicyFile, path: Path, before: bytes, after: bytes) -> None:
    path.write_bytes(before)
    saved = file.read()
    assert "\r" not in saved.text
    assert not saved.text.startswith("\ufeff")
    file.save("b;\nc;\n", saved.version)
    assert path.read_bytes() == after


def test_a_new_policy_is_created(file: PolicyFile, path: Path) -> None:
    assert (file.read().text, file.read().version) == ("", ABSENT)
    version = file.save(AGES, ABSENT)
    assert path.read_text(encoding="utf-8") == AGES
    assert file.version == version


def test_an_unseen_change_is_not_overwritten(file: PolicyFile, path: Path) -> None:
    path.write_text("a;", encoding="utf-8")
    seen = file.version
    path.write_text("b;", encoding="utf-8")
    with pytest.raises(Unseen) as caught:
        file.save("c;", seen)
    assert caught.value.now.text == "b;"
    assert path.read_text(encoding="utf-8") == "b;"


def test_a_file_that_appeared_or_disappeared_is_a_change(file: PolicyFile, path: Path) -> None:
    path.write_text("a;", encoding="utf-8")
    with pytest.raises(Unseen):
        file.save("c;", ABSENT)
    seen = file.version
    path.unlink()
    with pytest.raises(Unseen):
        file.save("c;", seen)
    assert not path.exists()


def test_a_change_during_the_save_is_not_overwritten(
    file: PolicyFile, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor saves while the studio writes its hidden file."""
    path.write_text("a;", encoding="utf-8")
    seen, write = file.version, Path.write_bytes

    def write_after_the_editor(self: Path, data: bytes) -> int:
        path.write_text("editor;", encoding="utf-8")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_after_the_editor)
    with pytest.raises(Unseen):
        file.save("c;", seen)
    assert path.read_text(encoding="utf-8") == "editor;"
    assert [each.name for each in path.parent.iterdir()] == ["policy.acp"]


def test_one_of_several_simultaneous_writers_wins(page: Page) -> None:
    """All have seen the same version; the losers get the text of the winner."""
    for turn in range(10):
        seen = page.ask("policy")["version"]
        texts = [f"-- {turn}.{writer}\n" for writer in range(8)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda text, seen=seen: page.send("save", text=text, seen=seen), texts))
        statuses = [answer.status_code for answer in answers]
        assert sorted(statuses) == [200] + [409] * 7
        kept = texts[statuses.index(200)]
        assert page.ask("policy")["text"] == kept
        assert {answer.json().get("text", kept) for answer in answers} == {kept}


def test_no_update_is_lost(page: Page) -> None:
    """Writers that retry with the newest version all get their line into the file."""
    page.ask("save", text="", seen=page.ask("policy")["version"])

    def append(line: str) -> None:
        while True:
            now = page.ask("policy")
            if page.send("save", text=now["text"] + line, seen=now["version"]).status_code == 200:
                return

    lines = [f"-- {number}\n" for number in range(24)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(append, lines))
    assert sorted(page.ask("policy")["text"].splitlines(keepends=True)) == sorted(lines)


def test_the_page_notices_a_change_of_the_policy(page: Page, tmp_path: Path) -> None:
    before = page.ask("state")["version"]
    opened = page.ask("open")["opened"]
    page.ask("save", text=AGES + "\n", seen=opened["policy"]["version"])
    assert page.ask("state")["version"] != before


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_file_that_cannot_be_written_is_a_diagnostic(file: PolicyFile, path: Path) -> None:
    path.parent.chmod(0o500)
    try:
        with pytest.raises(AcompassError, match="AC491"):
            file.save("a;", ABSENT)
    finally:
        path.parent.chmod(0o700)


def test_a_file_that_is_not_text_is_a_diagnostic(file: PolicyFile, path: Path) -> None:
    path.write_bytes(b"\xff\xff;")
    with pytest.raises(AcompassError, match="AC403"):
        file.read()
