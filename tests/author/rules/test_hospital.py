"""The made-up hospital table has what a release must remove, and the independent recheck finds each of it."""

import csv
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

import acompass
from acompass.author.rules.library import find_rule
from acompass.language.text import tree
from acompass.language.text.formatter import format_requirement
from tests.author.rules import hospital, recheck
from tests.folding import folded
from tests.repo.sources import ROOT

YEAR = 2026
KEPT = ("State", "Zip Code", "DOB", "Age", "Sex", "Admit Date", "Discharge Date", "Length of Stay", "Date of Death")
ORIGINAL = list(hospital.hospital_rows(400))
KNOWN = recheck.Known(ORIGINAL)


def released_by_hand() -> list[dict[str, str]]:
    """A release that removes what the rule asks for, written in Python only."""
    return [_released(row) for row in ORIGINAL]


def _released(row: dict[str, str]) -> dict[str, str]:
    old = int(row["DOB"][:4]) <= YEAR - 90
    zip3 = row["Zip Code"][:3]
    return {column: row[column] for column in (*KEPT, "Diagnosis", "Total Charges")} | {
        "Zip Code": "000" if zip3 in hospital.SMALL_IN_2000 + hospital.SMALL_LATER else zip3,
        "Age": "90+" if int(row["Age"]) > 89 else row["Age"],
        "DOB": "*" if old else row["DOB"][:4],
        "Admit Date": row["Admit Date"][:4],
        "Discharge Date": "*" if old else row["Discharge Date"][:4],
        "Date of Death": "*" if old else row["Date of Death"][:4],
    }


def test_the_table_is_the_same_every_time_and_has_the_asked_number_of_patients() -> None:
    assert list(hospital.hospital_rows(400)) == ORIGINAL
    assert list(hospital.hospital_rows(400, seed=33)) != ORIGINAL
    assert len({row["MRN"] for row in ORIGINAL}) == 400
    assert {tuple(sorted(row)) for row in ORIGINAL} == {tuple(sorted(hospital.COLUMNS))}


def test_the_table_has_several_admissions_all_ages_and_the_small_areas() -> None:
    rows = list(hospital.hospital_rows(3000))
    assert max(Counter(row["MRN"] for row in rows).values()) > 2
    assert {int(row["Age"]) for row in rows} == set(range(105))
    areas = {row["Zip Code"][:3] for row in rows}
    assert set(hospital.SMALL_IN_2000 + hospital.SMALL_LATER) < areas
    assert {len(row["Zip Code"]) for row in rows} == {5, 10}
    assert any(row["Date of Death"] for row in rows)
    assert not all(row["Date of Death"] for row in rows)


def test_ages_and_dates_agree() -> None:
    for row in ORIGINAL:
        born, admitted = date.fromisoformat(row["DOB"]), date.fromisoformat(row["Admit Date"])
        assert int(row["Age"]) == hospital.age_on(admitted, born)
        assert (date.fromisoformat(row["Discharge Date"]) - admitted).days == int(row["Length of Stay"])
        assert row["Date of Death"] == "" or row["Date of Death"] > row["Discharge Date"]


def test_the_two_lists_of_small_areas_agree() -> None:
    """The recheck has its own list, as it uses nothing of the project."""
    assert sorted({*hospital.SMALL_IN_2000, *hospital.SMALL_LATER}) == recheck.SMALL_AREAS
    assert sorted({place.zip3 for place in hospital.SMALL_PLACES}) == recheck.SMALL_AREAS


def test_nothing_is_left_in_a_release_by_hand() -> None:
    released = released_by_hand()
    assert {row["Age"] for row in released} >= {"0", "89", "90+"}
    assert {row["DOB"] for row in released} >= {"*", str(YEAR - 89)}
    lines = recheck.report(KNOWN, released, YEAR)
    assert [line for line in lines if line.cells] == []
    assert [line for line in lines if not line.values] == []


