"""`acompass rules`: the list, one rule, and its policy for a table, on a terminal and in a pipe."""

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import acompass as api
from tests.cli.conftest import Acompass

COUNTS = "Region,Patients,Note\nnorth,11,a\nsouth,10,b\n"
LISTED = ["name", "title", "source", "dated", "covers", "leaves_out"]
SHOWN = [*LISTED, "review", "parameters", "columns", "clauses", "policy"]
WRITTEN = ["rule", "policy", "columns", "not_found", "others", "files", "written", "notes", "leaves_out"]
#: a rule with reference tables
CENSUS = "us-census-puma"


@pytest.fixture(autouse=True)
def tables(acompass: Acompass) -> None:
    Path("counts.csv").write_text(COUNTS, encoding="utf-8")
    Path("areas-of-people.csv").write_text("PUMA,Age\n00101,54\n", encoding="utf-8")


@pytest.mark.parametrize("command", [("rules",), ("rules", "list")])
def test_the_list_has_every_rule(acompass: Acompass, command: tuple[str, ...]) -> None:
    ran = acompass(*command)
    assert ran.exit_code == 0, ran.stderr
    for rule in api.rules.all():
        assert f"{rule.name} " in ran.stdout
        assert rule.title in ran.stdout
    assert "none of them is legal advice" in ran.stdout
    listed = json.loads(acompass(*command, "--json").stdout)
    assert [each["name"] for each in listed] == [rule.name for rule in api.rules.all()]
    assert all(list(each) == LISTED for each in listed)
    assert acompass(*command, "--format", "markdown").stdout.count("\n|") == len(listed) + 2


def test_options_of_a_subcommand_come_after_it(acompass: Acompass) -> None:
    ran = acompass("rules", "--json", "show", "cms-cell-size")
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert "write --format after 'show'" in ran.stderr


def test_a_rule_is_shown_with_its_source_and_its_limits(acompass: Acompass) -> None:
    rule = api.rules.find("cms-cell-size")
    for format_ in ("text", "markdown"):
        shown = acompass("rules", "show", rule.name, "--format", format_).stdout
        for words in (rule.title, rule.source, str(rule.dated), str(rule.review), rule.covers, *rule.leaves_out):
            assert words in shown
        for each in (*rule.parameters, *rule.columns):
            assert each.meaning in shown
        assert all(clause.title in shown for clause in rule.clauses)
        assert rule.policy.text.splitlines()[1] in shown
    found = json.loads(acompass("rules", "show", rule.name, "--json").stdout)
    assert list(found) == SHOWN
    assert found["parameters"]["k"]["value"] == 11
    assert str(rule) == acompass("rules", "show", rule.name).stdout.rstrip("\n")
    assert rule.title in rule._repr_html_()


def test_a_rule_is_found_by_the_path_of_its_folder(acompass: Acompass) -> None:
    folder = api.rules.find("cms-cell-size").folder
    assert acompass("rules", "show", str(folder)).stdout == acompass("rules", "show", "cms-cell-size").stdout
    assert acompass("rules", "show", f"./{os.path.relpath(folder)}/").exit_code == 0


def test_unknown_rules_are_reported_in_the_format(acompass: Acompass) -> None:
    ran = acompass("rules", "show", "cms-cel-size", "--json")
    assert ran.exit_code == 2
    assert json.loads(ran.stdout)["diagnostics"][0]["code"] == "AC650"


def test_a_written_policy_runs(acompass: Acompass) -> None:
    ran = acompass("rules", "new", "cms-cell-size", "-o", "release.acp", "counts.csv")
    assert ran.exit_code == 0, ran.stderr
    assert "wrote `release.acp`" in ran.stdout
    assert "Patients      count        name" in ran.stdout
    assert "not recognized as the rule's, to be judged by hand\n  Region, Note\n" in ran.stdout
    assert all(each in ran.stdout for each in api.rules.find("cms-cell-size").leaves_out)
    command = ran.stdout.rstrip("\n").rpartition("next: ")[2].strip("`")
    assert command == "acompass run release.acp counts.csv -o released.csv"
    assert acompass(*command.split()[1:]).exit_code == 0
    assert Path("released.csv").read_text(encoding="utf-8") == "Region,Patients,Note\nnorth,11,a\n"
    assert acompass("fmt", "--check", "release.acp").exit_code == 0


