"""A few mutants of the prover are noticed; `python -m tests.prove.mutants` tries all of them."""

import pytest

from tests.prove.mutants import harmless, unnoticed
from tests.prove.mutation import RULES, mutants

#: one condition each of parts, of classes that are cut, of changes of type, and of doubt about labels
NOTICED = [
    "laws._is_kept_by_parts: `self.diagrams.difference(parts, fact.allowed) is EMPTY` is True",
    "known_facts._cut: `not self._laws.are_determined(wanted.groups, known, known_records)` is False",
    "preimages.refuse_conversion: `before == after` is True",
    "write_rules.before_labels: `uncertain is not EMPTY` is False",
]


@pytest.mark.slow
def test_some_mutants_are_noticed() -> None:
    found = {mutant.name: mutant for module in RULES for mutant in mutants(module)}
    assert not list(unnoticed((found[name] for name in NOTICED), workers=1))


def test_the_harmless_mutants_exist() -> None:
    names = {mutant.name for module in RULES for mutant in mutants(module)}
    assert harmless() <= names
