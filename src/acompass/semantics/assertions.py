"""Figure 7: assertions."""

from typing import assert_never

from acompass.checked.program import Assertion, Quantifier
from acompass.semantics.bags import Bag
from acompass.semantics.conditions import satisfies
from acompass.semantics.results import result_of


def holds(bag: Bag, assertion: Assertion) -> bool:
    verdicts = (satisfies(record, assertion.condition) for record in result_of(bag, assertion.result))
    match assertion.quantifier:
        case Quantifier.EACH:
            return all(verdicts)
        case Quantifier.SOME:
            return any(verdicts)
        case _:
            assert_never(assertion.quantifier)
