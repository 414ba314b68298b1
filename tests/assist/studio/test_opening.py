"""The start page: what it lists, opens, receives and remembers."""

import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from acompass.assist.studio.server import run_studio
from acompass.assist.studio.state import Start, _own_policy
from acompass.assist.studio.workspace import MOST_RECENT, PrivateFolder, private_folder
from tests.assist.studio.browsing import AGES, PEOPLE, write_people
from tests.assist.studio.pages import Page
from tests.waiting import wait_until


@pytest.fixture
def private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The studio's own folder, which does not exist yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "acompass" / "studio"


@pytest.fixture
def start(private: Path, tmp_path: Path) -> Iterator[Page]:
    """A start page on a folder with a policy and a table."""
    write_people(tmp_path)
    with run_studio(None, folder=str(tmp_path)) as running, Page(running.access.address) as page:
        yield page


def send(page: Page, content: bytes, name: str = "people.csv") -> httpx.Response:
    headers = {"Origin": page.origin, "Content-Type": "application/octet-stream"}
    return page.http.post("/api/upload", params={"name": name}, content=content, headers=headers)


def opened(page: Page, path: Path, **body: Any) -> dict[str, Any]:
    answer = page.ask("open/table", path=str(path), **body)
    assert answer["diagnostics"] == []
    found: dict[str, Any] = answer["opened"]
    return found


def test_a_table_is_opened_in_place_and_becomes_recent(start: Page, tmp_path: Path) -> None:
    assert start.ask("open")["opened"] is None
    found = opened(start, tmp_path / "people.csv")
    assert found["policy"]["text"] == AGES
    assert found["table"]["path"] == str(tmp_path / "people.csv")
    assert found["folder"] == str(tmp_path)
    assert start.ask("open")["opened"]["project"] == found["project"]
    assert start.ask("verdicts", text=AGES, params={}, project=found["project"])["verdicts"]["ok"]
    recent = start.ask("start")["recent"]
    assert [(each["policy"], each["table"], each["exists"]) for each in recent] == [
        (str(tmp_path / "people.acp"), str(tmp_path / "people.csv"), True)
    ]


@pytest.mark.parametrize(
    ("table", "policy"), [("visits.2023.csv", "visits.2023.acp"), ("visits.TSV", "visits.acp"), ("v.csv.gz", "v.acp")]
)
def test_each_table_has_a_policy_of_its_own(table: str, policy: str) -> None:
    assert _own_policy(Path(table)).name == policy


def test_a_policy_and_a_folder_open_the_table_of_the_settings(start: Page, tmp_path: Path) -> None:
    answer = start.ask("open/table", path=str(tmp_path / "people.acp"))
    assert answer["opened"] is None
    assert [each["code"] for each in answer["diagnostics"]] == ["AC411"]
    with_table = opened(start, tmp_path / "people.csv", policy=str(tmp_path / "people.acp"))
    assert with_table["policy"]["name"] == "people.acp"
    settings = (
        '[policy."people.acp"]\ntable = "people.csv"\nparams = { k = 5 }\n[table."people.csv"]\nperson = "Name"\n'
    )
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    for path in (tmp_path / "people.acp", tmp_path):
        found = opened(start, path)
        assert found["params"] == {"k": "5"}
        assert found["roles"]["person"] == "Name"


def test_what_cannot_be_opened_leaves_the_open_table(start: Page, tmp_path: Path) -> None:
    first = opened(start, tmp_path / "people.csv")
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 no")
    for path in (tmp_path / "broken.parquet", tmp_path / "nothing.csv", tmp_path):
        answer = start.ask("open/table", path=str(path))
        assert answer["opened"] is None
        assert answer["diagnostics"]
    assert start.ask("open")["opened"]["project"] == first["project"]
    assert start.send("open/table", path="people.csv").status_code == 400
    assert start.send("open/table", path="/people\0.csv").status_code == 400


def test_a_page_of_another_table_learns_that_and_is_not_answered(start: Page, tmp_path: Path) -> None:
    first = opened(start, tmp_path / "people.csv")
    example = start.ask("example", name="admissions.csv")["opened"]
    assert example["table"]["records"] == 300
    assert start.ask("state", project=first["project"])["project"] == example["project"]
    assert start.send("verdicts", text=AGES, params={}, project=first["project"]).status_code == 409
    assert start.send("reading", reading={}, project=first["project"]).status_code == 409


