"""Limits of effort: what is not decided within them is undecided, with the reason."""

from itertools import count

import pytest

from acompass.lint import lint_policy
from acompass.prove import ClaimVerdict, Proof, effort, prove_policy, provers
from acompass.prove.effort import Budget, Exhausted, require_time, time_limit
from acompass.syntax.parse import parse
from tests.prove.replaying import fails

POLICY = """
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
EACH FILTER Age >= 60 : Job = 'retired' : REPLACE Job WITH 'retired';
EACH PROCESS COUNT(*) AS n GROUP BY Age, Job : n >= 3 : REJECT;
EACH RESULT : Job = 'none' : REPLACE Job WITH 'none';
EACH FILTER Job = 'none' : Age >= 18 : REPLACE Age WITH 17;
"""
#: every column is written where another has a value
ENTANGLED = "\n".join(
    f"EACH FILTER C{at % 6} = {at} : C{to} = {at} : REPLACE C{to} WITH {at};"
    for at in range(30)
    for to in [(at + 1 + at // 6) % 6]
)


def proved(text: str, deadline: float | None = None) -> Proof:
    tree, problems = parse(text)
    assert not problems
    return prove_policy(tree, text, deadline=deadline)


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the clock takes a second."""
    seconds = count()
    monkeypatch.setattr(effort.time, "monotonic", lambda: next(seconds))


def test_without_time_every_claim_is_undecided_and_says_so() -> None:
    claims = proved(POLICY, deadline=0).claims
    assert {claim.verdict for claim in claims} == {ClaimVerdict.UNDECIDED}
    assert {claim.reason for claim in claims} == {"not decided within 0 s"}


@pytest.mark.parametrize("deadline", [2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 500])
@pytest.mark.usefixtures("ticking")
def test_claims_decided_before_the_deadline_keep_their_verdict(deadline: int) -> None:
    tree, _ = parse(POLICY)
    late = f"not decided within {deadline} s"
    for claim, unlimited in zip(proved(POLICY, deadline).claims, proved(POLICY).claims, strict=True):
        if claim.verdict is ClaimVerdict.UNDECIDED:
            assert claim.reason == late
        assert claim.verdict in (unlimited.verdict, ClaimVerdict.UNDECIDED)
        if claim.counterexample is not None:
            assert fails(tree, POLICY, claim.text, claim.counterexample)


@pytest.mark.usefixtures("ticking")
def test_a_later_deadline_decides_more() -> None:
    def undecided(deadline: int) -> int:
        return sum(claim.verdict is ClaimVerdict.UNDECIDED for claim in proved(POLICY, deadline).claims)

    left = [undecided(deadline) for deadline in (1, 20, 2_000)]
    assert left == sorted(left, reverse=True)
    assert (left[0], left[-1]) == (5, 0)


def test_without_operations_every_claim_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "FEW_OPERATIONS", 10)
    monkeypatch.setattr(provers, "MOST_OPERATIONS", 20)
    claims = proved(ENTANGLED).claims
    assert {claim.reason for claim in claims} == {"not decided within 20 operations on decision diagrams"}


def test_the_same_budget_gives_the_same_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provers, "FEW_OPERATIONS", 500)
    monkeypatch.setattr(provers, "MOST_OPERATIONS", 3_000)
    assert proved(ENTANGLED) == proved(ENTANGLED)


def test_too_many_columns_in_one_condition_are_undecided() -> None:
    """The diagrams are too deep for the interpreter."""
    text = f"EACH RESULT : {' OR '.join(f'C{at} = {at}' for at in range(400))} : REJECT;"
    (claim,) = proved(text).claims
    assert claim.verdict is ClaimVerdict.UNDECIDED
    assert claim.reason == "not decided: its conditions compare too many columns together"


def test_lint_says_that_it_is_incomplete() -> None:
    tree, _ = parse(POLICY)
    (finding,) = lint_policy(tree, POLICY, deadline=0)
    assert finding.code == "AC516"
    assert finding.message == "findings may be missing: not decided within 0 s"


@pytest.mark.usefixtures("ticking")
def test_lint_keeps_what_it_has_found() -> None:
    tree, _ = parse(POLICY)
    every = {finding.code for finding in lint_policy(tree, POLICY, deadline=None)}
    found = [{f.code for f in lint_policy(tree, POLICY, deadline=deadline)} for deadline in range(1, 40, 3)]
    assert all(codes <= every | {"AC516"} for codes in found)
    assert any("AC516" in codes and len(codes) > 1 for codes in found)


def test_a_budget_is_spent() -> None:
    budget = Budget(1_500)
    assert [budget.grant(), budget.grant()] == [1_024, 476]
    with pytest.raises(Exhausted, match="1,500 operations"):
        budget.grant()
    budget.add(10)
    assert budget.grant() == 10


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(effort.time, "monotonic", lambda: now[0])
    return now


def test_the_earlier_limit_counts(clock: list[float]) -> None:
    with time_limit(2), time_limit(5):
        clock[0] = 1.9
        require_time()
        clock[0] = 2
        with pytest.raises(Exhausted, match="within 2 s"):
            require_time()


def test_a_limit_ends_with_its_context(clock: list[float]) -> None:
    with time_limit(2):
        clock[0] = 3
    require_time()
