import json

POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= 2 : REJECT;
"""


def test_a_plan_has_the_counts_of_a_run_and_writes_nothing(acompass, policy, tmp_path):
    path = policy(POLICY)
    planned = acompass("plan", path, "people.csv", "--json")
    assert planned.exit_code == 0, planned.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["people.csv", "policy.acp"]
    ran = acompass("run", path, "people.csv", "-o", "out.csv", "--json")
    assert json.loads(planned.stdout) == json.loads(ran.stdout)


def test_a_plan_says_that_nothing_was_written(acompass, policy):
    planned = acompass("plan", policy(POLICY), "people.csv")
    assert planned.stdout.endswith("3 records in, 2 would be left; nothing was written\n")


def test_a_plan_fails_as_the_run_would(acompass, policy):
    assert acompass("plan", policy("EACH RESULT : Age <= 80;"), "people.csv").exit_code == 1


def test_stages_list_every_requirement(acompass, policy):
    said = acompass("plan", policy(POLICY), "people.csv", "--stages").stdout
    assert [line.partition(":")[0] for line in said.splitlines()] == ["requirement 1", "requirement 2"]
    assert "`Zip`" in said


def test_sql_is_shown_on_demand_only_and_names_no_value(acompass, policy):
    path = policy(POLICY)
    assert "SELECT" not in acompass("plan", path, "people.csv").stdout
    said = acompass("plan", path, "people.csv", "--sql").stdout
    assert "SELECT" in said
    assert "Ada" not in said
