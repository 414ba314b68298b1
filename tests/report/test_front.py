"""The front page of a report answers a privacy officer's questions, on one sheet of A4."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import acompass
from acompass.errors.catalog import read_limits
from acompass.errors.diagnostics import CallError
from acompass.report.page.content import Threshold, thresholds
from acompass.run import checked_program
from tests.report.pages import Element, people, read_page

POLICY = """\
ALWAYS : DROP Name;
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
ALWAYS : GENERALIZE Zip TO PREFIX OF 3;
EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= k AND d > 1 : REJECT;
EACH RESULT : Age >= 18 : REPLACE Age WITH 18;
"""
SETTINGS = """\
[policy."release.acp"]
purpose = "Study <of> readmissions"
prepared-by = "Data office"
recipients = "Institute of Epidemiology"
valid-until = 2027-12-31
[table."people.csv"]
identifiers = ["name"]
quasi-identifiers = ["Age", "Zip"]
sensitive = ["Disease"]
other = ["Ward"]
"""
LABELS = [
    *("Prepared by", "Purpose", "For", "Columns", "Attacker assumed"),
    *("Required", "Achieved", "What remains", "How verified", "Valid until"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    header, *rows = people().splitlines()
    lines = [f"{header},Ward", *(f"{row},ward {number % 3}" for number, row in enumerate(rows))]
    Path("people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    Path("release.acp").write_text(POLICY, encoding="utf-8")
    Path("acompass.toml").write_text(SETTINGS, encoding="utf-8")
    return tmp_path


def run(**options: object) -> dict[str, Element]:
    """The answers on the recipient's front page of a release."""
    policy, table = Path("release.acp"), Path("people.csv")
    acompass.run(policy, table, params={"k": 2}, output="out.csv", report="r.html", report_internal="i.html", **options)
    return answers("r.html")


def answers(page: str) -> dict[str, Element]:
    (listed,) = [each for each in read_page(Path(page)).all("dl") if each.attributes["class"] == "front"]
    return {each.all("dt")[0].text: each.all("dd")[0] for each in listed.children}


@pytest.mark.usefixtures("folder")
def test_both_pages_answer_ten_questions_in_order() -> None:
    found = run()
    assert list(found) == list(answers("i.html")) == LABELS
    assert [found[label].prose for label in ("Prepared by", "Purpose", "For", "Valid until")] == [
        "Data office",
        "Study <of> readmissions",
        "Institute of Epidemiology",
        "2027-12-31",
    ]


@pytest.mark.usefixtures("folder")
def test_unknown_answers_are_blanks_to_fill_in_by_hand() -> None:
    Path("acompass.toml").unlink()
    found = run()
    for label in ("Prepared by", "Purpose", "For", "Valid until"):
        (blank,) = found[label].all("span")
        assert blank.attributes["class"] == "blank"
        assert found[label].prose == ""


def column_rows(found: dict[str, Element]) -> list[tuple[str, ...]]:
    """The role, if the row has one, the columns and their fate."""
    rows = found["Columns"].all("tbody")[0].all("tr")
    return [tuple(cell.prose for cell in row.children) for row in rows]


@pytest.mark.usefixtures("folder")
def test_each_column_has_its_role_and_what_happens_to_it() -> None:
    assert column_rows(run()) == [
        ("identifier", "Name", "removed (line 1)"),
        ("quasi-identifier", "Age", "replaced where needed (line 2)"),
        ("Zip", "generalized in every record (line 3)"),
        ("sensitive", "Disease", "kept as it was"),
        ("other", "Ward", "kept as it was"),
    ]


@pytest.mark.usefixtures("folder")
def test_a_column_without_a_role_is_shown_as_one() -> None:
    Path("acompass.toml").write_text('[table."people.csv"]\nquasi-identifiers = ["Age"]\n', encoding="utf-8")
    acompass.check(Path("release.acp"), Path("people.csv"), params={"k": 2}, report="r.html")
    role, names = column_rows(answers("r.html"))[-1]
    assert (role, names) == ("no role", "Name Zip Disease Ward")
    badge = [each for each in answers("r.html")["Columns"].all("span") if each.text == "no role"]
    assert [each.attributes["class"] for each in badge] == ["verdict bad"]


@pytest.mark.usefixtures("folder")
def test_without_declared_roles_the_policy_gives_them() -> None:
    Path("acompass.toml").unlink()
    found = run()
    assert [row[0] for row in column_rows(found) if len(row) == 3] == ["quasi-identifier", "sensitive", "no role"]
    assert "No roles are declared" in found["Columns"].prose


@pytest.mark.usefixtures("folder")
def test_reading_options_that_change_a_column_are_named() -> None:
    Path("people.csv").write_text("Name,Age,Zip,Disease,Ward\n" + "A,30,21201,flu,\nB,30,21201,gout,03.02.2024\n" * 9)
    Path("release.acp").write_text(POLICY + "EACH RESULT : Ward >= '2000-01-01';\n", encoding="utf-8")
    found = run(missing="1999-01-01", dates={"Ward": "%d.%m.%Y"}, force=True)
    assert ("other", "Ward", "dates in ISO format, missing values filled") in column_rows(found)


