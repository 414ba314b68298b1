"""`acompass run` and `plan`: what is written, what is never overwritten, notes and empty policies."""

import json
import re
import shlex
import subprocess
import sys

import pytest

import acompass as api
from acompass.errors.diagnostics import PolicyError
from tests.cli.tables import PEOPLE, TOP_CODED
from tests.repo.sources import ROOT

TOP_CODING = "EACH RESULT : Age <= 80 : REPLACE Age WITH 80;"
ADULTS = "EACH RESULT : Age >= 40;"
NOISE = "EACH RESULT : Age <= 40 : RANDOM Age 20 30;"
ELECTRICITY = ROOT / "examples" / "electricity"

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


def test_the_report_says_what_each_line_did(acompass, policy):
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
        "proved",
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
                "after": "proved",
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
@pytest.mark.slow
def test_the_input_is_never_overwritten_through_the_shell(acompass, policy, tmp_path, ends):
    command = f"{shlex.quote(sys.executable)} -m acompass run {policy(TOP_CODING)} {ends}"
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


@pytest.mark.parametrize(("option", "code"), [("-o", "AC220"), ("--report", "AC708")])
def test_a_reference_table_is_never_overwritten(acompass, policy, tmp_path, option, code):
    (tmp_path / "ages.csv").write_text("Age\n36\n", encoding="utf-8")
    counted = policy("EACH PROCESS COUNT(*) IN 'ages.csv' AS n GROUP BY Age : n >= 1 : REJECT;")
    ran = acompass("run", counted, "people.csv", "-o", "out.csv", option, "./ages.csv", "--force")
    assert (ran.exit_code, ran.stderr[:12]) == (2, f"error[{code}]")
    assert (tmp_path / "ages.csv").read_text() == "Age\n36\n"


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


def test_any_other_file_is_replaced(acompass, policy, tmp_path):
    (tmp_path / "out.csv").write_text("old")
    assert acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_text() == TOP_CODED


def test_the_table_is_on_standard_output_and_the_report_on_standard_error(acompass, policy):
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


SECRET = "5b1c0e2f9d7a48336e15c0a4"
GUESSABLE = "the seed has fewer than 16 characters: someone who guesses it can tell which values were drawn"


def test_a_seed_can_come_from_a_file_or_the_environment(acompass, policy, tmp_path, monkeypatch):
    """The call comes before the environment; of a file, one line end is stripped."""
    for name, text in (("lf", f"{SECRET}\n"), ("crlf", f"{SECRET}\r\n"), ("bare", SECRET), ("two", f"{SECRET}\n\n")):
        (tmp_path / name).write_bytes(text.encode())

    def drawn(*arguments):
        ran = acompass("run", policy(NOISE), "people.csv", "-o", "-", *arguments)
        assert ran.exit_code == 0, ran.stderr
        assert SECRET not in ran.output
        return ran.stdout

    expected = drawn("--seed", SECRET)
    assert {drawn("--seed-file", name) for name in ("lf", "crlf", "bare")} == {expected}
    assert drawn("--seed-file", "two") == drawn("--seed", f"{SECRET}\n")
    people = api.run(NOISE, "people.csv", seed_file=tmp_path / "lf").table
    assert people.equals(api.run(NOISE, "people.csv", seed=SECRET).table)
    monkeypatch.setenv("ACOMPASS_SEED", SECRET)
    assert drawn() == expected
    assert api.run(NOISE, "people.csv").table.equals(people)
    assert acompass("explain", "policy.acp", "people.csv", "--record", "1").exit_code == 0
    monkeypatch.setenv("ACOMPASS_SEED", "another secret of some length")
    assert drawn("--seed-file", "lf") == drawn("--seed", SECRET) == expected
    (tmp_path / "trace.txt").write_text("0.5\n" * 10)
    assert drawn("--trace", "trace.txt") == drawn("--trace", "trace.txt")


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        (("--seed", SECRET, "--seed-file", "seed"), None, "both a seed and a file with a seed are given"),
        (("--seed-file", "seed", "--trace", "seed"), None, "both a seed and a trace are given"),
        (("--seed-file", "empty"), None, "the seed in `empty` is empty"),
        (("--seed-file", "end"), None, "the seed in `end` is empty"),
        (("--seed-file", "bytes"), None, "cannot read the seed in `bytes`: not UTF-8 text"),
        (("--seed-file", "none"), None, "cannot read the seed in `none`: no such file or directory"),
        (("--seed-file", "long"), None, "cannot read the seed in `long`: it has more than 100,000 characters"),
        (("--seed", ""), None, "the seed is empty"),
        ((), "", "the seed in `ACOMPASS_SEED` is empty"),
    ],
)
def test_a_seed_that_is_empty_unreadable_or_given_twice_is_an_error(
    acompass, policy, tmp_path, monkeypatch, arguments, environment, message
):
    contents = {"seed": b"0.5\n", "empty": b"", "end": b"\n", "bytes": b"\xff" * 20, "long": b"s" * 100_001}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    if environment is not None:
        monkeypatch.setenv("ACOMPASS_SEED", environment)
    ran = acompass("run", policy(NOISE), "people.csv", "-o", "out.csv", *arguments)
    assert ran.exit_code == 2
    assert f"error[AC404]: {message}\n" in ran.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("seed", "is_noted"), [("s" * 15, True), ("s" * 16, False), (None, False)])
