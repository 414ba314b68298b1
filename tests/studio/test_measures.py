"""Risk and change: the measures of the command line, before and after."""

from pathlib import Path

import acompass
from tests.studio.pages import Page, opened
from tests.studio.tables import ADULT, AGES, CLASSES, PEOPLE, written

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"]}


def test_risk_before_and_after(page: Page) -> None:
    risk = page.about("risk", CLASSES, {"k": "2"}, roles=ROLES)["risk"]
    before, after = risk["before"], risk["after"]
    assert (before["records"], before["k"], before["uniques"], before["classes"]) == (6, 1, 1, 3)
    assert (after["records"], after["k"], after["uniques"], after["classes"]) == (5, 2, 0, 2)
    assert (before["prosecutor"]["max"], after["prosecutor"]["max"]) == (1, 0.5)
    assert after["sensitive"] == [{"column": "Disease", "distinct_l": 2, "entropy_l": 1, "t": 1 / 10}]
    assert {"k": 2, "records": 1} in before["below"]
    assert risk["sizes"][0] == {
        "size": "1",
        "before": {"classes": 1, "records": 1},
        "after": {"classes": 0, "records": 0},
    }
    assert risk["chart"].startswith("<figure><svg")


def test_the_column_that_drives_the_risk(page: Page) -> None:
    risk = page.about("risk", AGES, roles=ROLES)["risk"]
    drivers = {each["column"]: each for each in risk["drivers"]}
    assert {column: each["k_with"] for column, each in drivers.items()} == {"Age": 1, "Zip": 1}
    assert (drivers["Age"]["k_without"], drivers["Zip"]["k_without"]) == (1, 1)
    assert drivers["Zip"]["uniques_without"] == 1


def test_a_wrong_policy_still_shows_the_risk_before(page: Page) -> None:
    for text in ("", "EACH", "EACH RESULT : Agee <= 80;"):
        answer = page.about("risk", text, roles=ROLES)
        assert answer["diagnostics"]
        assert answer["risk"]["before"]["k"] == 1
        assert answer["risk"]["after"] is None


def test_without_roles_the_policy_decides(page: Page) -> None:
    page.ask("roles", roles={"quasi_identifiers": []})
    assert page.about("risk", CLASSES, {"k": "2"})["risk"]["before"]["quasi_identifiers"] == ["Age", "Zip"]
    answer = page.about("risk", AGES)
    assert answer["risk"] is None
    assert answer["diagnostics"][0]["code"] == "AC601"


def test_a_dropped_column_tells_nothing(page: Page) -> None:
    text = "ALWAYS : DROP Age, Zip;\n"
    risk = page.about("risk", text, roles=ROLES)["risk"]
    assert (risk["after"]["k"], risk["after"]["quasi_identifiers"]) == (6, [])
    change = page.about("change", text, roles=ROLES)["change"]
    gone = {each["column"]: each for each in change["columns"] if each["values_after"] == 0}
    assert set(gone) == {"Age", "Zip"}
    assert {each["loss"] for each in gone.values()} <= {1.0, None}


def test_journalist_risk_needs_a_population(tmp_path: Path) -> None:
    people = tmp_path / "everybody.csv"
    people.write_text(PEOPLE + PEOPLE.partition("\n")[2] * 3, encoding="utf-8")
    with opened(*written(tmp_path), population=str(people)) as (page, _):
        risk = page.about("risk", CLASSES, {"k": "2"}, roles=ROLES)["risk"]
        assert risk["before"]["journalist"]["max"] == 0.25
        assert risk["after"]["journalist"]["max"] == 0.125
        banded = "ALWAYS : GENERALIZE Age TO BANDS OF 10;\n"
        assert page.about("risk", banded, roles=ROLES)["risk"]["after"]["journalist"] is None


