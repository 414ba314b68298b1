"""Answers to the page while a policy is written, with positions as the page counts them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.assist.studio.messages import Offsets
from acompass.assist.studio.state import MOST_KEPT, Memory
from acompass.errors.diagnostics import Span
from tests.assist.studio.browsing import AGES, CLASSES, ELECTRICITY, PEOPLE, write_people
from tests.assist.studio.pages import Page, asking, open_studio
from tests.waiting import PATIENCE, wait_until

#: a comment before the policy, with a character of two UTF-16 code units
WIDE = "-- 😀 and ≤\n"


def text_in(text: str, place: dict[str, Any]) -> str:
    """The text in a range that the page was sent."""
    return text.encode("utf-16-le")[2 * place["from"] : 2 * place["to"]].decode("utf-16-le")


def at(text: str, word: str) -> int:
    return len(text[: text.index(word)].encode("utf-16-le")) // 2


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    units = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda edit: -edit["from"]):
        units = units[: 2 * edit["from"]] + edit["insert"].encode("utf-16-le") + units[2 * edit["to"] :]
    return units.decode("utf-16-le")


def test_a_correct_policy_has_no_diagnostics(page: Page) -> None:
    assert page.ask_about("diagnose", AGES) == {"diagnostics": [], "parameters": []}


def test_an_unknown_column_is_marked_and_fixed(page: Page) -> None:
    text = WIDE + "EACH RESULT : Agee <= 80;\n"
    (found,) = page.ask_about("diagnose", text)["diagnostics"]
    assert (found["code"], found["severity"], found["page"]) == ("AC101", "error", "unknown column")
    assert text_in(text, found) == "Agee"
    assert "EACH RESULT : Age <= 80;" in apply(text, found["fixes"][0]["edits"])


def test_a_syntax_error_is_marked(page: Page) -> None:
    text = WIDE + "EACH RESULT : Age <= ;\n"
    (found,) = page.ask_about("diagnose", text)["diagnostics"]
    assert found["severity"] == "error"
    assert text_in(text, found) == ";"


def test_a_missing_parameter_is_reported_and_listed(page: Page) -> None:
    found = page.ask_about("diagnose", CLASSES)
    assert found["parameters"] == ["k"]
    assert [each["code"] for each in found["diagnostics"]] == ["AC106"]
    assert page.ask_about("diagnose", CLASSES, {"k": "2"})["diagnostics"] == []
    assert page.ask_about("diagnose", CLASSES, {"k": " "})["diagnostics"] == found["diagnostics"]


def test_hover_describes_a_column(page: Page) -> None:
    text = WIDE + AGES
    found = page.ask_about("hover", text, at=at(text, "Age <=") + 1)["hover"]
    assert text_in(text, found) == "Age"
    assert "Age" in found["title"]
    assert page.ask_about("hover", text, at=1)["hover"] is None


def test_a_completion_replaces_the_typed_word(page: Page) -> None:
    text = WIDE + "EACH RESULT : Zi"
    found = page.ask_about("complete", text, at=len(text.encode("utf-16-le")) // 2)["completions"]
    (column,) = [each for each in found if each["label"] == "Zip"]
    assert (column["kind"], text_in(text, column)) == ("column", "Zi")


def test_a_name_is_renamed_everywhere(page: Page) -> None:
    text = WIDE + CLASSES
    answer = page.ask_about("rename", text, at=at(text, "n GROUP"), name="size")
    assert apply(text, answer["edits"]) == text.replace("AS n", "AS size").replace(": n", ": size")
    found = page.ask_about("references", text, at=at(text, "n >="))
    assert text_in(text, found["definition"]) == "n"
    assert len(found["references"]) == 2


def test_a_column_is_not_renamed(page: Page) -> None:
    answer = page.ask_about("rename", AGES, at=at(AGES, "Age"), name="size")
    assert answer["edits"] == []
    assert answer["diagnostics"]


def test_the_text_is_formatted(page: Page) -> None:
    text = WIDE + "EACH RESULT:Age≤80;"
    edits = page.ask_about("format", text)["edits"]
    assert apply(text, edits).endswith("EACH RESULT\n   : Age <= 80;\n")
    assert page.ask_about("format", "EACH RESULT : ")["edits"] == []


def test_the_outline_has_the_requirements(page: Page) -> None:
    text = WIDE + AGES + CLASSES
    found = [each for each in page.ask_about("symbols", text)["symbols"] if each["kind"] == "requirement"]
    assert [text_in(text, each)[:4] for each in found] == ["EACH", "EACH"]


@pytest.mark.parametrize("name", ["diagnose", "verdicts", "hover", "risk", "release"])
def test_a_body_without_its_fields_is_rejected(page: Page, name: str) -> None:
    response = page.send(name, text=1)
    assert response.status_code == 400
    assert response.json()["error"]["message"] == "`text` is missing or has the wrong type"


def test_a_wrong_parameter_is_reported(page: Page) -> None:
    answer = page.ask_about("verdicts", CLASSES, {"a b": "2"})
    assert answer["verdicts"] is None
    assert answer["diagnostics"]


def test_each_requirement_has_its_verdict(page: Page) -> None:
    text = WIDE + AGES + CLASSES
    found = page.ask_about("verdicts", text, {"k": "2"})["verdicts"]
    ages, classes = found["requirements"]
    assert (ages["line"], ages["holds"], ages["affected"], ages["action"]) == (2, False, 1, "REPLACE")
    assert (classes["line"], classes["holds"], classes["affected"], classes["records"]) == (3, False, 1, 6)
    assert (found["records_in"], found["records_out"], found["ok"]) == (6, 5, True)
    assert text_in(text, ages) == AGES.strip()
    assert found["unnamed"] == ["Name", "Disease"]
    assert found["sample"] is None


def test_an_action_has_its_probability(page: Page) -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 REJECT;\n" + AGES
    found = page.ask_about("verdicts", text)["verdicts"]
    sampled, ages = found["requirements"]
    assert (sampled["affected"], sampled["action"], sampled["probability"]) == (6, "REJECT", "0.5")
    assert ages["probability"] is None


def test_a_changed_parameter_changes_the_verdict(page: Page) -> None:
    for k, left in (("1", 6), ("2", 5), ("3", 3), ("4", 0)):
        assert page.ask_about("verdicts", CLASSES, {"k": k})["verdicts"]["records_out"] == left


def test_the_verdicts_of_the_papers_example_equal_those_of_a_run(tmp_path: Path) -> None:
    policy, table = ELECTRICITY / "policy.acp", ELECTRICITY / "table.csv"
    params = {"k": "2", "l": "1"}
    ran = acompass.run(
        acompass.load(policy), table, params={"k": 2, "l": 1}, seed="assist", output=tmp_path / "out.csv"
    )
    with open_studio(policy, table, params=params) as (page, _):
        shown = page.ask("open")["opened"]
        found = page.ask_about("verdicts", shown["policy"]["text"], params)["verdicts"]
    assert shown["params"] == params
    assert [each["affected"] for each in found["requirements"]] == [each.affected for each in ran.requirements]
    assert found["records_out"] == ran.records_out


def test_a_mistake_is_a_diagnostic_in_place_of_verdicts(page: Page) -> None:
    for text in ("EACH RESULT : Agee <= 80;", "EACH", ""):
        answer = page.ask_about("verdicts", text)
        assert answer["verdicts"] is None
        assert answer["diagnostics"]


def test_incomplete_records_are_rejected_dropped_or_filled(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, table=PEOPLE + "Gus,,21401,flu\n")) as (page, _):
        assert page.ask_about("verdicts", AGES)["diagnostics"][0]["code"] == "AC212"
        for choice, records in (("drop", 6), ("50", 7)):
            opened = page.ask("reading", reading={"missing": {"Age": choice}})["opened"]
            assert opened["reading"] == {"missing": {"Age": choice}}
            found = page.ask_about("verdicts", AGES)["verdicts"]
            assert (found["records_in"], found["records_out"]) == (7, records)
        assert page.ask("reading", reading={})["opened"]["reading"] == {}
        assert page.ask_about("verdicts", AGES)["verdicts"] is None


def test_a_hierarchy_that_changes_changes_the_answer(tmp_path: Path) -> None:
    """The hierarchy's content is part of the policy, though the text is the same."""
    levels = tmp_path / "zips.csv"
    policy = "ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'zips.csv';\n" + CLASSES
    with open_studio(*write_people(tmp_path, policy)) as (page, _):
        levels.write_text("21401;214*\n21402;214*\n21403;214*\n", encoding="utf-8")
        assert page.ask_about("verdicts", policy, {"k": "2"})["verdicts"]["records_out"] == 5
        levels.write_text("21401;east\n21402;west\n21403;south\n21404;north\n", encoding="utf-8")
        assert page.ask_about("verdicts", policy, {"k": "3"})["verdicts"]["records_out"] == 3


