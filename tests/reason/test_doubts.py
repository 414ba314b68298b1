"""Records that are read as persons (D35), and spellings of one value (D38): notes and findings with counts only."""

from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.types import looks_like_persons
from acompass.plan.run import doubts
from acompass.plan.run.doubts import fold_spelling
from tests.folding import folded

K = "EACH PROCESS COUNT(*) AS n GROUP BY age, zip : n >= 3 : REJECT;"
VISITS = "patient,age,zip\n" + "P1,31,21000\n" * 6 + "P2,40,21000\nP3,40,21000\nP4,40,21000\n"


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    path.write_text(VISITS, encoding="utf-8")
    return path


@folded("name", ["patient_id", "PatientID", "Person Nr", "id", "ID", "patient", "PATIENT_NO", "customerId", "the id 2"])
def test_a_name_says_that_a_column_identifies_persons(name: str) -> None:
    assert looks_like_persons(name)


@folded("name", ["valid", "width", "Identity", "idle", "video", "age", "patience", "said", "Wid"])
def test_other_names_do_not(name: str) -> None:
    assert not looks_like_persons(name)


def _texts(notes: Any) -> list[str]:
    return [note.text for note in notes]


def test_check_and_run_give_both_numbers_and_the_option(visits: Path) -> None:
    for result in (acompass.check(K, visits), acompass.run(K, visits), acompass.run(K, visits, engine="reference")):
        (note,) = result.notes
        assert note.line == 1
        assert note.text.startswith(
            "`n` counts records, but a value of `patient` can have several: the class with the fewest has 6 records "
            "and 1 value of `patient`; if these are persons, "
        )
        assert 'and give `person="patient"`' in note.text
        assert "write `EACH PROCESS COUNT DISTINCT(patient) AS n GROUP BY age, zip : n >= 3 : REJECT`" in note.text
        assert "P1" not in note.text


def test_a_named_person_is_counted_against_the_requirement(visits: Path) -> None:
    (note,) = acompass.check(K, visits, person="Patient").notes
    assert note.text == (
        "`n` counts records, not persons: the class with the fewest persons has 6 records of 1 person; to count "
        "persons, write `EACH PROCESS COUNT DISTINCT(patient) AS n GROUP BY age, zip : n >= 3 : REJECT`"
    )
    counted, released = _texts(acompass.run(K, visits, person="patient").notes)
    assert counted == note.text
    assert released.startswith("column `patient` is released unchanged")


def test_a_requirement_that_counts_persons_has_no_note(visits: Path) -> None:
    policy = "EACH PROCESS COUNT DISTINCT(patient) AS n GROUP BY age, zip : n >= 3 : REJECT;\nALWAYS : DROP patient;"
    result = acompass.run(policy, visits, person="patient")
    assert (result.notes, result.records_out) == ((), 3)
    assert not acompass.lint(policy, table=visits)


def test_a_requirement_that_counts_persons_of_larger_classes_is_not_enough(visits: Path) -> None:
    policy = "EACH PROCESS COUNT DISTINCT(patient) AS p GROUP BY zip : p >= 3 : REJECT;\n" + K
    (note,) = acompass.check(policy, visits, person="patient").notes
    assert (note.line, "6 records of 1 person" in note.text) == (2, True)


def test_a_count_of_the_whole_table_has_no_classes(visits: Path) -> None:
    (note,) = acompass.check("EACH PROCESS COUNT(*) AS total : total >= 5;", visits, person="patient").notes
    assert note.text.startswith("`total` counts records, not persons: there are 9 records of 4 persons; ")


def test_the_numbers_of_a_run_are_those_of_the_released_table(visits: Path) -> None:
    policy = f"ALWAYS : REPLACE age WITH '*';\n{K}"
    (note,) = acompass.run(policy, visits).notes
    assert ": the class with the fewest has 9 records and 4 values of `patient`" in note.text
    (note,) = acompass.run(f"{policy}\nALWAYS : DROP patient;", visits).notes
    assert ": in the table as read, the class with the fewest has 6 records and 1 value of `patient`" in note.text
    assert "above the line" not in note.text
    (note,) = acompass.run(f"ALWAYS : DROP patient;\n{policy}", visits).notes
    assert "REJECT`, above the line that drops `patient`" in note.text


@pytest.mark.parametrize("engine", ["duckdb", "reference", "postgres", "spark"])
def test_every_engine_has_the_same_notes(visits: Path, engine: str, engine_url: str) -> None:
    policy = "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(zip) AS d WHERE age >= 35 OR age = 31 GROUP BY age : n >= 2;"
    visits.write_text(VISITS.replace("P4,40,21000", "P3,40,a\nP3,40,A "), encoding="utf-8")
    assert acompass.check(policy, visits, engine=engine_url).notes == acompass.check(policy, visits).notes
    assert len(acompass.check(policy, visits).notes) == 2
    measured = [acompass.measure(visits, ["age"], engine=each).notes for each in (None, engine_url)]
    assert measured[0] == measured[1] != ()


