"""Theorem 4, REPLACE enforces indistinguishability: the class of A = a never shrinks."""

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Replace
from acompass.semantics import perform, trace_of_values
from tests.generators.strategies import Violation, violations, with_action
from tests.laws.effort import LAW


@LAW
@given(violations(), st.data())
def test_the_class_of_the_replacing_value_never_shrinks(violation: Violation, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(violation.requirement.before) - 1))
    values = [record[column] for record in violation.bag]
    value = data.draw(st.sampled_from(values))
    requirement = with_action(violation.requirement, Replace(column, value))
    after, _ = perform(requirement, violation.bag, trace_of_values(()))
    already = sum(values[position] == value for position in violation.affected)
    before_size, after_size = values.count(value), [record[column] for record in after].count(value)
    assert after_size >= before_size
    if value == value:
        assert after_size == before_size - already + len(violation.affected)
