"""Theorems 3 to 5, 7 and 8: REPLACE suppresses and generalizes, REJECT enforces k-anonymity and l-diversity."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acompass.language.program.kernels import Constant
from acompass.language.program.program import Action, Write
from acompass.language.program.types import INTEGER, TEXT, Column
from acompass.semantics.anonymity import equivalence_class, is_k_anonymous, is_l_diverse
from acompass.semantics.core import (
    Bag,
    affected_bag,
    check_program,
    perform,
    perform_requirement,
    run_program,
    trace_of_values,
    update,
)
from tests.generators.bags import is_sub_bag, sub_bags
from tests.generators.strategies import (
    PEOPLE,
    QUASI_IDENTIFIERS,
    SENSITIVE,
    Violation,
    parse_and_check,
    people,
    violations,
    with_action,
)
from tests.laws.cases import LAW

K_ANONYMITY = "EACH PROCESS COUNT(*) AS C GROUP BY Age, Postal Code : C >= k : REJECT;"


@LAW
@given(people(largest=12), st.integers(1, 4))
def test_reject_leaves_a_k_anonymous_table(records: Bag, k: int) -> None:
    """Theorem 7 i, k-anonymity soundness."""
    program = parse_and_check(K_ANONYMITY, PEOPLE, k=k)
    (verdict,) = check_program(program, records)
    assert verdict.holds == is_k_anonymous(records, QUASI_IDENTIFIERS, k)
    left = run_program(program, records, trace_of_values(())).records
    assert is_k_anonymous(left, QUASI_IDENTIFIERS, k)
    assert len(left) == len(records) - verdict.affected


@LAW
@given(people(largest=7), st.integers(1, 3))
def test_every_k_anonymous_sub_bag_survives(records: Bag, k: int) -> None:
    """Theorem 7 ii, k-anonymity completeness."""
    left = run_program(parse_and_check(K_ANONYMITY, PEOPLE, k=k), records, trace_of_values(())).records
    satisfying = [bag for bag in sub_bags(records) if is_k_anonymous(bag, QUASI_IDENTIFIERS, k)]
    assert all(is_sub_bag(bag, left) for bag in satisfying)
    assert max(map(len, satisfying)) == len(left)


L_DIVERSITY = "EACH PROCESS COUNT DISTINCT Illness AS C GROUP BY Age, Postal Code : C >= l : REJECT;"


@LAW
@given(people(largest=12), st.integers(1, 4))
def test_reject_leaves_an_l_diverse_table(records: Bag, least: int) -> None:
    """Theorem 8 i, l-diversity soundness."""
    program = parse_and_check(L_DIVERSITY, PEOPLE, l=least)
    (verdict,) = check_program(program, records)
    assert verdict.holds == is_l_diverse(records, QUASI_IDENTIFIERS, SENSITIVE, least)
    left = run_program(program, records, trace_of_values(())).records
    assert is_l_diverse(left, QUASI_IDENTIFIERS, SENSITIVE, least)
    assert len(left) == len(records) - verdict.affected


@LAW
@given(people(largest=7), st.integers(1, 3))
def test_every_l_diverse_sub_bag_survives(records: Bag, least: int) -> None:
    """Theorem 8 ii, l-diversity completeness."""
    left = run_program(parse_and_check(L_DIVERSITY, PEOPLE, l=least), records, trace_of_values(())).records
    satisfying = [bag for bag in sub_bags(records) if is_l_diverse(bag, QUASI_IDENTIFIERS, SENSITIVE, least)]
    assert all(is_sub_bag(bag, left) for bag in satisfying)
    assert max(map(len, satisfying)) == len(left)


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
    """Theorem 5, generalization soundness: after g₁; …; gₙ, every value of Q is one of q₁, …, qₙ."""
    rules = [
        (values, general[block])
        for block in range(BLOCKS)
        if (values := [value for value, b in zip(VALUES, block_of, strict=True) if b == block])
    ]
    program = parse_and_check("\n".join(_rule(values, q) for values, q in rules), SCHEMA)
    state, affected_in_turn = records, []
    for requirement in program.requirements:
        affected = affected_bag(state, requirement.assertion)
        affected_in_turn.append(affected)
        # Hypothesis ii: no rule affects a record that an earlier one changed. The others hold by construction.
        assume(
            Counter(state[p] for p in affected)
            == Counter(records[p] for p in affected_bag(records, requirement.assertion))
        )
        state, _ = perform(requirement, state, NO_TRACE)
    assert sorted(position for affected in affected_in_turn for position in affected) == list(range(len(records)))
    outcome = run_program(program, records, NO_TRACE)
    assert {record[1] for record in outcome.records} <= {q for _, q in rules}
    assert [record[0] for record in outcome.records] == [record[0] for record in records]


def _rule(values: list[str], general: str) -> str:
    matched = " OR ".join(f"Q = '{value}'" for value in values)
    return f"EACH RECORD : NOT ({matched}) : REPLACE Q WITH '{general}';"


@LAW
@given(violations(), st.data())
@pytest.mark.slow
def test_affected_records_become_indistinguishable(violation: Violation, data: st.DataObject) -> None:
    """Theorem 3, suppression soundness: REPLACE A WITH a moves every affected record into the class of A = a."""
    column = data.draw(st.integers(0, len(violation.requirement.before) - 1))
    value = data.draw(st.sampled_from([record[column] for record in violation.bag]))
    requirement = with_action(violation.requirement, Action(Write((column,), Constant(value))))
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


@LAW
@given(violations(), st.data())
def test_the_class_of_the_replacing_value_never_shrinks(violation: Violation, data: st.DataObject) -> None:
    """Theorem 4, REPLACE enforces indistinguishability."""
    column = data.draw(st.integers(0, len(violation.requirement.before) - 1))
    values = [record[column] for record in violation.bag]
    value = data.draw(st.sampled_from(values))
    requirement = with_action(violation.requirement, Action(Write((column,), Constant(value))))
    after, _ = perform(requirement, violation.bag, trace_of_values(()))
    already = sum(values[position] == value for position in violation.affected)
    before_size, after_size = values.count(value), [record[column] for record in after].count(value)
    assert after_size >= before_size
    if value == value:
        assert after_size == before_size - already + len(violation.affected)