def test_the_next_command_has_the_options_that_a_run_needs(acompass: Acompass) -> None:
    Path("my counts.csv").write_text(COUNTS.replace(",", ";"), encoding="utf-8")
    call = ("rules", "new", "cms-cell-size", "-o", "my release.acp", "my counts.csv", "--delimiter", ";")
    ran = acompass(*call, "--missing", "drop", "--missing", "Note=?")
    assert ran.stdout.endswith(
        'next: `acompass run "my release.acp" "my counts.csv" -o released.csv --missing drop --missing "Note=?"'
        ' --delimiter ";"`\n'
    )
    Path("acompass.toml").write_text('[table."my counts.csv"]\ndelimiter = ";"\n', encoding="utf-8")
    assert acompass(*call[:-2]).stdout.endswith('`acompass run "my release.acp" "my counts.csv" -o released.csv`\n')


def test_missing_values_are_mentioned_with_a_way_to_keep_the_records(acompass: Acompass) -> None:
    table = "DOB,Date of Death\n1950-01-02,\n1951-02-03,2020-04-05\n"
    Path("patients.csv").write_text(table, encoding="utf-8")
    call = ("rules", "new", "hipaa-safe-harbor", "-o", "release.acp", "patients.csv")
    ran = acompass(*call)
    assert ran.exit_code == 0, ran.stderr
    option = '--missing "Date of Death=9999-12-31"'
    assert (
        f"have no value in `Date of Death`; to keep them, fill the columns when the policy runs, as in `{option}`"
        in (ran.stdout)
    )
    run = acompass("run", "release.acp", "patients.csv", "-o", "released.csv", *shlex.split(option))
    assert run.exit_code == 0, run.stderr
    assert Path("released.csv").read_text(encoding="utf-8") == "DOB,Date of Death\n1950,*\n1951,2020\n"
    assert "have no value" not in acompass(*call, "--missing", "Date of Death=9999-12-31").stdout


def test_a_policy_that_generalizes_is_mentioned_beside_one_that_drops_groups(acompass: Acompass) -> None:
    rows = [f'p{at},{20 + at},"m"\n' for at in range(30)]
    Path("people.csv").write_text('Patient ID,"Age, in ""years""",Sex\n' + "".join(rows), encoding="utf-8")
    columns = ("--column", 'quasi-identifier="Age, in ""years""",Sex')
    ran = acompass("rules", "new", "ema-0070", "-o", "release.acp", "people.csv", *columns)
    assert ran.exit_code == 0, ran.stderr
    (command,) = [
        line.partition("`acompass ")[2][:-1] for line in ran.stdout.splitlines() if "acompass suggest" in line
    ]
    assert acompass(*shlex.split(command)).exit_code == 0
    assert acompass("run", "suggested.acp", "people.csv", "-o", "released.csv").exit_code == 0
    check = acompass("check", "--rule", "ema-0070", "released.csv", *columns)
    assert check.exit_code == 0, check.stdout


def test_a_policy_without_requirements_is_not_written(acompass: Acompass) -> None:
    Path("people.csv").write_text("Patient,Town\na,north\nb,south\n", encoding="utf-8")
    ran = acompass("rules", "new", "cms-cell-size", "-o", "release.acp", "people.csv")
    assert ran.exit_code == 2
    assert "name columns of the table, as in `--column cell=…`" in ran.stderr
    assert not Path("release.acp").exists()


def test_json_has_its_documented_keys(acompass: Acompass) -> None:
    ran = acompass("rules", "new", CENSUS, "-o", "release.acp", "areas-of-people.csv", "--json")
    found = json.loads(ran.stdout)
    assert list(found) == WRITTEN
    assert found["columns"] == {"area": ["PUMA"]}
    assert (found["others"], found["files"]) == (["Age"], ["areas.csv"])
    assert found["written"] == ["release.acp", "areas.csv"]
    assert found["policy"] == Path("release.acp").read_text(encoding="utf-8")
    assert Path("areas.csv").read_text(encoding="utf-8").startswith("PUMA,people\n")


def test_standard_output_contains_only_the_policy(acompass: Acompass) -> None:
    before = sorted(os.listdir())
    ran = acompass("rules", "new", CENSUS, "-o", "-", "areas-of-people.csv")
    assert api.parse(ran.stdout).tree.requirements
    assert "the policy needs these files in its folder, which `--output` writes: areas.csv" in ran.stderr
    assert sorted(os.listdir()) == before
    ran = acompass("rules", "new", CENSUS, "-o", "-", "areas-of-people.csv", "--json")
    assert ran.exit_code == 2
    assert "both write to standard output" in ran.stderr


