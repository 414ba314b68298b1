"""Hovers describe the word at the cursor, without any record value; templates fit the roles."""

from pathlib import Path

import pytest

import acompass
from acompass.assist.analysis import Context, diagnose, proofs, verdicts
from acompass.assist.completion import MEANINGS, SPELLINGS
from acompass.assist.document import Document
from acompass.assist.hover import Hover, hover
from acompass.assist.request_queue import table_facts
from acompass.assist.templates import templates
from acompass.language.program.types import DATE, INTEGER, TEXT, make_schema
from acompass.language.text.formatter import format_program
from acompass.policy import TableRoles
from acompass.session import open as open_session
from tests.assist.people import POLICY, SCHEMA, context, illness_facts, people


def at(text: str, word: str, given: Context | None = None, path: str | None = None) -> Hover | None:
    return hover(Document(text, path), text.index(word) + 1, given or context())


def lines(text: str, word: str, given: Context | None = None, path: str | None = None) -> tuple[str, ...]:
    found = at(text, word, given, path)
    assert found is not None
    return found.lines


def test_a_column_shows_its_facts() -> None:
    found = at("EACH RESULT : illness = 'flu';", "illness")
    assert found is not None
    assert found.title == "column `Illness`"
    assert found.lines == ("text", "7 distinct values, 3 missing", "flu (40), it's asthma (12)")


def test_a_column_of_several_words_is_one_name() -> None:
    text = "EACH RESULT : Postal Code = '2';"
    found = at(text, "Code")
    assert found is not None
    assert text[found.span.start : found.span.end] == "Postal Code"


def test_a_column_is_found_in_a_requirement_that_does_not_parse() -> None:
    assert at("EACH RESULT Age", "Age") is not None
    assert at("EACH RESULT : unknown", "unknown") is None


def test_an_as_name_shows_its_aggregate_and_class() -> None:
    found = at(POLICY, "l >= 2")
    assert found is not None
    assert found.title == "`l`"
    assert found.lines == (
        "`COUNT DISTINCT(Illness)` of each class",
        "a class: the records with equal `Age`, `Postal Code`",
    )


def test_weighted_values_show_their_probabilities() -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM (5 OF 'flu', k, 3 OF 'it''s asthma');"
    for word in ("FROM", "5 OF", "OF 'flu'", "3 OF"):
        found = at(text, word)
        assert found is not None
        assert found.title == "RANDOM `Illness` FROM"
        assert found.lines[1:] == ("`'flu'`: 5/9", "`k`: 1/9", "`'it''s asthma'`: 3/9")
    many = f"ALWAYS : RANDOM Age FROM ({', '.join(map(str, range(1_100)))});"
    assert lines(many, "FROM")[-2:] == ("`11`: 1/1100", "and 1,088 more")
    assert lines(text, "Illness")[0] == "text"
    assert lines(text, " k,") == ("set to `5`",)


def test_a_probability_shows_its_meaning() -> None:
    text = "EACH RESULT : Age > 3 : WITH PROBABILITY 0.5 REPLACE Age WITH 3;"
    expected = ("the action is performed on each affected record with this probability",)
    assert lines(text, "WITH PROBABILITY") == lines(text, "PROBABILITY") == expected
    assert lines(text, "WITH 3") == ("the constant to write",)


def test_a_parameter_shows_its_value() -> None:
    assert lines(POLICY, "k AND") == ("set to `5`",)
    assert lines(POLICY, "k AND", context(params={})) == ("not set: give it a value",)


@pytest.mark.parametrize(
    ("map_", "examples"),
    [
        ("BANDS OF 10", ("`37` becomes `30-39`",)),
        (
            "BANDS OF 5 FROM 15 UP TO 90",
            ("`33` becomes `30-34`", "`10` becomes `<15`", "`92` becomes `90+`", "17 labels"),
        ),
        (
            "BANDS AT 18, 65",
            (
                "`41` becomes `18-64`",
                "`17` becomes `<18`",
                "`66` becomes `65+`",
                "labels: `<18`, `18-64`, `65+`",
            ),
        ),
        ("BANDS OF 1", ("`3` stays unchanged",)),
    ],
)
def test_bands_show_examples(map_: str, examples: tuple[str, ...]) -> None:
    text = f"ALWAYS : GENERALIZE Age TO {map_};"
    for word in ("GENERALIZE", "TO BANDS", "BANDS"):
        assert lines(text, word) == (MEANINGS["BANDS"], *examples)


def test_bands_of_decimals_show_an_example() -> None:
    text = "ALWAYS : GENERALIZE Weight TO BANDS OF 0.5;"
    assert lines(text, "BANDS", Context())[1:] == ("`1.8` becomes `[1.5,2.0)`",)


