"""From `acompass studio` to a written release, on unprepared tables: by mouse, and by keyboard alone."""

import csv
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import acompass
from tests.assist.studio.whole_way import (
    JOURNEYS,
    PURPOSE,
    Hand,
    Keyboard,
    Mouse,
    open_report,
    settle,
    step_link,
    visit,
    whole_way,
)
from tests.report.browser import browser

__all__ = ["browser"]

pytest.importorskip("numpy")

K = 5
MOST_ACTIONS = 15
Records = list[dict[str, str]]
GENERAL_DATE = re.compile(r"\*|\d{4}(-(Q\d|\d\d))?|\d{4}-\d{4}")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recent projects of other tests."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))


@pytest.mark.parametrize(
    ("name", "hand"),
    [*((name, Mouse) for name in JOURNEYS), ("birds", Keyboard), ("visits", Keyboard)],
    ids=lambda each: each if isinstance(each, str) else each.__name__.lower(),
)
def test_a_raw_table_becomes_a_release_and_opens_again(
    browser: Browser, tmp_path: Path, name: str, hand: type[Hand]
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    journey = JOURNEYS[name]
    table = journey.write(folder)
    with visit(browser, folder) as visited:
        acting = hand(visited.page)
        for _ in whole_way(acting, table.name, journey):
            pass
        report = open_report(acting)
        written = visited.page.get_by_role("textbox", name="Policy text").inner_text()
    print(f"{name} by {hand.__name__.lower()}: {acting.actions} actions")
    assert acting.actions <= MOST_ACTIONS
    assert PURPOSE in report
    assert "every check holds" in report
    _require_anonymous(name, folder, table.stem)
    _require_restored(browser, folder, table.stem, written)


def _require_anonymous(name: str, folder: Path, stem: str) -> None:
    """The released table, read without A-COMPASS."""
    settings = tomllib.loads((folder / "acompass.toml").read_text())
    roles = next(iter(settings["table"].values()))
    # a release is written as its table was
    written = {"encoding": "cp1252", "delimiter": ";"} if name == "ambulance" else {}
    released = _read(folder / f"{stem}-released.csv", **written)
    assert not set(roles.get("identifiers", ())) & set(released[0])
    quasi = roles["quasi-identifiers"]
    {"birds": _birds, "ambulance": _ambulance, "claims": _claims, "visits": _visits}[name](released, quasi)
    if "person" in roles:
        smallest = _smallest_in_persons(folder, stem, roles["person"], released, quasi)
    else:
        smallest = min(Counter(_key(each, quasi) for each in released).values())
    assert smallest >= K
    assert {each.name for each in folder.iterdir()} == {
        "acompass.toml",
        *(f"{stem}{end}" for end in (".csv", ".acp", "-released.csv", "-report.html", "-internal.html")),
    }


def _read(path: Path, encoding: str = "utf-8", delimiter: str = ",") -> Records:
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def _key(record: Mapping[str, str], columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(record[column] for column in columns)


def _birds(released: Records, quasi: Sequence[str]) -> None:
    assert quasi == ["date", "sex", "age_code"]
    assert list(released[0]) == ["date", "species", "sex", "age_code", "site", "weight"]  # the ringer was removed
    assert all(GENERAL_DATE.fullmatch(each["date"]) for each in released)
    assert {each["sex"] for each in released} <= {"M", "F", "*"}


def _ambulance(released: Records, quasi: Sequence[str]) -> None:
    assert {"Anruf", "Alter", "Ort"} <= set(quasi)
    assert all(GENERAL_DATE.fullmatch(each["Anruf"]) for each in released)
    assert not {"NA", ""} & {each["Alter"] for each in released}
    assert {each["Ort"] for each in released} <= {"Köln", "Düren", "Jülich", "Hürth", "*"}


def _claims(released: Records, quasi: Sequence[str]) -> None:
    assert {"postal_code", "birth_year"} <= set(quasi)
    for column in ("postal_code", "occupation_code"):
        assert all(re.fullmatch(r"\*|\d+\**", each[column]) for each in released), "a code is never put into bands"
    assert any(each["postal_code"].startswith("0") for each in released)


def _visits(released: Records, quasi: Sequence[str]) -> None:
    assert {"visit", "age", "zip"} <= set(quasi)
    assert all(GENERAL_DATE.fullmatch(each["visit"]) for each in released)


def _smallest_in_persons(folder: Path, stem: str, person: str, released: Records, quasi: Sequence[str]) -> int:
    """The persons behind the smallest class: the same release with the column that tells them apart."""
    policy = (folder / f"{stem}.acp").read_text()
    dropping = f"ALWAYS : DROP {person};"
    assert policy.count(dropping) == 1
    table = folder.parent / "persons.csv"
    acompass.run(policy.replace(dropping, ""), str(folder / f"{stem}.csv"), output=str(table), roles={})
    known = _read(table)
    assert [{name: each[name] for name in released[0]} for each in known] == released
    persons = defaultdict(set)
    for each in known:
        persons[_key(each, quasi)].add(each[person])
    return min(map(len, persons.values()))


def _require_restored(browser: Browser, folder: Path, stem: str, written: str) -> None:
    """Opening the folder again shows the policy, its settings and the table as they were."""
    before = (folder / "acompass.toml").read_bytes()
    with visit(browser, folder) as visited:
        page = visited.page
        page.get_by_role("list", name="Projects of this folder").get_by_role("button", name=f"{stem}.acp").click()
        editor = page.get_by_role("textbox", name="Policy text")
        expect(editor).to_be_visible()
        assert editor.inner_text() == written
        expect(page.get_by_text("saved", exact=True)).to_be_visible()
        step_link(page, "Release").click()
        expect(page.get_by_label("Purpose")).to_have_value(PURPOSE)
        expect(page.get_by_text("records in the table,")).to_be_visible()
        step_link(page, "Columns").click()
        expect(page.get_by_text("without a role")).to_have_count(0)
        expect(page.get_by_text("no check is violated")).to_be_visible()
        settle(page)
    assert (folder / "acompass.toml").read_bytes() == before
