"""`acompass suggest` writes a policy, prints its effect, and writes nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import acompass as api
from tests.cli.conftest import Acompass

KEYS = ["k", "l", "records_in", "records_out", "loss", "per_column", "requirements", "seconds", "person", "notes"]


@pytest.fixture(autouse=True)
def people(acompass: Acompass) -> None:
    """Write a table of people, some with a rare age or place."""
    rows = [f"{20 + n % 7},{21000 + n % 3},{'fm'[n % 2]},{'abc'[n % 3]}" for n in range(120)]
    odd = ["71,21999,f,a", "72,21999,m,b", "73,21998,f,c"]
    Path("people.csv").write_text("\n".join(["age,zip,sex,disease", *rows, *odd, ""]), encoding="utf-8")


CALL = ("suggest", "people.csv", "--qi", "age,zip,sex", "--k", "3")


def test_the_written_policy_runs_as_reported(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--sensitive", "disease", "--l", "2", "-o", "release.acp")
    assert ran.exit_code == 0, ran.stderr
    assert "proposed from the values: numbers, bands of" in ran.stdout
    result = api.run(api.load("release.acp"), "people.csv")
    assert f"123 records in, {123 - result.records_out} rejected, {result.records_out} out" in ran.stdout
    assert acompass("prove", "release.acp").exit_code == 0
    assert acompass("lint", "release.acp").stdout == "nothing found\n"
    assert acompass("fmt", "--check", "release.acp").exit_code == 0


def test_json_has_its_documented_keys_and_nothing_else_is_printed(acompass: Acompass) -> None:
    ran = acompass(*CALL, "-o", "release.acp", "--json")
    printed = json.loads(ran.stdout)
    assert list(printed) == KEYS
    assert (printed["k"], printed["l"], printed["records_in"]) == (3, None, 123)
    assert list(printed["per_column"]) == ["age", "zip", "sex"]
    result = api.run(api.load("release.acp"), "people.csv")
    assert printed["requirements"] == len(result.requirements)
    assert printed["records_out"] == result.records_out


def test_standard_output_contains_only_the_policy(acompass: Acompass) -> None:
    ran = acompass(*CALL, "-o", "-")
    assert api.parse(ran.stdout).tree.requirements
    assert "123 records in" in ran.stderr


@pytest.mark.parametrize("output", ["people.csv", "zip.csv"])
def test_neither_the_table_nor_a_hierarchy_is_overwritten(acompass: Acompass, output: str) -> None:
    Path("zip.csv").write_text("".join(f"{zip_};*\n" for zip_ in (21000, 21001, 21002, 21998, 21999)))
    before = Path(output).read_bytes()
    ran = acompass(*CALL, "--hierarchy", "zip=zip.csv", "-o", output)
    assert ran.exit_code == 2
    assert Path(output).read_bytes() == before


def test_hierarchies_are_relative_to_the_policy(acompass: Acompass, tmp_path: Path) -> None:
    Path("levels").mkdir()
    Path("policies").mkdir()
    zips = "".join(f"{zip_};{str(zip_)[:4]};*\n" for zip_ in (21000, 21001, 21002, 21998, 21999))
    Path("levels", "zip.csv").write_text(zips, encoding="utf-8")
    ran = acompass(*CALL, "--hierarchy", "zip=levels/zip.csv", "--style", "uniform", "-o", "policies/p.acp")
    assert ran.exit_code == 0, ran.stderr
    policy = api.load("policies/p.acp")
    assert {path.resolve() for path in policy.hierarchies} <= {tmp_path / "levels" / "zip.csv"}
    api.run(policy, "people.csv")


def test_an_unreachable_goal_is_reported_and_writes_no_policy(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--sensitive", "disease", "--l", "4", "-o", "release.acp")
    assert ran.exit_code == 1
    assert "error[AC624]: no policy was found that reaches k = 3 and l = 4 without dropping every record" in ran.stderr
    assert not Path("release.acp").exists()


@pytest.mark.parametrize("style", ["cascade", "uniform", "stars"])
def test_records_are_kept_even_if_all_may_be_dropped(acompass: Acompass, style: str) -> None:
    """All records differ, so replacing all values by `*` loses as much as dropping them, and takes more steps."""
    Path("all.csv").write_text("name\n" + "".join(f"{name}\n" for name in "abcdef"), encoding="utf-8")
    call = ("suggest", "all.csv", "--qi", "name", "--max-lost", "100%", "--style", style, "-o", "release.acp")
    ran = acompass(*call, "--k", "4")
    assert ran.exit_code == 0, ran.stderr
    assert "6 records in, 0 rejected, 6 out" in ran.stdout


def test_a_policy_that_leaves_no_record_is_never_written(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--k", "124", "--max-lost", "100%", "-o", "release.acp")
    assert ran.exit_code == 1
    assert "error[AC624]: no policy was found that reaches k = 124 without dropping every record" in ran.stderr
    assert "--max-lost" not in ran.stderr
    assert not Path("release.acp").exists()


def test_t_is_reported_as_measured_and_not_proved(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--sensitive", "disease", "--t", "0.5", "-o", "release.acp")
    assert ran.exit_code == 0, ran.stderr
    assert re.search(r"t = 0\.[0-4]\d*: measured on this table, not proved for other tables", ran.stdout)
    assert "measured, not proved" in Path("release.acp").read_text()


def test_compare_prints_the_curve(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--compare")
    assert ran.exit_code == 0, ran.stderr
    assert "lines    loss  dropped" in ran.stdout
    assert not Path("release.acp").exists()


def test_suggest_needs_an_output(acompass: Acompass) -> None:
    assert acompass(*CALL).exit_code == 2
    assert acompass(*CALL, "-o", "-", "--json").exit_code == 2


def test_a_sensitive_column_without_a_goal_is_reported_as_ineffective(acompass: Acompass) -> None:
    ran = acompass(*CALL, "--sensitive", "disease", "-o", "release.acp")
    assert ran.stderr == "`--sensitive` has no effect without `--l` or `--t`\n"


def test_a_missing_folder_is_reported_before_the_search(acompass: Acompass) -> None:
    assert "error[AC221]" in acompass(*CALL, "--k", "1000", "-o", "none/release.acp").stderr


def test_missing_values_are_handled_as_by_run(acompass: Acompass) -> None:
    with Path("people.csv").open("a") as file:
        file.write(",21000,f,a\n")
    assert "error[AC212]" in acompass(*CALL, "-o", "release.acp").stderr
    ran = acompass(*CALL, "-o", "release.acp", "--missing", "drop", "--json")
    result = api.run(api.load("release.acp"), "people.csv", missing="drop")
    printed = json.loads(ran.stdout)
    assert (printed["records_in"], printed["records_out"]) == (result.records_in, result.records_out)


@pytest.mark.slow
def test_without_numpy_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import importlib.util; find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *a: None if name == 'numpy' else find(name, *a)\n"
        "sys.argv = ['acompass', 'suggest', 'people.csv', '--qi', 'age', '--k', '2', '-o', '-']\n"
        "from acompass.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 2
    assert "error[AC620]: `suggest` needs numpy\n  = help: pip install 'acompass[suggest]'" in ran.stderr
