"""`acompass prove`, `lint` and `compare`: reports, exit codes, types, privacy and deadlines."""

import json
import re
from pathlib import Path

import pytest

import acompass as api
from acompass.errors.diagnostics import CallError
from tests.cli.conftest import Acompass
from tests.errors.pages import FOLDER, Page, read_page, run_blocks, run_fix
from tests.waiting import PATIENCE

GENERALIZES = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def test_a_proof_needs_no_table_and_exits_with_0(acompass, policy):
    ran = acompass("prove", policy(GENERALIZES))
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert ran.stdout.startswith("proved  line 1: EACH RESULT : Age <= 80")


def test_a_refuted_claim_exits_with_1_and_shows_a_table(acompass, policy):
    ran = acompass("prove", policy(GENERALIZES), "--claim", "EACH RESULT : Age < 80", "--json")
    assert ran.exit_code == 1
    (claim,) = json.loads(ran.stdout)["claims"]
    assert set(claim) == {"text", "line", "verdict", "reason", "counterexample"}
    assert claim["verdict"] == "refuted"
    assert set(claim["counterexample"]) == {"columns", "records", "trace"}


def test_a_table_can_give_the_columns(acompass, policy):
    path = policy(GENERALIZES)
    claim = ("--claim", "EACH RESULT : Nmae = 'x'")
    assert acompass("prove", path, *claim).exit_code == 1
    known = acompass("prove", path, *claim, "--table", "people.csv")
    assert known.exit_code == 2
    assert "did you mean `Name`?" in known.stderr


def test_prove_accepts_types(acompass, policy):
    path = policy("EACH RESULT : Age > 9 AND Age < 10 : REJECT;")
    claim = ("--claim", "EACH RESULT : Age = 7")
    assert acompass("prove", path, *claim).exit_code == 1
    assert acompass("prove", path, *claim, "--types", "Age=integer").exit_code == 0
    ran = acompass("prove", path, *claim, "--types", "Age = decimal(1)", "--json")
    assert (ran.exit_code, json.loads(ran.stdout)["types"]) == (1, {"Age": "decimal(1)"})
    assert "AC552" in acompass("prove", path, "--types", "Agee=integer").stderr
    assert "AC551" in acompass("prove", path, "--types", "Age").stderr


def test_parameters_are_bound(acompass, policy):
    path = policy("EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= k : REJECT;")
    assert acompass("prove", path, "--set", "k=3").exit_code == 0
    assert acompass("prove", path).exit_code == 2


GAPS = (
    "EACH FILTER Zip > '10' AND Zip < '20' : Zip = '1*' : REPLACE Zip WITH '1*';\n"
    "EACH FILTER Zip > '20' AND Zip < '30' : Zip = '2*' : REPLACE Zip WITH '2*';\n"
)
SOUND = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"


def test_findings_are_shown_with_their_page_and_exit_with_1(acompass, policy):
    ran = acompass("lint", policy(GAPS))
    assert ran.exit_code == 1
    assert "warning[AC507]" in ran.stdout
    assert "acompass explain AC507" in ran.stdout


def test_nothing_found_exits_with_0(acompass, policy):
    ran = acompass("lint", policy(SOUND))
    assert (ran.exit_code, ran.stdout) == (0, "nothing found\n")


def test_several_policies_are_all_reported_and_the_worst_exit_code_wins(acompass, policy):
    sound, gaps, broken = policy(SOUND, "a b.acp"), policy(GAPS, "gaps.acp"), policy("EACH", "broken.acp")
    ran = acompass("lint", gaps, sound)
    assert (ran.exit_code, "gaps.acp:" in ran.stdout) == (1, True)
    assert ran.stdout.endswith("nothing found in a b.acp\n")
    ran = acompass("lint", broken, gaps, sound)
    assert (ran.exit_code, "gaps.acp:" in ran.stdout, "broken.acp:" in ran.stderr) == (2, True, True)


def test_an_unbound_parameter_is_shown_in_its_file(acompass, policy):
    name = policy("EACH RESULT : Age <= k;", "unbound.acp")
    for command in ("lint", "prove"):
        assert "unbound.acp:1:22" in acompass(command, name).stderr


