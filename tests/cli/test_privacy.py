import json

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


def test_a_sample_before_a_k_has_a_delta(acompass, policy):
    text = (
        "ALWAYS : WITH PROBABILITY 0.75 REJECT; EACH PROCESS COUNT(*) AS n GROUP BY Zip : n >= 14 : REJECT;"
    )
    ran = acompass("prove", policy(text), "--types", "Zip=text", "--privacy", "--epsilon", "1", "--json")
    table = json.loads(ran.stdout)["privacy"]["table"]
    assert (table["epsilon"], table["k"], table["beta"]) == (1, 14, "1/4")
    assert 0 < table["delta"] <= 1e-6


def test_the_text_says_unit_neighbours_and_what_is_not_covered(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), *TYPES, "--privacy")
    assert "Disease: e^ε is exactly 10, ε ≤ 2.303" in ran.stdout
    assert "Zip: no bound" in ran.stdout
    for part in ("unit:", "neighbours:", "not covered", "several records of one person", "stability: 1"):
        assert part in ran.stdout


def test_columns_are_asked_about_together(acompass, policy):
    ran = acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--columns", "zip, Disease", "--json")
    (found,) = json.loads(ran.stdout)["privacy"]["columns"]
    assert (found["columns"], found["verdict"]) == (["Disease", "Zip"], "none")


def test_the_columns_of_a_table_are_all_asked_about(acompass, policy):
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


def test_unknown_columns_and_numbers_are_errors(acompass, policy):
    unknown = acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--columns", "Diseese")
    assert unknown.exit_code == 2
    assert "AC554" in unknown.stderr
    assert "did you mean `Disease`?" in unknown.stderr
    assert "AC555" in acompass("prove", policy(RESPONSE), *TYPES, "--privacy", "--epsilon", "-1").stderr