@pytest.mark.parametrize(("number", "examples"), [("5", ("7", "5", "8", "10")), ("0.5", ("0.7", "0.5", "0.8", "1"))])
def test_rounding_shows_examples(number: str, examples: tuple[str, ...]) -> None:
    down, low, up, high = examples
    text = f"ALWAYS : GENERALIZE Age TO NEAREST {number};"
    assert lines(text, "NEAREST") == (
        MEANINGS["NEAREST"],
        f"`{down}` becomes `{low}`",
        f"`{up}` becomes `{high}`",
    )


def test_a_word_means_what_it_does_in_its_form() -> None:
    shift = "ALWAYS : SHIFT Age BY Name WITHIN 30 DAYS THEN ADD RANDOM 1 2 TO Age THEN MICROAGGREGATE Age BY 3;"
    assert "person" in lines(shift, "BY Name")[0]
    assert lines(shift, "RANDOM") == (MEANINGS["ADD"],)
    assert lines(shift, "TO Age") == ("the column to which the integer is added",)
    assert "group" in lines(shift, "BY 3")[0]
    process = "EACH PROCESS COUNT(*) IN 'f.csv' AS n, SHARE OF MODE (Age) AS s : n IN (3) : REJECT;"
    assert "file" in lines(process, "IN 'f")[0]
    assert lines(process, "IN (") == (MEANINGS["IN"],)
    assert lines(process, "OF") == ("what the share is of",)


def test_a_column_of_a_reference_table_is_not_one_of_the_table() -> None:
    text = "EACH PROCESS SUM(Age) IN 'f.csv' AS n, SUM(Age) AS m : n > 3;"
    found = at(text, "Age) IN")
    assert found is not None
    assert found.title == "column `Age` of `f.csv`"
    assert lines(text, "Age) AS") == ("integer",)


def test_prefixes_and_dates_show_an_example() -> None:
    assert lines("ALWAYS : GENERALIZE Postal Code TO PREFIX OF 3;", "PREFIX")[1:] == ("`21201` becomes `212**`",)
    assert lines("ALWAYS : GENERALIZE Day TO QUARTER;", "QUARTER", Context())[1:] == ("`2018-03-14` becomes `2018-Q1`",)


def test_a_hierarchy_next_to_the_policy_shows_examples(tmp_path: Path) -> None:
    (tmp_path / "levels.csv").write_text("flu,lungs,any\nasthma,lungs,any\ngout,joints,any\n")
    text = "ALWAYS : GENERALIZE Illness TO LEVEL 1 OF 'levels.csv' ELSE other;"
    found = lines(text, "'levels", Context(), str(tmp_path / "policy.acp"))
    assert "`gout` becomes `joints`" in found


def test_a_map_that_does_not_fit_shows_only_its_meaning() -> None:
    assert lines("ALWAYS : GENERALIZE Postal Code TO BANDS OF 5;", "BANDS") == (MEANINGS["BANDS"],)
    assert lines("ALWAYS : GENERALIZE a TO LEVEL 1 OF 'none.csv';", "LEVEL") == (MEANINGS["LEVEL"],)


def test_a_keyword_shows_its_meaning() -> None:
    assert lines(POLICY, "GROUP BY") == (MEANINGS["GROUP_BY"],)
    assert lines(POLICY, "THEN") == (MEANINGS["THEN"],)


def test_a_requirement_has_its_verdict_and_its_proof() -> None:
    document = Document(POLICY)
    with open_session(people()) as session:
        found = verdicts(document, {"k": 5}, session)
    given = context(verdicts=found, proofs=proofs(document, {"k": 5}, None))
    said = lines(POLICY, "EACH", given)
    assert "repaired: 60 of 60 records affected, GENERALIZE" in said
    assert any(line.startswith("proved for every table") for line in said)
    assert lines(POLICY, "ALWAYS", given)[1] == "no verdict: 60 of 60 records affected, DROP"


@pytest.mark.parametrize("word", ["-- n is", "10"])
def test_comments_and_constants_show_nothing(word: str) -> None:
    text = POLICY.replace("BANDS OF 10", "BANDS OF 5") + "EACH RESULT : Age = 10;"
    assert at(text, word) is None


def test_every_keyword_has_a_meaning() -> None:
    assert SPELLINGS.keys() == MEANINGS.keys()


ROLES = TableRoles(("Age", "Postal Code", "AEC (kWh)"), ("Illness",), ("Name",))
GROUPS = 'GROUP BY Age, Postal Code, "AEC (kWh)"'
PARAMS = {"k": 2, "l": 2, "most": 1040}


