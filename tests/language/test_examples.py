"""The electricity example is the paper's chain, and all policies of the language reference parse."""

import re
from pathlib import Path

import pytest

from acompass import api
from acompass.syntax.parse import parse
from tests.language.cases import HERE, read_cases

ROOT = HERE.parent.parent
REFERENCE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


def test_the_electricity_example_gives_the_last_table_of_the_paper(tmp_path: Path) -> None:
    (chain,) = [case for case in read_cases(HERE / "paper.md") if case.title == "The whole chain"]
    folder = ROOT / "examples" / "electricity"
    assert (folder / "table.csv").read_text(encoding="utf-8") == chain.blocks["csv"]
    policy = (folder / "policy.acp").read_text(encoding="utf-8")
    output = tmp_path / "out.csv"
    api.run(
        policy,
        folder / "table.csv",
        params={"k": 2, "l": 1},
        trace=["0.5"],
        engine="reference",
        output=output,
    )
    assert output.read_text(encoding="utf-8") == chain.blocks["after"]


@pytest.mark.parametrize("policy", re.findall(r"```acompass\n(.*?)```", REFERENCE, re.DOTALL))
def test_policies_of_the_reference_are_policies(policy: str) -> None:
    program, findings = parse(policy)
    assert not findings
    assert program.requirements


def test_the_reference_has_every_decision() -> None:
    found = map(int, re.findall(r"^\*\*D(\d+) ", REFERENCE, re.MULTILINE))
    assert sorted(found) == list(range(1, 33))


def test_the_reference_has_every_rule_beyond_the_paper() -> None:
    found = map(int, re.findall(r"^\*\*X(\d+) ", REFERENCE, re.MULTILINE))
    assert list(found) == list(range(12))
