"""A preview has the verdicts and counts of the run that it does not finish."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from acompass import semantics
from acompass.conformance.compare import uploaded, without_negative_zeros
from acompass.conformance.generate import Case
from acompass.engines.cancellation import Cancellation
from acompass.engines.duckdb.connect import DuckDBEngine
from acompass.engines.duckdb.memory import Memory
from acompass.plan.from_checked import plan
from acompass.plan.rewrites import REWRITES
from acompass.plan.running import cascades
from acompass.plan.running.context import Context
from acompass.plan.running.execute import execute
from acompass.plan.running.session import Session
from acompass.plan.running.trace import GivenTrace
from tests.generators.strategies import cases
from tests.laws.effort import LAW


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with DuckDBEngine().session() as session:
        yield session


@pytest.fixture(scope="module", params=[0, 50_000], ids=["many", "few"])
def few(request: pytest.FixtureRequest) -> Iterator[None]:
    """With a limit of 0, every cascade has many combinations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cascades, "_FEW", request.param)
        yield


def _counts(verdicts: Iterable[Any]) -> list[tuple[bool | None, int, int]]:
    return [(each.holds, each.affected, each.records) for each in verdicts]


@LAW
@given(case=cases())
@pytest.mark.usefixtures("few")
def test_a_preview_has_the_verdicts_of_a_run(session: Session, case: Case) -> None:
    plain = without_negative_zeros(case)
    program = plain.program()
    expected = semantics.run_program(program, plain.records, semantics.trace_of_values(plain.trace))
    context = Context(session, GivenTrace(plain.trace), verdicts_only=True)
    state = uploaded(session, program.schema, plain.records, plain.digits)
    left = execute(context, state, plan(program, REWRITES))
    found = [context.verdicts[requirement.index] for requirement in program.requirements]
    session.clear()
    assert _counts(found) == _counts(expected.requirements)
    assert left.records == len(expected.records)


@given(case=cases())
def test_what_earlier_previews_computed_changes_no_answer(case: Case) -> None:
    """As an editor asks: a policy grows line by line, so its first lines are there again and again."""
    plain = without_negative_zeros(case)
    program = plain.program()
    with DuckDBEngine().session() as session:
        state = uploaded(session, program.schema, plain.records, plain.digits)
        memory = Memory(session._con)
        for length in [*range(1, len(program.requirements) + 1), 1, len(program.requirements)]:
            part = replace(program, requirements=program.requirements[:length])
            context = Context(
                memory.preview(None, Cancellation()), GivenTrace(plain.trace), verdicts_only=True
            )
            execute(context, state, plan(part, REWRITES))
            memory.forget_old()
            expected = semantics.run_program(part, plain.records, semantics.trace_of_values(plain.trace))
            assert _counts(context.verdicts[each.index] for each in part.requirements) == _counts(
                expected.requirements
            )
