"""The prover rejects an unknown action or kernel, with or without a probability, instead of ignoring it."""

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from acompass.language.program.kernels import ONE, Constant, Writing
from acompass.language.program.program import Action, Write
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.language.text.parser import parse_text
from acompass.prove.rules.backward_rules import BackwardRules
from acompass.prove.rules.facts import Fact, class_assertion
from acompass.prove.search.column_types import inferred_schema
from acompass.prove.search.origins import Origins, Target
from acompass.prove.search.prover import Prover
from acompass.reason.lint.linter import RULES
from acompass.reason.lint.requirements import InspectedPolicy
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
#: answers every question as REPLACE does, so that no stage rejects it only because an answer is missing
_ANSWERS = {name: getattr(Constant(80), name) for name in (*Writing.__annotations__, *Writing.__abstractmethods__)}
UNKNOWN_KERNEL: Any = type("UnknownKernel", (Writing,), _ANSWERS)()

PROBABILITIES = {"": ONE, " with a probability": Fraction(1, 2)}
EFFECTS = {f"effect{text}": Action(UNKNOWN, probability) for text, probability in PROBABILITIES.items()}
KERNELS = {
    f"kernel{text}": Action(Write((0,), UNKNOWN_KERNEL), probability) for text, probability in PROBABILITIES.items()
}
unknown_effects = pytest.mark.parametrize("action", EFFECTS.values(), ids=EFFECTS.keys())
unknown_actions = pytest.mark.parametrize("action", (EFFECTS | KERNELS).values(), ids=(EFFECTS | KERNELS).keys())


def with_unknown_action(requirement: Any, action: Any = UNKNOWN) -> Any:
    return replace(requirement, action=action)


@unknown_actions
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


def final_fact(prover: Prover) -> Fact:
    classes = class_assertion(prover.variables, 2, prover.program.requirements[0].assertion)
    assert classes is not None
    (fact,) = classes.facts
    return fact


@unknown_actions
def test_no_rule_leads_back_through_an_unknown_action(action: Any) -> None:
    prover = Prover(parse_and_check(POLICY, SCHEMA), ())
    rules = BackwardRules(prover.reachability)
    transition = swap_action(prover, action)
    with pytest.raises(AssertionError, match="Unknown"):
        [rule(final_fact(prover), transition) for rule in rules.rules(transition)]


@unknown_effects
def test_no_fact_is_carried_back_through_an_unknown_action(action: Any) -> None:
    prover = Prover(parse_and_check(POLICY, SCHEMA), ())
    rules = BackwardRules(prover.reachability)
    swap_action(prover, action)
    with pytest.raises(AssertionError, match="Unknown"):
        rules.carry_back(final_fact(prover))


@unknown_actions
def test_no_origin_is_found_through_an_unknown_action(action: Any) -> None:
    program = parse_and_check(POLICY, SCHEMA)
    prover = Prover(program, ())
    swap_action(prover, action)
    target = Target(prover.reachability.reach[-1], frozenset())
    with pytest.raises(AssertionError, match="Unknown"):
        Origins(prover.reachability, random.Random(0)).find(target)


@unknown_effects
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_lint_rejects_an_unknown_action(rule: Any, action: Any) -> None:
    tree, _ = parse_text(POLICY)
    program = parse_and_check(POLICY, SCHEMA)
    requirements = tuple(with_unknown_action(requirement, action) for requirement in program.requirements)
    with pytest.raises(AssertionError, match="Unknown"):
        list(rule(InspectedPolicy(tree, replace(program, requirements=requirements))))
