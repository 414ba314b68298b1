"""The policy of examples/adult is short and proved, reaches k and l, and loses less than paper.acp."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import acompass
from acompass.syntax.walk import steps
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
def test_k_and_l_are_reached(name: str, tmp_path: Path) -> None:
    policy, output = acompass.load(ADULT / name), tmp_path / "released.csv"
    acompass.run(policy, TABLE, params=PARAMS, output=output)
    measured = acompass.measure(output, policy=policy)
    assert measured.k >= PARAMS["k"]
    (occupation,) = measured.sensitive
    assert occupation.distinct_l >= PARAMS["l"]


def test_lint_is_silent() -> None:
    assert acompass.lint(acompass.load(ADULT / "policy.acp"), table=TABLE, params=PARAMS) == ()


def test_it_loses_less_information() -> None:
    losses = {name: float(words[3]) for name, words in _printed_losses().items()}
    assert losses["policy.acp"] < losses["paper.acp"] / 5


def test_the_readme_has_both_losses() -> None:
    readme = (ADULT / "README.md").read_text(encoding="utf-8")
    assert all(" ".join(words) in " ".join(readme.split()) for words in _printed_losses().values())
