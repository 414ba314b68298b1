"""A table is a bag: the order of its records does not matter, thanks to Definition 5."""

import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

import acompass
from acompass.semantics.core import (
    Record,
    check_program,
    evaluate_result,
    perform_requirement,
    result_schema,
    run_program,
    trace_of_values,
)
from acompass.testing.conformance.cases import Case
from tests.generators.strategies import SCHEMA, SmallCase, cases, orders_of_columns, small_cases
from tests.laws.cases import LAW, as_bag, is_of_type
from tests.laws.pushforward import Law, as_table, law


@LAW
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_the_records_never_matters(case: Case, rng: random.Random) -> None:
    program = case.program()
    shuffled = rng.sample(case.records, len(case.records))
    rho = trace_of_values(case.trace)
    given_order = run_program(program, case.records, rho)
    other_order = run_program(program, shuffled, rho)
    schema = program.final_schema
    assert as_bag(schema, given_order.records) == as_bag(schema, other_order.records)
    assert given_order.requirements == other_order.requirements
    assert given_order.trace_used == other_order.trace_used
    assert check_program(program, case.records) == check_program(program, shuffled)


# Order (docs/randomness.md): the order of the table's columns changes the run, never the law.
#
# Canonical order compares records column by column (D18), and assigns trace values to records. The trace
# values are independent and identically distributed, so the assignment does not matter in any program.


def _permute(record: Record, order: tuple[int, ...]) -> Record:
    return tuple(record[column] for column in order)


@LAW
@given(small_cases(most_records=3), orders_of_columns())
def test_the_law_does_not_depend_on_the_order_of_columns(case: SmallCase, order: tuple[int, ...]) -> None:
    program = case.program(_permute(SCHEMA, order))
    records = [_permute(record, order) for record in case.records]
    expected: Law = {
        as_table(program.final_schema, (_permute(record, order) for record in table)): probability
        for table, probability in law(case.program(), case.records).items()
    }
    assert law(program, records) == expected


def test_a_run_depends_on_the_order_of_columns() -> None:
    case = SmallCase("ALWAYS : WITH PROBABILITY 0.5 REJECT;", [(0, "y", 1), (1, "x", 0)])
    rho = trace_of_values([Fraction(0), Fraction(1, 2)])
    by_a = run_program(case.program(), case.records, rho).records
    order = (2, 0, 1)
    by_c = run_program(
        case.program(_permute(SCHEMA, order)), [_permute(record, order) for record in case.records], rho
    ).records
    assert (by_a, by_c) == ([(1, "x", 0)], [(1, 0, "y")])


@LAW
@given(cases())
def test_records_of_a_result_have_its_schema(case: Case) -> None:
    """Figure 2: every record of ⟦result⟧(R) has the schema l(result), which the condition is checked against."""
    bag, rho = case.records, trace_of_values(case.trace)
    for requirement in case.program().requirements:
        assertion = requirement.assertion
        schema = result_schema(assertion.result, requirement.before)
        assert assertion.schema == schema
        for record in evaluate_result(bag, assertion.result):
            assert len(record) == len(schema)
            assert all(is_of_type(value, column.type) for value, column in zip(record, schema, strict=True))
        bag, rho, _ = perform_requirement(requirement, bag, rho)


# docs/paper.md, deviations from the paper that no error reports


def test_a_line_that_affects_nothing_can_change_the_canonical_order() -> None:
    """D12: the column becomes text, and `10` sorts before `9` (D18), so the trace goes to other records."""
    drawn, idle = "ALWAYS : RANDOM x 0 9;", "EACH RESULT : Age >= 0 : REPLACE Age WITH '*';"
    table, trace = [{"Age": 9, "x": 5}, {"Age": 10, "x": 5}], ["0.1", "0.9"]
    plain, retyped = (acompass.run(policy, table, trace=trace) for policy in (drawn, idle + drawn))
    assert retyped.requirements[0].affected == 0
    assert [(record["Age"], record["x"]) for record in plain.table] == [(9, 1), (10, 9)]
    assert [(record["Age"], record["x"]) for record in retyped.table] == [("9", 9), ("10", 1)]


def test_a_some_that_selects_nothing_affects_the_whole_table() -> None:
    """D16 and D17, where Figure 6 has a count of 0; `lint` reports it (AC517)."""
    policy = "SOME PROCESS COUNT(*) AS n WHERE Disease = 'flu' : n <= 5 : REJECT;"
    assert list(acompass.run(policy, [{"Disease": "measles"}]).table) == []
    assert "AC517" in {finding.code for finding in acompass.lint(policy)}