def test_every_clause_finds_the_original() -> None:
    assert [line.clause for line in recheck.report(KNOWN, ORIGINAL, YEAR) if line.cells < 30] == []


def _only(clause: str, column: str) -> str:
    """A value of a column of the original that no column of another clause has."""
    others = {
        row[other].casefold()
        for row in ORIGINAL
        for each, (_, columns) in recheck.CLAUSES.items()
        if each != clause
        for other in columns
    }
    return next(row[column] for row in ORIGINAL if row[column] and row[column].casefold() not in others)


@folded(("clause", "column"), [(clause, each) for clause, (_, columns) in recheck.CLAUSES.items() for each in columns])
def test_a_planted_value_is_found_and_only_its_clause(clause: str, column: str) -> None:
    value = _only(clause, column)
    for planted in (value, value.upper(), f" {value} "):
        assert _found("Diagnosis", planted) == {clause: 1}
    assert _found("Diagnosis", f"asthma; {value}").get(clause) == 1


PLANTED = [
    ("A", "Diagnosis", "Gonzalez"),
    ("A", "Diagnosis", "gregory gonzalez"),
    ("A", "Diagnosis", "asthma of Christopher"),
    ("B", "Zip Code", "036"),
    ("B", "Zip Code", "205**"),
    ("B", "Zip Code", "0213"),
    ("B", "Zip Code", "02139"),
    ("B", "Zip Code", "02139-1234"),
    ("B", "Zip Code", "unknown"),
    ("B", "Diagnosis", "asthma, 60637"),
    ("C", "Age", "91"),
    ("C", "Age", "104"),
    ("C", "Age", "90-94"),
    ("C", "Age", "95+"),
    ("C", "Diagnosis", "90 years old"),
    ("C", "Diagnosis", "a 97-year-old"),
    ("C", "Admit Date", "2019-04"),
    ("C", "Admit Date", "2019-Q2"),
    ("C", "Admit Date", "2019-04-07"),
    ("C", "Admit Date", "2019-04-07 13:05:00"),
    ("C", "Admit Date", "20190407"),
    ("C", "Admit Date", "4/7/2019"),
    ("C", "Admit Date", "04/07/19"),
    ("C", "Admit Date", "7.4.2019"),
    ("C", "Admit Date", "April 7, 2019"),
    ("C", "Admit Date", "7 Apr 2019"),
    ("C", "Admit Date", "07-APR-19"),
    ("C", "Admit Date", "04/2019"),
    ("C", "Diagnosis", "asthma since May 2011"),
    ("C", "DOB", "1936"),
    ("C", "DOB", "1930s"),
    ("C", "DOB", "1920 or earlier"),
    ("C", "DOB", "1935 or earlier"),
    ("D", "Diagnosis", "617-555-0134"),
    ("D", "Diagnosis", "+1 617 555 0134"),
    ("D", "Diagnosis", "call 555-0134"),
    ("F", "Diagnosis", "x.y@example.co.uk"),
    ("G", "Diagnosis", "123-45-6789"),
    ("H", "Diagnosis", "40-000-000"),
    ("J", "Diagnosis", "asthma; 8100 000 017"),
    ("N", "Diagnosis", "www.example.org/x"),
    ("N", "Diagnosis", "https://example.org"),
    ("O", "Diagnosis", "10.1.12.5"),
    ("O", "Diagnosis", "2001:db8:0:0:1:0:0:1"),
    ("Q", "Diagnosis", "face.png"),
    ("R", "Diagnosis", "0f3a9c2277d81b"),
    ("R", "Diagnosis", "case A-1029-3847"),
]


@folded(("clause", "column", "cell"), PLANTED)
def test_a_cell_that_looks_like_an_identifier_is_found(clause: str, column: str, cell: str) -> None:
    assert _found(column, cell) == {clause: 1}


