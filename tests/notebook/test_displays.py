"""What a notebook displays for each answer."""

from pathlib import Path

import pytest

import acompass
from acompass.displayed import Displayed
from acompass.report.notebook.answer import answer_html
from tests.notebook import answers
from tests.report.pages import Element, read_page

KINDS = ["run", "check", "plan", "proof", "comparison", "measures", "suggestion", "estimate", "explanation"]


@pytest.fixture(scope="module")
def displays() -> dict[str, str]:
    found = {**answers.without_records(), "explanation": answers.explanation()}
    return {kind: answer._repr_html_() for kind, answer in found.items()}


def _read(html: str, folder: Path) -> Element:
    page = folder / "display.html"
    page.write_text(html, encoding="utf-8")
    return read_page(page)


@pytest.mark.parametrize("kind", KINDS)
def test_names_and_values_are_text(displays: dict[str, str], kind: str, tmp_path: Path) -> None:
    display = _read(displays[kind], tmp_path)
    assert display.all("script") == display.all("b") == []
    assert answers.SCRIPT in display.words


@pytest.mark.parametrize("kind", KINDS)
def test_tables_have_captions_and_scopes(displays: dict[str, str], kind: str, tmp_path: Path) -> None:
    tables = _read(displays[kind], tmp_path).all("table")
    assert tables
    for table in tables:
        assert [caption.text.strip() != "" for caption in table.all("caption")] == [True]
        assert {header.attributes.get("scope") for header in table.all("th")} == {"col", "row"}
        widths = {len(row.children) for row in table.all("tr")}
        assert len(widths) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_display_has_no_colours(displays: dict[str, str], kind: str) -> None:
    assert "#" not in displays[kind].replace("&#x27;", "").replace("&#39;", "")
    assert "class=" not in displays[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_only_an_explanation_shows_records(displays: dict[str, str], kind: str) -> None:
    assert ("Zebulon" in displays[kind]) == (kind == "explanation")


def test_a_result_says_what_each_requirement_did(displays: dict[str, str], tmp_path: Path) -> None:
    words = _read(displays["run"], tmp_path).words
    assert "101 records in" in words
    assert "REPLACE" in words
    assert "Columns that the policy never names: Name" in words


def test_a_plan_has_its_stages_and_says_that_nothing_was_written(
    displays: dict[str, str], tmp_path: Path
) -> None:
    plan = _read(displays["plan"], tmp_path)
    assert "nothing was written" in plan.words
    (stages,) = plan.all("details")
    assert "requirement" in stages.words


def test_a_refuted_claim_shows_its_counterexample(displays: dict[str, str], tmp_path: Path) -> None:
    claims, before, after = _read(displays["proof"], tmp_path).all("table")
    assert [word for word in claims.words.split() if word in ("refuted", "proved", "undecided")][-2:] == [
        "refuted",
        "proved",
    ]
    assert "Before" in before.words
    assert "After" in after.words


def test_privacy_has_a_row_for_each_column_and_its_witnesses(
    displays: dict[str, str], tmp_path: Path
) -> None:
    display = _read(displays["privacy"], tmp_path)
    captions = [caption.text for caption in display.all("caption")]
    assert "Privacy by column" in captions
    assert captions.count("neighbour") == 3
    assert "no bound" in display.words
    assert "Stability" in display.words
    assert "several records of one person" in display.words


def test_measures_have_a_table_for_each_question(displays: dict[str, str], tmp_path: Path) -> None:
    captions = [caption.text for caption in _read(displays["measures"], tmp_path).all("caption")]
    assert len(captions) == 7
    assert captions[-1].startswith("Loss ")


def test_a_suggestion_shows_its_policy(displays: dict[str, str], tmp_path: Path) -> None:
    display = _read(displays["suggestion"], tmp_path)
    (policy,) = display.all("pre")
    assert ">= 3" in policy.words
    assert "k = 3" in display.words


def test_an_explanation_shows_the_record_before_and_after(displays: dict[str, str], tmp_path: Path) -> None:
    first = _read(displays["explanation"], tmp_path).all("table")[0]
    age = next(row for row in first.all("tr") if row.words.split()[0] == "Age")
    assert age.words.split() == ["Age", "97", "80"]


def test_an_explanation_says_that_a_record_was_not_drawn(tmp_path: Path) -> None:
    policy, people = "ALWAYS : WITH PROBABILITY 0.5 REJECT;", [{"Age": 30}, {"Age": 40}]
    explained = acompass.explain(policy, people, record=2, trace=["0.1", "0.7"])
    assert "affected: not drawn, so left as it was" in _read(explained._repr_html_(), tmp_path).words


def test_an_answer_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="Displayed"):
        answer_html(Displayed())
