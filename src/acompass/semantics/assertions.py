"""Figure 7 and Definitions 8 to 11: assertions and their affected bags."""

from typing import assert_never

from acompass.checked.effects import filter_in
from acompass.checked.program import Assertion, Condition, Filter, Process, Quantifier, Result
from acompass.checked.verdict import Verdict
from acompass.semantics.model import Bag, SubBag
from acompass.semantics.results import filtered, groups, result_of, satisfies


def holds(bag: Bag, assertion: Assertion) -> bool:
    """Figure 7, ⟦assertion⟧(R); see docs/paper.md, 3."""
    satisfied = (satisfies(record, assertion.condition) for record in result_of(bag, assertion.result))
    match assertion.quantifier:
        case Quantifier.EACH:
            return all(satisfied)
        case Quantifier.SOME:
            return any(satisfied)
        case _:
            assert_never(assertion.quantifier)


def affected_bag(bag: Bag, assertion: Assertion) -> SubBag:
    """AFF(R, assertion)."""
    match assertion.quantifier:
        case Quantifier.SOME:
            return _affected_by_some(bag, assertion)
        case Quantifier.EACH:
            return _affected_by_each(bag, assertion)
        case _:
            assert_never(assertion.quantifier)


def _affected_by_some(bag: Bag, assertion: Assertion) -> SubBag:
    """The whole relation if the assertion is violated, for every result (D17); see docs/paper.md, 19."""
    return frozenset() if holds(bag, assertion) else frozenset(range(len(bag)))


def _affected_by_each(bag: Bag, assertion: Assertion) -> SubBag:
    match assertion.result:
        case Result():
            return _violating(bag, None, assertion.condition)
        case Filter(condition):
            return _violating(bag, condition, assertion.condition)
        case Process() as query:
            return _violating_groups(bag, query, assertion.condition)
        case _:
            assert_never(assertion.result)


def _violating(bag: Bag, filter_: Condition | None, condition: Condition) -> SubBag:
    """Definition 8, EACH RESULT, and Definition 9, EACH FILTER."""
    return frozenset(
        position for position in filtered(bag, filter_) if not satisfies(bag[position], condition)
    )


def _violating_groups(bag: Bag, query: Process, condition: Condition) -> SubBag:
    """Definition 10, EACH PROCESS with GROUP BY, and Definition 11, without: R' is the only group.

    See docs/paper.md, 20.
    """
    violating = (group for aggregated, group in groups(bag, query) if not satisfies(aggregated, condition))
    return frozenset().union(*violating)


def selects_none(bag: Bag, assertion: Assertion) -> bool:
    """Whether no record satisfies the condition of FILTER or WHERE (D29)."""
    condition = filter_in(assertion)
    return condition is not None and not any(satisfies(record, condition) for record in bag)


def judge(bag: Bag, assertion: Assertion) -> Verdict:
    affected = len(affected_bag(bag, assertion))
    return Verdict(holds(bag, assertion), affected, len(bag), selects_none(bag, assertion))