def test_several_policies_are_fixed(acompass, policy, tmp_path):
    names = [policy("EACH RESULT : Age <= 3", name) for name in ("one.acp", "two.acp")]
    assert acompass("lint", "--fix", *names).exit_code == 0
    assert {(tmp_path / name).read_text() for name in names} == {"EACH RESULT : Age <= 3;"}


def test_a_format_for_programs_reports_one_policy(acompass, policy):
    names = [policy(SOUND, name) for name in ("one.acp", "two.acp")]
    for options in (("--json",), ("--format", "sarif"), ("--also", "sarif=lint.sarif")):
        ran = acompass("lint", *names, *options)
        assert (ran.exit_code, "several policies are reported as text" in ran.stderr) == (2, True)


def test_findings_can_be_printed_as_json(acompass, policy):
    found = json.loads(acompass("lint", policy(GAPS), "--json").stdout)["diagnostics"]
    assert "AC507" in {each["code"] for each in found}
    assert {each["severity"] for each in found} == {"warning"}


def test_run_and_check_do_not_mention_findings_of_lint(acompass, policy, tmp_path):
    table = tmp_path / "zips.csv"
    table.write_text("Zip,Age\n15,30\n")
    path = policy(GAPS)
    assert acompass("lint", path).exit_code == 1
    for command in (("check", path, str(table)), ("run", path, str(table), "-o", str(tmp_path / "out.csv"))):
        ran = acompass(*command)
        assert (ran.stderr, "lint" in ran.stdout) == ("", False)


def test_lint_accepts_types(acompass, policy):
    path = policy("EACH RESULT : Age <= 3 OR Age >= 4 : REJECT;")
    assert "AC501" in acompass("lint", path).stdout
    assert "AC501" not in acompass("lint", path, "--types", "Age=decimal(1)").stdout


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
    assert ran.stdout.startswith("equivalent\n  both policies make the same demands on the same classes")


