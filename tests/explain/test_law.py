"""The explanation of every record agrees with `semantics`."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from acompass.engines.registry import open_session
from acompass.explain.lives import Follower
from acompass.language.program.effects import probability_of
from acompass.language.program.program import Program, Requirement
from acompass.language.text.parser import parse_text
from acompass.plan.planner import plan
from acompass.plan.run.context import Context, GivenTrace, Session
from acompass.plan.run.execution import execute
from acompass.semantics.core import (
    Bag,
    Trace,
    affected_bag,
    canonical_order,
    convert_types,
    perform_requirement,
    pref,
    trace_of_values,
)
from acompass.testing.conformance.cases import Case, random_case
from acompass.testing.conformance.comparison import upload_records
from tests.generators.strategies import number_records, with_typed_columns
from tests.length import at_length

CASES = at_length(12)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_session("duckdb") as opened:
        yield opened


def _explain(case: Case, program: Program, session: Session) -> dict[int, tuple[Any, ...]]:
    """For each record: the requirements that affected, drew and dropped it, and its final state."""
    follower = Follower(parse_text(case.policy_text)[0], program, dict(enumerate(case.records)))
    state = upload_records(session, program.schema, case.records, case.digits)
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


def _expected_lives(case: Case, program: Program) -> dict[int, tuple[Any, ...]]:
    lives: dict[int, tuple[list[int], dict[int, bool], list[int]]] = {
        key: ([], {}, []) for key in range(len(case.records))
    }
    bag, rho = list(case.records), trace_of_values(case.trace)
    for requirement in program.requirements:
        affected = [bag[position][-1] for position in affected_bag(bag, requirement.assertion)]
        drawn = _draws(requirement, bag, rho)
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


def _draws(requirement: Requirement, bag: Bag, rho: Trace) -> dict[int, bool]:
    """Whether WITH PROBABILITY draws each affected record (X5)."""
    probability = probability_of(requirement.action)
    if probability is None:
        return {}
    converted = convert_types(bag, requirement.before, requirement.after)
    affected = [converted[position] for position in affected_bag(bag, requirement.assertion)]
    in_order = canonical_order(requirement.after, affected)
    values = pref(len(affected), rho)
    return {record[-1]: value < probability for record, value in zip(in_order, values, strict=True)}


@pytest.mark.campaign
@pytest.mark.slow
def test_explanations_agree_with_the_semantics(session: Session) -> None:
    drawn = 0
    for seed in range(CASES):
        case = number_records(with_typed_columns(random_case(random.Random(seed))))
        program = case.program()
        meant = _expected_lives(case, program)
        assert _explain(case, program, session) == meant, case
        session.clear()
        drawn += any(life[1] for life in meant.values())
    assert drawn > CASES / 10
