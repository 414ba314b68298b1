"""Proposed roles: each column gets one, and the reason says why without a value of a record."""

from typing import Any

import pytest

import acompass
from acompass.author.roles import RoleProposals, propose_roles
from acompass.author.rules.matching import sample_values

N = 300


def propose(table: Any) -> RoleProposals:
    with acompass.open(table) as session:
        facts = {each.name: each for each in session.column_facts()}
        return propose_roles(session.columns, facts, sample_values(session), session.records())


def found_roles(table: Any) -> dict[str, str]:
    return {each.column: each.role for each in propose(table).roles}


def reason(table: Any, column: str) -> str:
    return next(each.reason for each in propose(table).roles if each.column == column)


def columns(**values: Any) -> list[dict[str, Any]]:
    return [{name: make(at) for name, make in values.items()} for at in range(N)]


#: by column: how the value of a record is made, the proposed role, and words of the reason
CASES: dict[str, tuple[Any, str, str]] = {
    "mrn": (lambda at: f"M{at:06}", "identifier", "HIPAA (H): medical record numbers, by its name; 300 values"),
    "contact": (
        lambda at: f"p{at}@example.org",
        "identifier",
        "HIPAA (F): e-mail addresses, by its values; 300 values",
    ),
    "tax": (
        lambda at: f"{100 + at % 800}-12-{at:04}",
        "identifier",
        "HIPAA (G): Social Security numbers, by its values",
    ),
    "address of host": (
        lambda at: f"10.0.{at // 250}.{at % 250}",
        "identifier",
        "HIPAA (O): IP addresses, by its values",
    ),
    "zip": (lambda at: f"{21200 + at % 20}", "quasi-identifier", "HIPAA (B): geographic subdivisions, a ZIP code"),
    "date of birth": (
        lambda at: f"19{50 + at % 50}-03-1{at % 9}",
        "quasi-identifier",
        "HIPAA (C): dates related to a person",
    ),
    "key": (lambda at: f"k{at * 7:05}", "identifier", "every value is different"),
    "Diagnosis code": (lambda at: f"C{at % 30:02}", "sensitive", "a diagnosis: the name says `diagnosis`; confirm"),
    "household income": (lambda at: at % 40, "sensitive", "money: the name says `income`; confirm"),
    "marital-status": (
        lambda at: "ms"[at % 2],
        "quasi-identifier",
        "known to others: the name says `marital`; 2 values",
    ),
    "hours-per-week": (lambda at: 20 + at % 40, "quasi-identifier", "work, known to others: by its name; 40 values"),
    "reading": (lambda at: at / 7, "quasi-identifier", "300 of 300 records have a value that fewer than 10 share"),
    "group": (lambda at: "abc"[at % 3], "other", "neither its name nor its values say"),
    "version": (lambda at: "1", "other", "every record has the same value"),
    "fnlwgt": (lambda at: 1000 + at * 3, "other", "a sampling weight, by its name; 300 values"),
    "remark on stay": (
        lambda at: f"was seen by the doctor on day {at} and came back {at % 3} times",
        "identifier",
        "free text",
    ),
}


def test_each_column_gets_one_proposal_in_the_order_of_the_table() -> None:
    found = propose(columns(**{name: make for name, (make, _, _) in CASES.items()}))
    assert [each.column for each in found.roles] == list(CASES)
    assert {each.column: each.role for each in found.roles} == {name: role for name, (_, role, _) in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_proposal_says_why(name: str) -> None:
    make, _, words = CASES[name]
    assert words in reason(columns(**{name: make}), name)


def test_guesses_are_called_guesses() -> None:
    found = propose(columns(**{name: make for name, (make, _, _) in CASES.items()}))
    guesses = {each.column for each in found.roles if each.is_guess}
    assert {"Diagnosis code", "household income", "reading", "group", "fnlwgt"} == guesses


def test_a_letter_that_all_names_begin_with_does_not_hide_them() -> None:
    table = columns(
        iage=lambda at: at % 90, irace=lambda at: at % 4, ideathmon=lambda at: at % 12, iinjury=lambda at: at % 3
    )
    assert list(found_roles(table).values()) == ["quasi-identifier"] * 3 + ["sensitive"]


@pytest.mark.parametrize("name", ["current", "parents", "capacity", "example", "label", "statement", "percentage"])
def test_a_word_is_not_found_in_one_that_means_something_else(name: str) -> None:
    assert found_roles(columns(**{name: lambda at: "ab"[at % 2]})) == {name: "other"}


def test_a_name_with_few_values_is_not_an_identifier() -> None:
    assert found_roles(columns(**{"employer name": lambda at: f"firm {at % 4}"}))["employer name"] != "identifier"


def test_repeated_values_of_an_identifier_tell_persons_apart() -> None:
    table = columns(
        **{"visit id": lambda at: at, "patient id": lambda at: 1000 + at // 3, "sex": lambda at: "mf"[at % 2]}
    )
    person = propose(table).person
    assert person is not None
    assert person.column == "patient id"
    assert person.reason == "it identifies persons and has 100 values in 300 records: a person can have several records"


def test_a_table_with_one_record_of_each_person_has_no_such_proposal() -> None:
    assert propose(columns(**{"patient id": lambda at: at, "case id": lambda at: at // 2})).person is None


def test_without_facts_names_decide() -> None:
    found = propose_roles(("patient id", "sex", "diagnosis", "x"), {}, {}, 0)
    assert [each.role for each in found.roles] == ["identifier", "quasi-identifier", "sensitive", "other"]


def test_no_reason_contains_a_value() -> None:
    table = columns(name=lambda at: f"Secretperson {at}", email=lambda at: f"secret{at}@example.org")
    assert not any("ecret" in each.reason for each in propose(table).roles)


def test_names_in_other_languages_are_known() -> None:
    found = propose(
        columns(
            Patientennr=lambda at: f"P{at % 90:05}",
            Telefonnummer=lambda at: f"0221 {500_000 + at % 90}",
            Geburtsdatum=lambda at: f"{1 + at % 28:02}.03.19{50 + at % 50}",
            Wohnort=lambda at: ("Köln", "Bonn")[at % 2],
            Erkrankung=lambda at: ("a", "b")[at % 2],
            sexe=lambda at: "HF"[at % 2],
            nationalité=lambda at: ("fr", "be")[at % 2],
        )
    )
    assert [each.role for each in found.roles] == [
        *("identifier", "identifier", "quasi-identifier", "quasi-identifier", "sensitive"),
        *("quasi-identifier", "quasi-identifier"),
    ]
    assert found.person is not None
    assert found.person.column == "Patientennr"


def test_a_text_with_as_many_values_as_an_identifier_is_one() -> None:
    found = propose(
        columns(
            contact=lambda at: f"p{at % 90}@example.org",
            account=lambda at: f"DE{10**10 + 7 * (at % 90)}",
            stamp=lambda at: f"K-{'AB'[at % 2]} {at % 90}",
            reading=lambda at: at % 90 / 7,
            group=lambda at: f"g{at % 91}",
        )
    )
    assert [each.role for each in found.roles] == [*("identifier",) * 3, *("quasi-identifier",) * 2]
    assert found.roles[2].is_guess
    assert found.roles[2].reason == "as many values as `contact`, which identifies persons: 90"
