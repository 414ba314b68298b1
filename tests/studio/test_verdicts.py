"""What a run does, line by line: the answers of the command line, with places in the text."""

from pathlib import Path

import acompass
from tests.studio.pages import Page, opened
from tests.studio.tables import AGES, CLASSES, ELECTRICITY, PEOPLE, written
from tests.studio.test_editing import WIDE, marked


def test_each_requirement_has_its_verdict(page: Page) -> None:
    text = WIDE + AGES + CLASSES
    found = page.about("verdicts", text, {"k": "2"})["verdicts"]
    ages, classes = found["requirements"]
    assert (ages["line"], ages["holds"], ages["affected"], ages["action"]) == (2, False, 1, "REPLACE")
    assert (classes["line"], classes["holds"], classes["affected"], classes["records"]) == (3, False, 1, 6)
    assert (found["records_in"], found["records_out"], found["ok"]) == (6, 5, True)
    assert marked(text, ages) == AGES.strip()
    assert found["unnamed"] == ["Name", "Disease"]
    assert found["sample"] is None


def test_an_action_has_its_probability_beside_it(page: Page) -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 REJECT;\n" + AGES
    found = page.about("verdicts", text)["verdicts"]
    sampled, ages = found["requirements"]
    assert (sampled["affected"], sampled["action"], sampled["probability"]) == (6, "REJECT", "0.5")
    assert ages["probability"] is None


def test_a_moved_parameter_moves_the_verdict(page: Page) -> None:
    for k, left in (("1", 6), ("2", 5), ("3", 3), ("4", 0)):
        assert page.about("verdicts", CLASSES, {"k": k})["verdicts"]["records_out"] == left


def test_the_papers_example_is_that_of_a_run(tmp_path: Path) -> None:
    policy, table = ELECTRICITY / "policy.acp", ELECTRICITY / "table.csv"
    params = {"k": "2", "l": "1"}
    ran = acompass.run(
        acompass.load(policy), table, params={"k": 2, "l": 1}, seed="assist", output=tmp_path / "out.csv"
    )
    with opened(policy, table, params=params) as (page, _):
        shown = page.ask("open")
        found = page.about("verdicts", shown["policy"]["text"], params)["verdicts"]
    assert shown["params"] == params
    assert [each["affected"] for each in found["requirements"]] == [
        each.affected for each in ran.requirements
    ]
    assert found["records_out"] == ran.records_out


def test_a_mistake_is_a_diagnostic_in_place_of_verdicts(page: Page) -> None:
    for text in ("EACH RESULT : Agee <= 80;", "EACH", ""):
        answer = page.about("verdicts", text)
        assert answer["verdicts"] is None
        assert answer["diagnostics"]


def test_incomplete_records_are_refused_or_dropped(tmp_path: Path) -> None:
    with opened(*written(tmp_path, table=PEOPLE + "Gus,,21401,flu\n")) as (page, _):
        assert page.about("verdicts", AGES)["diagnostics"][0]["code"].startswith("AC2")
        assert page.ask("missing", drop=True)["missing"] == {"drop": True}
        found = page.about("verdicts", AGES)["verdicts"]
        assert (found["records_in"], found["dropped"]) == (7, 1)
        assert page.ask("missing", drop=False)["missing"] == {"drop": False}
        assert page.about("verdicts", AGES)["verdicts"] is None


def test_a_hierarchy_that_changes_changes_the_answer(tmp_path: Path) -> None:
    """Its content is part of the policy, though the text is the same."""
    levels = tmp_path / "zips.csv"
    policy = "ALWAYS : GENERALIZE Zip TO LEVEL 1 OF 'zips.csv';\n" + CLASSES
    with opened(*written(tmp_path, policy)) as (page, _):
        levels.write_text("21401;214*\n21402;214*\n21403;214*\n", encoding="utf-8")
        assert page.about("verdicts", policy, {"k": "2"})["verdicts"]["records_out"] == 5
        levels.write_text("21401;east\n21402;west\n21403;south\n21404;north\n", encoding="utf-8")
        assert page.about("verdicts", policy, {"k": "3"})["verdicts"]["records_out"] == 3


def test_proofs_are_beside_the_lines(page: Page) -> None:
    (ages, classes) = page.about("proofs", AGES + CLASSES, {"k": "2"})["proofs"]
    assert (ages["line"], ages["verdict"]) == (1, "proved")
    assert (classes["line"], classes["verdict"]) == (2, "proved")


def test_a_false_claim_has_a_counterexample(page: Page) -> None:
    claim = page.about("claim", AGES, claim="EACH RESULT : Age <= 70")["claim"]
    assert claim["verdict"] == "refuted"
    example = claim["counterexample"]
    assert [column["name"] for column in example["columns"]] == ["Name", "Age", "Zip", "Disease"]
    assert any(int(record[1]) > 70 for record in example["after"])


def test_a_claim_that_is_none_is_told_without_a_place(page: Page) -> None:
    answer = page.about("claim", AGES, claim="EACH RESULT : Agee")
    assert answer["claim"] is None
    assert {found["from"] for found in answer["diagnostics"]} == {None}