def test_without_a_table_the_rule_keeps_its_own_columns(acompass: Acompass) -> None:
    assert acompass("rules", "new", CENSUS, "-o", "release.acp", "--column", "area=PUMA").exit_code == 0
    assert "GROUP BY PUMA" in Path("release.acp").read_text(encoding="utf-8")
    assert "DROP finer" in Path("release.acp").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["count=", "cell=Region,Note"], "GROUP BY Region, Note"),
        (["count=", 'cell=Region,"a, b"'], 'GROUP BY Region, "a, b"'),
        (["Count=note"], "Note = 0 OR Note >= 11"),
    ],
)
def test_columns_can_be_named(acompass: Acompass, columns: list[str], found: str) -> None:
    Path("counts.csv").write_text('Region,Patients,Note,"a, b"\nnorth,11,1,2\n', encoding="utf-8")
    options = [each for column in columns for each in ("--column", column)]
    assert found in acompass("rules", "new", "cms-cell-size", "-o", "-", "counts.csv", *options).stdout


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["count"], "`count` has no column of the table"),
        (["count=Region", "count=Note"], "`count` is given twice"),
        (["counts=Region"], "of rule `cms-cell-size` in `--column`"),
        (["count=Regions"], "of the table in `--column`"),
    ],
)
def test_wrong_columns_are_refused(acompass: Acompass, columns: list[str], message: str) -> None:
    options = [each for column in columns for each in ("--column", column)]
    ran = acompass("rules", "new", "cms-cell-size", "-o", "release.acp", "counts.csv", *options)
    assert ran.exit_code == 2
    assert "error[AC654]" in ran.stderr
    assert message in ran.stderr
    assert not Path("release.acp").exists()


def test_a_key_is_mentioned_if_the_policy_needs_one(acompass: Acompass) -> None:
    folder = Path("our-rule")
    folder.mkdir()
    settings = 'title = "Ours"\nsource = "https://example.org"\ndated = 2026-01-01\nreview = 2028-01-01\n'
    settings += 'covers = "Ids."\nleaves-out = []\n[columns.id]\nmeaning = "an id"\nnames = ["region"]\n'
    texts = {"rule.toml": settings, "policy.acp": "ALWAYS : PSEUDONYM id;", "page.md": "# Ours"}
    texts["clauses.acp"] = "-- id: not one id\nEACH RESULT : id != 'north';"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    ran = acompass("rules", "new", "./our-rule", "-o", "release.acp", "counts.csv")
    assert ran.stdout.endswith("next: `acompass run release.acp counts.csv -o released.csv --key-file key.txt`\n")


AMBIGUOUS = "home zip,work zip\n21201,21202\n"


def test_a_doubt_is_an_error_in_a_pipe(acompass: Acompass) -> None:
    Path("zips.csv").write_text(AMBIGUOUS, encoding="utf-8")
    ran = acompass("rules", "new", CENSUS, "-o", "release.acp", "zips.csv")
    assert ran.exit_code == 2
    assert "error[AC652]" in ran.stderr
    assert "--column area=" in ran.stderr
    assert not Path("release.acp").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("answers", "code"), [("home zip\n", 0), ("home zop\nhome zip\n", 0), ("\x04", 130)])
def test_a_doubt_is_asked_about_on_a_terminal(acompass: Acompass, answers: str, code: int) -> None:
    Path("zips.csv").write_text(AMBIGUOUS, encoding="utf-8")
    command = [sys.executable, "-m", "acompass", "rules", "new", CENSUS, "-o", "release.acp", "zips.csv"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True, text=True
    ) as process:
        os.close(theirs)
        seen = ""
        for answer in answers.splitlines(keepends=True):
            seen += _read_until(ours, "name of a column")
            os.write(ours, answer.encode())
        assert process.stdout is not None
        printed = process.stdout.read()
    os.close(ours)
    assert process.returncode == code, (seen, printed)
    assert "`area`: " in seen
    assert Path("release.acp").exists() == Path("areas.csv").exists() == (code == 0)
    if code == 0:
        assert "GROUP BY home zip" in Path("release.acp").read_text(encoding="utf-8")


def _read_until(terminal: int, words: str) -> str:
    seen = ""
    while words not in seen:
        seen += os.read(terminal, 65536).decode()
    return seen