@folded(
    ("column", "cell"),
    [
        ("DOB", "1937"),
        ("DOB", "1936 or earlier"),
        ("DOB", "<1937"),
        ("DOB", "1940s"),
        ("DOB", "*"),
        ("Age", "90"),
        ("Age", "90+"),
        ("Age", "85-89"),
        ("Zip Code", "000"),
        ("Zip Code", "000**"),
        ("Zip Code", "021**"),
        ("Zip Code", "*"),
        ("Admit Date", "*"),
        ("Diagnosis", "Parkinson disease"),
        ("Diagnosis", "Bostonian fever"),
        ("Diagnosis", "90 or older"),
        ("Total Charges", "12345.67"),
        ("Length of Stay", "365"),
    ],
)
def test_a_permitted_cell_is_not_reported(column: str, cell: str) -> None:
    assert _found(column, cell) == {}


def _found(column: str, cell: str) -> dict[str, int]:
    """The clauses found in a release by hand, in which one cell of one record of a young patient differs."""
    released = released_by_hand()
    position = next(each for each, row in enumerate(released) if row["Age"] == "45" and row["Zip Code"] != "000")
    released[position] = released[position] | {column: cell}
    found = recheck.recheck(KNOWN, released[: position + 1], YEAR)
    return {clause: len(cells) for clause, cells in found.items() if cells}


@folded(
    ("cells", "columns"),
    [
        ({"Age": "90+", "DOB": "1931"}, {"DOB"}),
        ({"Age": "*", "DOB": "1931", "Admit Date": "*"}, {"DOB"}),
        ({"Age": "85", "Admit Date": "2016", "Date of Death": "2022"}, {"Date of Death"}),
        ({"Age": "89", "Admit Date": "2016", "Discharge Date": "2017"}, {"Discharge Date"}),
        ({"Age": "90+", "Admit Date": "2016", "Discharge Date": "2017"}, {"Discharge Date"}),
        ({"Age": "90+", "Admit Date": "2016", "Discharge Date": "2016"}, set()),
        ({"Age": "85", "Admit Date": "2016", "Date of Death": "2020"}, set()),
        ({"DOB": "1937", "Admit Date": "2027"}, {"DOB"}),
        ({"Age": "85", "Admit Date": "*", "Discharge Date": "2016", "Date of Death": "2022"}, {"Date of Death"}),
    ],
)
def test_dates_that_together_show_an_age_over_89(cells: dict[str, str], columns: set[str]) -> None:
    row = dict.fromkeys(KEPT, "*") | {"Zip Code": "021"} | cells
    found = recheck.recheck(KNOWN, [row], YEAR)
    assert {column for _, column in found["C"]} == columns
    assert not any(found[clause] for clause in recheck.CLAUSES if clause != "C")