def test_a_loosened_policy_exits_with_1_and_shows_why(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5", "--impact")
    assert ran.exit_code == 1
    assert "only the new policy releases column `Name`" in ran.stdout
    assert "refuted  line 2: EACH PROCESS COUNT(*) AS n GROUP BY Age, Zip : n >= k" in ran.stdout
    assert "the new policy releases more than the old one\n" in ran.stdout
    assert "  `Name` unchanged, depending on other records\n" in ran.stdout
    assert "no longer guaranteed\n" in ran.stdout


def test_without_impact_only_a_hint_is_printed(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5")
    assert "the new policy releases more than the old one\n  `--impact` shows what\n" in ran.stdout
    assert "no longer guaranteed" not in ran.stdout


def test_the_json_of_compare_has_its_documented_keys(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "new.acp", "--set", "k=5", "--json")
    found = json.loads(ran.stdout)
    assert found["equivalent"] is False
    assert found["implies"] == {"new_by_old": True, "old_by_new": False}
    assert (found["guarantees"], found["releases"]) == ("lost", "more")
    difference = found["difference"]
    assert set(difference) == {"columns", "records", "trace", "old", "new"}
    assert difference["columns"] == {"Name": "text", "Age": "text", "Zip": "text"}
    assert list(difference["old"]["columns"]) == ["Age", "Zip"]
    assert "impact" not in found


def test_json_of_equivalent_policies_has_no_difference(acompass: Acompass) -> None:
    found = json.loads(acompass("compare", "old.acp", "same.acp", "--set", "k=5", "--json").stdout)
    assert (found["equivalent"], found["difference"]) == (True, None)


def test_json_lists_what_is_released(acompass: Acompass) -> None:
    Path("loose.acp").write_text(CAP.replace("80", "90"))
    ran = acompass("compare", "cap.acp", "loose.acp", "--types", "Age=integer", "--impact", "--json")
    impact = json.loads(ran.stdout)["impact"]
    assert [claim["verdict"] for claim in impact["lost"]] == ["refuted"]
    assert impact["released"] == [
        {"column": None, "what": "`Age` above 80 up to 90", "certain": True},
        {"column": "Age", "what": "above 80 up to 90 unchanged", "certain": True},
    ]


def test_a_table_that_is_not_written_is_null(acompass: Acompass) -> None:
    Path("check.acp").write_text("EACH RESULT : Age <= 80;")
    ran = acompass("compare", "check.acp", "cap.acp", "--json")
    found = json.loads(ran.stdout)["difference"]
    assert found["old"] is None
    assert found["new"]["columns"] == {"Age": "integer"}
    assert found["new"]["records"]


def test_a_table_gives_types_and_columns(acompass: Acompass) -> None:
    Path("other.acp").write_text("EACH RESULT : Age < 81 : REJECT;\n")
    assert acompass("compare", "cap.acp", "other.acp").exit_code == 1
    ran = acompass("compare", "cap.acp", "other.acp", "--table", "people.csv", "--json")
    assert (ran.exit_code, json.loads(ran.stdout)["equivalent"]) == (0, True)
    assert json.loads(ran.stdout)["types"] == {"Name": "text", "Age": "integer", "Zip": "text"}


def test_a_policy_can_come_from_standard_input(acompass: Acompass) -> None:
    ran = acompass("compare", "-", "old.acp", "--set", "k=5", given=OLD)
    assert ran.exit_code == 0, ran.stderr
    assert acompass("compare", "-", "-", given=OLD).exit_code == 2


def test_parameters_can_come_from_the_settings(acompass: Acompass) -> None:
    Path("acompass.toml").write_text('[policy."old.acp"]\nparams = { k = 5 }\n')
    ran = acompass("compare", "old.acp", "same.acp")
    assert ran.exit_code == 0, ran.stderr


def test_each_policy_has_the_parameters_of_its_own_settings(acompass: Acompass) -> None:
    for folder, k in (("before", 5), ("after", 3)):
        Path(folder).mkdir()
        Path(folder, "policy.acp").write_text(OLD)
        Path(folder, "acompass.toml").write_text(f'[policy."policy.acp"]\nparams = {{ k = {k} }}\n')
    loosened = acompass("compare", "before/policy.acp", "after/policy.acp", "--json")
    assert (loosened.exit_code, json.loads(loosened.stdout)["implies"]["old_by_new"]) == (1, False)
    assert acompass("compare", "after/policy.acp", "before/policy.acp").exit_code == 0
    assert acompass("compare", "before/policy.acp", "after/policy.acp", "--set", "k=4").exit_code == 0


def test_the_old_policy_can_have_other_parameters(acompass: Acompass) -> None:
    same = ("compare", "old.acp", "old.acp", "--set", "k=3")
    assert acompass(*same, "--set-old", "k=3").exit_code == 0
    ran = acompass(*same, "--set-old", "k=5", "--json")
    (lost,) = json.loads(ran.stdout)["claims"]["old_by_new"]
    assert (ran.exit_code, lost["verdict"], ">= 5" in lost["text"]) == (1, "refuted", True)
    assert "AC107" in acompass(*same, "--set-old", "l=5").stderr


def test_a_policy_that_keeps_k_and_releases_more_is_rejected(acompass: Acompass) -> None:
    """Both policies guarantee classes of 3 records; one suppresses small classes before it rejects them."""
    classes = "EACH PROCESS COUNT(*) AS n GROUP BY a, s : n >= 3"
    Path("reject.acp").write_text(f"{classes} : REJECT;\n")
    Path("suppress.acp").write_text(f"{classes} : REPLACE s WITH '*' THEN REJECT;\n")
    more = acompass("compare", "reject.acp", "suppress.acp", "--json")
    answer = json.loads(more.stdout)
    assert (more.exit_code, answer["guarantees"], answer["releases"]) == (1, "kept", "more")
    assert (answer["difference"]["old"]["records"], len(answer["difference"]["new"]["records"])) == ([], 3)
    no_more = acompass("compare", "suppress.acp", "reject.acp", "--json")
    answer = json.loads(no_more.stdout)
    assert (no_more.exit_code, answer["guarantees"], answer["releases"]) == (0, "kept", "no more")


def test_an_error_names_its_policy(acompass: Acompass) -> None:
    ran = acompass("compare", "old.acp", "same.acp", "--json")
    assert ran.exit_code == 2
    (first, *_) = json.loads(ran.stdout)["diagnostics"]
    assert (first["code"], first["file"]) == ("AC106", "old.acp")


def test_paper_rejects_extensions(acompass: Acompass) -> None:
    assert acompass("compare", "cap.acp", "old.acp", "--set", "k=5", "--paper").exit_code == 2


def test_prove_accepts_claims_about_the_policy_and_assumptions(acompass: Acompass) -> None:
    call = ("prove", "cap.acp", "--claim", "idempotent", "--claim", "Age unchanged")
    ran = acompass(*call, "--claim", "EACH RESULT : Age < 9", "--assume", "EACH RESULT : Age < 9", "--json")
    assert ran.exit_code == 0, ran.stderr
    assert [claim["verdict"] for claim in json.loads(ran.stdout)["claims"]] == ["proved"] * 3
    assert acompass(*call, "--claim", "EACH RESULT : Age < 9").exit_code == 1


RESPONSE = """\
EACH RESULT : Disease IN ('flu', 'asthma', 'other') : REPLACE Disease WITH 'other';
ALWAYS : WITH PROBABILITY 0.25 RANDOM Disease FROM ('flu', 'asthma', 'other');
"""
TYPES = ("--types", "Disease=text", "--types", "Zip=text")


def test_json_has_the_exact_ratio_and_its_witness(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--json")
    assert ran.exit_code == 0
    answer = json.loads(ran.stdout)
    assert set(answer) == {"types", "claims", "privacy"}
    disease, zip_ = answer["privacy"]["columns"]
    assert (disease["columns"], disease["verdict"], disease["ratio"]) == (["Disease"], "exact", "10/1")
    assert disease["epsilon"] == 2.303
    assert disease["witness"]["probabilities"] == ["5/6", "1/12"]
    assert (zip_["verdict"], zip_["ratio"], zip_["epsilon"]) == ("none", None, None)
    assert zip_["witness"]["traces"][1] is None
    assert (answer["privacy"]["table"], answer["privacy"]["stability"]) == (None, "1")


def test_json_without_privacy_has_no_such_key(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), "--json")
    assert set(json.loads(ran.stdout)) == {"types", "claims"}


@pytest.mark.slow
def test_a_sample_before_k_anonymity_has_a_delta(acompass, policy):
    text = "ALWAYS : WITH PROBABILITY 0.75 REJECT; EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 14 : REJECT;"
    ran = acompass("prove", policy(text), "--types", "Zip=text", "--privacy", "--epsilon", "1", "--json")
    table = json.loads(ran.stdout)["privacy"]["table"]
    assert (table["epsilon"], table["k"], table["beta"]) == (1, 14, "1/4")
    assert 0 < table["delta"] <= 1e-6


def test_the_text_states_unit_neighbors_and_what_is_not_covered(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), *TYPES, "--privacy")
    assert "Disease: e^ε is exactly 10, ε ≤ 2.303" in ran.stdout
    assert "Zip: no bound" in ran.stdout
    for part in ("unit:", "neighbors:", "not covered", "several records of one person", "stability: 1"):
        assert part in ran.stdout


def test_several_columns_can_be_judged_together(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--columns", "zip, Disease", "--json")
    (found,) = json.loads(ran.stdout)["privacy"]["columns"]
    assert (found["columns"], found["verdict"]) == (["Disease", "Zip"], "none")


def test_all_columns_of_a_table_are_judged(acompass, policy):
    ran = acompass("prove", policy("ALWAYS : DROP Name;"), "--table", "people.csv", "--privacy", "--json")
    answer = json.loads(ran.stdout)
    verdicts = {found["columns"][0]: found["verdict"] for found in answer["privacy"]["columns"]}
    assert list(verdicts) == list(answer["types"])
    assert verdicts.pop("Name") == "exact"
    assert set(verdicts.values()) == {"none"}


def test_privacy_needs_all_columns(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), "--privacy")
    assert ran.exit_code == 2
    assert "AC553" in ran.stderr


def test_unknown_columns_and_a_negative_epsilon_are_errors(acompass, policy):
    unknown = acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--columns", "Diseese")
    assert unknown.exit_code == 2
    assert "AC554" in unknown.stderr
    assert "did you mean `Disease`?" in unknown.stderr
    assert "AC555" in acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--epsilon", "-1").stderr


POLICY = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH PROCESS COUNT(*) AS n GROUP BY Age : n >= 3 : REJECT;"
#: the second line has no effect
REDUNDANT = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;\nEACH RESULT : Age <= 90 : REPLACE Age WITH 90;"
LATE = "not decided within 0 s"


def test_undecided_claims_say_why_and_exit_with_1(acompass, policy):
    ran = acompass("prove", policy(POLICY), "--deadline", "0")
    assert (ran.exit_code, ran.stderr) == (1, "")
    assert ran.stdout.count(f"\n  {LATE}\n") == 2


def test_the_reason_is_in_the_json(acompass, policy):
    ran = acompass("prove", policy(POLICY), "--deadline", "0", "--json")
    claims = json.loads(ran.stdout)["claims"]
    assert [(claim["verdict"], claim["reason"]) for claim in claims] == [("undecided", LATE)] * 2


def test_a_deadline_may_have_a_fraction(acompass, policy):
    assert acompass("prove", policy(POLICY), "--deadline", f"{PATIENCE}.5").exit_code == 0


@pytest.mark.parametrize("deadline", ["soon", "-1", "nan", "inf", ""])
def test_an_invalid_deadline_is_an_error(acompass, policy, deadline):
    for command in ("prove", "lint"):
        ran = acompass(command, policy(POLICY), "--deadline", deadline)
        assert ran.exit_code == 2
        assert (
            f"error[AC556]: `{deadline}` is not a valid deadline: expected a non-negative number of seconds"
            in ran.stderr
        )


def test_lint_without_time_is_incomplete(acompass, policy):
    ran = acompass("lint", policy(REDUNDANT), "--deadline", "0", "--json")
    assert ran.exit_code == 1
    assert [each["code"] for each in json.loads(ran.stdout)["diagnostics"]] == ["AC516"]


def test_privacy_is_undecided_without_time(acompass, policy):
    text = "ALWAYS : WITH PROBABILITY 0.25 RANDOM Disease FROM ('flu', 'asthma');"
    arguments = ("prove", policy(text), "--types", "Disease=text", "--privacy", "--json")
    (column,) = json.loads(acompass(*arguments, "--deadline", "0").stdout)["privacy"]["columns"]
    assert (column["verdict"], column["ratio"]) == ("undecided", None)
    (column,) = json.loads(acompass(*arguments).stdout)["privacy"]["columns"]
    assert column["verdict"] == "none"


def test_calls_from_python_have_a_deadline():
    assert {claim.reason for claim in api.prove(POLICY, deadline=0).claims} == {LATE}
    assert api.prove(POLICY, deadline=PATIENCE).ok
    assert [finding.code for finding in api.lint(POLICY, deadline=0)] == ["AC516"]
    for deadline, code in (("soon", "AC556"), (-1, "AC556"), ([], "AC407")):
        with pytest.raises(CallError) as raised:
            api.prove(POLICY, deadline=deadline)
        assert [each.code for each in raised.value.diagnostics] == [code]


@pytest.mark.parametrize("page", [read_page(FOLDER / f"{code}.md") for code in ("AC516", "AC556")])
def test_the_example_of_a_page_gives_the_code_and_the_fix_does_not(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (ran,) = run_blocks(page.sections["Example"])
    assert ran.exit_code
    assert re.findall(r"\[(AC\d{3})\]", ran.output + ran.errors) == [page.code]
    assert run_fix(page).errors == ""
