"""The hierarchy editor in a browser: bands on the histogram with the mouse, groups by keyboard alone, ARX files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, expect

from tests.assist.studio.browsing import SIZE, Tab, open_tab
from tests.assist.studio.pages import start_studio
from tests.assist.studio.test_hierarchies import POLICY, write_table
from tests.assist.studio.test_page_accessible import PHONE, RULES
from tests.report.browser import browser

__all__ = ["browser"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_table(tmp_path)
    return tmp_path


@pytest.fixture
def tab(browser: Browser, folder: Path) -> Iterator[Tab]:
    with start_studio("release.acp", "people.csv", folder=folder) as (_, address), open_tab(browser, address) as tab:
        yield tab


def opener(tab: Tab, column: str) -> Locator:
    """The button that opens the editor, in the details of the column."""
    tab.show("Columns")
    tab.table("Columns with their roles").get_by_role("button", name=column, exact=True).press("Enter")
    expect(tab.heading(f"Column {column}")).to_be_visible()
    return tab.page.get_by_role("button", name="Edit hierarchy")


def open_editor(tab: Tab, column: str) -> Locator:
    opener(tab, column).click()
    dialog = tab.page.get_by_role("dialog", name=f"Hierarchy of {column}")
    expect(dialog.get_by_role("heading", name="What each group holds")).to_be_visible()
    return dialog


def choose(dialog: Locator, mode: str) -> None:
    dialog.get_by_role("radio", name=mode, exact=True).check()


def drag(tab: Tab, handle: Locator, by: float) -> None:
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + by, y, steps=5)
    tab.page.mouse.up()


def test_a_boundary_is_dragged_on_the_histogram(tab: Tab) -> None:
    dialog = open_editor(tab, "age")
    choose(dialog, "Boundaries")
    dialog.get_by_label("Number of bands").fill("3")
    dialog.get_by_role("button", name="Equal count").click()
    first = dialog.get_by_label("Boundary 1", exact=True)
    expect(first).to_have_value("30")
    chart = dialog.locator(".cuts svg")
    box = chart.bounding_box()
    assert box is not None
    drag(tab, dialog.locator(".handle").first, -box["width"] / 10)  # the histogram shows 18 to 68
    expect(first).to_have_value("25")
    expect(dialog.get_by_role("row", name="<25")).to_contain_text("6")
    dialog.get_by_role("button", name="Undo").click()
    expect(first).to_have_value("30")
    dialog.get_by_role("button", name="Use in the policy").click()
    expect(dialog).to_have_count(0)
    expect(tab.editor).to_contain_text("ALWAYS : GENERALIZE age TO BANDS AT 30,")


def test_groups_are_made_by_keyboard_alone(tab: Tab, folder: Path) -> None:
    button = opener(tab, "job")
    button.focus()
    keys = tab.page.keyboard
    keys.press("Enter")
    dialog = tab.page.get_by_role("dialog", name="Hierarchy of job")
    baker = dialog.get_by_role("checkbox", name="baker")
    expect(baker).to_be_visible()
    baker.focus()
    keys.press("Space")
    keys.press("Shift+ArrowDown")
    expect(dialog.get_by_text("2 selected")).to_be_visible()
    dialog.get_by_role("combobox", name="Merge into").focus()
    keys.type("food")
    keys.press("Enter")
    expect(dialog.get_by_text("2 items merged into food")).to_be_attached()
    expect(dialog.get_by_text("2 values (12 records) without a group: judge, nurse")).to_be_visible()
    expect(dialog.get_by_role("button", name="Use in the policy")).to_be_disabled()
    dialog.get_by_role("checkbox", name="baker").focus()
    keys.press("F2")
    keys.type("kitchen")
    keys.press("Enter")
    expect(dialog.get_by_label("Name of the group kitchen")).to_be_visible()
    dialog.get_by_role("checkbox", name="judge").focus()
    keys.press("Space")
    dialog.get_by_role("button", name="Keep each").press("Enter")
    keys.press("ControlOrMeta+z")
    expect(dialog.get_by_text("Without a group (2)")).to_be_visible()
    keys.press("ControlOrMeta+Shift+z")
    dialog.get_by_role("combobox", name="Values without a group").focus()
    keys.press("ArrowDown")
    expect(dialog.get_by_text("1 value (6 records) not in the file become *: nurse.")).to_be_visible()
    dialog.get_by_role("button", name="Use in the policy").press("Enter")
    expect(dialog).to_have_count(0)
    expect(button).to_be_focused()
    expect(tab.editor).to_contain_text("ALWAYS : GENERALIZE job TO LEVEL 1 OF 'job.csv' ELSE '*';")
    assert (folder / "job.csv").read_text(encoding="utf-8") == "baker;kitchen;*\ncook;kitchen;*\njudge;judge;*\n"


def test_values_are_dragged_into_groups_at_two_levels(tab: Tab) -> None:
    dialog = open_editor(tab, "job")
    dialog.get_by_text("baker", exact=True).drag_to(dialog.get_by_text("Drop values here for a new group"))
    group = dialog.locator(".group", has=tab.page.get_by_label("Name of the group baker"))
    dialog.get_by_text("cook", exact=True).drag_to(group)
    expect(group.get_by_role("checkbox")).to_have_count(2)
    dialog.get_by_role("button", name="Add a level").click()
    expect(dialog.get_by_role("button", name="Level 2", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(dialog.get_by_role("checkbox", name="baker")).to_be_visible()
    expect(dialog.get_by_role("checkbox", name="cook")).to_have_count(0)
    dialog.get_by_role("button", name="Level 1", exact=True).click()
    dialog.get_by_label("First characters").fill("1")
    dialog.get_by_role("button", name="Group by them").click()
    expect(dialog.get_by_text("Every value has a group.")).to_be_visible()
    expect(dialog.get_by_label("Name of the group j")).to_be_visible()


def test_a_file_of_arx_is_loaded_and_shows_what_it_lacks(tab: Tab, folder: Path) -> None:
    (folder / "jobs.csv").write_text("baker;food;all\ncook;food;all\njudge;law;all\npilot;air;all\n", encoding="utf-8")
    dialog = open_editor(tab, "job")
    dialog.get_by_label("File in the policy's folder").fill("jobs.csv")
    dialog.get_by_role("button", name="Load", exact=True).click()
    expect(dialog.get_by_text("it lacks 1 value of the column; 1 value of the file do not occur")).to_be_visible()
    expect(dialog.get_by_label("Name of the group law")).to_be_visible()
    expect(dialog.get_by_text("1 value (6 records) without a group: nurse.")).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    dialog = open_editor(tab, "job")
    expect(dialog.get_by_text("They are not used yet")).to_be_visible()
    expect(dialog.get_by_label("Name of the group law")).to_be_visible()
    dialog.get_by_role("button", name="Start again").click()
    expect(dialog.get_by_text("Without a group (4)")).to_be_visible()
    (folder / "old.csv").write_bytes("baker;Bäckerei;*\n".encode("cp1252"))
    dialog.get_by_label("Or load another file").set_input_files(folder / "old.csv")
    expect(dialog.get_by_label("Name of the group Bäckerei")).to_be_visible()
    expect(dialog.get_by_text("2 levels, read as cp1252")).to_be_visible()


MODES = {"age": ("Bands of one width", "Boundaries"), "job": ("Groups by hand",), "seen": ("Dates",)}
CONTROLS = "button:visible, select:visible, summary:visible, label.item:visible"


@pytest.mark.parametrize("size", [SIZE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_the_editor(browser: Browser, folder: Path, scheme: str, size: tuple[int, int]) -> None:
    with (
        start_studio("release.acp", "people.csv", folder=folder) as (_, address),
        open_tab(browser, address, size, color_scheme=scheme) as tab,
    ):
        for column, modes in MODES.items():
            dialog = open_editor(tab, column)
            for mode in modes:
                choose(dialog, mode)
                if mode == "Boundaries":
                    dialog.get_by_role("button", name="Equal width").click()
                    expect(dialog.get_by_label("Boundary 1", exact=True)).to_be_visible()
                expect(dialog.locator("[aria-busy=true], .dim")).to_have_count(0)
                found = Axe().run(tab.page, options={"runOnly": RULES}).response["violations"]
                assert [f"{each['id']}: {node['html']}" for each in found for node in each["nodes"]] == [], mode
                assert int(dialog.evaluate("element => element.scrollWidth - element.clientWidth")) <= 0, mode
                for control in dialog.locator(CONTROLS).all():
                    place = control.bounding_box()
                    assert place is not None
                    assert min(place["width"], place["height"]) >= 24, control.inner_html()
            dialog.get_by_role("button", name="Close").click()


def test_a_hierarchy_file_is_edited_from_the_policys_line(browser: Browser, tmp_path: Path) -> None:
    policy, _ = write_table(tmp_path)
    (tmp_path / "jobs.csv").write_text("baker;food;*\ncook;food;*\njudge;law;*\nnurse;care;*\n", encoding="utf-8")
    policy.write_text(f"ALWAYS : GENERALIZE job TO LEVEL 1 OF 'jobs.csv';\n{POLICY}", encoding="utf-8")
    with start_studio("release.acp", "people.csv", folder=tmp_path) as (_, address), open_tab(browser, address) as tab:
        dialog = open_editor(tab, "job")
        expect(dialog.get_by_label("Name of the group care")).to_be_visible()
        name = dialog.get_by_label("Name of the group law")
        name.fill("justice")
        name.press("Enter")
        dialog.get_by_role("button", name="Use in the policy").click()
        expect(dialog.get_by_text("jobs.csv already exists")).to_be_visible()
        dialog.get_by_role("button", name="Replace").click()
        expect(dialog).to_have_count(0)
        assert "judge;justice;*" in (tmp_path / "jobs.csv").read_text(encoding="utf-8")


def test_levels_for_the_search_are_kept_undone_and_shown_after_a_reload(tab: Tab, folder: Path) -> None:
    """The editor is a place in the browser's history."""
    tab.show("Columns")
    tab.mark(age="quasi-identifier", job="quasi-identifier")
    tab.show("Rule or search", "Search")
    page, levels = tab.page, tab.page.get_by_role("group", name="Levels of the columns")
    expect(levels.get_by_text("age: derived from its values")).to_be_visible()
    levels.get_by_role("link", name="Edit the hierarchy of age").click()
    dialog = page.get_by_role("dialog", name="Hierarchy of age")
    dialog.get_by_label("Widths, from narrow to wide").fill("10, 20")
    page.go_back()
    expect(dialog).to_have_count(0)
    assert page.url.endswith("#rule/search")
    page.go_forward()
    expect(dialog).to_be_visible()
    page.reload()
    expect(dialog.get_by_label("Widths, from narrow to wide")).to_have_value("5")
    dialog.get_by_label("Widths, from narrow to wide").fill("10, 20")
    dialog.get_by_role("button", name="Use in the search").click()
    expect(dialog).to_have_count(0)
    expect(levels.get_by_text("age: bands of 10, 20, chosen in this project")).to_be_visible()
    levels.get_by_role("link", name="Edit the hierarchy of job").click()
    groups = page.get_by_role("dialog", name="Hierarchy of job")
    choose(groups, "Groups by hand")
    groups.get_by_role("checkbox", name="baker").check()
    groups.get_by_role("button", name="Keep each").click()
    expect(groups.get_by_text("A search needs a group for every value, and 3 values have none.")).to_be_visible()
    groups.get_by_role("button", name="Select all").click()
    groups.get_by_role("combobox", name="Merge into").fill("work")
    groups.get_by_role("button", name="Merge", exact=True).click()
    groups.get_by_role("button", name="Use in the search").click()
    expect(levels.get_by_text("job: the levels of job.csv, chosen in this project")).to_be_visible()
    tab.press("Undo")
    expect(levels.get_by_text("job: derived from its values")).to_be_visible()
    tab.save()
    page.reload()
    expect(levels.get_by_text("age: bands of 10, 20, chosen in this project")).to_be_visible()
    assert 'hierarchies = {age = "bands:10,20"}' in (folder / "acompass.toml").read_text(encoding="utf-8")
    levels.get_by_role("link", name="Edit the hierarchy of age").click()
    expect(dialog.get_by_label("Widths, from narrow to wide")).to_have_value("10, 20")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    levels.get_by_role("button", name="Derive them from the values").click()
    expect(levels.get_by_text("age: derived from its values")).to_be_visible()
