import json

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


def test_columns_can_be_those_of_a_table(acompass, policy):
    path = policy(GENERALIZES)
    claim = ("--claim", "EACH RESULT : Nmae = 'x'")
    assert acompass("prove", path, *claim).exit_code == 1
    known = acompass("prove", path, *claim, "--table", "people.csv")
    assert known.exit_code == 2
    assert "did you mean `Name`?" in known.stderr


def test_types_can_be_given(acompass, policy):
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