@pytest.mark.parametrize("draws", [NOISE, "ALWAYS : WITH PROBABILITY 0.5 REJECT;"])
def test_a_note_says_that_a_seed_can_be_guessed(acompass, policy, seed, is_noted, draws):
    given = () if seed is None else ("--seed", seed)
    ran = acompass("run", policy(draws), "people.csv", "-o", "out.csv", "--json", *given)
    assert ({"line": None, "text": GUESSABLE} in json.loads(ran.stdout)["notes"]) is is_noted
    assert (GUESSABLE in acompass("run", "policy.acp", "people.csv", "-o", "out.csv", *given).stdout) is is_noted
    assert GUESSABLE not in acompass("run", policy(TOP_CODING), "people.csv", "-o", "out.csv", *given).stdout


def test_parameters_are_bound(acompass, policy):
    text = "EACH PROCESS COUNT(*) AS Size GROUP BY Zip : Size >= k : REJECT;"
    ran = acompass("run", policy(text), "people.csv", "-o", "-", "--set", "k=2")
    assert ran.stdout == "Name,Age,Zip\nAda,36,21101\nEve,45,21101\n"


@pytest.mark.parametrize(
    "extra", [["--json", "-o", "-"], [], ["-o", "out.csv", "--seed", "a", "--trace", "people.csv"]]
)
def test_contradictory_options_exit_with_2(acompass, policy, extra, tmp_path):
    ran = acompass("run", policy(TOP_CODING), "people.csv", *extra)
    assert ran.exit_code == 2
    assert ran.stderr
    assert not (tmp_path / "out.csv").exists()


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


@pytest.mark.parametrize("options", [(), ("--json",), ("--stages",), ("--sql",), ("--stages", "--sql"), ("--quiet",)])
def test_a_dry_run_is_a_plan(acompass, policy, options):
    path = policy(POLICY)
    planned = acompass("plan", path, "people.csv", *options)
    dry = acompass("run", path, "people.csv", "--dry-run", *options)
    same = [re.sub("loaded[0-9]+", "loaded", each.stdout) for each in (dry, planned)]
    assert same[0] == same[1]
    assert (dry.exit_code, dry.stderr) == (planned.exit_code, planned.stderr)


def test_a_dry_run_accepts_the_options_of_the_run_and_writes_nothing(acompass, policy, tmp_path):
    given = ("-o", "out.csv", "--force", "--report", "report.html", "--report-internal", "internal.html")
    assert acompass("run", policy(POLICY), "people.csv", *given, "--dry-run").exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "policy.acp"]


def test_only_a_dry_run_shows_its_plan_or_lacks_an_output(acompass, policy):
    path = policy(POLICY)
    assert "Missing option '--output' / '-o'" in acompass("run", path, "people.csv").stderr
    ran = acompass("run", path, "people.csv", "-o", "out.csv", "--stages")
    assert (ran.exit_code, "--stages and --sql need --dry-run" in ran.stderr) == (2, True)


def test_a_plan_fails_as_the_run_would(acompass, policy):
    assert acompass("plan", policy("EACH RESULT : Age <= 80;"), "people.csv").exit_code == 1


