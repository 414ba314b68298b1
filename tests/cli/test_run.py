import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.tables import PEOPLE, TOP_CODED

TOP_CODING = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
ADULTS = "EACH RESULT : Age >= 40;"
NOISE = "EACH RESULT : Age <= 40 : RANDOM Age 20 30;"
ELECTRICITY = Path(__file__).parents[2] / "examples" / "electricity"

PAPERS_LAST_TABLE = """\
Record ID,Age,Postal Code,AEC
1,54,212**,3500
2,54,212**,7400
3,54,212**,8600
4,80,214**,10500
5,80,214**,3500
6,80,214**,8600
9,45,211**,6200
10,45,211**,5400
"""


def test_the_papers_policy_gives_the_papers_last_table(acompass, tmp_path):
    ran = acompass(
        "run", f"{ELECTRICITY}/policy.acp", f"{ELECTRICITY}/table.csv", "-o", "out.csv",
        "--set", "k=2", "--set", "l=1", "--trace", f"{ELECTRICITY}/trace.txt",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.stderr
    assert (tmp_path / "out.csv").read_text() == PAPERS_LAST_TABLE
    assert ran.stdout.endswith("10 records in, 8 out, 1 value of the trace used\n")


def test_a_report_says_what_was_done_line_by_line(acompass, policy):
    ran = acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv")
    assert ran.exit_code == 0
    assert ran.stderr == ""
    assert ran.stdout.splitlines()[1].split() == [
        "1",
        "repaired",
        "1",
        "of",
        "3",
        "replaced",
        *TOP_CODING[:-1].split(),
    ]


def test_json_is_one_object_and_nothing_else(acompass, policy):
    ran = acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv", "--json")
    assert json.loads(ran.stdout) == {
        "records_in": 3,
        "records_out": 3,
        "dropped": 0,
        "ok": True,
        "requirements": [
            {
                "index": 1,
                "line": 1,
                "text": TOP_CODING[:-1],
                "holds": False,
                "affected": 1,
                "action": "REPLACE",
            }
        ],
        "trace_used": 0,
        "unnamed": ["Name", "Zip"],
        "notes": [],
    }


def test_a_violated_check_writes_nothing_and_exits_with_1(acompass, policy, tmp_path):
    ran = acompass("run", policy(ADULTS), "people.csv", "-o", "out.csv")
    assert ran.exit_code == 1
    assert "violated" in ran.stdout
    assert "`out.csv` not written" in ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "policy.acp"]


def test_force_writes_a_table_that_fails_its_check(acompass, policy, tmp_path):
    ran = acompass("run", policy(ADULTS), "people.csv", "-o", "out.csv", "--force")
    assert ran.exit_code == 1
    assert (tmp_path / "out.csv").read_text() == PEOPLE


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("output", ["people.csv", "./people.csv", "../{}/people.csv", "hard.csv", "link.csv"])
def test_the_input_is_never_overwritten(acompass, policy, tmp_path, engine, output):
    (tmp_path / "hard.csv").hardlink_to("people.csv")
    (tmp_path / "link.csv").symlink_to("people.csv")
    written = output.format(tmp_path.name)
    arguments = ["run", policy(TOP_CODING), "people.csv", "-o", written, "--force", "--engine", engine]
    ran = acompass(*arguments)
    assert ran.exit_code == 2
    assert f"the output `{written}` is also the input" in ran.stderr
    assert (tmp_path / "people.csv").read_text() == PEOPLE


@pytest.mark.parametrize("ends", ["- -o people.csv < people.csv", "people.csv -o - >> people.csv"])
def test_the_input_is_never_overwritten_through_the_shell(acompass, policy, tmp_path, ends):
    command = f"{sys.executable} -m acompass run {policy(TOP_CODING)} {ends}"
    ran = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr[:12]) == (2, "error[AC220]")
    assert (tmp_path / "people.csv").read_text() == PEOPLE