@pytest.mark.parametrize(("planted", "code"), [("2019", 0), ("2019-04", 1)])
def test_the_command_prints_every_clause_and_exits_with_1_if_something_is_left(
    tmp_path: Path, planted: str, code: int
) -> None:
    hospital.write_hospital(tmp_path / "hospital.csv", 400)
    released = released_by_hand()
    position = next(each for each, row in enumerate(released) if row["Age"] == "45")
    released[position]["Admit Date"] = planted
    with (tmp_path / "released.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(released[0]))
        writer.writeheader()
        writer.writerows(released)
    command = [sys.executable, "-m", "tests.author.rules.recheck", str(tmp_path / "hospital.csv")]
    command += [str(tmp_path / "released.csv"), "--year", str(YEAR)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    lines = done.stdout.splitlines()
    assert [line[1] for line in lines[1:]] == list("ABCDEFGHIJKLMNOPQR")
    assert [line.endswith("nothing left") for line in lines[1:]].count(False) == code


def test_the_file_of_populations_has_the_two_lists() -> None:
    rows = recheck.read_rows(str(find_rule(hospital.RULE).folder / "zip3.csv"))
    assert [row["zip"] for row in rows if int(row["people"]) <= 20_000] == recheck.SMALL_AREAS
    assert {place.zip3 for place in hospital.CITIES} <= {row["zip"] for row in rows if int(row["people"]) > 20_000}


#: how other sources of such tables name the columns: an exchange format, a vendor's database, a spreadsheet
SPELLINGS = {
    "exchange": (
        "Encounter ID=Id, MRN=PATIENT, Patient Name=LAST, Emergency Contact=FIRST, "
        "Street Address=ADDRESS, City=CITY, County=COUNTY, Zip Code=ZIP, Census Tract=FIPS, "
        "DOB=BIRTHDATE, Age=AGE, Admit Date=START, Discharge Date=STOP, Date of Death=DEATHDATE, "
        "Last Updated=UPDATED_AT, Driver License=DRIVERS, Insurance Member ID=MEMBER_ID, "
        "Home Phone=PHONE"
    ),
    "database": (
        "Encounter ID=PAT_ENC_CSN_ID, MRN=PAT_MRN_ID, Patient Name=PAT_NAME, Street Address=ADD_LINE_1, "
        "City=CITY, County=COUNTY_C, Zip Code=ZIP, DOB=BIRTH_DATE, Age=AGE_AT_VISIT, "
        "Admit Date=HOSP_ADMSN_TIME, Discharge Date=HOSP_DISCH_TIME, Date of Death=DEATH_DATE, "
        "Last Updated=UPDATE_DATE, Home Phone=HOME_PHONE, Email=EMAIL_ADDRESS, "
        "Insurance Member ID=SUBSCR_NUM, Account No=HSP_ACCOUNT_ID, Notes=NOTE_TEXT, "
        "Employer=EMPLOYER_NAME, Emergency Contact=EMERG_CONTACT_NAME, IP Address=LAST_LOGIN_IP, "
        "Portal URL=MYCHART_URL, Photo File=PHOTO_PATH, Device Serial No=IMPLANT_SERIAL_NUM"
    ),
    "spreadsheet": (
        "MRN=Medical Record Number, Patient Name=Patient Full Name, Zip Code=Home ZIP, "
        "DOB=Patient Date of Birth, Age=Age (years), Admit Date=Date of Admission, "
        "Discharge Date=Date of Discharge, Date of Death=Death Date, Home Phone=Telephone (home), "
        "SSN=Social Security #, Insurance Member ID=Medicare Beneficiary Identifier, "
        "Account No=Billing Account Number, Notes=Physician Comments, Street Address=Address, "
        "Last Updated=Record last modified, Encounter ID=Visit No, Photo File=Patient photo, "
        "Fingerprint ID=Biometric template, IP Address=Portal IP"
    ),
    "code": ", ".join(f"{column}={column.lower().replace(' ', '_')}" for column in hospital.COLUMNS),
}
KEPT_BY_HAND = {"State", "Sex", "Length of Stay", "Diagnosis", "Total Charges"}


def test_columns_are_found_in_other_spellings() -> None:
    own = matched_columns({})
    assert {column for columns in own.values() for column in columns} == set(hospital.COLUMNS) - KEPT_BY_HAND
    for source, text in SPELLINGS.items():
        names = dict(each.split("=") for each in text.split(", "))
        expected = {key: tuple(names.get(column, column) for column in columns) for key, columns in own.items()}
        assert matched_columns(names) == expected, source


def matched_columns(names: dict[str, str]) -> dict[str, tuple[str, ...]]:
    rows = [{names.get(column, column): row[column] for column in hospital.COLUMNS} for row in ORIGINAL[:100]]
    matching = acompass.rules.new(hospital.RULE, rows).matching
    assert matching is not None
    return matching.columns


def test_the_year_of_the_release_can_be_set_as_a_number() -> None:
    policy = acompass.rules.new(hospital.RULE, ORIGINAL[:100], params={"old": 1940})
    assert "DOB > '1940'" in policy.text
    assert policy.notes[0] == "old is '1940' here, '1937' in the rule"


@pytest.mark.slow
def test_nothing_is_left_in_the_release_of_10000_patients(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert hospital.release_and_check(tmp_path, 10_000) == 0
    assert capfd.readouterr().out.count("nothing left") == 18
    released = recheck.read_rows(str(tmp_path / "released.csv"))
    assert len(released) == len(recheck.read_rows(str(tmp_path / "hospital.csv")))
    assert {row["Age"] for row in released} == {*map(str, range(90)), "90+"}
    assert {row["Zip Code"] for row in released} == {"000", *(place.zip3 for place in hospital.CITIES)}
    born = {row["DOB"] for row in released if row["DOB"] != "*"}
    assert min(born) == str(hospital.release_year() - 89)


@pytest.mark.parametrize(("absent", "column"), [("Age", "age"), ("DOB", "birth")])
def test_nothing_is_left_without_ages_or_without_birth_dates(tmp_path: Path, absent: str, column: str) -> None:
    """Without ages, the length of the stay looks like one: the call says that it is not."""
    table, output = tmp_path / "table.csv", tmp_path / "released.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [each for each in hospital.COLUMNS if each != absent], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(ORIGINAL)
    acompass.rules.new(hospital.RULE, table, columns={column: []}, output=tmp_path / "release.acp")
    assert acompass.run(tmp_path / "release.acp", table, output=output, missing=hospital.MISSING).ok
    found = recheck.recheck(KNOWN, recheck.read_rows(str(output)), hospital.release_year())
    assert not any(found.values())


def test_a_current_file_of_populations_replaces_that_of_the_rule(tmp_path: Path) -> None:
    """Boston has become small, and the file has neither Worcester nor any other area but Chicago."""
    table, file = tmp_path / "hospital.csv", tmp_path / "zip3.csv"
    hospital.write_hospital(table, 400)
    acompass.rules.new(hospital.RULE, table, output=tmp_path / "release.acp")
    assert file.read_text(encoding="utf-8").startswith("Zip Code,people\n005,20001\n")
    file.write_text("Zip Code,people\n021,20000\n606,2000000\n", encoding="utf-8")
    acompass.run(tmp_path / "release.acp", table, output=tmp_path / "released.csv", missing=hospital.MISSING)
    assert {row["Zip Code"] for row in recheck.read_rows(str(tmp_path / "released.csv"))} == {"000", "606"}


@pytest.mark.slow
def test_the_policy_needs_what_it_does_to_each_column(tmp_path: Path) -> None:
    """Without the requirements that change a column, the release violates the clause that the column belongs to."""
    table, less, output = (tmp_path / name for name in ("hospital.csv", "less.acp", "released.csv"))
    hospital.write_hospital(table, 400)
    policy = acompass.rules.new(hospital.RULE, table, output=tmp_path / "release.acp").policy
    expected = {column: clause for clause, (_, columns) in recheck.CLAUSES.items() for column in columns}
    for column, clause in (expected | {"Age": "C", "Notes": "A"}).items():
        kept = [format_requirement(each) for each in policy.tree.requirements if column not in changed_columns(each)]
        assert len(kept) < len(policy.tree.requirements)
        less.write_text("\n".join(kept), encoding="utf-8")
        acompass.run(less, table, output=output, missing=hospital.MISSING)
        found = recheck.recheck(KNOWN, recheck.read_rows(str(output)), hospital.release_year())
        assert found[clause], f"nothing of clause {clause} is left without the requirements for `{column}`"


def changed_columns(requirement: tree.Requirement) -> list[str]:
    match requirement.action:
        case tree.Drop(names=names):
            return [each.text for each in names]
        case tree.Generalize(name=name) | tree.Replace(name=name):
            return [name.text]
    raise AssertionError(f"unexpected action {requirement.action}")
