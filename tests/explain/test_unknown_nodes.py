"""A node that explaining does not know is refused, never skipped (invariant 8)."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from acompass.checked.from_syntax import check
from acompass.checked.types import INTEGER, Column
from acompass.explain.algebra import to_algebra
from acompass.explain.follow import _is_affected, _performed
from acompass.explain.literals import alternatives
from acompass.syntax.parse import parse

POLICY = "EACH RESULT : Age <= 80 : REJECT;"


@dataclass(frozen=True)
class Unknown:
    """A node from a later version of the language."""


UNKNOWN: Any = Unknown()
TREE = parse(POLICY)[0]
(WRITTEN,) = TREE.requirements


def test_the_algebra_refuses_an_unknown_action() -> None:
    requirement = replace(WRITTEN, action=UNKNOWN)
    with pytest.raises(AssertionError):
        to_algebra(replace(TREE, requirements=(requirement,)), POLICY)


def test_following_a_record_refuses_an_unknown_action_and_an_unknown_result() -> None:
    program, _ = check(TREE, POLICY, (Column("Age", INTEGER),))
    assert program is not None
    (requirement,) = program.requirements
    with pytest.raises(AssertionError):
        _performed(replace(requirement, action=UNKNOWN), (86,), None)
    assertion = replace(requirement.assertion, result=UNKNOWN)
    with pytest.raises(AssertionError):
        _is_affected(replace(requirement, assertion=assertion), (86,), False, None)


def test_alternatives_refuse_an_unknown_condition() -> None:
    with pytest.raises(AssertionError):
        list(alternatives(WRITTEN.assertion.condition, UNKNOWN))