@pytest.mark.parametrize(("option", "code"), [("-o", "AC220"), ("--report", "AC708")])
def test_a_hierarchy_is_never_overwritten(acompass, policy, tmp_path, option, code):
    (tmp_path / "ages.csv").write_text("36;adult\n", encoding="utf-8")
    level = policy("ALWAYS : GENERALIZE Age TO LEVEL 1 OF 'ages.csv' ELSE '*';")
    ran = acompass("run", level, "people.csv", "-o", "out.csv", option, "./ages.csv", "--force")
    assert (ran.exit_code, ran.stderr[:12]) == (2, f"error[{code}]")
    assert (tmp_path / "ages.csv").read_text() == "36;adult\n"


def test_a_report_never_overwrites_the_input(acompass, policy, tmp_path):
    (tmp_path / "hard.csv").hardlink_to("people.csv")
    for table, report in (("people.csv", "hard.csv"), ("peop*.csv", "people.csv")):
        ran = acompass("check", policy(TOP_CODING), table, "--report", report)
        assert "error[AC708]" in ran.stderr
    assert (tmp_path / "people.csv").read_text() == PEOPLE


def test_a_report_never_overwrites_the_policy_or_the_population(acompass, policy, tmp_path):
    name = policy(TOP_CODING)
    before = (tmp_path / name).read_text()
    (tmp_path / "linked.acp").symlink_to(name)
    (tmp_path / "everyone.csv").write_text(PEOPLE)
    measuring = ["measure", "people.csv", "--qi", "Age", "--population", "everyone.csv"]
    for report, arguments, found in (
        (name, ["check", name, "people.csv"], "policy"),
        ("linked.acp", ["run", name, "people.csv", "-o", "out.csv"], "policy"),
        (name, [*measuring, "--policy", name], "policy"),
        ("everyone.csv", measuring, "table"),
    ):
        ran = acompass(*arguments, "--report", report)
        assert (ran.exit_code, ran.stderr.partition("`")[0]) == (
            2,
            f"error[AC708]: the report would overwrite the {found} ",
        )
    assert (tmp_path / name).read_text() == before
    assert (tmp_path / "everyone.csv").read_text() == PEOPLE


def test_an_ordinary_file_is_replaced(acompass, policy, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    assert acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_text() == TOP_CODED


def test_the_table_goes_to_standard_output_and_the_report_beside_it(acompass, policy):
    ran = acompass("run", policy(TOP_CODING), "people.csv", "-o", "-")
    assert ran.exit_code == 0, ran.stderr
    assert ran.stdout == TOP_CODED
    assert "3 records in, 3 out" in ran.stderr


def test_policy_and_table_can_come_from_standard_input(acompass, policy, tmp_path):
    from_input = acompass("run", policy(TOP_CODING), "-", "-o", "one.csv", given=PEOPLE)
    assert from_input.exit_code == 0, from_input.stderr
    assert acompass("run", "-", "people.csv", "-o", "two.csv", given=TOP_CODING).exit_code == 0
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text() == TOP_CODED


def test_quiet_prints_nothing(acompass, policy):
    ran = acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv", "--quiet")
    assert (ran.exit_code, ran.output) == (0, "")


def test_a_seed_gives_the_same_table_again_and_is_never_shown(acompass, policy, tmp_path):
    arguments = ["run", policy(NOISE), "people.csv", "--seed", "s3cr3t"]
    first, second = acompass(*arguments, "-o", "one.csv"), acompass(*arguments, "-o", "two.csv", "--json")
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes() != PEOPLE.encode()
    assert "s3cr3t" not in first.output + second.output + (tmp_path / "one.csv").read_text()


def test_parameters_are_bound(acompass, policy):
    text = "EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= k : REJECT;"
    ran = acompass("run", policy(text), "people.csv", "-o", "-", "--set", "k=2")
    assert ran.stdout == "Name,Age,Zip\nAda,36,21101\nEve,45,21101\n"


@pytest.mark.parametrize(
    "extra", [["--json", "-o", "-"], [], ["-o", "out.csv", "--seed", "a", "--trace", "people.csv"]]
)
def test_calls_that_make_no_sense_exit_with_2(acompass, policy, extra, tmp_path):
    ran = acompass("run", policy(TOP_CODING), "people.csv", *extra)
    assert ran.exit_code == 2
    assert ran.stderr
    assert not (tmp_path / "out.csv").exists()
