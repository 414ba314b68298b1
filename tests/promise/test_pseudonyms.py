"""What is promised about values that PSEUDONYM, SHIFT, NEAREST, ADD RANDOM and MICROAGGREGATE write (D32 to D38)."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.language.program.keys import PSEUDONYM_DIGITS, Key
from tests.folding import folded

KEY = "6d1f0c7e9b2a48335e17c0a45b1c0e2f9d7a4833"
PEOPLE = [
    {"name": "Ann", "age": 31, "day": "2024-03-01", "pay": 10},
    {"name": "Bob", "age": 42, "day": "2024-03-02", "pay": 20},
    {"name": "Ann", "age": 54, "day": "2024-05-09", "pay": 30},
    {"name": "Eve", "age": 42, "day": "2024-06-30", "pay": 40},
]
NO_VERDICT = "no verdict: the column has pseudonyms or labels in place of the values that the assertion compares"


def _run(policy: str, table: Any = PEOPLE, **options: Any) -> acompass.Result:
    return acompass.run(policy, table, key=KEY, seed="0123456789abcdef", **options)


#: policies in which the first assertion compares a column that has pseudonyms in the end
COMPARED = (
    "EACH RESULT : name != 'Bob' : REJECT; ALWAYS : PSEUDONYM name;",
    "EACH RESULT : age <= 50 : REJECT; ALWAYS : PSEUDONYM age;",
    "EACH RESULT : age <= 50 : REPLACE age WITH 50; ALWAYS : PSEUDONYM age;",
    "EACH FILTER day >= '2024-04-01' : pay >= 0; ALWAYS : PSEUDONYM day;",
    "EACH PROCESS SUM(pay) AS s GROUP BY age : s >= 10 : REJECT; ALWAYS : PSEUDONYM pay;",
    "EACH PROCESS MIN(name) AS s GROUP BY age : s >= 'A' : REJECT; ALWAYS : PSEUDONYM name;",
    "EACH PROCESS COUNT(*) AS n GROUP BY name : n >= 1 OR name = 'Bob' : REJECT; ALWAYS : PSEUDONYM name;",
    "EACH RESULT : age <= 50 : REJECT; EACH RESULT : pay >= 30 : PSEUDONYM age;",
    "EACH RESULT : age <= 50 : REJECT; ALWAYS : GENERALIZE age TO BANDS OF 10; ALWAYS : PSEUDONYM age;",
    "EACH RESULT : age <= 50 : REJECT; ALWAYS : ADD RANDOM 1 5 TO age; ALWAYS : PSEUDONYM age;",
)


@folded("policy", COMPARED)
def test_an_assertion_that_compares_pseudonyms_is_not_judged(policy: str, tmp_path: Path) -> None:
    """Neither after a run nor in a check of its output, in a CSV file or in a table with types."""
    ran = _run(policy)
    assert (ran.requirements[0].holds is not None, ran.requirements[0].after) == (True, None)
    _run(policy, output=tmp_path / "out.csv")
    for released in (ran.table, tmp_path / "out.csv"):
        checked = acompass.check(policy, released)
        assert (checked.requirements[0].holds, checked.requirements[0].affected) == (None, 0)
        assert [(each.line, each.text) for each in checked.notes] == [(1, NO_VERDICT)]
    assert acompass.check(policy, PEOPLE).requirements[0].holds is ran.requirements[0].holds


def test_an_assertion_after_the_pseudonyms_that_compares_them_is_not_judged() -> None:
    bob = Key(KEY.encode()).pseudonym("Bob")
    policy = f"ALWAYS : PSEUDONYM name; EACH RESULT : name != '{bob}' : REJECT;"
    ran = _run(policy)
    assert [(each.affected, each.after) for each in ran.requirements] == [(4, None), (1, None)]
    assert [each.holds for each in acompass.check(policy, ran.table).requirements] == [None, None]


@folded(
    "policy",
    [
        "EACH PROCESS COUNT(*) AS n GROUP BY name : n >= 2 : REJECT; ALWAYS : PSEUDONYM name;",
        "EACH PROCESS COUNT DISTINCT(name) AS n GROUP BY age : n >= 2 : REJECT; ALWAYS : PSEUDONYM name;",
        "EACH RESULT : pay >= 20 : REJECT; ALWAYS : PSEUDONYM name;",
        "EACH RESULT : name != 'Bob' : REJECT; ALWAYS : PSEUDONYM name; ALWAYS : REPLACE name WITH '*';",
    ],
)
def test_an_assertion_that_does_not_compare_pseudonyms_is_judged(policy: str) -> None:
    """Classes by pseudonyms are the classes by the values that they stand for."""
    ran = _run(policy)
    assert ran.requirements[0].after in ("proved", "holds")
    assert acompass.check(policy, ran.table).requirements[0].holds is True


@folded(
    "policy",
    [
        "EACH RESULT : age <= 45 : REJECT; ALWAYS : GENERALIZE age TO NEAREST 10;",
        "EACH RESULT : age <= 60 : REJECT; ALWAYS : ADD RANDOM 1 3 TO age;",
        "EACH RESULT : age <= 60 : REJECT; ALWAYS : MICROAGGREGATE age BY 2;",
        "EACH RESULT : day >= '2023-01-01' : REJECT; ALWAYS : SHIFT day BY name WITHIN 20 DAYS;",
    ],
)
def test_numbers_and_dates_that_stay_such_are_judged(policy: str) -> None:
    ran = _run(policy)
    assert ran.requirements[0].after in ("proved", "holds")
    assert acompass.check(policy, ran.table).requirements[0].holds is True


@folded(
    "policy",
    [
        "ALWAYS : GENERALIZE age TO NEAREST 5; ALWAYS : GENERALIZE age TO BANDS OF 10;",
        "ALWAYS : ADD RANDOM 1 5 TO age; ALWAYS : GENERALIZE age TO BANDS OF 10;",
        "ALWAYS : MICROAGGREGATE age BY 2; ALWAYS : PSEUDONYM age;",
        "ALWAYS : GENERALIZE age TO BANDS OF 10; ALWAYS : PSEUDONYM age;",
        "ALWAYS : GENERALIZE day TO MONTH; ALWAYS : PSEUDONYM day;",
        "ALWAYS : SHIFT day BY name WITHIN 9 DAYS; ALWAYS : PSEUDONYM day; ALWAYS : PSEUDONYM name;",
    ],
)
def test_a_policy_checks_its_own_release(policy: str, tmp_path: Path) -> None:
    """Its actions have other values before them than in the original table, and are not performed."""
    ran = _run(policy)
    _run(policy, output=tmp_path / "out.csv")
    for released in (ran.table, tmp_path / "out.csv"):
        assert acompass.check(policy, released).ok


def test_a_value_that_only_looks_like_a_pseudonym_is_judged_if_the_policy_writes_none() -> None:
    table = [{"id": "0123456789abcdef01234567"}]
    assert len(table[0]["id"]) == PSEUDONYM_DIGITS
    assert acompass.check("EACH RESULT : id != 'a';", table).requirements[0].holds is True


@folded(
    ("policy", "code"),
    [
        ("ALWAYS : PSEUDONYM age; ALWAYS : GENERALIZE age TO BANDS OF 5;", "AC118"),
        (
            "ALWAYS : GENERALIZE age TO BANDS OF 5; ALWAYS : PSEUDONYM age; ALWAYS : GENERALIZE age TO BANDS OF 10;",
            "AC118",
        ),
        ("EACH RESULT : pay > 20 : PSEUDONYM age; ALWAYS : GENERALIZE age TO BANDS OF 5;", "AC119"),
        ("ALWAYS : PSEUDONYM age; ALWAYS : ADD RANDOM 1 5 TO age;", "AC118"),
        ("ALWAYS : PSEUDONYM day; ALWAYS : GENERALIZE day TO MONTH;", "AC119"),
    ],
)
def test_pseudonyms_are_neither_numbers_nor_dates(policy: str, code: str) -> None:
    """The error points to the PSEUDONYM."""
    with pytest.raises(acompass.PolicyError) as raised:
        _run(policy)
    (found,) = raised.value.diagnostics
    assert found.code == code
    assert any(policy[each.span.start :].startswith("PSEUDONYM") for each in found.labels)


@folded(
    "policy",
    [
        "ALWAYS : GENERALIZE age TO BANDS OF 5; ALWAYS : PSEUDONYM age; ALWAYS : GENERALIZE age TO PREFIX OF 4;",
        "ALWAYS : GENERALIZE day TO MONTH; ALWAYS : PSEUDONYM day; ALWAYS : GENERALIZE day TO PREFIX OF 4;",
    ],
)
def test_earlier_labels_are_forgotten(policy: str) -> None:
    """After bands or months, no PREFIX could follow."""
    assert _run(policy).ok
    with pytest.raises(acompass.PolicyError, match="AC119"):
        _run(policy.replace("ALWAYS : PSEUDONYM age; ", "").replace("ALWAYS : PSEUDONYM day; ", ""))


# Roles (D36) and persons (D35)

ROLES = {"identifiers": ["name"], "quasi_identifiers": ["age"], "other": ["day", "pay"]}


def test_an_identifier_that_is_always_pseudonymized_may_be_released() -> None:
    ran = _run("ALWAYS : PSEUDONYM name;", roles=ROLES)
    assert {each["name"] for each in ran.table}.isdisjoint({"Ann", "Bob", "Eve"})


@folded(
    ("policy", "column", "reason"),
    [
        ("EACH RESULT : age < 40 : PSEUDONYM name;", "name", "records that satisfy the assertion keep their value"),
        ("ALWAYS : WITH PROBABILITY 0.5 PSEUDONYM name;", "name", "some records keep their value, by chance"),
        ("ALWAYS : SHIFT day BY name WITHIN 9 DAYS;", "day", "the date depends on the value"),
        ("ALWAYS : GENERALIZE pay TO NEAREST 20;", "pay", "the number depends on the value"),
        ("ALWAYS : ADD RANDOM 1 9 TO pay;", "pay", "the sum depends on the value"),
        ("ALWAYS : MICROAGGREGATE pay BY 2;", "pay", "the mean depends on the value"),
    ],
)
def test_an_identifier_of_which_something_is_left_is_an_error(policy: str, column: str, reason: str) -> None:
    others = [name for name in PEOPLE[0] if name != column]
    with pytest.raises(acompass.PolicyError) as raised:
        _run(policy, roles={"identifiers": [column], "other": others})
    (found,) = raised.value.diagnostics
    assert (found.code, [label.text for label in found.labels]) == ("AC413", [reason])


def test_a_note_says_that_pseudonyms_tell_which_records_are_of_one_person() -> None:
    (note,) = _run("ALWAYS : PSEUDONYM name;", person="name").notes
    assert note.text == (
        "column `name` is released with pseudonyms: with it, anyone can tell which records are of one person"
    )


VISITS = [{"patient": p, "zip": z, "disease": d} for p, z, d in ((1, 5, "flu"), (1, 5, "gout"), (2, 5, "Flu"))]


def test_a_share_counts_records_and_tells_spellings_apart() -> None:
    """As COUNT(*) and COUNT DISTINCT do (D35, D38)."""
    policy = "EACH PROCESS SHARE OF MODE (disease) AS a GROUP BY zip : a <= 0.5;"
    persons, spellings = (note.text for note in acompass.check(policy, VISITS).notes)
    assert persons.startswith("`a` is a share of records, but a value of `patient` can have several: the class with")
    assert "also require a number of `COUNT DISTINCT(patient)`, and give `person=" in persons
    assert spellings.startswith("column `disease` has 1 value in 2 spellings")
    counted = f"{policy} EACH PROCESS COUNT DISTINCT(patient) AS n GROUP BY zip : n >= 2;"
    assert len(acompass.check(counted, VISITS).notes) == 1


def test_a_share_of_the_largest_values_counts_no_records() -> None:
    assert acompass.check("EACH PROCESS SHARE OF LARGEST 1 (zip) AS a : a <= 0.5;", VISITS).notes == ()


# Values that cannot be written (AC238)

LARGEST = 2**63 - 1


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
@folded(
    ("policy", "table", "message"),
    [
        (
            "ALWAYS : GENERALIZE n TO NEAREST 10;",
            [{"n": LARGEST}, {"n": 5}],
            "GENERALIZE cannot write the numbers of 1 record in column `n`: they would exceed 64 bits",
        ),
        (
            "EACH RESULT : n < 0 : ADD RANDOM 5 9 TO n;",
            [{"n": LARGEST}, {"n": LARGEST - 4}, {"n": 5}],
            "ADD RANDOM cannot write the sums of 2 records in column `n`: they would exceed 64 bits",
        ),
        (  # the largest number fits
            "ALWAYS : ADD RANDOM -1 -1 TO n;",
            [{"n": Decimal("9" * 38)}, {"n": Decimal("-" + "9" * 38)}],
            "ADD RANDOM cannot write the sums of 1 record in column `n`: they would exceed 38 digits",
        ),
        (
            "ALWAYS : SHIFT a, b BY p WITHIN 3650 DAYS;",
            [{"a": "2024-03-01", "b": "unknown", "p": 1}, {"a": "2024-13-01", "b": "2024-03-01", "p": 2}],
            "SHIFT cannot write the dates of 2 records in columns `a`, `b`: they would leave the years 0001 to 9999, "
            "or are not in ISO format",
        ),
        (
            "ALWAYS : MICROAGGREGATE x BY 2;",
            [{"x": float("inf")}, {"x": float("-inf")}, {"x": 1.5}],
            "MICROAGGREGATE cannot write the means of 3 records in column `x`: a group has both infinities, which have "
            "no mean",
        ),
    ],
)
def test_values_that_cannot_be_written_are_counted_and_nothing_is_written(
    policy: str, table: list[dict[str, Any]], message: str, engine: str, tmp_path: Path
) -> None:
    output = tmp_path / "out.csv"
    with pytest.raises(acompass.TableError) as raised:
        _run(policy, table, engine=engine, output=output)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("AC238", message)
    assert policy[found.labels[0].span.start :].startswith(message.split(" cannot")[0])
    assert not output.exists()


# Spellings (D26)


@pytest.mark.parametrize("engine", ["reference", "duckdb"])
@folded("action", ["GENERALIZE dose TO NEAREST 5", "MICROAGGREGATE dose BY 2", "ADD RANDOM 0 0 TO dose"])
def test_a_note_tells_that_all_numbers_have_as_many_digits_as_computed_ones(
    action: str, engine: str, tmp_path: Path
) -> None:
    (tmp_path / "in.csv").write_text("dose,name\n5,a\n5.0,b\n7.25,c\n30,d\n")
    policy = f"EACH PROCESS COUNT(*) AS n GROUP BY dose : n >= 2 : {action};"
    options: Any = {"output": tmp_path / "out.csv", "force": True, "seed": "a seed of some length"}
    (note,) = acompass.run(policy, tmp_path / "in.csv", engine=engine, **options).notes
    digits = "3 numbers are written with all digits after the point, because the policy computes numbers in this column"
    assert note.text == f"column `dose`: {digits}"
    doses = [line.split(",")[0] for line in (tmp_path / "out.csv").read_text().splitlines()[1:]]
    assert doses[:2] == ["5.00", "5.00"]
    assert {len(dose.partition(".")[2]) for dose in doses} == {2}


def test_no_note_speaks_of_numbers_that_are_not_released(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("dose,name\n2,a\n2.0,b\n")
    policy = "EACH RESULT : dose < 9; EACH PROCESS COUNT(*) AS n GROUP BY dose : n >= 2;"
    assert len(_run(policy, tmp_path / "in.csv").notes) == 1
    assert _run(f"{policy} ALWAYS : PSEUDONYM dose;", tmp_path / "in.csv").notes == ()
