"""`semantics` has a function for every equation of the paper, and refers to existing items of docs/paper.md."""

import inspect
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acompass.engines.duckdb.session import PreviewCache
from acompass.engines.duckdb.table import DuckDBEngine
from acompass.engines.errors import Cancellation
from acompass.plan.planner import REWRITES, plan
from acompass.plan.run import cascades
from acompass.plan.run.context import Context, GivenTrace, Session
from acompass.plan.run.execution import execute
from acompass.semantics import core
from acompass.semantics.values import total
from acompass.testing.conformance.cases import Case
from acompass.testing.conformance.comparison import upload_records, without_negative_zeros
from tests.generators.strategies import cases
from tests.laws.cases import LAW
from tests.length import at_length
from tests.repo.sources import ROOT

PAGE = ROOT / "docs" / "paper.md"
ITEMS = re.findall(r"^(\d+)\. ", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def _docstrings() -> Iterator[tuple[str, str]]:
    for name, each in vars(core).items():
        if inspect.getmodule(each) is core and (text := inspect.getdoc(each)):
            yield name, text


def test_every_reference_to_the_paper_exists() -> None:
    pointers = {(name, i) for name, text in _docstrings() for i in re.findall(r"docs/paper\.md, (\d+)", text)}
    assert len(pointers) >= 8
    assert {(name, item) for name, item in pointers if item not in ITEMS} == set()


@pytest.mark.parametrize("number", range(2, 12))
def test_every_figure_of_the_semantics_has_a_function(number: int) -> None:
    assert any(f"Figure {number}" in text for _, text in _docstrings())


@pytest.mark.parametrize("number", range(3, 12))
def test_every_definition_of_the_semantics_has_a_function(number: int) -> None:
    assert any(f"Definition {number}" in text for _, text in _docstrings())


LARGE = st.sampled_from((2**63 - 1, -(2**63), 2**53 + 1, 1))
FINE = st.decimals(allow_nan=False, allow_infinity=False, places=10, min_value=-(10**27), max_value=10**27)


@LAW
@given(st.lists(st.floats(allow_nan=False), min_size=1), st.randoms(use_true_random=False))
def test_floats_give_the_same_bits_in_any_order(values: list[float], rng: random.Random) -> None:
    """D13."""
    shuffled = rng.sample(values, len(values))
    assert (total(values) + 0.0).hex() == (total(shuffled) + 0.0).hex()


def test_floats_are_added_one_by_one_from_the_least() -> None:
    assert total([0.3, 0.1, 0.2]) == (0.1 + 0.2) + 0.3 != 0.1 + (0.2 + 0.3)
    assert total([1.0, 1e100, -1e100]) == (-1e100 + 1.0) + 1e100 == 0.0


@LAW
@given(st.one_of(st.lists(LARGE, min_size=1), st.lists(FINE, min_size=1)))
def test_integers_and_decimals_are_exact(values: list[int] | list[Decimal]) -> None:
    """D13."""
    assert Fraction(total(values)) == sum(map(Fraction, values))


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with DuckDBEngine().session() as session:
        yield session


@pytest.fixture(scope="module", params=[0, 50_000], ids=["many", "few"])
def few(request: pytest.FixtureRequest) -> Iterator[None]:
    """The limit for few combinations: with 0, every cascade has many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cascades, "_FEW", request.param)
        yield


def _counts(verdicts: Iterable[Any]) -> list[tuple[bool | None, int, int]]:
    return [(each.holds, each.affected, each.records) for each in verdicts]


@settings(max_examples=at_length(15))
@given(case=cases())
@pytest.mark.usefixtures("few")
def test_a_preview_has_the_verdicts_of_a_run(session: Session, case: Case) -> None:
    plain = without_negative_zeros(case)
    program = plain.program()
    expected = core.run_program(program, plain.records, core.trace_of_values(plain.trace))
    context = Context(session, GivenTrace(plain.trace), verdicts_only=True)
    state = upload_records(session, program.schema, plain.records, plain.digits)
    left = execute(context, state, plan(program, REWRITES))
    found = [context.verdicts[requirement.index] for requirement in program.requirements]
    session.clear()
    assert _counts(found) == _counts(expected.requirements)
    assert left.records == len(expected.records)


@settings(max_examples=at_length(8))
@given(case=cases())
def test_cached_results_of_earlier_previews_change_no_verdict(case: Case) -> None:
    """As in an editor, where a policy grows line by line and its first lines are evaluated repeatedly."""
    plain = without_negative_zeros(case)
    program = plain.program()
    with DuckDBEngine().session() as session:
        state = upload_records(session, program.schema, plain.records, plain.digits)
        cache = PreviewCache(session._con)
        for length in [*range(1, len(program.requirements) + 1), 1, len(program.requirements)]:
            part = replace(program, requirements=program.requirements[:length])
            context = Context(cache.preview(None, Cancellation()), GivenTrace(plain.trace), verdicts_only=True)
            execute(context, state, plan(part, REWRITES))
            cache.drop_unused()
            expected = core.run_program(part, plain.records, core.trace_of_values(plain.trace))
            assert _counts(context.verdicts[each.index] for each in part.requirements) == _counts(expected.requirements)
