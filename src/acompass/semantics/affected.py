"""Definitions 8 to 11: the affected bag of an assertion, a sub-bag of the table."""

from typing import assert_never

from acompass.checked.program import Assertion, Condition, Filter, Process, Quantifier, Result
from acompass.semantics.assertions import holds
from acompass.semantics.bags import Bag, SubBag
from acompass.semantics.conditions import satisfies
from acompass.semantics.results import filtered, groups


def affected_bag(bag: Bag, assertion: Assertion) -> SubBag:
    match assertion.quantifier:
        case Quantifier.SOME:
            return _affected_by_some(bag, assertion)
        case Quantifier.EACH:
            return _affected_by_each(bag, assertion)
        case _:
            assert_never(assertion.quantifier)


def _affected_by_some(bag: Bag, assertion: Assertion) -> SubBag:
    """The whole table, whatever the result is (D17)."""
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
    """Definition 8 (EACH RESULT) and Definition 9 (EACH FILTER)."""
    return frozenset(
        position for position in filtered(bag, filter_) if not satisfies(bag[position], condition)
    )


def _violating_groups(bag: Bag, query: Process, condition: Condition) -> SubBag:
    """Definition 10 (EACH PROCESS with GROUP BY) and Definition 11 (without: the one group is R')."""
    violating = (group for aggregated, group in groups(bag, query) if not satisfies(aggregated, condition))
    return frozenset().union(*violating)
