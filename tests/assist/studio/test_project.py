"""The settings of a project: pages share and undo them, and save them with the policy into the acompass.toml."""

from pathlib import Path
from typing import Any

import pytest

from acompass.assist.studio.saved_files import SettingsFiles, UnseenSettings
from acompass.assist.studio.settings import Settings
from acompass.policy import policy_settings, reading_settings, table_roles
from tests.assist.studio.browsing import AGES, CLASSES, write_people
from tests.assist.studio.pages import Page, open_studio

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"], "other": []}


def save(page: Page, text: str = CLASSES) -> dict[str, Any]:
    return page.ask("save", text=text, seen=page.ask("policy")["version"])["settings"]


def change(page: Page, **changed: Any) -> dict[str, Any]:
    settings: dict[str, Any] = page.ask("settings/change", **changed)["settings"]
    return settings


def test_policy_and_settings_are_saved_together_and_restored(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        assert page.ask("open")["opened"]["settings"]["unsaved"] is False
        page.ask("roles", roles=ROLES)
        change(page, params={"k": "2", "unused": "7", "empty": " "}, purpose="Study", valid_until="2027-12-31")
        page.ask("reading", reading={"missing": "drop"})
        assert page.ask("settings")["settings"]["unsaved"] is True
        assert not (tmp_path / "acompass.toml").exists()
        assert save(page)["unsaved"] is False
    settings = policy_settings(policy)
    assert (settings.table, dict(settings.params), settings.purpose) == (str(table), {"k": 2}, "Study")
    assert str(settings.valid_until) == "2027-12-31"
    assert table_roles(table).by_name == {role: tuple(names) for role, names in ROLES.items()}
    assert reading_settings(table) == {"missing": "drop"}
    with open_studio(policy, table, params={"k": "2"}, reading=reading_settings(table)) as (page, _):
        found = page.ask("open")["opened"]["settings"]
        assert (found["roles"], found["purpose"]) == ({**ROLES, "person": None}, "Study")
        assert (found["params"], found["unsaved"]) == ({"k": "2"}, False)


def test_the_settings_of_a_table_elsewhere_are_in_its_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    _, table = write_people(data)
    policy = tmp_path / "release.acp"
    with open_studio(policy, table) as (page, _):
        page.ask("roles", roles=ROLES)
        save(page)
    assert (tmp_path / "acompass.toml").read_text() == '[policy."release.acp"]\ntable = "data/people.csv"\n'
    assert table_roles(table).identifiers == ("Name",)
    assert "policy" not in (data / "acompass.toml").read_text()


def test_changes_are_undone_one_by_one_for_all_pages(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, access), Page(access.address) as other:
        page.ask("roles", roles=ROLES)
        other.ask("reading", reading={"missing": "drop"})
        change(page, purpose="S")
        change(page, purpose="Study")
        version = page.ask("state")["settings"]
        assert other.ask("settings/undo")["undone"] == "the purpose"
        assert page.ask("state")["settings"] > version
        undone = page.ask("settings/undo")
        assert (undone["undone"], page.ask("open")["opened"]["reading"]) == ("how the table is read", {})
        undone = page.ask("settings/undo")
        assert undone["undone"] == "the role of `Age`, `Zip`, `Disease`, `Name`"
        assert undone["settings"]["roles"]["identifiers"] == []
        assert (undone["settings"]["unsaved"], undone["settings"]["undo"]) == (False, None)
        assert page.ask("settings/undo")["undone"] is None


def test_reading_the_table_in_a_way_that_fails_changes_nothing(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        page.ask("reading", reading={"missing": "drop"})
        table.rename(tmp_path / "away.csv")
        assert page.ask("settings/undo")["diagnostics"]
        assert page.ask("settings")["settings"]["undo"] == "how the table is read"


def test_a_change_of_the_file_is_followed(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        before = page.ask("state")["settings"]
        (tmp_path / "acompass.toml").write_text('[table."people.csv"]\nidentifiers = ["name"]\n', encoding="utf-8")
        state = page.ask("state")
        assert (state["settings"] > before, state["settings_differ"]) == (True, False)
        found = page.ask("settings")["settings"]
        assert (found["roles"]["identifiers"], found["unsaved"]) == (["Name"], False)


def test_a_change_of_the_file_is_not_overwritten_unseen(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    theirs = '# theirs\n[table."people.csv"]\nother = ["Zip"]\n'
    with open_studio(policy, table) as (page, _):
        page.ask("roles", roles=ROLES)
        (tmp_path / "acompass.toml").write_text(theirs, encoding="utf-8")
        assert page.ask("state")["settings_differ"] is True
        refused = page.send("save", text=AGES, seen=page.ask("policy")["version"])
        assert (refused.status_code, refused.json()["settings"]) == (409, True)
        assert (tmp_path / "acompass.toml").read_text() == theirs
        page.ask("settings/choose", theirs=False)
        assert page.ask("state")["settings_differ"] is False
        save(page)
        assert (tmp_path / "acompass.toml").read_text().startswith("# theirs\n")
        assert table_roles(table).by_name == {role: tuple(names) for role, names in ROLES.items()}
        page.ask("roles", roles={})
        (tmp_path / "acompass.toml").write_text(theirs, encoding="utf-8")
        assert page.ask("settings/choose", theirs=True)["settings"]["roles"]["other"] == ["Zip"]


def test_a_file_that_is_not_valid_is_reported_and_not_overwritten(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        (tmp_path / "acompass.toml").write_text("[table\n", encoding="utf-8")
        assert page.ask("state")["settings_differ"] is True
        assert "not TOML" in page.ask("state")["problem"]
        assert page.ask("settings/choose", theirs=True)["diagnostics"][0]["code"] == "AC625"
        page.ask("settings/choose", theirs=False)
        answer = page.ask("save", text=AGES, seen=page.ask("policy")["version"])
        assert answer["diagnostics"][0]["code"] == "AC625"
        assert answer["version"] == page.ask("policy")["version"], "the text is saved"
        assert (tmp_path / "acompass.toml").read_text() == "[table\n"


def test_files_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        policy.unlink()
        policy.mkdir()
        state = page.ask("state")
        assert (state["version"], state["project"]) == (None, page.ask("state")["project"])
        assert "cannot read policy" in state["problem"]
        policy.rmdir()
        (tmp_path / "acompass.toml").mkdir()
        assert page.send("state").status_code == 200
        saved = page.ask("save", text=AGES, seen="")
        assert [each["code"] for each in saved["diagnostics"]] == ["AC491"]


def test_settings_stay_when_their_file_is_deleted(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, _):
        page.ask("roles", roles=ROLES)
        save(page)
        (tmp_path / "acompass.toml").unlink()
        assert page.ask("state")["settings_differ"] is False
        now = page.ask("settings")["settings"]
        assert (now["unsaved"], now["roles"]["identifiers"]) == (True, ["Name"])
        assert save(page)["unsaved"] is False
    assert table_roles(table).identifiers == ("Name",)


def test_a_page_of_an_earlier_start_restores_its_settings(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (page, access):
        first = page.ask("state")
        page.ask("roles", roles=ROLES)
        page.ask("reading", reading={"missing": "drop"})
        kept = change(page, params={"k": "3"}, purpose="Study")
        port = access.port
    with open_studio(policy, table) as (page, access):
        assert access.port == port
        state = page.ask("state")
        assert (state["files"], state["project"] == first["project"]) == (first["files"], False)
        restored = page.ask("settings/restore", **kept)["settings"]
        assert {**restored, "version": 0, "undo": ""} == {**kept, "version": 0, "undo": ""}
        assert page.send("settings/restore", **(kept | {"reading": {"header": "yes"}})).status_code == 400


def test_a_second_studio_on_the_same_files_has_another_port(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path)
    with open_studio(policy, table) as (_, first), open_studio(policy, table) as (_, second):
        assert first.port != second.port


@pytest.mark.parametrize("wrong", [{"valid_until": "tomorrow"}, {"purpose": "two\nlines"}])
def test_a_value_that_the_file_cannot_have_is_refused(tmp_path: Path, wrong: dict[str, str]) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert page.send("settings/change", **wrong).status_code == 400


def test_a_change_during_the_save_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy, table = write_people(tmp_path)
    settings, write = tmp_path / "acompass.toml", Path.write_bytes
    files = SettingsFiles(str(policy), str(table))

    def write_after_the_editor(self: Path, data: bytes) -> int:
        settings.write_text("# editor\n", encoding="utf-8")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_after_the_editor)
    with pytest.raises(UnseenSettings):
        files.save(Settings(), files.version)
    assert settings.read_text() == "# editor\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["acompass.toml", "people.acp", "people.csv"]
