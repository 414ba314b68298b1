"""Every rule of the library: its tables pass and fail as they say, its release satisfies it, its clauses are proved."""

from pathlib import Path

import pytest

from acompass.author.rules.library import Rule, all_rules
from tests.author.rules.harness import measure


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_rule_keeps_its_word(rule: Rule, tmp_path: Path) -> None:
    assert measure(rule, tmp_path).problems == ()