def test_each_template_is_a_formatted_requirement_that_fits_the_table() -> None:
    with acompass.open(people()) as session:
        facts = {fact.name: fact for fact in table_facts(session)}
        found = templates(ROLES, SCHEMA, (), facts)
        for template in found:
            document = Document(template.text)
            assert document.policy is not None, template.text
            assert len(document.policy.tree.requirements) == 1
            assert format_program(template.text) == template.text + "\n"
            errors = [each.code for each in diagnose(document, Context(PARAMS), session) if each.severity == "error"]
            assert errors == (["AC130"] if template.key == "k-map" else []), template  # its file is to be filled in
    assert len({template.key for template in found}) == len(found)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("drop-identifiers", "ALWAYS : DROP Name;"),
        ("suppress:Name", "ALWAYS : REPLACE Name WITH '*';"),
        ("bands:Age", "ALWAYS : GENERALIZE Age TO BANDS OF 10;"),
        ("sample", "ALWAYS : WITH PROBABILITY 0.75 REJECT;"),
        ("response:Illness", "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM ('yes', 'no');"),
        ("pseudonym:Name", "ALWAYS : PSEUDONYM Name;"),
        ("mode:Illness", f"EACH PROCESS SHARE OF MODE (Illness) AS a {GROUPS}\n   : a <= 0.5\n   : REJECT;"),
        ("k-map", f"EACH PROCESS COUNT(*) IN 'population.csv' AS p {GROUPS}\n   : p >= k\n   : REJECT;"),
        ("top:AEC (kWh)", 'EACH RESULT\n   : "AEC (kWh)" <= most\n   : REPLACE "AEC (kWh)" WITH most;'),
    ],
)
def test_templates_have_the_expected_text(key: str, text: str) -> None:
    assert {each.key: each.text for each in templates(ROLES, SCHEMA)}[key] == text


def test_classes_contain_all_quasi_identifiers() -> None:
    found = {each.key: each.text for each in templates(ROLES)}
    assert list(found) == [
        "drop-identifiers",
        "suppress:Name",
        "pseudonym:Name",
        "k-anonymity",
        "l-diversity:Illness",
        "mode:Illness",
        "k-map",
        "check-k",
        "sample",
        "response:Illness",
    ]
    for key in ("k-anonymity", "l-diversity:Illness", "check-k"):
        assert 'GROUP BY Age, Postal Code, "AEC (kWh)"' in found[key]
    assert "REJECT" not in found["check-k"]


def test_a_randomized_response_draws_the_frequent_values() -> None:
    found = {each.key: each.text for each in templates(ROLES, SCHEMA, (), {"Illness": illness_facts()})}
    expected = "ALWAYS : WITH PROBABILITY 0.5 RANDOM Illness FROM ('flu', 'it''s asthma');"
    assert found["response:Illness"] == expected
    numbers = templates(TableRoles(sensitive=("Age",)), SCHEMA)
    assert [each.key for each in numbers] == ["sample", "means:Age"]


def test_numbers_and_dates_of_persons_have_templates() -> None:
    schema = make_schema({"Id": TEXT, "Born": DATE, "Turnover": INTEGER})
    found = {each.key: each.text for each in templates(TableRoles(("Born",), ("Turnover",), ("Id",)), schema)}
    assert found["shift:Id"] == "ALWAYS : SHIFT Born BY Id WITHIN 30 DAYS;"
    assert found["means:Turnover"] == "ALWAYS : MICROAGGREGATE Turnover BY 3;"
    assert found["dominance:Turnover"] == (
        "EACH PROCESS SHARE OF LARGEST 2 (Turnover) AS s GROUP BY Born\n   : s <= 0.67\n   : REJECT;"
    )


def test_templates_count_persons_and_shift_only_their_dates() -> None:
    schema = make_schema({"Id": TEXT, "Phone": TEXT, "Born": DATE})
    found = {each.key: each for each in templates(TableRoles(("Born",), (), ("Id", "Phone"), (), "Id"), schema)}
    assert [key for key in found if key.startswith("shift:")] == ["shift:Id"]
    for key in ("k-anonymity", "check-k"):
        assert "COUNT DISTINCT(Id) AS n GROUP BY Born" in found[key].text
        assert "fewer than k persons" in found[key].why


def test_a_template_avoids_names_that_are_taken() -> None:
    (count, *_) = [each for each in templates(TableRoles(("n", "Age"))) if each.key == "k-anonymity"]
    assert "COUNT(*) AS n_" in count.text
    found = {each.key: each.text for each in templates(ROLES, SCHEMA, ("most",))}
    assert "<= most_" in found["top:Age"]


def test_codes_and_dates_are_recognized_by_their_facts() -> None:
    rows = [{"Zip": f"{10000 + place}", "Day": f"2020-01-{place % 28 + 1:02}"} for place in range(30)]
    with acompass.open(rows) as session:
        facts = {fact.name: fact for fact in table_facts(session)}
    found = {each.key: each.text for each in templates(TableRoles(("Zip", "Day")), None, (), facts)}
    assert found["prefix:Zip"] == "ALWAYS : GENERALIZE Zip TO PREFIX OF 3;"
    assert found["month:Day"] == "ALWAYS : GENERALIZE Day TO MONTH;"


def test_without_roles_there_are_no_templates() -> None:
    assert templates(TableRoles(), SCHEMA) == ()
