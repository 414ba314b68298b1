"""All literate cases, on all engines."""

import re
from pathlib import Path

import pytest

from acompass import api
from acompass.language.text.parser import parse_text
from tests.language.cases import HERE, Case, all_cases, read_cases, run_case
from tests.repo.sources import ROOT

ENGINES = ["reference", "duckdb", "postgres", "spark"]
#: engines that keep no order of records unless one is requested (D21)
UNORDERED = {"spark"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.id)
def test_a_case_gives_its_expected_result(case: Case, engine: str, engine_url: str, tmp_path: Path) -> None:
    assert case.expected, "the case has no expected result; run `python -m tests.language.update`"
    found, expected = run_case(case, engine_url, tmp_path), case.expected
    if engine in UNORDERED and case.option("order") is None:
        found, expected = _as_bag(found), _as_bag(expected)
    assert found == expected


def _as_bag(blocks: dict[str, str]) -> dict[str, str]:
    if "after" not in blocks:
        return blocks
    header, *records = blocks["after"].splitlines(keepends=True)
    return {**blocks, "after": "".join([header, *sorted(records)])}


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
    program, findings = parse_text(policy)
    assert not findings
    assert program.requirements


def test_the_reference_has_every_decision() -> None:
    found = map(int, re.findall(r"^\*\*D(\d+) ", REFERENCE, re.MULTILINE))
    assert sorted(found) == list(range(1, 41))


def test_the_reference_has_every_rule_beyond_the_paper() -> None:
    found = map(int, re.findall(r"^\*\*X(\d+) ", REFERENCE, re.MULTILINE))
    assert list(found) == list(range(19))
