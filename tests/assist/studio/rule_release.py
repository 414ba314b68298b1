"""A hospital table released by the HIPAA Safe Harbor rule in the page, for its test and its screenshots."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import expect

from tests.assist.studio.browsing import Tab
from tests.author.rules.hospital import MISSING, write_hospital

RULE = "HIPAA Safe Harbor"
COLUMNS, CLAUSES = "Columns of the rule in this table", "Clauses of the rule"
ARGUMENTS = ("hospital.csv", *(text for name, value in MISSING.items() for text in ("--missing", f"{name}={value}")))
#: a column whose own name does not tell that it is the date of the admission
RENAMED, DOUBTFUL = "Admit Date", "Started"


def make_hospital(folder: Path, patients: int) -> Path:
    """A folder with a hospital table in which one column is in doubt."""
    folder.mkdir(parents=True, exist_ok=True)
    table = folder / "hospital.csv"
    write_hospital(table, patients)
    header, _, records = table.read_text(encoding="utf-8").partition("\n")
    table.write_text(f"{header.replace(RENAMED, DOUBTFUL)}\n{records}", encoding="utf-8")
    return folder


def rule_release(tab: Tab) -> Iterator[str]:
    """Go from the table to the released files, and yield the name of each step after it."""
    tab.show("Rule or search", "Rules")
    expect(tab.page.get_by_role("button", name=RULE, exact=True)).to_be_visible()
    yield "rules"
    tab.press(RULE)
    expect(tab.page.get_by_text("△ Choose a column for admission, later date first.")).to_be_visible()
    expect(tab.page.get_by_role("button", name="Write policy", exact=True)).to_be_disabled()
    tab.row(COLUMNS, "ssn").scroll_into_view_if_needed()
    yield "rule"
    tab.page.get_by_role("combobox", name="Column for admission", exact=True).select_option(DOUBTFUL)
    later = tab.page.get_by_role("combobox", name="Add a column for later date", exact=True)
    later.select_option("all 3 possible columns")
    tab.press("Write policy")
    expect(tab.page.get_by_text("Its reference tables are in")).to_contain_text("zip3.csv")
    expect(tab.status).to_contain_text("no check is violated")
    yield "rule-written"
    tab.press("Check")
    expect(tab.row(CLAUSES, "B-zip")).to_contain_text("✓ holds")
    expect(tab.table(CLAUSES).get_by_text("violated")).to_have_count(0)
    tab.row(CLAUSES, "D").scroll_into_view_if_needed()
    yield "rule-checked"
    tab.show("Release")
    tab.press("Save and write")
    tab.expect_written("hospital-released.csv", "hospital-report.html", "hospital-internal.html")
    yield "rule-released"
