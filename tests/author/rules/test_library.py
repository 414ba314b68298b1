"""Every rule of the library: its tables pass and fail as they say, its release satisfies it, its clauses are proved."""

from pathlib import Path

import pytest

from acompass.author.rules.library import Rule, all_rules
from tests.author.rules.harness import measure

#: rules with dozens of clauses, each of which has tables that fail
LONG = {"hipaa-safe-harbor"}


@pytest.mark.parametrize(
    "rule",
    [pytest.param(each, marks=[pytest.mark.slow] if each.name in LONG else []) for each in all_rules()],
    ids=[each.name for each in all_rules()],
)
def test_a_rule_keeps_its_word(rule: Rule, tmp_path: Path) -> None:
    assert measure(rule, tmp_path).problems == ()
