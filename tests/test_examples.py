"""The policy of examples/adult is short and proved, reaches k and l, and loses less than paper.acp."""

import importlib.util
import io
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import acompass
from acompass.language.text.walk import steps
from tests.repo.sources import ROOT

ADULT = ROOT / "examples" / "adult"
TABLE = ADULT / "adult.csv.gz"
PARAMS = {"k": 5, "l": 3}
POLICIES = ("paper.acp", "policy.acp")


@cache
def _printed_losses() -> dict[str, list[str]]:
    command = [sys.executable, str(ADULT / "loss.py")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line.split()[0]: line.split() for line in ran.stdout.splitlines()[1:]}


def test_it_has_at_most_20_requirements() -> None:
    assert len(steps(acompass.load(ADULT / "policy.acp").tree)) <= 20


def test_every_claim_is_proved() -> None:
    proof = acompass.prove(acompass.load(ADULT / "policy.acp"), table=TABLE, params=PARAMS)
    assert len(proof.claims) == 3
    assert proof.ok


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.slow
def test_k_and_l_are_reached(name: str, tmp_path: Path) -> None:
    policy, output = acompass.load(ADULT / name), tmp_path / "released.csv"
    acompass.run(policy, TABLE, params=PARAMS, output=output)
    measured = acompass.measure(output, policy=policy)
    assert measured.k >= PARAMS["k"]
    (occupation,) = measured.sensitive
    assert occupation.distinct_l >= PARAMS["l"]


def test_lint_is_silent() -> None:
    assert acompass.lint(acompass.load(ADULT / "policy.acp"), table=TABLE, params=PARAMS) == ()


@pytest.mark.slow
def test_it_loses_less_information_than_the_papers_policy() -> None:
    losses = {name: float(words[3]) for name, words in _printed_losses().items()}
    assert losses["policy.acp"] < losses["paper.acp"] / 5


@pytest.mark.slow
def test_the_readme_has_both_losses() -> None:
    readme = (ADULT / "README.md").read_text(encoding="utf-8")
    assert all(" ".join(words) in " ".join(readme.split()) for words in _printed_losses().values())


ADMISSIONS = ROOT / "examples" / "admissions"
ADMISSIONS_TABLE = ADMISSIONS / "admissions.csv"
POLICY = ADMISSIONS / "policy.acp"
ADMISSIONS_PARAMS = {"k": 3, "l": 2}


def test_the_script_writes_the_table() -> None:
    spec = importlib.util.spec_from_file_location("make_table", ADMISSIONS / "make_table.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    made = io.StringIO(newline="")
    script.write(made)
    assert made.getvalue() == ADMISSIONS_TABLE.read_text(encoding="utf-8")


def test_every_claim_about_the_admissions_is_proved() -> None:
    assert acompass.prove(acompass.load(POLICY), table=ADMISSIONS_TABLE, params=ADMISSIONS_PARAMS).ok


def test_lint_is_silent_about_the_admissions() -> None:
    assert acompass.lint(acompass.load(POLICY), table=ADMISSIONS_TABLE, params=ADMISSIONS_PARAMS) == ()


def test_k_and_l_are_reached_and_every_requirement_affects_records(tmp_path: Path) -> None:
    policy, output = acompass.load(POLICY), tmp_path / "released.csv"
    result = acompass.run(policy, ADMISSIONS_TABLE, params=ADMISSIONS_PARAMS, output=output)
    assert all(outcome.affected for outcome in result.requirements)
    assert result.records_in * 0.9 < result.records_out < result.records_in
    measured = acompass.measure(output, policy=policy)
    (diagnosis,) = measured.sensitive
    assert measured.k >= ADMISSIONS_PARAMS["k"]
    assert diagnosis.distinct_l >= ADMISSIONS_PARAMS["l"]


def test_the_released_table_can_be_checked_and_generalized_again(tmp_path: Path) -> None:
    policy, output, again = acompass.load(POLICY), tmp_path / "released.csv", tmp_path / "again.csv"
    acompass.run(policy, ADMISSIONS_TABLE, params=ADMISSIONS_PARAMS, output=output)
    assert acompass.check(policy, output, params=ADMISSIONS_PARAMS).ok
    acompass.run(_without_drop(tmp_path), output, params=ADMISSIONS_PARAMS, output=again)
    assert again.read_bytes() == output.read_bytes()


def _without_drop(folder: Path) -> acompass.Policy:
    """The policy for a table that no longer has the dropped columns."""
    shutil.copy(ADMISSIONS / "education.csv", folder)
    lines = POLICY.read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / "policy.acp"
    path.write_text("".join(line for line in lines if "DROP" not in line), encoding="utf-8")
    return acompass.load(path)
