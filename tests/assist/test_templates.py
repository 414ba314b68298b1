"""Templates parse, are formatted, fit the table and do what they say."""

import pytest

import acompass
from acompass.assist.context import Context
from acompass.assist.diagnose import diagnose
from acompass.assist.document import Document
from acompass.assist.table import table_facts
from acompass.assist.templates import templates
from acompass.project import TableRoles
from acompass.syntax.format import format_program
from tests.assist.people import SCHEMA, illness_facts, people

ROLES = TableRoles(("Age", "Postal Code", "AEC (kWh)"), ("Illness",), ("Name",))
PARAMS = {"k": 2, "l": 2, "most": 1040}


def test_each_is_a_formatted_requirement_that_fits() -> None:
    with acompass.open(people()) as session:
        facts = {fact.name: fact for fact in table_facts(session)}
        found = templates(ROLES, SCHEMA, (), facts)
        for template in found:
            document = Document(template.text)
            assert document.policy is not None, template.text
            assert len(document.policy.tree.requirements) == 1
            assert format_program(template.text) == template.text + "\n"
            errors = [
                each for each in diagnose(document, Context(PARAMS), session) if each.severity == "error"
            ]
            assert errors == [], template
    assert len({template.key for template in found}) == len(found)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("drop-identifiers", "ALWAYS : DROP Name;"),
        ("suppress:Name", "ALWAYS : REPLACE Name WITH '*';"),
        ("bands:Age", "ALWAYS : GENERALIZE Age TO BANDS OF 10;"),
        ("sample", "ALWAYS : WITH PROBABILITY 0.75 REJECT;"),
        ("response:Illness", "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM ('yes', 'no');"),
        ("top:AEC (kWh)", 'EACH RESULT\n   : "AEC (kWh)" <= most\n   : REPLACE "AEC (kWh)" WITH most;'),
    ],
)
def test_texts(key: str, text: str) -> None:
    assert {each.key: each.text for each in templates(ROLES, SCHEMA)}[key] == text


def test_classes_have_all_quasi_identifiers() -> None:
    found = {each.key: each.text for each in templates(ROLES)}
    assert list(found) == [
        "drop-identifiers",
        "suppress:Name",
        "k-anonymity",
        "l-diversity:Illness",
        "check-k",
        "sample",
        "response:Illness",
    ]
    for key in ("k-anonymity", "l-diversity:Illness", "check-k"):
        assert 'GROUP BY Age, Postal Code, "AEC (kWh)"' in found[key]
    assert "REJECT" not in found["check-k"]


def test_a_randomized_response_draws_the_values_that_are_frequent() -> None:
    found = {each.key: each.text for each in templates(ROLES, SCHEMA, (), {"Illness": illness_facts()})}
    expected = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM ('flu', 'it''s asthma');"
    assert found["response:Illness"] == expected
    numbers = templates(TableRoles(sensitive=("Age",)), SCHEMA)
    assert [each.key for each in numbers] == ["sample"]


def test_names_that_are_taken() -> None:
    (count, *_) = [each for each in templates(TableRoles(("n", "Age"))) if each.key == "k-anonymity"]
    assert "COUNT(*) AS n_" in count.text
    found = {each.key: each.text for each in templates(ROLES, SCHEMA, ("most",))}
    assert "<= most_" in found["top:Age"]


def test_codes_and_dates_by_their_facts() -> None:
    rows = [{"Zip": f"{10000 + place}", "Day": f"2020-01-{place % 28 + 1:02}"} for place in range(30)]
    with acompass.open(rows) as session:
        facts = {fact.name: fact for fact in table_facts(session)}
    found = {each.key: each.text for each in templates(TableRoles(("Zip", "Day")), None, (), facts)}
    assert found["prefix:Zip"] == "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;"
    assert found["month:Day"] == "ALWAYS : GENERALIZE Day TO MONTH;"


def test_without_roles_there_is_nothing_to_begin_with() -> None:
    assert templates(TableRoles(), SCHEMA) == ()