def test_a_reference_table_that_changes_changes_the_answer(tmp_path: Path) -> None:
    residents = tmp_path / "zips.csv"
    policy = "EACH PROCESS SUM(people) IN 'zips.csv' AS n GROUP BY Zip : n >= 10 : REJECT;"
    with open_studio(*write_people(tmp_path, policy)) as (page, _):
        residents.write_text("Zip,people\n21401,10\n21402,10\n21403,10\n21404,10\n", encoding="utf-8")
        before = page.ask_about("verdicts", policy)["verdicts"]["records_out"]
        residents.write_text("Zip,people\n21401,9\n21402,9\n21403,9\n21404,10\n", encoding="utf-8")
        assert page.ask_about("verdicts", policy)["verdicts"]["records_out"] < before


def test_each_line_has_its_proof(page: Page) -> None:
    (ages, classes) = page.ask_about("proofs", AGES + CLASSES, {"k": "2"})["proofs"]
    assert (ages["line"], ages["verdict"]) == (1, "proved")
    assert (classes["line"], classes["verdict"]) == (2, "proved")


def test_a_false_claim_has_a_counterexample(page: Page) -> None:
    claim = page.ask_about("claim", AGES, claim="EACH RESULT : Age <= 70")["claim"]
    assert claim["verdict"] == "refuted"
    example = claim["counterexample"]
    assert [column["name"] for column in example["columns"]] == ["Name", "Age", "Zip", "Disease"]
    assert any(int(record[1]) > 70 for record in example["after"])