def test_stages_list_every_requirement(acompass, policy):
    said = acompass("plan", policy(POLICY), "people.csv", "--stages").stdout
    assert [line.partition(":")[0] for line in said.splitlines()] == ["requirement 1", "requirement 2"]
    assert "`Zip`" in said


def test_sql_is_shown_only_on_request_and_contains_no_value(acompass, policy):
    path = policy(POLICY)
    assert "SELECT" not in acompass("plan", path, "people.csv").stdout
    said = acompass("plan", path, "people.csv", "--sql").stdout
    assert "SELECT" in said
    assert "Ada" not in said


#: for each way to run a requirement, a policy whose FILTER or WHERE selects no record
SELECTING_NOTHING = {
    "EACH FILTER": ("EACH FILTER Age > 200 : Zip = 0;", "FILTER"),
    "SOME FILTER": ("SOME FILTER Age > 200 : Zip = 0 : REPLACE Age WITH 1;", "FILTER"),
    "with RANDOM": ("EACH FILTER Age > 200 : Zip = 0 : RANDOM Age 1 2;", "FILTER"),
    "no groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 : n > 9 : REJECT;", "WHERE"),
    "checked groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9;", "WHERE"),
    "groups": ("EACH PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9 : REJECT;", "WHERE"),
    "some group": ("SOME PROCESS COUNT(*) AS n WHERE Age > 200 GROUP BY Zip : n > 9;", "WHERE"),
    "distinct": ("EACH PROCESS COUNT DISTINCT(Zip) AS n WHERE Age > 200 GROUP BY Age : n > 9;", "WHERE"),
}
#: the same policies, selecting a record
SELECTING_SOMETHING = [text.replace("200", "40") for text, _ in SELECTING_NOTHING.values()]
RECORDS = [{"Name": "Ada", "Age": 36, "Zip": 21101}, {"Name": "Bob", "Age": 82, "Zip": 21102}]


@pytest.mark.parametrize("engine", ["duckdb", "reference"])
@pytest.mark.parametrize("what", SELECTING_NOTHING)
def test_a_condition_that_selects_no_record_is_noted_at_its_line(what, engine):
    text, word = SELECTING_NOTHING[what]
    policy = f"EACH RESULT : Age < 200;\n{text}"
    for result in (
        api.check(policy, RECORDS, engine=engine),
        api.run(policy, RECORDS, engine=engine),
        api.plan(policy, RECORDS, engine=engine).result,
    ):
        assert [(note.line, note.text) for note in result.notes] == [(2, f"{word} selects no record")]


@pytest.mark.parametrize("text", SELECTING_SOMETHING)
def test_a_condition_that_selects_a_record_is_not_noted(text):
    assert api.check(text, RECORDS).notes == ()


def test_each_condition_is_noted_at_its_turn():
    policy = (
        "EACH FILTER Age > 80 : Age < 0 : REPLACE Age WITH 80;\nEACH FILTER Age > 80 : Age < 0 : REPLACE Age WITH 80;"
    )
    assert [note.line for note in api.run(policy, RECORDS).notes] == [2]
    assert api.check(policy, RECORDS).notes == ()


def test_a_run_that_leaves_no_record_notes_the_line_that_removed_the_last():
    policy = "EACH RESULT : Age > 50 : REJECT;\nEACH RESULT : Age < 50 : REJECT;\nEACH RESULT : Age = 1;"
    assert [(note.line, note.text) for note in api.run(policy, RECORDS).notes] == [(2, "no record is left")]


def test_a_table_whose_records_were_all_dropped_is_noted(acompass, policy, tmp_path):
    (tmp_path / "gaps.csv").write_text("Name,Age\nAda,\nBob,\n", encoding="utf-8")
    arguments = ("gaps.csv", "-o", "out.csv", "--missing", "drop", "--json")
    value = json.loads(acompass("run", policy("EACH RESULT : Age < 90;"), *arguments).stdout)
    assert (value["records_in"], value["records_out"], value["dropped"]) == (2, 0, 2)
    assert value["notes"] == [{"line": None, "text": "no record is left"}]


def test_columns_that_the_policy_never_names_are_listed_in_the_order_of_the_table():
    text = "EACH PROCESS COUNT(*) AS Name GROUP BY age : Name >= 1;"
    assert api.run(text, RECORDS).unnamed == ("Name", "Zip")
    assert api.check(text, RECORDS).unnamed == ("Name", "Zip")
    assert api.run("EACH RESULT : Age < 99 OR Zip = 1 OR Name = '*';", RECORDS).unnamed == ()


