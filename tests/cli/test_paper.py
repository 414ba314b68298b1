"""`--paper` and `paper=True`: every command refuses what is not in the paper's language (X0)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import acompass
from acompass.cli.app import app
from acompass.diagnostics import PolicyError

CORE = "EACH PROCESS COUNT(*) AS n GROUP BY age : n >= 2 : REJECT;\n"
BEYOND = f"ALWAYS : GENERALIZE age TO BANDS OF 10;\n{CORE}"
CHANCE = f"EACH RESULT : age < 0 : WITH PROBABILITY 0.5 RANDOM zip FROM (2 OF 'x', 'y');\n{CORE}"
TABLE = [{"age": 31, "zip": "21201"}, {"age": 38, "zip": "21202"}]

COMMANDS = (
    ["run", "policy.acp", "table.csv", "-o", "out.csv"],
    ["plan", "policy.acp", "table.csv"],
    ["check", "policy.acp", "table.csv"],
    ["prove", "policy.acp"],
    ["lint", "policy.acp"],
    ["explain", "policy.acp", "--algebra"],
    ["explain", "policy.acp", "table.csv", "--record", "1"],
    ["measure", "table.csv", "--policy", "policy.acp"],
    ["fmt", "policy.acp"],
)
CALLS: dict[str, Callable[..., Any]] = {
    "parse": lambda text, **paper: acompass.parse(text, **paper),
    "run": lambda text, **paper: acompass.run(text, TABLE, **paper),
    "check": lambda text, **paper: acompass.check(text, TABLE, **paper),
    "plan": lambda text, **paper: acompass.plan(text, TABLE, **paper),
    "explain": lambda text, **paper: acompass.explain(text, TABLE, record=1, **paper),
    "measure": lambda text, **paper: acompass.measure(TABLE, policy=text, **paper),
    "prove": lambda text, **paper: acompass.prove(text, **paper),
    "lint": lambda text, **paper: acompass.lint(text, **paper),
}


def _codes(command: list[str], policy: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    Path("policy.acp").write_text(policy, encoding="utf-8")
    Path("table.csv").write_text("age,zip\n31,21201\n38,21202\n", encoding="utf-8")
    return CliRunner().invoke(app, [*command, "--paper"]).output


@pytest.mark.parametrize("policy", [BEYOND, CHANCE], ids=["GENERALIZE", "WITH PROBABILITY"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command))
def test_every_command_refuses(
    command: list[str], policy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = _codes(command, policy, tmp_path, monkeypatch)
    assert "AC060" in output
    assert "policy.acp:1:" in output
    assert not Path("out.csv").exists()
    assert Path("policy.acp").read_text(encoding="utf-8") == policy


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command))
def test_every_command_takes_the_core(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "AC060" not in _codes(command, CORE, tmp_path, monkeypatch)


@pytest.mark.parametrize("name", CALLS)
def test_every_call_refuses(name: str) -> None:
    CALLS[name](BEYOND)
    CALLS[name](CORE, paper=True)
    with pytest.raises(PolicyError) as raised:
        CALLS[name](BEYOND, paper=True)
    assert {found.code for found in raised.value.diagnostics} == {"AC060"}
