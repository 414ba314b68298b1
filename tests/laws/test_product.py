"""Product (docs/randomness.md): a record-level program treats each record independently of the others.

Record-level: every assertion is ALWAYS, EACH RESULT or EACH FILTER, so that a record alone decides whether it
is affected. Then the law of the output is that of a bag of independent results, one for each record.
"""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

from hypothesis import given

from acompass.checked.program import Program
from acompass.semantics import Record
from tests.generators.small_draws import RECORD_LEVEL, SmallCase, small_cases
from tests.laws.effort import LAW
from tests.laws.pushforward import Law, as_table, law


def _of_independent_records(program: Program, records: Iterable[Record]) -> Law:
    """The law of the union of independent outputs, one for each record."""
    total: Law = {(): Fraction(1)}
    for record in records:
        alone = law(program, [record])
        joined: Counter[object] = Counter()
        for table, probability in total.items():
            for result, own in alone.items():
                joined[as_table(program.final_schema, [*table, *result])] += probability * own
        total = dict(joined)
    return total


@LAW
@given(small_cases(RECORD_LEVEL, most_records=3))
def test_a_record_level_program_treats_records_independently(case: SmallCase) -> None:
    program = case.program()
    assert law(program, case.records) == _of_independent_records(program, case.records)


def test_a_class_level_program_does_not() -> None:
    """Whether a record of a small class stays depends on the coin of the other record."""
    policy = "ALWAYS : WITH PROBABILITY 0.5 REJECT; EACH PROCESS COUNT(*) AS n GROUP BY a : n >= 2 : REJECT;"
    program = SmallCase(policy, []).program()
    twins = [(0, "y", 0), (0, "y", 0)]
    assert law(program, twins) == {tuple(twins): Fraction(1, 4), (): Fraction(3, 4)}
    assert law(program, twins[:1]) == {(): 1}
    assert _of_independent_records(program, twins) == {(): 1}


def test_some_is_not_record_level() -> None:
    """One record is enough for SOME, so it decides whether the other one is randomized."""
    program = SmallCase("SOME RESULT : a = 2 : RANDOM a 0 1;", []).program()
    records = [(0, "y", 0), (2, "y", 0)]
    assert law(program, records) == {tuple(records): 1}
    assert _of_independent_records(program, records) != law(program, records)