def test_an_invalid_claim_is_reported_without_a_position(page: Page) -> None:
    answer = page.ask_about("claim", AGES, claim="EACH RESULT : Agee")
    assert answer["claim"] is None
    assert {found["from"] for found in answer["diagnostics"]} == {None}


TEXTS = st.text(st.sampled_from("aé≤😀𝒳\n"), max_size=12)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS, st.integers(0, 12))
def test_a_position_is_counted_in_code_units(text: str, offset: int) -> None:
    assert Offsets(text).to_page(offset) == utf16_length(text[:offset])


@given(TEXTS, st.integers(0, 12))
def test_a_position_converts_back(text: str, offset: int) -> None:
    offsets = Offsets(text)
    assert offsets.from_page(offsets.to_page(offset)) == min(offset, len(text))


@given(TEXTS, st.integers(-3, 40))
def test_any_number_becomes_a_position_in_the_text(text: str, unit: int) -> None:
    assert 0 <= Offsets(text).from_page(unit) <= len(text)


def test_the_middle_of_a_character_becomes_its_start() -> None:
    assert Offsets("a😀b").from_page(2) == 1
    assert Offsets("a😀b").span(Span(1, 2)) == {"from": 1, "to": 3}


def test_an_answer_is_computed_once() -> None:
    memory, made = Memory(), []
    assert [memory.get("a", lambda: made.append(1) or len(made)) for _ in range(3)] == [1, 1, 1]


def test_a_second_thread_waits_for_the_first() -> None:
    memory, began, go, made = Memory(), Event(), Event(), []

    def make() -> int:
        began.set()
        assert go.wait(PATIENCE)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(memory.get, "a", make) for _ in range(4)]
        assert began.wait(PATIENCE)
        assert memory.get("b", lambda: 7) == 7, "another answer does not wait"
        wait_until(lambda: memory._making["a"][1] == 4)
        go.set()
        assert [answer.result(PATIENCE) for answer in answers] == [1] * 4
    assert memory._making == {}