def test_change_by_column_and_by_line(page: Page) -> None:
    text = AGES + CLASSES + "ALWAYS : DROP Name, Disease;\n"
    change = page.about("change", text, {"k": "2"}, roles=ROLES)["change"]
    columns = {each["column"]: each for each in change["columns"]}
    assert columns["Age"]["values_before"] == 3
    assert columns["Age"]["values_after"] == 2
    assert columns["Name"]["values_after"] == 0
    assert (change["records_before"], change["records_after"]) == (6, 5)
    costs = [(each["line"], each["records_lost"], each["cells_changed"]) for each in change["lines"]]
    assert costs == [(1, 0, 1), (2, 1, 0), (3, 0, 10)]
    assert change["loss"] is not None


def test_a_line_with_a_probability_costs_the_records_that_it_takes(page: Page) -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 REJECT;\nALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 30;\n"
    change = page.about("change", text, roles=ROLES)["change"]
    sampled, replaced = change["lines"]
    assert 0 < change["records_after"] < 6, "another seed"
    assert sampled["records_lost"] == 6 - change["records_after"]
    assert (replaced["records_lost"], replaced["cells_changed"]) == (0, change["records_after"])
    assert replaced["probability"] == "0.5"


def test_the_loss_is_that_of_measure(tmp_path: Path) -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS OF 10;\n"
    policy, table = written(tmp_path, text)
    released = tmp_path / "released.csv"
    acompass.run(acompass.parse(text), table, output=released)
    measured = acompass.measure(released, ["Age", "Zip"], against=table, hierarchies={}).loss
    assert measured is not None
    with opened(policy, table) as (page, _):
        change = page.about("change", text, roles=ROLES)["change"]
    assert change["loss"] == measured.total
    assert {each["column"]: each["loss"] for each in change["columns"]}["Age"] == measured.columns[0].loss


def test_the_table_panel_shows_roles_and_frequent_values(tmp_path: Path) -> None:
    header, rows = PEOPLE.split("\n", 1)
    with opened(*written(tmp_path, table=f"{header}\n{rows * 10}")) as (page, _):
        page.ask("roles", roles=ROLES)
        columns = {each["name"]: each for each in page.ask("table")["columns"]}
        assert {name: each["role"] for name, each in columns.items()} == {
            "Name": "identifier",
            "Age": "quasi-identifier",
            "Zip": "quasi-identifier",
            "Disease": "sensitive",
        }
        bars = {bar["label"]: bar["count"] for bar in columns["Disease"]["bars"]}
        assert bars == {"flu": 40, "cold": 20}
        assert columns["Disease"]["bars"][0]["bar"].startswith("<svg")


def test_templates_fit_the_roles(page: Page) -> None:
    templates = page.ask("roles", roles=ROLES)["templates"]
    assert templates
    bound = {"k": "2", "l": "2", "most": "80"}
    for template in templates:
        found = page.about("diagnose", template["text"], bound)["diagnostics"]
        assert not [each for each in found if each["severity"] == "error"], template
    assert any("DROP Name" in template["text"] for template in templates)
    assert page.about("templates", CLASSES)["templates"] == templates


def test_roles_of_the_settings_file_are_the_first(tmp_path: Path) -> None:
    settings = (
        '[table."people.csv"]\nquasi-identifiers = ["Age"]\nsensitive = ["Disease"]\nidentifiers = ["Name"]\n'
    )
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    with opened(*written(tmp_path)) as (page, _):
        assert page.ask("open")["roles"] == {
            "identifiers": ["Name"],
            "quasi_identifiers": ["Age"],
            "sensitive": ["Disease"],
        }
        page.ask("roles", roles=ROLES)
    assert (tmp_path / "acompass.toml").read_text(encoding="utf-8") == settings


def test_adult_end_to_end() -> None:
    policy = ADULT / "policy.acp"
    params = {"k": "5", "l": "3"}
    with opened(policy, ADULT / "adult.csv.gz", params=params) as (page, _):
        text = page.ask("open")["policy"]["text"]
        assert page.about("verdicts", text, params)["verdicts"]["records_out"] == 32_535
        risk = page.about("risk", text, params)["risk"]
        assert risk["after"]["k"] == 5
        assert risk["after"]["sensitive"][0]["distinct_l"] == 3
        lines = page.about("change", text, params)["change"]["lines"]
        assert lines[-1]["records_lost"] == 26
        assert lines[0]["cells_changed"] == 3 * 32_561
