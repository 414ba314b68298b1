"""The policy file is never overwritten unseen, and keeps its line ends and its byte order mark."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from acompass.diagnostics import AcompassError
from acompass.studio.policy_file import ABSENT, PolicyFile, Unseen
from tests.studio.pages import Page
from tests.studio.tables import AGES


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
def test_line_ends_and_the_mark_stay(file: PolicyFile, path: Path, before: bytes, after: bytes) -> None:
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

    def interrupted(self: Path, data: bytes) -> int:
        path.write_text("editor;", encoding="utf-8")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(Unseen):
        file.save("c;", seen)
    assert path.read_text(encoding="utf-8") == "editor;"
    assert [each.name for each in path.parent.iterdir()] == ["policy.acp"]


def test_of_two_writers_at_once_one_wins(page: Page) -> None:
    """Each has seen the same version. Whoever loses gets what the other wrote."""
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
    """Writers that try again until they have seen the newest version all get their line in."""
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


def test_the_page_notices_an_editor(page: Page, tmp_path: Path) -> None:
    before = page.ask("state")["version"]
    opened = page.ask("open")
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