@pytest.mark.usefixtures("folder")
def test_what_is_required_achieved_and_remains() -> None:
    found = run()
    assert [each.prose for each in found["Required"].all("li")] == [
        "k ≥ 2 : at least 2 records with equal values in these columns (line 4)",
        "l ≥ 2 : at least 2 different values of Disease in records with equal values in these columns (line 4)",
    ]
    released = Path("out.csv").read_text(encoding="utf-8").splitlines()[1:]
    classes: dict[tuple[str, str], list[str]] = {}
    for line in released:
        age, zip_, disease, _ = line.split(",")
        classes.setdefault((age, zip_), []).append(disease)
    k, diversity = min(map(len, classes.values())), min(len(set(each)) for each in classes.values())
    assert found["Achieved"].prose == (
        f"k = {k} records in the smallest class, {100 / k:.3g} % highest risk that the attacker finds the right "
        f"record; l = {diversity} (fewest different values of Disease in a class). Measured on the released table."
    )
    remains = found["What remains"].prose
    assert "Released as they were: Disease Ward" in remains
    assert "Whoever knows values of Disease Ward can tell the records of a class apart." in remains
    assert found["What remains"].all("a")[0].attributes["href"] == "#limits"
    assert "Someone who knows Age Zip of one person" in found["Attacker assumed"].prose


VISITS = "patient,age\n" + "P1,31\n" * 6 + "P2,40\nP3,40\nP4,40\n"
SIZE = "EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 3 : REJECT;\n"
IN_PERSONS = "k = 1 person in the smallest class, 100 % highest risk that the attacker finds the right person. "
IN_RECORDS = (
    "k = 3 records in the smallest class, 33.3 % highest risk that the attacker finds the right record. Measured on {} "
    "table. Counted in records, because {} table does not have column patient , which tells persons apart: a class can "
    "have fewer persons than records, and the risk can be higher."
)


@pytest.mark.parametrize("is_declared", [False, True], ids=["option", "acompass.toml"])
def test_measures_are_in_persons_where_the_measured_table_has_their_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_declared: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS, encoding="utf-8")
    given: Any = {"report": "r.html", **({} if is_declared else {"person": "patient"})}
    if is_declared:
        sections = (f'[table."{name}"]\nperson = "patient"\n' for name in ("visits.csv", "out.csv"))
        Path("acompass.toml").write_text("".join(sections), encoding="utf-8")
    dropping = SIZE + "ALWAYS : DROP patient;"

    def achieved() -> str:
        return answers("r.html")["Achieved"].prose

    acompass.run(SIZE, "visits.csv", output="out.csv", **given)
    assert achieved() == IN_PERSONS + "Measured on the released table."
    for policy in (SIZE, dropping):
        acompass.check(policy, "visits.csv", **given)
        assert achieved() == IN_PERSONS + "Measured on this table.", "the checked table still has the column"
    acompass.run(dropping, "visits.csv", output="out.csv", **given)
    assert achieved() == IN_RECORDS.format("the released", "the released")
    page = read_page(Path("r.html"))
    assert {"k-anonymity, in records", "highest prosecutor risk of a record"} <= {each.text for each in page.all("dt")}
    assert "not the persons in patient: a class can have fewer" in page.prose
    assert "no column is known to tell persons apart" not in page.prose
    assert acompass.check(dropping, "out.csv", **given).ok, "a released table lacks the column, which is allowed"
    assert achieved() == IN_RECORDS.format("this", "this")


def test_values_that_a_line_draws_are_not_persons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS, encoding="utf-8")
    policy = "ALWAYS : RANDOM patient FROM ('a', 'b', 'c');" + SIZE.replace("COUNT(*)", "COUNT DISTINCT(patient)")
    acompass.run(policy, "visits.csv", output="out.csv", report="r.html", person="patient", seed="a seed for a test")
    found = answers("r.html")
    assert "person" not in found["Required"].prose
    assert "persons" not in found["Achieved"].prose.partition("Counted in records, because the policy changes")[0]
    acompass.check(policy, "visits.csv", report="r.html", person="patient")
    assert answers("r.html")["Achieved"].prose.startswith("k = 1 person in the smallest class"), "not of a run"


@pytest.mark.usefixtures("folder")
def test_a_bound_on_larger_classes_leaves_the_values_in_a_class_open() -> None:
    Path("acompass.toml").unlink()
    classes = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;"
    for columns, is_open in (("Age", True), ("Age, Zip", False)):
        diverse = f"EACH PROCESS COUNT DISTINCT(Disease) AS l GROUP BY {columns} : l >= 2 : REJECT;"
        Path("release.acp").write_text(classes + diverse, encoding="utf-8")
        acompass.run(Path("release.acp"), Path("people.csv"), output="out.csv", report="r.html")
        assert ("No requirement on the values" in answers("r.html")["What remains"].prose) == is_open


