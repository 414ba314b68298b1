"""Theorem 5, generalization soundness: after g₁; …; gₙ every value of Q is one of q₁, …, qₙ."""

from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from acompass.checked.types import INTEGER, TEXT, Column
from acompass.semantics import Bag, affected_bag, perform, run_program, trace_of_values
from tests.generators.programs import program_of
from tests.laws.effort import LAW

SCHEMA = (Column("Id", INTEGER), Column("Q", TEXT))
VALUES = ("21101", "21102", "21201", "21410", "")
BLOCKS = 3
NO_TRACE = trace_of_values(())


@LAW
@given(
    st.lists(st.tuples(st.integers(1, 3), st.sampled_from(VALUES)), max_size=8),
    st.lists(st.integers(0, BLOCKS - 1), min_size=len(VALUES), max_size=len(VALUES)),
    st.lists(st.sampled_from(("211**", "212**", "214**", *VALUES)), min_size=BLOCKS, max_size=BLOCKS),
)
def test_every_value_is_generalized(records: Bag, block_of: list[int], general: list[str]) -> None:
    rules = [
        (values, general[block])
        for block in range(BLOCKS)
        if (values := [value for value, b in zip(VALUES, block_of, strict=True) if b == block])
    ]
    program = program_of("\n".join(_rule(values, q) for values, q in rules), SCHEMA)
    state, affected_in_turn = records, []
    for requirement in program.requirements:
        affected = affected_bag(state, requirement.assertion)
        affected_in_turn.append(affected)
        # Hypothesis ii: no rule affects a record that an earlier one has changed. The others hold by
        # construction.
        assume(
            Counter(state[p] for p in affected)
            == Counter(records[p] for p in affected_bag(records, requirement.assertion))
        )
        state, _ = perform(requirement, state, NO_TRACE)
    assert sorted(position for affected in affected_in_turn for position in affected) == list(
        range(len(records))
    )
    outcome = run_program(program, records, NO_TRACE)
    assert {record[1] for record in outcome.records} <= {q for _, q in rules}
    assert [record[0] for record in outcome.records] == [record[0] for record in records]


def _rule(values: list[str], general: str) -> str:
    matched = " OR ".join(f"Q = '{value}'" for value in values)
    return f"EACH RECORD : NOT ({matched}) : REPLACE Q WITH '{general}';"
