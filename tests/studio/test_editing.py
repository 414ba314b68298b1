"""Help while a policy is written, in places of the page."""

from typing import Any

import pytest

from tests.studio.pages import Page
from tests.studio.tables import AGES, CLASSES

#: a comment with a character of two code units before the policy
WIDE = "-- 😀 and ≤\n"


def marked(text: str, place: dict[str, Any]) -> str:
    """The characters that a place of the page means."""
    return text.encode("utf-16-le")[2 * place["from"] : 2 * place["to"]].decode("utf-16-le")


def at(text: str, word: str) -> int:
    return len(text[: text.index(word)].encode("utf-16-le")) // 2


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    units = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda edit: -edit["from"]):
        units = units[: 2 * edit["from"]] + edit["insert"].encode("utf-16-le") + units[2 * edit["to"] :]
    return units.decode("utf-16-le")


def test_a_policy_that_is_right_has_no_diagnostics(page: Page) -> None:
    assert page.about("diagnose", AGES) == {"diagnostics": [], "parameters": []}


def test_an_unknown_column_is_marked_and_fixed(page: Page) -> None:
    text = WIDE + "EACH RESULT : Agee <= 80;\n"
    (found,) = page.about("diagnose", text)["diagnostics"]
    assert (found["code"], found["severity"], found["page"]) == ("AC101", "error", "unknown column")
    assert marked(text, found) == "Agee"
    assert "EACH RESULT : Age <= 80;" in edited(text, found["fixes"][0]["edits"])


def test_a_syntax_error_is_marked(page: Page) -> None:
    text = WIDE + "EACH RESULT : Age <= ;\n"
    (found,) = page.about("diagnose", text)["diagnostics"]
    assert found["severity"] == "error"
    assert marked(text, found) == ";"


def test_a_missing_parameter_is_told_and_named(page: Page) -> None:
    found = page.about("diagnose", CLASSES)
    assert found["parameters"] == ["k"]
    assert [each["code"] for each in found["diagnostics"]] == ["AC106"]
    assert page.about("diagnose", CLASSES, {"k": "2"})["diagnostics"] == []
    assert page.about("diagnose", CLASSES, {"k": " "})["diagnostics"] == found["diagnostics"]


def test_hover_tells_of_a_column(page: Page) -> None:
    text = WIDE + AGES
    found = page.about("hover", text, at=at(text, "Age <=") + 1)["hover"]
    assert marked(text, found) == "Age"
    assert "Age" in found["title"]
    assert page.about("hover", text, at=1)["hover"] is None


def test_completions_replace_the_word_that_is_written(page: Page) -> None:
    text = WIDE + "EACH RESULT : Zi"
    found = page.about("complete", text, at=len(text.encode("utf-16-le")) // 2)["completions"]
    (column,) = [each for each in found if each["label"] == "Zip"]
    assert (column["kind"], marked(text, column)) == ("column", "Zi")


def test_a_name_is_renamed_everywhere(page: Page) -> None:
    text = WIDE + CLASSES
    answer = page.about("rename", text, at=at(text, "n GROUP"), name="size")
    assert edited(text, answer["edits"]) == text.replace("AS n", "AS size").replace(": n", ": size")
    found = page.about("references", text, at=at(text, "n >="))
    assert marked(text, found["definition"]) == "n"
    assert len(found["references"]) == 2


def test_a_column_is_not_renamed(page: Page) -> None:
    answer = page.about("rename", AGES, at=at(AGES, "Age"), name="size")
    assert answer["edits"] == []
    assert answer["diagnostics"]


def test_the_text_is_formatted(page: Page) -> None:
    text = WIDE + "EACH RESULT:Age≤80;"
    edits = page.about("format", text)["edits"]
    assert edited(text, edits).endswith("EACH RESULT\n   : Age <= 80;\n")
    assert page.about("format", "EACH RESULT : ")["edits"] == []


def test_the_outline_has_the_requirements(page: Page) -> None:
    text = WIDE + AGES + CLASSES
    found = [each for each in page.about("symbols", text)["symbols"] if each["kind"] == "requirement"]
    assert [marked(text, each)[:4] for each in found] == ["EACH", "EACH"]


@pytest.mark.parametrize("name", ["diagnose", "verdicts", "hover", "risk", "release"])
def test_a_body_without_its_fields_is_refused(page: Page, name: str) -> None:
    response = page.send(name, text=1)
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "`text` is missing or of another kind"


def test_a_wrong_parameter_is_told(page: Page) -> None:
    answer = page.about("verdicts", CLASSES, {"a b": "2"})
    assert answer["verdicts"] is None
    assert answer["diagnostics"]
