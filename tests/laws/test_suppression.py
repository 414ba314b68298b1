"""Theorem 3, suppression soundness: REPLACE A WITH a puts every affected record in the class of A = a."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Replace
from acompass.semantics import perform_requirement, trace_of_values, update
from tests.generators.anonymity import equivalence_class
from tests.generators.strategies import Violation, violations, with_action
from tests.laws.effort import LAW


@LAW
@given(violations(), st.data())
def test_affected_records_become_indistinguishable(violation: Violation, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(violation.requirement.before) - 1))
    value = data.draw(st.sampled_from([record[column] for record in violation.bag]))
    requirement = with_action(violation.requirement, Replace(column, value))
    after, _, verdict = perform_requirement(requirement, violation.bag, trace_of_values(()))
    assert verdict.affected == len(violation.affected)
    for position, (old, new) in enumerate(zip(violation.bag, after, strict=True)):
        if position not in violation.affected:
            assert new is old
            continue
        transformed = update(old, column, value)
        assert _same(new, transformed)
        assert value != value or value is None or new in equivalence_class(transformed, (column,), after)


def _same(left: tuple[object, ...], right: tuple[object, ...]) -> bool:
    return all(a is b or a == b for a, b in zip(left, right, strict=True))
