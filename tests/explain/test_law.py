"""The explained life of every record agrees with `semantics`."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from acompass.checked.program import Program
from acompass.conformance.compare import uploaded, with_typed_columns
from acompass.conformance.generate import Case, random_case
from acompass.engines.connect import open_session
from acompass.explain.follow import Follower
from acompass.plan.from_checked import plan
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace
from acompass.semantics import affected_bag, perform_requirement, trace_of_values
from acompass.syntax.parse import parse

CASES = 150


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with open_session("duckdb") as opened:
        yield opened


def _explained(case: Case, program: Program, session: Session) -> dict[int, tuple[Any, ...]]:
    """For each record: the requirements that affected it, those that dropped it, and its final state."""
    follower = Follower(parse(case.policy_text)[0], program, dict(enumerate(case.records)))
    state = uploaded(session, program.schema, case.records, case.digits)
    execute(Context(session, GivenTrace(case.trace), observe=follower), state, plan(program))
    return {
        key: (
            [step.index for step in follower.steps(key) if step.affected],
            [step.index for step in follower.steps(key) if step.dropped],
            repr(follower.alive.get(key)),
        )
        for key in range(len(case.records))
    }


def _meant(case: Case, program: Program) -> dict[int, tuple[Any, ...]]:
    """`semantics` updates records in place, so each keeps its position even if another record is equal."""
    lives: dict[int, tuple[list[int], list[int]]] = {key: ([], []) for key in range(len(case.records))}
    bag, keys, rho = list(case.records), list(lives), trace_of_values(case.trace)
    for requirement in program.requirements:
        affected = affected_bag(bag, requirement.assertion)
        for position in affected:
            lives[keys[position]][0].append(requirement.index)
        length = len(bag)
        bag, rho, _ = perform_requirement(requirement, bag, rho)
        if len(bag) < length:
            for position in affected:
                lives[keys[position]][1].append(requirement.index)
            keys = [key for position, key in enumerate(keys) if position not in affected]
    left = dict(zip(keys, bag, strict=True))
    return {key: (*life, repr(left.get(key))) for key, life in lives.items()}


def _has_equal_records(case: Case) -> bool:
    return len({repr(record) for record in case.records}) < len(case.records)


@pytest.mark.slow
def test_explanations_agree_with_the_semantics(session: Session) -> None:
    explained = 0
    for seed in range(CASES):
        case = with_typed_columns(random_case(random.Random(seed)))
        if "RANDOM" in case.policy_text and _has_equal_records(case):
            continue  # equal records are interchangeable, so either may draw either value (D18)
        program = case.program()
        assert _explained(case, program, session) == _meant(case, program), case
        session.clear()
        explained += 1
    assert explained > CASES / 2