def test_after_a_failure_the_next_call_tries_again() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.get("a", lambda: 1 // 0)
    assert memory.get("a", lambda: 2) == 2


def test_the_oldest_answer_is_forgotten() -> None:
    memory = Memory()
    for key in range(MOST_KEPT + 1):
        memory.get(key, lambda key=key: key)
    assert memory.get(1, lambda: -1) == 1
    assert memory.get(0, lambda: -1) == -1


pytest.importorskip("numpy")

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"]}


def test_each_answer_of_a_search_reaches_its_goal(page: Page) -> None:
    found = page.ask("search", roles=ROLES, k=2, l=2, max_lost="50%")["search"]
    assert {each["style"] for each in found["alternatives"]} == {"cascade", "uniform", "stars"}
    assert [each["standing"] for each in found["alternatives"]].count("least loss") == 1
    for answer in found["alternatives"]:
        assert page.ask_about("diagnose", answer["text"])["diagnostics"] == []
        after = page.ask_about("risk", answer["text"], roles=ROLES)["risk"]["after"]
        assert after["k"] == answer["smallest"] >= 2
        assert after["prosecutor"]["max"] == answer["highest_risk"]
        assert after["sensitive"][0]["distinct_l"] >= 2
        assert after["records"] == found["records_in"] - found["incomplete"] - answer["dropped"]
    assert found["finished"]
    assert page.ask("progress") == {"search": None}


def test_a_policy_for_the_editor_states_no_numbers_of_the_table(page: Page) -> None:
    """They would be wrong as soon as a line is changed."""
    best, *_ = page.ask("search", roles=ROLES, k=2, max_lost="50%")["search"]["alternatives"]
    comments = [line for line in best["text"].splitlines() if "--" in line]
    assert comments == [f"-- From a search for k = 2 ({best['style']}, at most 50% of the records dropped)."]


def test_importance_and_closeness_are_asked_for(page: Page) -> None:
    high = page.ask("search", roles=ROLES, k=2, importance={"Age": "high"}, t="0.9")["search"]
    assert all(each["t"] <= 0.9 for each in high["alternatives"] if "t" in each)
    answer = page.ask("search", roles=ROLES, k=2, importance={"Name": "high"})
    assert answer["search"] is None
    assert answer["diagnostics"][0]["code"] == "AC623"


def test_an_impossible_goal_is_reported(page: Page) -> None:
    answer = page.ask("search", roles=ROLES, k=1)
    assert answer["search"] is None
    assert answer["diagnostics"][0]["code"] == "AC621"


def test_a_goal_that_no_search_reaches_is_listed_with_reasons(page: Page) -> None:
    found = page.ask("search", roles=ROLES, k=100)["search"]
    assert {each["standing"] for each in found["alternatives"]} == {"unreachable"}
    assert all("k = 100" in each["reason"] for each in found["alternatives"])


def test_stopping_returns_the_answers_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second search runs until it is stopped; the first one has an answer by then."""
    from acompass.author.suggest import flow

    running, find = Event(), flow.search

    def endless(problem: object, style: str, lines: int, seconds: object, stopped: object, progress: object) -> object:
        if style != "cascade":
            running.set()
            while not stopped():  # type: ignore[operator]
                Event().wait(0.01)
        return find(problem, style, lines, seconds, stopped, progress)  # type: ignore[arg-type]

    monkeypatch.setattr(flow, "search", endless)
    with (
        open_studio(*write_people(tmp_path)) as (page, _),
        asking(page, "search", roles=ROLES, k=2, max_lost="50%") as answer,
    ):
        assert running.wait(PATIENCE)
        now = page.ask("progress")["search"]
        assert (now["running"]["style"], now["loss"]) == ("uniform", None)
        assert [each["style"] for each in now["alternatives"]] == ["cascade"]
        page.ask("stop", topic="search")
        found = answer()["search"]
        assert {each["style"] for each in found["alternatives"]} == {"cascade", "uniform"}
        assert not found["finished"]


@pytest.mark.parametrize(("missing", "are_dropped"), [("drop", True), (None, False)])
def test_records_with_missing_values_are_counted_before_a_search(
    tmp_path: Path, missing: str | None, are_dropped: bool
) -> None:
    table = "Name,Age,Zip,Disease\nAnn,34,21401,flu\nBob,,21401,\nCid,86,,flu\nDee,34,21401,\n"
    with open_studio(*write_people(tmp_path, "", table), reading={"missing": missing}) as (page, _):
        counted = page.ask("search/incomplete", roles=ROLES, needs_sensitive=False)
        assert (counted["incomplete"], counted["are_dropped"]) == (2, are_dropped)
        assert page.ask("search/incomplete", roles=ROLES, needs_sensitive=True)["incomplete"] == 3
        found = page.ask("search", roles=ROLES, k=2, max_lost="50%")
        if are_dropped:
            assert found["search"]["incomplete"] == 2
        else:
            assert found["diagnostics"][0]["code"] == "AC212"
