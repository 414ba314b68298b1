"""The theorems of `theory/` compile, and none of them rests on an axiom."""

import re

import pytest

from tests.theory import assumptions
from tests.theory.building import made, needs
from tests.theory.sources import THEORY, code, files

LONGEST = 400
#: what makes a statement true without a proof; no source has these words for anything else
UNPROVED = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Abort)\b")


def test_nothing_is_assumed() -> None:
    assert {path.name: UNPROVED.findall(code(path)) for path in files() if UNPROVED.search(code(path))} == {}


def test_every_file_is_compiled() -> None:
    project = (THEORY / "_CoqProject").read_text(encoding="utf-8").split()
    assert {*project, "Assumptions.v"} >= {path.name for path in files()}


def test_no_file_is_long() -> None:
    assert [path.name for path in files() if path.read_text(encoding="utf-8").count("\n") > LONGEST] == []


def test_the_assumptions_of_every_theorem_are_printed() -> None:
    assert assumptions.PATH.read_text(encoding="utf-8") == assumptions.text()


@pytest.mark.slow
@needs("make", "coqc")
def test_every_theorem_is_closed() -> None:
    answers = re.findall(r"^Closed under the global context$|^Axioms:.*$", made("assumptions"), re.MULTILINE)
    assert answers == ["Closed under the global context"] * len(assumptions.modules())
