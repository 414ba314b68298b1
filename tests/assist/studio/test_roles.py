"""The roles that are marked in the page act on the release, the report and the risk panel (D36)."""

from pathlib import Path
from typing import Any

import pytest

from tests.assist.studio.browsing import CLASSES, write_people
from tests.assist.studio.pages import Page, open_studio

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"]}
DROP = "ALWAYS : DROP Name;\n"
K = {"k": "2"}


def problems(page: Page, text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.ask_about("diagnose", text, K)["diagnostics"]
    return found


def release(page: Page, text: str) -> dict[str, Any]:
    saved = page.ask("policy")
    page.ask("save", text=text, seen=saved["version"])
    seen = page.ask("policy")["version"]
    files = {"table": "out.csv", "report": "out.html", "replace": True}
    return page.ask_about("release", text, K, seen=seen, **files)


def test_a_marked_identifier_is_not_released_and_the_fix_drops_it(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, CLASSES)) as (page, _):
        assert problems(page, CLASSES) == []
        page.ask("roles", roles=ROLES)
        (problem,) = problems(page, CLASSES)
        assert (problem["code"], problem["severity"]) == ("AC413", "error")
        refused = release(page, CLASSES)
        assert (refused["diagnostics"][0]["code"], refused["released"]) == ("AC413", None)
        assert page.ask_about("preview", CLASSES, K)["diagnostics"][0]["code"] == "AC413"
        assert not (tmp_path / "out.csv").exists()
        ((edit,),) = [fix["edits"] for fix in problem["fixes"]]
        fixed = CLASSES[: edit["from"]] + edit["insert"] + CLASSES[edit["to"] :]
        assert problems(page, fixed) == []
        assert release(page, fixed)["released"]["ok"]
    assert (tmp_path / "out.csv").read_text(encoding="utf-8").startswith("Age,Zip,Disease\n")


def test_columns_without_a_role_are_a_problem_and_prevent_the_release(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, CLASSES)) as (page, _):
        page.ask("roles", roles=ROLES | {"sensitive": []})
        assert {each["name"]: each["role"] for each in page.ask("table")["columns"]}["Disease"] == "none"
        (problem,) = problems(page, CLASSES + DROP)
        assert (problem["code"], problem["message"]) == ("AC414", "column `Disease` has no role")
        assert release(page, CLASSES + DROP)["released"] is None
        page.ask("roles", roles=ROLES | {"sensitive": [], "other": ["Disease"]})
        assert problems(page, CLASSES + DROP) == []
        assert release(page, CLASSES + DROP)["released"]["ok"]


def test_verdicts_and_risk_are_shown_while_the_roles_forbid_a_release(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, CLASSES)) as (page, _):
        page.ask("roles", roles=ROLES)
        assert page.ask_about("verdicts", CLASSES, K)["verdicts"]["requirements"][0]["action"] == "REJECT"
        assert page.ask_about("risk", CLASSES, K)["risk"]["after"]["k"] == 2


def test_the_report_and_the_risk_panel_agree(tmp_path: Path) -> None:
    """They disagreed when the policy grouped by fewer columns than were marked."""
    text = CLASSES.replace("Age, Zip", "Zip") + DROP
    with open_studio(*write_people(tmp_path, text)) as (page, _):
        page.ask("roles", roles=ROLES | {"quasi_identifiers": ["Zip", "Disease"], "sensitive": [], "other": ["Age"]})
        risk = page.ask_about("risk", text, K)["risk"]
        assert release(page, text)["released"]["ok"]
    report = (tmp_path / "out.html").read_text(encoding="utf-8")
    assert risk["after"]["quasi_identifiers"] == ["Zip", "Disease"]
    assert risk["after"]["prosecutor"]["max"] == 1
    assert "Records with equal values in Zip, Disease form" in report
    assert "100\N{NO-BREAK SPACE}%" in report
    assert risk["notes"] == [
        "the policy groups by `Zip`; the quasi-identifiers are `Zip`, `Disease`: classes by all quasi-identifiers have "
        "at least 1 record"
    ]


def test_the_roles_of_the_settings_are_shown_as_the_table_spells_them(tmp_path: Path) -> None:
    settings = '[table."people.csv"]\nquasi-identifiers = ["AGE"]\nother = ["zip"]\nperson = "name"\n'
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    with open_studio(*write_people(tmp_path)) as (page, _):
        roles = page.ask("open")["opened"]["roles"]
    assert (roles["quasi_identifiers"], roles["other"], roles["person"]) == (["Age"], ["Zip"], "Name")


def test_a_suggestion_drops_only_identifiers_that_the_policy_does_not(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    with open_studio(*write_people(tmp_path)) as (page, _):
        page.ask("roles", roles=ROLES)
        asked = {"roles": ROLES, "k": 2, "max_lost": "50%"}
        best, *_ = page.ask("search", **asked, text=DROP)["search"]["alternatives"]
        assert DROP in best["text"]
        assert DROP not in best["addition"]
        assert page.ask_about("diagnose", DROP + best["addition"])["diagnostics"] == []


def test_a_policy_without_a_check_is_not_called_good(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path, DROP)) as (page, _):
        assert page.ask_about("verdicts", DROP)["verdicts"]["checks_nothing"]
        assert not page.ask_about("verdicts", CLASSES, K)["verdicts"]["checks_nothing"]
