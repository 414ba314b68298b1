"""Order (docs/randomness.md): the order of the table's columns changes the run, never the law.

Canonical order compares records column by column (D18). It says which record gets which value of the trace.
These values are independent and of one law, so it does not matter which is whose, in any program.
"""

from fractions import Fraction

from hypothesis import given

from acompass.semantics import Record, run_program, trace_of_values
from tests.generators.small_draws import SCHEMA, SmallCase, orders_of_columns, small_cases
from tests.laws.effort import LAW
from tests.laws.pushforward import Law, as_table, law


def _permuted(record: Record, order: tuple[int, ...]) -> Record:
    return tuple(record[column] for column in order)


@LAW
@given(small_cases(most_records=3), orders_of_columns())
def test_the_law_does_not_depend_on_the_order_of_columns(case: SmallCase, order: tuple[int, ...]) -> None:
    program = case.program(_permuted(SCHEMA, order))
    records = [_permuted(record, order) for record in case.records]
    expected: Law = {
        as_table(program.final_schema, (_permuted(record, order) for record in table)): probability
        for table, probability in law(case.program(), case.records).items()
    }
    assert law(program, records) == expected


def test_the_run_does() -> None:
    case = SmallCase("ALWAYS : WITH PROBABILITY 0.5 REJECT;", [(0, "y", 1), (1, "x", 0)])
    rho = trace_of_values([Fraction(0), Fraction(1, 2)])
    by_a = run_program(case.program(), case.records, rho).records
    order = (2, 0, 1)
    by_c = run_program(
        case.program(_permuted(SCHEMA, order)), [_permuted(record, order) for record in case.records], rho
    ).records
    assert (by_a, by_c) == ([(1, "x", 0)], [(1, 0, "y")])
