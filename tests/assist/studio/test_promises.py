"""What the step Release says is promised: each sentence is printed where it is true, and only there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acompass.session import Session
from acompass.session import open as open_session
from tests.assist.studio.browsing import PEOPLE, write_people
from tests.assist.studio.pages import Page, open_studio

CLASSES = "EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 2 : REJECT;\n"
PERSONS_COUNTED = CLASSES.replace("COUNT(*)", "COUNT DISTINCT(Name)")
DIVERSE = "EACH PROCESS COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : d >= 2 : REJECT;\n"
DROP = "ALWAYS : DROP Name;\n"
ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"], "other": []}
PERSONS = ROLES | {"person": "Name"}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with open_studio(*write_people(tmp_path_factory.mktemp("promises"), CLASSES)) as (page, _):
        yield page


def sentences(page: Page, text: str, roles: dict[str, Any] = ROLES, **params: str) -> list[tuple[str, str, int | None]]:
    page.ask("roles", roles=roles)
    answer = page.ask_about("promises", text, params)
    assert answer["diagnostics"] == []
    return [(each["text"], each["basis"], each["line"]) for each in answer["promised"]["sentences"]]


def test_a_good_policy_is_promised_in_words(page: Page) -> None:
    assert sentences(page, DROP + CLASSES + DIVERSE) == [
        ("Released records with equal values in `Age`, `Zip` form classes with at least 2 records.", "proved", 2),
        (
            "Released records with equal values in `Age`, `Zip` form classes with at least 2 different values of "
            "`Disease`.",
            "proved",
            3,
        ),
        (
            "Classes are counted in records. That protects persons only if each record is a different person: "
            "no column is known to tell persons apart.",
            "none",
            None,
        ),
        ("The identifier `Name` is not in the released table.", "always", None),
        ("No line of the policy changes values of `Age`, `Zip`, `Disease`.", "none", None),
        ("The report for the recipients has neither the size nor a hash of the original file.", "always", None),
    ]


def test_persons_are_counted_before_their_column_is_dropped(page: Page) -> None:
    counted = PERSONS_COUNTED
    found = sentences(page, counted + DROP, PERSONS)
    words = "at least 2 persons (`Name`), counted before `Name` is dropped"
    assert found[0] == (f"Released records with equal values in `Age`, `Zip` form classes with {words}.", "proved", 1)
    assert not any(text.startswith("Nothing is promised about how many") for text, _, _ in found)
    for later in ("EACH RESULT : Disease = 'flu' : REPLACE Zip WITH 1;\n", "EACH RESULT : Disease = 'flu' : REJECT;\n"):
        changed = sentences(page, counted + later + DROP, PERSONS)
        assert not any("at least 2 persons" in text for text, _, _ in changed), later
    keys = sentences(page, counted + "ALWAYS : DROP Name, Zip;\n", PERSONS)
    assert not any("at least 2 persons" in text for text, _, _ in keys), "classes by a column that is dropped, too"


def test_bounds_that_a_line_joins_are_promised_together(page: Page) -> None:
    both = "EACH PROCESS COUNT(*) AS n, COUNT DISTINCT(Disease) AS d GROUP BY Age, Zip : n >= 2 AND d >= 2 : REJECT;\n"
    found = sentences(page, DROP + both)
    words = "at least 2 records and at least 2 different values of `Disease`"
    assert found[0] == (f"Released records with equal values in `Age`, `Zip` form classes with {words}.", "proved", 2)
    assert not any(text.startswith("Nothing is promised about how many") for text, _, _ in found)
    mixed = sentences(page, DROP + both.replace("d >= 2", "d <= 2"))
    assert "`EACH PROCESS COUNT(*) AS n" in mixed[0][0], "only lower bounds have words"
    assert not any(text.startswith("Nothing is promised about how many") for text, _, _ in mixed)
    unbounded = sentences(page, DROP + both.replace("n >= 2 AND d >= 2", "d >= 2"))
    assert any(text.startswith("Nothing is promised about how many") for text, _, _ in unbounded)


#: the beginning of a sentence; a policy and roles for which it is printed, with its basis; and others for which not
CASES: dict[str, tuple[tuple[str, dict[str, Any]], str, tuple[str, dict[str, Any]]]] = {
    "Released records with equal values in `Age`, `Zip` form classes with at least 2 records": (
        (DROP + CLASSES, ROLES),
        "proved",
        (DROP + CLASSES + "EACH RESULT : Disease = 'flu' : REPLACE Zip WITH 1;\n", ROLES),
    ),
    "Released records with equal values in `Disease` form classes with more than 1 record": (
        (DROP + "EACH PROCESS COUNT(*) AS n GROUP BY Disease : n > 1;\n", ROLES),
        "checked",
        (DROP + "EACH PROCESS COUNT(*) AS n GROUP BY Age : n > 1;\n", ROLES),
    ),
    "The released table has at least 2 records": (
        (DROP + "EACH PROCESS COUNT(*) AS n : n >= 2;\n", ROLES),
        "checked",
        (DROP + "EACH PROCESS COUNT(*) AS n : n >= 7;\n", ROLES),
    ),
    "Every released record satisfies `EACH RESULT : Age <= 80`": (
        ("EACH RESULT : Age <= 80 : REJECT;\n" + DROP, ROLES),
        "proved",
        ("EACH RESULT : Age <= 80 : REJECT;\nALWAYS : REPLACE Age WITH 90;\n" + DROP, ROLES),
    ),
    "`EACH RESULT : Age <= 80` is violated by 1 of 6 records": (
        ("EACH RESULT : Age <= 80;\n" + DROP, ROLES),
        "warning",
        ("EACH RESULT : Age <= 90;\n" + DROP, ROLES),
    ),
    "`EACH RESULT : Age <= 70` is violated by 1 of 6 records": (  # and proved for what would be written
        ("EACH RESULT : Age <= 70;\nEACH RESULT : Age <= 70 : REJECT;\n" + DROP, ROLES),
        "warning",
        ("EACH RESULT : Age <= 70 : REJECT;\nEACH RESULT : Age <= 70;\n" + DROP, ROLES),
    ),
    "`EACH RESULT : Age <= 60` is violated by 1 of 6 records": (  # which `allow` does not accept
        ("-- allow AC330: tested\nEACH RESULT : Age <= 60;\n" + DROP, ROLES),
        "warning",
        ("EACH RESULT : Age <= 60 : REJECT;\n" + DROP, ROLES),
    ),
    "The table would not satisfy `EACH RESULT : Age <= 80` after the last line": (
        ("EACH RESULT : Age <= 80 : REJECT;\nALWAYS : REPLACE Age WITH 90;\n" + DROP, ROLES),
        "warning",
        ("EACH RESULT : Age <= 80 : REJECT;\n" + DROP, ROLES),
    ),
    "The released table does not satisfy": (
        ("-- allow AC330: tested\nEACH RESULT : Age <= 80 : REJECT;\nALWAYS : REPLACE Age WITH 90;\n" + DROP, ROLES),
        "warning",
        ("EACH RESULT : Age <= 80 : REJECT;\nALWAYS : REPLACE Age WITH 90;\n" + DROP, ROLES),
    ),
    "Nothing is promised by `EACH RESULT : Age <= 80`: its action is performed by chance": (
        ("EACH RESULT : Age <= 80 : WITH PROBABILITY 0.5 REJECT;\n" + DROP, ROLES),
        "none",
        ("EACH RESULT : Age <= 80 : REJECT;\n" + DROP, ROLES),
    ),
    "Nothing is promised by `EACH RESULT : Age <= 80`: it only selects": (
        ("EACH RESULT : Age <= 80 : REPLACE Zip WITH 0;\n" + DROP, ROLES),
        "none",
        ("EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\n" + DROP, ROLES),
    ),
    "Nothing is promised by `EACH RESULT : Age <= 80`: later lines": (
        ("EACH RESULT : Age <= 80 : REJECT;\nALWAYS : DROP Age, Name;\n", ROLES),
        "none",
        ("EACH RESULT : Age <= 80 : REJECT;\nALWAYS : DROP Zip, Name;\n", ROLES),
    ),
    "No record is left: nothing is promised by `EACH RESULT : Age <= 1`": (
        ("EACH RESULT : Age <= 1 : REJECT;\n" + DROP, ROLES),
        "none",
        (CLASSES + DROP, ROLES),
    ),
    "No check in this policy": ((DROP, ROLES), "warning", (DROP + CLASSES, ROLES)),
    "Nothing is promised about how many records or persons share their values in `Age`, `Zip`": (
        (DROP + CLASSES.replace("Age, Zip", "Age"), ROLES),
        "none",
        (DROP + CLASSES.replace("Age, Zip", "Age, Zip, Disease"), ROLES),
    ),
    "Nothing is promised about how many": (  # a bound that every class satisfies
        (DROP + CLASSES.replace("2", "1"), ROLES),
        "none",
        (DROP + CLASSES, ROLES),
    ),
    "`EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= 1` demands nothing": (
        (DROP + CLASSES.replace("2", "1"), ROLES),
        "warning",
        (DROP + CLASSES.replace("n >= 2", "n > 1"), ROLES),
    ),
    "The released table satisfies `EACH PROCESS COUNT(*) AS n WHERE": (
        (DROP + CLASSES.replace("n GROUP", "n WHERE Age > 30 GROUP"), ROLES),
        "proved",
        (DROP + CLASSES, ROLES),
    ),
    "A line changes `Name` so that records of one person may have different values": (
        ("ALWAYS : RANDOM Name FROM ('a', 'b', 'c', 'd');\n" + PERSONS_COUNTED, PERSONS),
        "warning",
        ("ALWAYS : GENERALIZE Name TO PREFIX OF 1;\n" + PERSONS_COUNTED + DROP, PERSONS),
    ),
    "Released records with equal values in `Age`, `Zip` form classes with at least 2 persons": (
        (PERSONS_COUNTED + DROP, PERSONS),
        "proved",
        ("EACH RESULT : Age <= 40 : REPLACE Name WITH '*';\n" + PERSONS_COUNTED + DROP, PERSONS),
    ),
    "The release draws new random values": (
        (DROP + "ALWAYS : RANDOM Zip 1 9;\n" + CLASSES, ROLES),
        "none",
        (DROP + CLASSES, ROLES),
    ),
    "No column has the role of an identifier": (
        (CLASSES, ROLES | {"identifiers": []}),
        "none",
        (DROP + CLASSES, ROLES),
    ),
    "Classes are counted in records. That protects persons only if": (
        (DROP + CLASSES, ROLES),
        "none",
        (DROP + CLASSES, PERSONS),
    ),
    "Classes are counted in records, not in persons": (
        (DROP + CLASSES, PERSONS),
        "warning",
        (PERSONS_COUNTED + "ALWAYS : REPLACE Name WITH '*';\n", PERSONS),
    ),
    "No column has a role": ((CLASSES, {}), "warning", (DROP + CLASSES, ROLES)),
    "The identifier `Name` is not in the released table": (
        (DROP + CLASSES, ROLES),
        "always",
        ("ALWAYS : REPLACE Name WITH '*';\n" + CLASSES, ROLES),
    ),
    "The identifier `Name` is overwritten in every record": (
        ("ALWAYS : REPLACE Name WITH '*';\n" + CLASSES, ROLES),
        "always",
        ("EACH RESULT : Age <= 40 : REPLACE Name WITH '*';\n" + CLASSES, ROLES),
    ),
    "The identifier `Name` would be released": (
        ("EACH RESULT : Age <= 40 : REPLACE Name WITH '*';\n" + CLASSES, ROLES),
        "warning",
        (DROP + CLASSES, ROLES),
    ),
    "`Disease` has no role": ((DROP + CLASSES, ROLES | {"sensitive": []}), "warning", (DROP + CLASSES, ROLES)),
    "Nothing is promised about `Disease` within a class": (
        (DROP + CLASSES, ROLES),
        "none",
        (DROP + CLASSES + DIVERSE, ROLES),
    ),
    "Nothing is promised about `Disease`": (  # only of larger classes
        (DROP + CLASSES + DIVERSE.replace("Age, Zip", "Age"), ROLES),
        "none",
        (DROP + CLASSES + "EACH PROCESS SHARE OF MODE(Disease) AS a GROUP BY Age, Zip : a <= 0.9 : REJECT;\n", ROLES),
    ),
    "Nothing is promised about `Disease` within": (  # an upper bound
        (DROP + CLASSES + DIVERSE.replace(">= 2", "<= 9"), ROLES),
        "none",
        (DROP + CLASSES + DIVERSE, ROLES | {"sensitive": ["Disease"]}),
    ),
    "`*` counts as a value of `Disease`": (
        (DROP + "EACH RESULT : Age <= 40 : REPLACE Disease WITH '*';\n" + CLASSES + DIVERSE, ROLES),
        "warning",
        (DROP + "EACH RESULT : Age <= 40 : REPLACE Disease WITH '*';\n" + CLASSES, ROLES),
    ),
    "No line of the policy changes values of `Age`, `Zip`, `Disease`": (
        (DROP + CLASSES, ROLES),
        "none",
        (DROP + CLASSES + "EACH RESULT : Age <= 40 : REPLACE Zip WITH 1;\n", ROLES),
    ),
    "The policy groups by `Age`; the quasi-identifiers are `Age`, `Zip`": (
        (DROP + CLASSES.replace("Age, Zip", "Age"), ROLES),
        "warning",
        (DROP + CLASSES, ROLES),
    ),
}


@pytest.mark.parametrize("start", CASES)
def test_a_sentence_is_printed_only_where_it_is_true(page: Page, start: str) -> None:
    yes, basis, no = CASES[start]
    assert [each[1] for each in sentences(page, *yes) if each[0].startswith(start)] == [basis]
    assert not any(each[0].startswith(start) for each in sentences(page, *no))


def test_pseudonyms_are_promised_with_who_can_undo_them(tmp_path: Path) -> None:
    text = "ALWAYS : PSEUDONYM Name;\n" + CLASSES
    with open_studio(*write_people(tmp_path, text), key=b"k" * 32) as (page, _):
        found = [each[0] for each in sentences(page, text)]
    assert any(
        each.startswith("The identifier `Name` is replaced with pseudonyms: whoever has the key") for each in found
    )
    assert "The key is in none of the files." in found
    assert not any("overwritten" in each or "not in the released table" in each for each in found)


def test_missing_values_are_counted_or_named(tmp_path: Path) -> None:
    table = PEOPLE + "Gus,,21402,flu\n"
    with open_studio(*write_people(tmp_path, CLASSES, table), reading={"missing": ("drop",)}) as (page, _):
        dropped = [each for each in sentences(page, DROP + CLASSES) if "missing" in each[0]]
        assert dropped == [("1 record with a missing value is dropped before the first line.", "checked", None)]
    with open_studio(*write_people(tmp_path, CLASSES, table), reading={"missing": {"Age": "51"}}) as (page, _):
        filled = [each for each in sentences(page, DROP + CLASSES) if "issing" in each[0]]
        assert filled == [("Missing values are replaced: in `Age` with `51`.", "always", None)]
    with open_studio(*write_people(tmp_path, CLASSES, table), reading={"missing": {"Age": "error", "Zip": "drop"}}) as (
        page,
        _,
    ):
        text = DROP + CLASSES.replace("Age, ", "")
        assert not any("issing" in each[0] for each in sentences(page, text))
    with open_studio(*write_people(tmp_path, CLASSES, table), reading={"missing": {"Name": "?", "Age": "51"}}) as (
        page,
        _,
    ):
        counted = [text for text, basis, _ in sentences(page, PERSONS_COUNTED + DROP, PERSONS) if basis == "warning"]
        assert counted == ["Records without a value of `Name` count as those of one more person in their class."]


def test_persons_are_counted_where_the_policy_counts_them(tmp_path: Path) -> None:
    table = PEOPLE.replace("Bob", "Ann")
    text = PERSONS_COUNTED + "ALWAYS : REPLACE Name WITH '*';\n"
    with open_studio(*write_people(tmp_path, text, table)) as (page, _):
        spoken = sentences(page, DROP + CLASSES, PERSONS)
        assert any("not in persons" in each[0] for each in spoken)
        assert not any("at least 2 persons" in each[0] for each in spoken)


def test_spellings_of_one_value_are_a_warning(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, DIVERSE, PEOPLE.replace("Dee,34,21401,flu", "Dee,34,21401,FLU"))) as (
        page,
        _,
    ):
        assert any("Disease" in text and basis == "warning" for text, basis, _ in sentences(page, DROP + DIVERSE))
    with open_studio(*write_people(tmp_path, DIVERSE)) as (page, _):
        assert not any(basis == "warning" for _, basis, _ in sentences(page, DROP + DIVERSE))


def test_a_parquet_file_has_nothing_of_removed_records(tmp_path: Path) -> None:
    policy, table = write_people(tmp_path, CLASSES)
    with open_session(str(table)) as session:
        _copy(session, tmp_path / "people.parquet")
    with open_studio(policy, tmp_path / "people.parquet") as (page, _):
        assert any("dictionary entries" in each[0] for each in sentences(page, DROP + CLASSES))


def _copy(session: Session, path: Path) -> None:
    session.run("EACH PROCESS COUNT(*) AS n : n >= 0;", output=path, roles={})


def test_an_unbound_parameter_is_asked_for(page: Page) -> None:
    text = DROP + CLASSES.replace("2", "k")
    answer = page.ask_about("promises", text)
    assert (answer["unbound"], answer["promised"], answer["diagnostics"]) == (["k"], None, [])
    assert any("at least 3 records" in each[0] for each in sentences(page, text, k="3"))


def test_a_mistake_in_the_policy_is_a_diagnostic(page: Page) -> None:
    answer = page.ask_about("promises", "EACH RESULT : Height <= 80 : REJECT;\n")
    assert (answer["diagnostics"][0]["code"], answer["promised"]) == ("AC101", None)


def test_a_sentence_leads_to_its_line(page: Page) -> None:
    page.ask("roles", roles=ROLES)
    text = DROP + CLASSES
    first = page.ask_about("promises", text)["promised"]["sentences"][0]
    assert text[first["from"] : first["to"]].startswith("EACH PROCESS")


def test_no_sentence_contains_a_value_of_the_table(page: Page) -> None:
    found = " ".join(each[0] for each in sentences(page, DROP + CLASSES + DIVERSE))
    assert not any(value in found for value in ("Ann", "flu", "cold", "21401", "34"))