def test_the_table_is_read_again_with_other_options(start: Page, tmp_path: Path) -> None:
    path = tmp_path / "local.csv"
    path.write_text("Name;Income;Born\nAnn;1,5;03.04.1990\nBob;2,5;24.12.1991\n", encoding="utf-8")
    found = opened(start, path, reading={"delimiter": ";"})
    start.ask("roles", roles={"identifiers": ["Name"], "other": ["Born"], "person": "Name"})
    incomes = "EACH RESULT : Income <= 2;\n"
    assert start.ask("verdicts", text=incomes, params={})["diagnostics"][0]["code"] == "AC210"
    reading = {"delimiter": ";", "decimal": ",", "dates": {"Born": "%d.%m.%Y"}, "na": ["NA"]}
    again = start.ask("reading", reading=reading)["opened"]
    assert again["reading"] == reading
    assert again["roles"]["identifiers"] == ["Name"]
    assert start.ask("state")["settings"] == again["settings"]["version"] > found["settings"]["version"]
    assert again["settings"]["unsaved"]
    assert start.ask("verdicts", text=incomes, params={})["verdicts"]["requirements"][0]["affected"] == 1
    born = "EACH RESULT : Born <= '1991-01-01';\n"
    assert start.ask("verdicts", text=born, params={})["verdicts"]["requirements"][0]["affected"] == 1


def test_options_that_fail_leave_the_table_as_it_was_read(start: Page, tmp_path: Path) -> None:
    before = opened(start, tmp_path / "people.csv")
    for reading, code in (
        ({"encoding": "none"}, "AC241"),
        ({"dates": {"Nothing": "%d.%m.%Y"}}, "AC236"),
        ({"delimiter": "x"}, "AC225"),
    ):
        answer = start.ask("reading", reading=reading)
        assert answer["opened"] is None
        assert [each["code"] for each in answer["diagnostics"]] == [code]
        assert "--" not in str(answer["diagnostics"]), "the page has no flags"
    now = start.ask("open")["opened"]
    assert now["reading"] == before["reading"]
    assert now["settings"] == before["settings"]
    assert start.ask("verdicts", text=AGES, params={})["verdicts"]["ok"]
    for wrong in ({"missing": []}, {"delimiter": []}, {"dates": "x"}, {"header": 1}):
        assert start.send("reading", reading=wrong).status_code == 400, wrong
    assert start.ask("reading", reading={"engine": "postgres://evil"})["opened"]["reading"] == before["reading"]


def test_a_saved_project_is_read_as_it_was_saved(start: Page, tmp_path: Path) -> None:
    """Words and dates that the user has rejected are not found again; those of a new table are."""
    path = tmp_path / "local.csv"
    path.write_text("Born,Land,Sex\n13.4.1990,NULL,F\n24.12.1991,?,M\n", encoding="utf-8")
    found = opened(start, path)
    assert found["reading"] == {"na": ["NULL"], "dates": {"Born": "%d.%m.%Y"}}
    start.ask("reading", reading={"na": [], "missing": {"Land": "drop"}})
    start.ask("save", text=AGES, seen="")
    assert opened(start, path)["reading"] == {"missing": {"Land": "drop"}}
    assert start.ask("detect", path=str(path), shown=True)["detected"]["options"]["missing"] == {"Land": "drop"}
    (tmp_path / "local.acp").unlink()
    (tmp_path / "acompass.toml").unlink()
    assert opened(start, path)["reading"] == found["reading"]


def test_a_table_whose_folder_cannot_be_written_goes_on_as_a_copy(start: Page, tmp_path: Path, private: Path) -> None:
    found = opened(start, tmp_path / "people.csv")
    assert found["is_writable"] is True
    copy = start.ask("open/copy", project=found["project"])["opened"]
    assert copy["table"]["path"] == str(private / "tables" / "people.csv")
    assert (copy["table"]["records"], copy["folder"]) == (6, str(private / "tables"))
    (private / "tables" / "people.csv").unlink()
    assert start.send("open/copy").json()["error"]["message"] == (
        "people.csv cannot be copied: no such file or directory"
    )
    if os.geteuid() != 0:
        tmp_path.chmod(0o555)
        assert opened(start, tmp_path / "people.csv")["is_writable"] is False
        tmp_path.chmod(0o755)


