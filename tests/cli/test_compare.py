"""`acompass compare`: text, JSON, exit codes, and where policies, parameters and types come from."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Acompass

OLD = """\
ALWAYS : DROP Name;
EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k : REJECT;
"""
CAP = "EACH RESULT : Age <= 80 : REJECT;\n"


@pytest.fixture(autouse=True)
def policies(acompass: Acompass) -> None:
    Path("old.acp").write_text(OLD)
    Path("same.acp").write_text("\n".join(reversed(OLD.splitlines())))
    Path("new.acp").write_text(OLD.replace("ALWAYS : DROP Name;\n", "").replace("k", "3"))
    Path("cap.acp").write_text(CAP)
    Path("people.csv").write_text("Name,Age,Zip\nAnn,54,21201\nBob,80,21401\n")


def test_equivalent_policies_exit_with_0(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "same.acp", "--set", "k=5")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout.startswith("equivalent\n  both policies ask the same of the same classes")


def test_a_loosened_policy_exits_with_1_and_shows_why(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5", "--impact")
    assert ran.exit_code == 1
    assert "only the new policy releases column `Name`" in ran.stdout
    assert "refuted  line 2: EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k" in ran.stdout
    assert "  `Name` unchanged\n" in ran.stdout
    assert "no longer guaranteed\n" in ran.stdout


def test_without_impact_only_a_hint_is_given(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5")
    assert "the new policy may release what the old one could not; --impact says what\n" in ran.stdout
    assert "no longer guaranteed" not in ran.stdout


def test_json_has_the_keys_of_the_interface(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5", "--json")
    found = json.loads(ran.stdout)
    assert found["equivalent"] is False
    assert found["implies"] == {"new_by_old": True, "old_by_new": False}
    difference = found["difference"]
    assert set(difference) == {"columns", "records", "trace", "old", "new"}
    assert difference["columns"] == {"Name": "text", "Age": "text", "Zip": "text"}
    assert list(difference["old"]["columns"]) == ["Age", "Zip"]
    assert "impact" not in found


def test_json_of_equivalent_policies_has_no_difference(acompass: Acompass) -> None:
    found = json.loads(acompass("compare", "old.acp", "same.acp", "--set", "k=5", "--json").stdout)
    assert (found["equivalent"], found["difference"]) == (True, None)


def test_json_says_what_is_released(acompass: Acompass) -> None:
    Path("loose.acp").write_text(CAP.replace("80", "90"))
    ran = acompass("compare", "cap.acp", "loose.acp", "--types", "Age=integer", "--impact", "--json")
    impact = json.loads(ran.stdout)["impact"]
    assert [claim["verdict"] for claim in impact["lost"]] == ["refuted"]
    assert impact["released"] == [
        {"column": None, "what": "`Age` above 80 up to 90", "certain": True},
        {"column": "Age", "what": "above 80 up to 90 unchanged", "certain": True},
    ]


def test_nothing_written_is_null(acompass: Acompass) -> None:
    Path("check.acp").write_text("EACH RESULT : Age <= 80;")
    ran = acompass("compare", "check.acp", "cap.acp", "--json")
    found = json.loads(ran.stdout)["difference"]
    assert found["old"] is None
    assert found["new"] == {"columns": {"Age": "integer"}, "records": []}


def test_a_table_gives_types_and_columns(acompass: Acompass) -> None:
    Path("other.acp").write_text("EACH RESULT : Age < 81 : REJECT;\n")
    assert acompass("compare", "cap.acp", "other.acp").exit_code == 1
    ran = acompass("compare", "cap.acp", "other.acp", "--table", "people.csv", "--json")
    assert (ran.exit_code, json.loads(ran.stdout)["equivalent"]) == (0, True)
    assert json.loads(ran.stdout)["types"] == {"Name": "text", "Age": "integer", "Zip": "text"}


def test_a_policy_from_standard_input(acompass: Acompass) -> None:
    ran = acompass("compare", "-", "old.acp", "--set", "k=5", given=OLD)
    assert ran.exit_code == 0, ran.stderr
    assert acompass("compare", "-", "-", given=OLD).exit_code == 2


def test_parameters_of_a_project(acompass: Acompass) -> None:
    Path("acompass.toml").write_text('[policy."old.acp"]\nparams = { k = 5 }\n')
    ran = acompass("compare", "old.acp", "same.acp")
    assert ran.exit_code == 0, ran.stderr


def test_each_policy_has_the_parameters_of_its_own_project(acompass: Acompass) -> None:
    for folder, k in (("before", 5), ("after", 3)):
        Path(folder).mkdir()
        Path(folder, "policy.acp").write_text(OLD)
        Path(folder, "acompass.toml").write_text(f'[policy."policy.acp"]\nparams = {{ k = {k} }}\n')
    loosened = acompass("compare", "before/policy.acp", "after/policy.acp", "--json")
    assert (loosened.exit_code, json.loads(loosened.stdout)["implies"]["old_by_new"]) == (1, False)
    assert acompass("compare", "after/policy.acp", "before/policy.acp").exit_code == 0
    assert acompass("compare", "before/policy.acp", "after/policy.acp", "--set", "k=4").exit_code == 0


def test_the_old_policy_can_be_given_another_value(acompass: Acompass) -> None:
    same = ("compare", "old.acp", "old.acp", "--set", "k=3")
    assert acompass(*same, "--set-old", "k=3").exit_code == 0
    ran = acompass(*same, "--set-old", "k=5", "--json")
    (lost,) = json.loads(ran.stdout)["guarantees"]["old_by_new"]
    assert (ran.exit_code, lost["verdict"], ">= 5" in lost["text"]) == (1, "refuted", True)
    assert "AC107" in acompass(*same, "--set-old", "l=5").stderr


def test_an_error_is_one_of_its_policy(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "same.acp", "--json")
    assert ran.exit_code == 2
    (first, *_) = json.loads(ran.stdout)["diagnostics"]
    assert (first["code"], first["file"]) == ("AC106", "old.acp")


def test_paper_refuses_what_is_beyond_it(acompass: Acompass) -> None:
    assert acompass("compare", "cap.acp", "old.acp", "--set", "k=5", "--paper").exit_code == 2


def test_prove_takes_claims_about_the_policy_and_assumptions(acompass: Acompass) -> None:
    call = ("prove", "cap.acp", "--claim", "idempotent", "--claim", "Age unchanged")
    ran = acompass(*call, "--claim", "EACH RESULT : Age < 9", "--assume", "EACH RESULT : Age < 9", "--json")
    assert ran.exit_code == 0, ran.stderr
    assert [claim["verdict"] for claim in json.loads(ran.stdout)["claims"]] == ["proved"] * 3
    assert acompass(*call, "--claim", "EACH RESULT : Age < 9").exit_code == 1
