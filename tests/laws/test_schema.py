"""Figure 2: every record of ⟦result⟧(R) is on the schema l(result), which `checked` gives the condition."""

from hypothesis import given

from acompass.conformance.generate import Case
from acompass.semantics import perform_requirement, result_of, result_schema, trace_of_values
from tests.generators.strategies import cases
from tests.laws.effort import LAW
from tests.laws.values import is_of_type


@LAW
@given(cases())
def test_records_of_a_result_are_on_its_schema(case: Case) -> None:
    bag, rho = case.records, trace_of_values(case.trace)
    for requirement in case.program().requirements:
        assertion = requirement.assertion
        schema = result_schema(assertion.result, requirement.before)
        assert assertion.schema == schema
        for record in result_of(bag, assertion.result):
            assert len(record) == len(schema)
            assert all(is_of_type(value, column.type) for value, column in zip(record, schema, strict=True))
        bag, rho, _ = perform_requirement(requirement, bag, rho)