def test_missing_values_of_the_command_line_are_shown_by_column(private: Path, tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    reading: Any = {"missing": ("drop", "Zip=?"), "dates": ("Disease=%d.%m.%Y",)}
    with run_studio(Start(str(policy), str(table), reading=reading)) as running, Page(running.access.address) as page:
        shown = page.ask("open")["opened"]["reading"]
        assert shown["missing"] == {"Name": "drop", "Age": "drop", "Zip": "?", "Disease": "drop"}
        assert shown["dates"] == {"Disease": "%d.%m.%Y"}


def test_the_first_records_are_shown_only_with_values(start: Page, tmp_path: Path) -> None:
    opened(start, tmp_path / "people.csv")
    assert start.ask("detect", reading={})["detected"]["rows"][0][0] == "Ann"
    start.ask("show", on=False)
    for body in ({}, {"path": str(tmp_path / "people.csv")}):
        hidden = start.ask("detect", reading={}, **body)
        assert hidden["detected"]["rows"] == []
        assert "Ann" not in json.dumps(hidden)
    assert opened(start, tmp_path / "people.csv")["show_records"] is False, "as it was before another table was opened"


def test_a_folder_is_listed_by_names_only(start: Page, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden.csv").write_text("Secret\n1\n", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("Secret", encoding="utf-8")
    (tmp_path / "linked.csv").symlink_to(tmp_path / "people.csv")
    (tmp_path / "nowhere.csv").symlink_to(tmp_path / "nothing.csv")
    (tmp_path / "there").symlink_to(tmp_path / "inner")
    found = start.ask("browse")
    assert found["path"] == str(tmp_path)
    assert found["parent"] == str(tmp_path.parent)
    names = [(each["name"], each["path"]) for each in found["folders"] if each["name"] != "data"]
    assert names == [("inner", str(tmp_path / "inner")), ("there", str(tmp_path / "inner"))]
    files = {each["name"]: each for each in found["files"]}
    assert list(files) == ["linked.csv", "people.acp", "people.csv"]
    assert files["people.csv"]["size"] == len(PEOPLE)
    assert (files["people.acp"]["kind"], files["people.csv"]["kind"]) == ("policy", "table")
    assert set(files["people.csv"]) == {"name", "path", "kind", "size", "changed"}
    inner = start.ask("browse", path=str(tmp_path / "there"))
    assert (inner["path"], inner["files"]) == (str(tmp_path / "inner"), [])


def test_a_folder_that_cannot_be_read_says_why(start: Page, tmp_path: Path) -> None:
    assert start.ask("browse", path=str(tmp_path / "nothing"))["error"] == "no such file or directory"
    assert start.ask("browse", path=str(tmp_path / "people.csv"))["error"] == "not a directory"
    assert start.send("browse", path="../..").status_code == 400
    if os.geteuid() != 0:
        (tmp_path / "locked").mkdir(0o000)
        assert start.ask("browse", path=str(tmp_path / "locked"))["error"] == "permission denied"


def test_a_sent_table_is_kept_privately_and_never_replaced(start: Page, private: Path) -> None:
    first = send(start, b"Age\n1\n").json()
    assert first["path"] == str(private / "tables" / "people.csv")
    assert send(start, b"Age\n1\n").json() == first
    assert send(start, b"Age\n2\n").json()["path"] == str(private / "tables" / "people-2.csv")
    assert send(start, b"Age\n3\n").json()["path"] == str(private / "tables" / "people-3.csv")
    assert send(start, b"Age\n2\n").json()["path"] == str(private / "tables" / "people-2.csv")
    assert (private / "tables" / "people.csv").read_bytes() == b"Age\n1\n"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert stat.S_IMODE((private / "tables").stat().st_mode) == 0o700
    assert stat.S_IMODE((private / "tables" / "people.csv").stat().st_mode) == 0o600
    assert opened(start, Path(first["path"]))["table"]["records"] == 1


def test_a_table_that_is_not_sent_completely_is_removed(start: Page, private: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"Age\n"
        wait_until(lambda: list((private / "tables").glob(".*.part")) != [])
        raise ConnectionAbortedError

    headers = {"Origin": start.origin, "Content-Type": "application/octet-stream"}
    with pytest.raises(ConnectionAbortedError):
        start.http.post("/api/upload?name=people.csv", content=parts(), headers=headers)
    wait_until(lambda: list((private / "tables").iterdir()) == [])
    assert send(start, b"").status_code == 400
    assert list((private / "tables").iterdir()) == []


def test_a_table_that_turns_out_too_large_is_removed(
    start: Page, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page may send a table without saying how large it is."""
    monkeypatch.setattr("acompass.assist.studio.workspace.MOST_SENT", 10)
    headers = {"Origin": start.origin, "Content-Type": "application/octet-stream"}
    parts = (b"Age\n" for _ in range(5))
    assert start.http.post("/api/upload?name=people.csv", content=parts, headers=headers).status_code == 413
    assert list((private / "tables").iterdir()) == []


def test_the_example_is_a_copy_whose_policy_stays(start: Page, private: Path) -> None:
    found = start.ask("example", name="admissions.csv")["opened"]
    assert found["folder"] == str(private / "example")
    start.ask("save", text="-- mine\n", seen="")
    assert start.ask("example", name="admissions.csv")["opened"]["policy"]["text"] == "-- mine\n"
    assert start.send("example", name="../../etc/passwd").status_code == 404


def test_recent_projects_that_are_gone_are_marked_and_can_be_removed(start: Page, tmp_path: Path) -> None:
    opened(start, tmp_path / "people.csv")
    (tmp_path / "people.csv").unlink()
    (recent,) = start.ask("start")["recent"]
    assert recent["exists"] is False
    assert start.ask("forget", key=recent["key"])["recent"] == []
    assert (tmp_path / "people.acp").exists()


def test_damaged_entries_are_passed_over(private: Path) -> None:
    folder = PrivateFolder(private)
    folder.note_recent(Start("a.acp", "a.csv"))
    for number, content in enumerate((b"", b"{", b"\xff", b"[]", b"3", b'{"policy": 1}', b"[" * 100_000)):
        (private / "recent" / f"{number}.json").write_bytes(content)
    assert [Path(each.table).name for each in folder.recent] == ["a.csv"]


def test_two_studios_keep_one_list(private: Path) -> None:
    folders = [PrivateFolder(private) for _ in range(4)]

    def note(folder: PrivateFolder, name: str) -> None:
        for number in range(5):
            folder.note_recent(Start(f"{name}{number}.acp", f"{name}{number}.csv"))

    threads = [threading.Thread(target=note, args=each) for each in zip(folders, "abcd", strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders[0].recent) == 20
    folders[0].note_recent(Start("a0.acp", "a0.csv"))
    assert Path(folders[0].recent[0].table).name == "a0.csv"
    assert len(folders[0].recent) == 20
    for number in range(MOST_RECENT):
        folders[0].note_recent(Start(f"z{number}.acp", f"z{number}.csv"))
    assert len(folders[0].recent) == MOST_RECENT


def test_a_folder_that_cannot_be_written_keeps_nothing_from_opening(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    for folder in (PrivateFolder(blocked / "studio"), PrivateFolder(None)):
        folder.note_recent(Start("a.acp", "a.csv"))
        assert folder.recent == []


def test_each_platform_has_its_own_private_folder() -> None:
    def place(platform: str, **environment: str) -> str | None:
        found = private_folder(platform, environment)
        return None if found is None else found.as_posix()

    assert place("linux", HOME="/users/ann") == "/users/ann/.local/share/acompass/studio"
    assert place("linux", HOME="/users/ann", XDG_DATA_HOME="/data") == "/data/acompass/studio"
    assert place("linux", HOME="/users/ann", XDG_DATA_HOME="data") == "/users/ann/.local/share/acompass/studio"
    assert place("darwin", HOME="/Users/ann") == "/Users/ann/Library/Application Support/acompass/studio"
    assert place("win32", LOCALAPPDATA="C:/Users/ann/AppData/Local") == "C:/Users/ann/AppData/Local/acompass/studio"
    assert place("linux") is None
