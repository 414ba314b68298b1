"""The panels Risk and Change show the measures of the command line, before and after."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import acompass
from acompass.assist import request_queue
from acompass.assist.studio import state
from tests.assist.studio.browsing import ADULT, AGES, CLASSES, PEOPLE, write_people
from tests.assist.studio.pages import Page, open_studio
from tests.repo.sources import ROOT

#: the page's words that it explains: in a sentence, and as the name of a measure
EXPLAINED = re.compile(r"""(?:Explained word=|^ *word: |name: (?:"[^"]*"|`[^`]*`), word: )"([^"]+)\"""", re.MULTILINE)
SOURCES = ROOT / "studio" / "src"

ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": ["Disease"]}


def test_risk_is_measured_before_and_after(page: Page) -> None:
    risk = page.ask_about("risk", CLASSES, {"k": "2"}, roles=ROLES)["risk"]
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


def test_each_column_says_how_it_drives_the_risk(page: Page) -> None:
    risk = page.ask_about("risk", AGES, roles=ROLES)["risk"]
    drivers = {each["column"]: each for each in risk["drivers"]}
    assert {column: each["k_with"] for column, each in drivers.items()} == {"Age": 1, "Zip": 1}
    assert (drivers["Age"]["k_without"], drivers["Zip"]["k_without"]) == (1, 1)
    assert drivers["Zip"]["uniques_without"] == 1


def test_a_wrong_policy_still_shows_the_risk_before(page: Page) -> None:
    for text in ("", "EACH", "EACH RESULT : Agee <= 80;"):
        answer = page.ask_about("risk", text, roles=ROLES)
        assert answer["diagnostics"]
        assert answer["risk"]["before"]["k"] == 1
        assert answer["risk"]["after"] is None


def test_without_roles_the_policy_decides(page: Page) -> None:
    page.ask("roles", roles={"quasi_identifiers": []})
    assert page.ask_about("risk", CLASSES, {"k": "2"})["risk"]["before"]["quasi_identifiers"] == ["Age", "Zip"]
    answer = page.ask_about("risk", AGES)
    assert answer["risk"] is None
    assert answer["diagnostics"][0]["code"] == "AC601"


def test_a_dropped_column_has_no_risk_and_full_loss(page: Page) -> None:
    text = "ALWAYS : DROP Age, Zip;\n"
    risk = page.ask_about("risk", text, roles=ROLES)["risk"]
    assert (risk["after"]["k"], risk["after"]["quasi_identifiers"]) == (6, [])
    change = page.ask_about("change", text, roles=ROLES)["change"]
    gone = {each["column"]: each for each in change["columns"] if each["values_after"] == 0}
    assert set(gone) == {"Age", "Zip"}
    assert {each["loss"] for each in gone.values()} <= {1.0, None}


def test_journalist_risk_needs_a_population(tmp_path: Path) -> None:
    people = tmp_path / "everybody.csv"
    people.write_text(PEOPLE + PEOPLE.partition("\n")[2] * 3, encoding="utf-8")
    with open_studio(*write_people(tmp_path), population=str(people)) as (page, _):
        risk = page.ask_about("risk", CLASSES, {"k": "2"}, roles=ROLES)["risk"]
        assert risk["before"]["journalist"]["max"] == 0.25
        assert risk["after"]["journalist"]["max"] == 0.125
        body = {"roles": ROLES, "name": people.name, "released": False, "replace": True}
        refused = page.send("record_risks", text=CLASSES, params={"k": "2"}, **body)
        assert "everybody.csv" in refused.text
        assert people.read_text(encoding="utf-8").startswith(PEOPLE), "the population is never replaced"
        banded = "ALWAYS : GENERALIZE Age TO BANDS OF 10;\n"
        assert page.ask_about("risk", banded, roles=ROLES)["risk"]["after"]["journalist"] is None


SURVEY = """Age,Region,Weight,Patient
18,North,12.5,A
18,North,14,A
30,North,40.2,B
30,South,7.25,C
"""
SURVEY_ROLES = {"quasi_identifiers": ["Age", "Region"]}


@pytest.fixture
def survey(tmp_path: Path) -> Iterator[Page]:
    with open_studio(*write_people(tmp_path, table=SURVEY)) as (page, _):
        yield page


def test_sampling_weights_give_the_risk_in_the_population(survey: Page, tmp_path: Path) -> None:
    text = "ALWAYS : REPLACE Region WITH '*';\n"
    risk = survey.ask_about("risk", text, roles=SURVEY_ROLES, sampling_weight="Weight")["risk"]
    measured = acompass.measure(tmp_path / "people.csv", ["Age", "Region"], sampling_weight="Weight").to_json()
    assert risk["before"]["individual"]["max"] == measured["risk"]["individual"]["maximum"]
    assert risk["before"]["journalist"]["max"] == measured["risk"]["journalist"]["maximum"]
    assert risk["before"]["marketer"] == measured["risk"]["marketer"]
    assert risk["before"]["expected"] == measured["sampling"]["expected_reidentifications"]
    assert risk["after"]["individual"]["max"] < risk["before"]["individual"]["max"]
    dropped = survey.ask_about("risk", "ALWAYS : DROP Weight;\n", roles=SURVEY_ROLES, sampling_weight="Weight")["risk"]
    assert (dropped["after"]["individual"], dropped["after"]["prosecutor"]["max"]) == (None, 1)


def test_weights_of_persons_are_refused_with_the_code_of_measure(survey: Page) -> None:
    roles = {**SURVEY_ROLES, "person": "Patient"}
    assert survey.ask_about("risk", "", roles=roles)["risk"]["before"]["counted"] == "persons"
    answer = survey.ask_about("risk", "", roles=roles, sampling_weight="Weight")
    assert answer["diagnostics"][0]["code"] == "AC617"


def test_the_risk_is_that_of_persons(survey: Page) -> None:
    before = survey.ask_about("risk", "", roles={**SURVEY_ROLES, "person": "Patient"})["risk"]["before"]
    assert (before["records"], before["persons"], before["uniques"], before["marketer"]) == (4, 3, 3, 1)


def test_persons_are_counted_after_a_policy_that_drops_their_column(survey: Page) -> None:
    roles = {**SURVEY_ROLES, "person": "Patient"}
    # 18, North: two records of one person
    text = "ALWAYS : DROP Weight, Patient;\nEACH PROCESS COUNT(*) AS n GROUP BY Age, Region : n >= 2 : REJECT;\n"
    risk = survey.ask_about("risk", text, roles=roles)["risk"]
    assert (risk["after"]["counted"], risk["after"]["k"], risk["after"]["prosecutor"]["max"]) == ("persons", 1, 1)
    assert [each[:11] for each in risk["persons"]] == ["The risk is"]
    assert survey.ask_about("risk", "ALWAYS : DROP Patient;\n", roles=roles)["risk"]["after"]["persons"] == 3
    assert survey.ask_about("risk", "ALWAYS : DROP Patient, Age, Region;\n", roles=roles)["risk"]["persons"] == []
    for drawn in ("ALWAYS : RANDOM Patient 1 99;\n" + text, "ALWAYS : RANDOM Age 1 99;\n" + text):
        risk = survey.ask_about("risk", drawn, roles=roles)["risk"]
        assert risk["after"]["counted"] == "records"
        assert risk["persons"][0].startswith("After the policy, records are counted, not persons")


@pytest.mark.parametrize(("released", "sizes"), [(False, [2, 2, 1, 1]), (True, [3, 3, 3])])
def test_the_risk_of_each_record_is_written_beside_the_policy(
    survey: Page, tmp_path: Path, released: bool, sizes: list[int]
) -> None:
    text = "ALWAYS : REPLACE Age WITH 30;\nEACH RESULT : Region = 'North' : REJECT;\n"
    body = {"roles": SURVEY_ROLES, "name": "risk.csv", "released": released, "replace": False}
    written = survey.ask_about("record_risks", text, **body)["written"]
    assert (written["name"], written["records"]) == ("risk.csv", len(sizes))
    assert "do not publish it" in written["note"]
    lines = (tmp_path / "risk.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "record,class_size,unique,prosecutor_risk"
    assert [int(line.split(",")[1]) for line in lines[1:]] == sizes
    (tmp_path / "risk.csv").write_text("something else", encoding="utf-8")
    assert survey.send("record_risks", text=text, params={}, **body).status_code == 409
    survey.ask_about("record_risks", text, **{**body, "replace": True})
    assert (tmp_path / "risk.csv").read_text(encoding="utf-8").splitlines() == lines


@pytest.mark.parametrize("name", ["people.csv", "people.acp", "../risk.csv", "risk.txt", "-"])
def test_the_risk_of_each_record_replaces_no_other_file(survey: Page, tmp_path: Path, name: str) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    body = {"roles": SURVEY_ROLES, "name": name, "released": False, "replace": True}
    response = survey.send("record_risks", text="", params={}, **body)
    assert response.status_code == 400 or response.json()["diagnostics"]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_every_word_of_the_page_has_a_sentence(page: Page) -> None:
    words = page.ask("words")["words"]
    shown = {word for path in SOURCES.rglob("*.tsx") for word in EXPLAINED.findall(path.read_text(encoding="utf-8"))}
    assert {"loss", "k-anonymity", "records in classes below k", "distinct l-diversity"} <= shown
    assert shown <= set(words)
    assert all(sentence.endswith(".") for sentence in words.values())


def test_change_is_measured_by_column_and_by_line(page: Page) -> None:
    text = AGES + CLASSES + "ALWAYS : DROP Name, Disease;\n"
    change = page.ask_about("change", text, {"k": "2"}, roles=ROLES)["change"]
    columns = {each["column"]: each for each in change["columns"]}
    assert columns["Age"]["values_before"] == 3
    assert columns["Age"]["values_after"] == 2
    assert columns["Name"]["values_after"] == 0
    assert (change["records_before"], change["records_after"]) == (6, 5)
    costs = [(each["line"], each["records_lost"], each["cells_changed"]) for each in change["lines"]]
    assert costs == [(1, 0, 1), (2, 1, 0), (3, 0, 10)]
    assert change["loss"] is not None


def test_a_line_with_a_probability_costs_the_records_that_it_affects(page: Page) -> None:
    text = "ALWAYS : WITH PROBABILITY 0.5 REJECT;\nALWAYS : WITH PROBABILITY 0.5 REPLACE Age WITH 30;\n"
    change = page.ask_about("change", text, roles=ROLES)["change"]
    sampled, replaced = change["lines"]
    assert 0 < change["records_after"] < 6, "another seed"
    assert sampled["records_lost"] == 6 - change["records_after"]
    assert (replaced["records_lost"], replaced["cells_changed"]) == (0, change["records_after"])
    assert replaced["probability"] == "0.5"


def test_the_loss_equals_that_of_measure(tmp_path: Path) -> None:
    text = "ALWAYS : GENERALIZE Age TO BANDS OF 10;\n"
    policy, table = write_people(tmp_path, text)
    released = tmp_path / "released.csv"
    acompass.run(acompass.parse(text), table, output=released)
    measured = acompass.measure(released, ["Age", "Zip"], against=table, hierarchies={}).loss
    assert measured is not None
    with open_studio(policy, table) as (page, _):
        change = page.ask_about("change", text, roles=ROLES)["change"]
    assert change["loss"] == measured.total
    assert {each["column"]: each["loss"] for each in change["columns"]}["Age"] == measured.columns[0].loss


def test_the_table_panel_shows_roles_and_frequent_values(tmp_path: Path) -> None:
    header, rows = PEOPLE.split("\n", 1)
    with open_studio(*write_people(tmp_path, table=f"{header}\n{rows * 10}")) as (page, _):
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
        found = page.ask_about("diagnose", template["text"], bound)["diagnostics"]
        expected = {"AC413", "AC130"} if template["key"] == "k-map" else {"AC413"}  # the file is to be filled in
        assert not [each for each in found if each["severity"] == "error" and each["code"] not in expected], template
    assert any("DROP Name" in template["text"] for template in templates)
    assert page.ask_about("templates", CLASSES)["templates"] == templates


def test_the_settings_give_the_first_roles(tmp_path: Path) -> None:
    settings = '[table."people.csv"]\nquasi-identifiers = ["Age"]\nsensitive = ["Disease"]\nidentifiers = ["Name"]\n'
    (tmp_path / "acompass.toml").write_text(settings, encoding="utf-8")
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert page.ask("open")["opened"]["roles"] == {
            "identifiers": ["Name"],
            "quasi_identifiers": ["Age"],
            "sensitive": ["Disease"],
            "other": [],
            "person": None,
        }
        page.ask("roles", roles=ROLES)
    assert (tmp_path / "acompass.toml").read_text(encoding="utf-8") == settings


@pytest.mark.slow
def test_adult_end_to_end() -> None:
    policy = ADULT / "policy.acp"
    params = {"k": "5", "l": "3"}
    with open_studio(policy, ADULT / "adult.csv.gz", params=params) as (page, _):
        text = page.ask("open")["opened"]["policy"]["text"]
        assert page.ask_about("verdicts", text, params)["verdicts"]["records_out"] == 32_535
        risk = page.ask_about("risk", text, params)["risk"]
        assert risk["after"]["k"] == 5
        assert risk["after"]["sensitive"][0]["distinct_l"] == 3
        lines = page.ask_about("change", text, params)["change"]["lines"]
        assert lines[-1]["records_lost"] == 26
        assert lines[0]["cells_changed"] == 3 * 32_561


RECORDS, SAMPLE = 5_000, 400
STATED = {"records": SAMPLE, "of": RECORDS}
TABLE = "Name,Age,Zip\n" + "".join(f"n{n},{20 + n % 50},{21400 + n % 7}\n" for n in range(RECORDS))
ASK: dict[str, Any] = {"text": CLASSES, "params": {"k": "12"}}
SAMPLE_ROLES = {"identifiers": ["Name"], "quasi_identifiers": ["Age", "Zip"], "sensitive": []}


@pytest.fixture
def sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower the limits: a table this small would not be sampled."""
    for module in (request_queue, state):
        monkeypatch.setattr(module, "SAMPLE_FROM", 1_000)
        monkeypatch.setattr(module, "SAMPLE", SAMPLE)


@pytest.fixture
def large(tmp_path: Path, sampling: None) -> Iterator[Page]:
    with open_studio(*write_people(tmp_path, CLASSES, TABLE)) as (page, _):
        yield page


def test_answers_about_a_sample_say_so(large: Page) -> None:
    assert large.ask("open")["opened"]["sample"] == STATED
    found = large.ask("verdicts", **ASK)["verdicts"]
    assert found["sample"] == STATED
    assert found["records_in"] == SAMPLE
    risk = large.ask("risk", **ASK, roles=SAMPLE_ROLES)["risk"]
    assert (risk["sample"], risk["before"]["records"]) == (STATED, SAMPLE)
    change = large.ask("change", **ASK, roles=SAMPLE_ROLES)["change"]
    assert (change["sample"], change["records_before"]) == (STATED, SAMPLE)
    assert change["records_after"] == found["records_out"]
    assert large.ask("table")["sample"] == STATED


def test_all_records_can_be_switched_on_and_off(large: Page) -> None:
    sampled = large.ask("verdicts", **ASK)["verdicts"]
    assert large.ask("all", on=True) == {"sample": None}
    whole = large.ask("verdicts", **ASK)["verdicts"]
    assert (whole["sample"], whole["records_in"]) == (None, RECORDS)
    assert large.ask("risk", **ASK, roles=SAMPLE_ROLES)["risk"]["before"]["records"] == RECORDS
    assert large.ask("all", on=False) == {"sample": STATED}
    assert large.ask("verdicts", **ASK)["verdicts"] == sampled


def test_a_release_uses_all_records(large: Page, tmp_path: Path) -> None:
    seen = large.ask("policy")["version"]
    files = {"table": "out.csv", "report": "out.html", "replace": False}
    released = large.ask("release", **ASK, **files, seen=seen)["released"]
    assert released["records_in"] == RECORDS
    assert len((tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()) == released["records_out"] + 1
    large.ask("preview", **ASK)
    assert f"{RECORDS:,}" in large.http.get("/preview").text


def test_a_record_outside_the_sample_is_found(large: Page) -> None:
    large.ask("show", on=True)
    (life,) = large.ask("record", **ASK, record=RECORDS)["lives"]
    assert life["given"]["Name"] == f"'n{RECORDS - 1}'"


def test_a_search_uses_all_records(large: Page) -> None:
    pytest.importorskip("numpy")
    assert large.ask("search", roles=SAMPLE_ROLES, k=20)["search"]["records_in"] == RECORDS


@pytest.mark.usefixtures("sampling")
@pytest.mark.parametrize("on", [False, True])
def test_local_dates_are_compared(tmp_path: Path, on: bool) -> None:
    """A sample contains them in ISO format."""
    table = "Day,Zip\n" + "".join(f"{1 + n % 28:02d}.03.2020,{21400 + n % 7}\n" for n in range(RECORDS))
    text = "ALWAYS : GENERALIZE Day TO MONTH;\n"
    with open_studio(*write_people(tmp_path, text, table), reading={"dates": ("Day=%d.%m.%Y",)}) as (page, _):
        page.ask("all", on=on)
        change = page.ask_about("change", text, roles={"quasi_identifiers": ["Day"]})["change"]
        assert change["columns"][0]["values_before"] == 28
        assert change["columns"][0]["values_after"] == 1
        risk = page.ask_about("risk", text, roles={"quasi_identifiers": ["Day"]})["risk"]
        assert (risk["before"]["classes"], risk["after"]["classes"]) == (28, 1)


def test_a_small_table_is_never_sampled(tmp_path: Path) -> None:
    with open_studio(*write_people(tmp_path)) as (page, _):
        assert page.ask("all", on=False) == {"sample": None}
