"""The prover rejects an unknown action, with or without a probability, instead of ignoring it."""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from acompass.language.program.program import Sometimes
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.language.text.parser import parse_text
from acompass.prove.rules.backward_rules import BackwardRules
from acompass.prove.rules.facts import class_assertion
from acompass.prove.search.column_types import inferred_schema
from acompass.prove.search.origins import Origins, Target
from acompass.prove.search.prover import Prover
from acompass.reason.lint.inspected_policy import InspectedPolicy
from acompass.reason.lint.linter import RULES
from tests.generators.strategies import parse_and_check

POLICY = """\
EACH PROCESS COUNT(*) AS c GROUP BY Age : c >= 3 : REJECT;
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
"""
SCHEMA = (Column("Age", INTEGER), Column("Zip", TEXT))


@dataclass(frozen=True)
class Unknown:
    column: int = 0


UNKNOWN: Any = Unknown()
SOMETIMES = Sometimes(Fraction(1, 2), UNKNOWN)
either = pytest.mark.parametrize("action", [UNKNOWN, SOMETIMES], ids=["plain", "with a probability"])


def with_unknown_action(requirement: Any, action: Any = UNKNOWN) -> Any:
    return replace(requirement, action=action)


@either
def test_the_prover_rejects_an_unknown_action(action: Any) -> None:
    program = parse_and_check(POLICY, SCHEMA)
    requirements = (program.requirements[0], with_unknown_action(program.requirements[1], action))
    with pytest.raises(AssertionError, match="Unknown"):
        Prover(replace(program, requirements=requirements), ())


def test_no_schema_is_inferred_from_an_unknown_action() -> None:
    tree, _ = parse_text(POLICY)
    with pytest.raises(AssertionError, match="Unknown"):
        inferred_schema(replace(tree, requirements=(with_unknown_action(tree.requirements[0]),)), {})


def swap_action(prover: Prover, action: Any) -> Any:
    """Swap the action of a transition after the prover has accepted the policy."""
    transition = prover.reachability.transitions[1]
    transition = replace(transition, requirement=with_unknown_action(transition.requirement, action))
    prover.reachability.transitions[1] = transition
    return transition


@either
def test_no_rule_carries_a_fact_back_through_an_unknown_action(action: Any) -> None:
    program = parse_and_check(POLICY, SCHEMA)
    prover = Prover(program, ())
    classes = class_assertion(prover.variables, 2, program.requirements[0].assertion)
    assert classes is not None
    (fact,) = classes.facts
    rules = BackwardRules(prover.reachability)
    transition = swap_action(prover, action)
    with pytest.raises(AssertionError, match="Unknown"):
        [rule(fact, transition) for rule in rules.rules(transition)]
    with pytest.raises(AssertionError, match="Unknown"):
        rules.carry_back(fact)


@either
def test_no_origin_is_found_through_an_unknown_action(action: Any) -> None:
    program = parse_and_check(POLICY, SCHEMA)
    prover = Prover(program, ())
    swap_action(prover, action)
    target = Target(prover.reachability.reach[-1], frozenset())
    with pytest.raises(AssertionError, match="Unknown"):
        Origins(prover.reachability, random.Random(0)).find(target)


@either
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_lint_rejects_an_unknown_action(rule: Any, action: Any) -> None:
    tree, _ = parse_text(POLICY)
    program = parse_and_check(POLICY, SCHEMA)
    requirements = tuple(with_unknown_action(requirement, action) for requirement in program.requirements)
    with pytest.raises(AssertionError, match="Unknown"):
        list(rule(InspectedPolicy(tree, replace(program, requirements=requirements))))
