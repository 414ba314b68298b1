"""The explained life of every record agrees with `semantics`."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from acompass.checked.effects import probability_of
from acompass.checked.program import Program, Requirement
from acompass.conformance.compare import uploaded, with_typed_columns
from acompass.conformance.generate import Case, random_case
from acompass.engines.connect import open_session
from acompass.explain.follow import Follower
from acompass.plan.from_checked import plan
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace
from acompass.semantics import (
    Bag,
    Trace,
    affected_bag,
    canonical_order,
    convert_types,
    perform_requirement,
    pref,
    trace_of_values,
)
from acompass.syntax.parse import parse
from tests.generators.tables import numbered

CASES = 150


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_session("duckdb") as opened:
        yield opened


def _explained(case: Case, program: Program, session: Session) -> dict[int, tuple[Any, ...]]:
    """For each record: the requirements that affected, drew and dropped it, and its final state."""
    follower = Follower(parse(case.policy_text)[0], program, dict(enumerate(case.records)))
    state = uploaded(session, program.schema, case.records, case.digits)
    execute(Context(session, GivenTrace(case.trace), observe=follower), state, plan(program))
    return {
        key: (
            [step.index for step in follower.steps(key) if step.affected],
            {step.index: step.drawn for step in follower.steps(key) if step.drawn is not None},
            [step.index for step in follower.steps(key) if step.dropped],
            repr(follower.alive.get(key)),
        )
        for key in range(len(case.records))
    }


def _meant(case: Case, program: Program) -> dict[int, tuple[Any, ...]]:
    lives: dict[int, tuple[list[int], dict[int, bool], list[int]]] = {
        key: ([], {}, []) for key in range(len(case.records))
    }
    bag, rho = list(case.records), trace_of_values(case.trace)
    for requirement in program.requirements:
        affected = [bag[position][-1] for position in affected_bag(bag, requirement.assertion)]
        drawn = _drawn(requirement, bag, rho)
        before = {record[-1] for record in bag}
        bag, rho, _ = perform_requirement(requirement, bag, rho)
        for key in affected:
            lives[key][0].append(requirement.index)
        for key, hit in drawn.items():
            lives[key][1][requirement.index] = hit
        for key in before - {record[-1] for record in bag}:
            lives[key][2].append(requirement.index)
    left = {record[-1]: record for record in bag}
    return {key: (*life, repr(left.get(key))) for key, life in lives.items()}


def _drawn(requirement: Requirement, bag: Bag, rho: Trace) -> dict[int, bool]:
    """Whether WITH PROBABILITY draws each affected record (X5)."""
    probability = probability_of(requirement.action)
    if probability is None:
        return {}
    converted = convert_types(bag, requirement.before, requirement.after)
    affected = [converted[position] for position in affected_bag(bag, requirement.assertion)]
    in_order = canonical_order(requirement.after, affected)
    values = pref(len(affected), rho)
    return {record[-1]: value < probability for record, value in zip(in_order, values, strict=True)}


@pytest.mark.slow
def test_explanations_agree_with_the_semantics(session: Session) -> None:
    drawn = 0
    for seed in range(CASES):
        case = numbered(with_typed_columns(random_case(random.Random(seed))))
        program = case.program()
        meant = _meant(case, program)
        assert _explained(case, program, session) == meant, case
        session.clear()
        drawn += any(life[1] for life in meant.values())
    assert drawn > CASES / 10