@pytest.mark.parametrize(
    "arguments",
    [("run", "-o", "out.csv", "--json"), ("check", "--format", "json"), ("plan", "--json")],
    ids=["run", "check", "plan"],
)
def test_json_has_the_notes_and_the_unnamed_columns(acompass, policy, arguments):
    command, *options = arguments
    ran = acompass(command, policy("EACH FILTER Age > 200 : Age = 1;"), "people.csv", *options)
    value = json.loads(ran.stdout)
    assert (value["dropped"], value["unnamed"]) == (0, ["Name", "Zip"])
    assert value["notes"] == [{"line": 1, "text": "FILTER selects no record"}]


@pytest.mark.parametrize(
    ("arguments", "heading"),
    [
        (("run", "-o", "out.csv"), "columns that the policy never names, released unchanged"),
        (("plan",), "columns that the policy never names, released unchanged"),
        (("check",), "columns that the policy never names"),
    ],
    ids=["run", "plan", "check"],
)
def test_the_text_has_them_before_its_last_line(acompass, policy, arguments, heading):
    command, *options = arguments
    ran = acompass(command, policy("EACH FILTER Age > 200 : Age = 1;"), "people.csv", *options)
    *_, note, unnamed, summary = ran.stdout.splitlines()
    assert note == "note: line 1: FILTER selects no record"
    assert unnamed == f"{heading}: Name, Zip"
    assert summary.startswith("3 records")


def test_the_internal_report_has_the_notes_and_the_unnamed_columns(acompass, policy, tmp_path):
    text = policy("EACH FILTER Age > 200 : Age = 1;")
    acompass("run", text, "people.csv", "-o", "out.csv", "--report-internal", "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Note: line 1: FILTER selects no record" in page
    assert "Columns that the policy never names, released unchanged: Name, Zip" in page


def test_a_check_notes_missing_columns_to_drop():
    (note,) = api.check("ALWAYS : DROP Nmae, Zip;", RECORDS).notes
    assert (note.line, note.text) == (1, "nothing to drop: the table has no column `Nmae`")
    assert api.check("ALWAYS : DROP Name, Zip;", RECORDS).notes == ()
    with pytest.raises(api.PolicyError, match="unknown column `Nmae`"):
        api.run("ALWAYS : DROP Nmae, Zip;", RECORDS)


TEXTS = ["", "\n", "-- EACH RESULT : Age <= 80;\n", "/* nothing */"]
COMMANDS = [
    ("run", "policy.acp", "people.csv", "-o", "out.csv"),
    ("check", "policy.acp", "people.csv"),
    ("plan", "policy.acp", "people.csv"),
    ("prove", "policy.acp"),
    ("prove", "policy.acp", "--claim", "EACH RESULT : Age <= 80"),
    ("lint", "policy.acp"),
    ("lint", "policy.acp", "--fix"),
    ("explain", "policy.acp", "people.csv", "--record", "1"),
    ("explain", "policy.acp", "--algebra"),
    ("explain", "policy.acp", "people.csv", "--sql"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("text", TEXTS)
def test_an_empty_policy_is_an_error_of_every_command(acompass, policy, tmp_path, command, text):
    path = policy(text)
    ran = acompass(*command)
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "error[AC410]: policy `policy.acp` has no requirements" in ran.stderr
    assert (tmp_path / path).read_text() == text
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("text", TEXTS)
def test_an_empty_policy_is_an_error_of_every_call(text):
    table = [{"Age": 1}]
    calls = [api.check, api.run, api.plan, api.explain]
    for call in [*(lambda p, c=call: c(p, table) for call in calls), api.prove, api.lint]:
        with pytest.raises(PolicyError, match="AC410"):
            call(text)
    with api.open(table) as session, pytest.raises(PolicyError, match="AC410"):
        session.check(api.parse(text))


@pytest.mark.parametrize("text", TEXTS)
def test_an_empty_policy_can_be_parsed_and_formatted(acompass, policy, text):
    assert api.parse(text).tree.requirements == ()
    assert acompass("fmt", policy(text)).exit_code == 0