@pytest.mark.usefixtures("folder")
def test_a_policy_without_classes_assumes_no_attacker_and_requires_nothing() -> None:
    Path("acompass.toml").unlink()
    Path("release.acp").write_text("EACH RESULT : Age <= 80 : REJECT;", encoding="utf-8")
    acompass.run(Path("release.acp"), Path("people.csv"), output="out.csv", report="r.html")
    found = answers("r.html")
    assert found["Attacker assumed"].prose.startswith("None: no quasi-identifiers")
    assert "No requirement sets a least class size" in found["Required"].prose
    assert found["Achieved"].prose.startswith("not measured")


@pytest.mark.usefixtures("folder")
def test_how_each_line_was_verified() -> None:
    """A THEN and its steps are one requirement, and DROP asserts nothing."""
    found = [each.prose for each in run()["How verified"].all("li")]
    assert found == [
        "3 requirements proved for every table (lines 2, 4, 5)",
        "2 requirements asserting nothing (lines 1, 3)",
    ]
    acompass.check(Path("release.acp"), Path("people.csv"), params={"k": 2}, report="c.html")
    checked = answers("c.html")["How verified"].prose
    assert "2 requirements violated by this table (lines 2, 4)" in checked
    assert "1 requirement satisfied by this table (line 5)" in checked


@pytest.mark.usefixtures("folder")
def test_wrong_settings_stop_a_run_before_it_writes() -> None:
    Path("acompass.toml").write_text('[policy."release.acp"]\nvalid-until = "soon"\n', encoding="utf-8")
    with pytest.raises(CallError, match="AC625"):
        run()
    assert not Path("out.csv").exists()


@pytest.mark.usefixtures("folder")
def test_the_recipient_learns_nothing_about_the_original_classes() -> None:
    run()
    figures = [
        {each.all("dt")[0].text: each.all("dd")[0].text for each in read_page(Path(page)).all("dl")[0].children}
        for page in ("r.html", "i.html")
    ]
    assert [" → " in each["k-anonymity"] for each in figures] == [False, True]
    assert [" → " in each["highest prosecutor risk"] for each in figures] == [False, True]


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ("EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3", (3, None, ("a",), False)),
        ("EACH PROCESS COUNT(*) AS n GROUP BY a, b : n > 3", (4, None, ("a", "b"), False)),
        ("EACH PROCESS COUNT(*) AS n GROUP BY a : n > 2.5", (3, None, ("a",), False)),
        ("EACH PROCESS COUNT(*) AS n WHERE b = 1 GROUP BY a : n >= 3", (3, None, ("a",), True)),
        ("EACH PROCESS COUNT(*) AS n : n >= 100", (100, None, (), False)),
        ("EACH PROCESS COUNT DISTINCT(b) AS n GROUP BY a : n >= 2 AND a >= 0", (2, "b", ("a",), False)),
        ("EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 3 OR a = 1", None),
        ("EACH PROCESS COUNT(*) AS n GROUP BY a : n <= 3", None),
        ("EACH PROCESS MIN(b) AS n GROUP BY a : n >= 3", None),
        ("SOME PROCESS COUNT(*) AS n GROUP BY a : n >= 3", None),
        ("EACH RESULT : a >= 3", None),
    ],
)
def test_a_threshold_is_what_every_class_has_to_satisfy(assertion: str, expected: tuple[object, ...] | None) -> None:
    policy = acompass.parse(f"{assertion};\n{assertion} : REJECT;")
    with acompass.open([{"a": 1, "b": 2}]) as session:
        program = checked_program(policy, session.schema(policy), {})
    assert list(thresholds(program)) == ([] if expected is None else [Threshold(1, 1, *expected)])  # type: ignore[arg-type]


@pytest.mark.usefixtures("folder")
def test_every_report_names_the_attacks_of_the_page() -> None:
    run()
    page = read_page(Path("r.html"))
    (listed,) = [each for each in page.all("ul") if each.attributes.get("class") == "limits"]
    named = [each.all("strong")[0].text.removesuffix(".") for each in listed.all("li")]
    assert named == re.findall(r"^## (.+)$", read_limits(), re.MULTILINE)
    assert len(named) > 12
    assert all(len(each.prose) > 60 and each.prose.endswith(".") for each in listed.all("li"))


#: the heights of the front page and of the part of a sheet of A4 inside the margins, in CSS pixels
SHEET = (680, 1017)
MEASURE = "() => document.querySelector('main > section').getBoundingClientRect().bottom"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", ["r.html", "i.html"])
def test_the_front_page_fits_one_sheet(browser: Browser, folder: Path, page: str) -> None:
    run()
    width, height = SHEET
    with browser.new_page(viewport={"width": width, "height": height}) as tab:
        tab.emulate_media(media="print")
        tab.goto((folder / page).as_uri())
        assert tab.evaluate(MEASURE) <= height