def test_measure_and_suggest_have_the_note(visits: Path) -> None:
    for notes in (acompass.measure(visits, ["age", "zip"]).notes, acompass.suggest(visits, ["age", "zip"], 3).notes):
        (text,) = _texts(notes)
        assert text == (
            "the size of a class is its number of records, but a value of `patient` can have several: the class with "
            'the fewest has 6 records and 1 value of `patient`; if these are persons, give `person="patient"`'
        )
    assert acompass.measure(visits, ["age", "zip"], person="patient").notes == ()
    assert acompass.suggest(visits, ["age", "zip"], 2, person="patient", max_lost="100%").notes == ()


def test_a_column_with_another_role_is_not_a_person(visits: Path) -> None:
    known = {"quasi_identifiers": ["age", "zip"]}
    assert acompass.check(K, visits, roles={**known, "other": ["patient"]}).notes == ()
    visits.write_text(VISITS.replace("patient", "who"), encoding="utf-8")
    assert acompass.check(K, visits).notes == ()
    assert len(acompass.check(K, visits, roles={**known, "identifiers": ["who"]}).notes) == 1


def test_a_column_that_does_not_repeat_has_no_note(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("id,age,zip\n1,31,a\n2,31,a\n3,31,a\n", encoding="utf-8")
    assert acompass.check(K, table).notes == acompass.measure(table, ["age", "zip"]).notes == ()
    table.write_text("id,age,zip\n1,31,a\n2,31,a\n1,40,a\n", encoding="utf-8")
    assert acompass.check(K, table).notes == (), "no class has two records of one person"


def test_an_unknown_person_is_an_error(visits: Path) -> None:
    for call in (acompass.check, acompass.run):
        with pytest.raises(AcompassError) as error:
            call(K, visits, person="doctor")
        assert error.value.diagnostics[0].code == "AC602"


def test_lint_reports_persons_and_an_allowance_silences_them(visits: Path) -> None:
    (finding,) = acompass.lint(K, table=visits)
    assert (finding.code, "6 records and 1 value of `patient`" in finding.message) == ("AC518", True)
    assert not acompass.lint(f"-- allow AC518: a visit is a person here\n{K}", table=visits)
    assert not acompass.lint(K)


def test_lint_accepts_missing_values(visits: Path) -> None:
    visits.write_text(VISITS + "P9,,21000\n", encoding="utf-8")
    assert [finding.code for finding in acompass.lint(K, table=visits)] == ["AC518"]


L = "EACH PROCESS COUNT DISTINCT(disease) AS d GROUP BY age : d >= 2 : REJECT;"


def test_spellings_are_counted_and_never_shown(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,disease,note\n31,HIV,x\n31,hiv ,X\n31,2.0,y\n31,2,y\n31,flu,y\n", encoding="utf-8")
    text = "column `disease` has 2 values in 4 spellings, which are counted as different values"
    results = [acompass.check(L, table).notes, acompass.run(L, table).notes]
    results.append(acompass.measure(table, ["age"], ["disease"]).notes)
    for notes in results:
        (note,) = _texts(notes)
        assert note.startswith(text)
        assert "hiv" not in note.casefold()
    (finding,) = acompass.lint(L, table=table)
    assert (finding.code, finding.message) == ("AC519", text)
    marked = acompass.check(L, table, roles={"quasi_identifiers": ["age"], "sensitive": ["note", "disease"]}).notes
    assert [note.line for note in marked] == [1, None]
    assert acompass.run(L, table).records_out == 5, "nothing is changed"


def test_many_values_are_not_searched_for_spellings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = tmp_path / "people.csv"
    table.write_text("age,disease\n31,HIV\n31,hiv\n31,flu\n", encoding="utf-8")
    monkeypatch.setattr(doubts, "MOST_VALUES", 2)
    assert acompass.check(L, table).notes == ()


@folded(
    ("one", "other"),
    [("HIV", " hiv\t"), ("2", "2.0"), ("-0.50", "-0.5"), ("é", "e\u0301"), ("STRASSE", "straße"), ("100", "100.00")],
)
def test_spellings_of_one_value_are_equal(one: str, other: str) -> None:
    assert fold_spelling(one) == fold_spelling(other)


@folded(("one", "other"), [("02139", "2139"), ("a b", "ab"), ("1e2", "100"), ("", "0"), ("é", "e")])
def test_different_values_stay_different(one: str, other: str) -> None:
    assert fold_spelling(one) != fold_spelling(other)
