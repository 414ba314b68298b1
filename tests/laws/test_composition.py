"""Freshness and composition (docs/randomness.md): the law of P; Q is the composition of the laws of P and Q.

The number of values that a run consumes is a stopping time, so the trace that Q is given is as fresh as the
one that P was given.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from acompass.checked.program import Program
from acompass.semantics import pref, run_program, trace_of_seed, trace_of_values
from tests.generators.small_draws import SmallCase, small_cases
from tests.laws.effort import LAW
from tests.laws.pushforward import Law, as_table, law, law_of_runs

#: a trace of two bits: every value of [0, 1) that it can have
QUARTERS = tuple(Fraction(h, 4) for h in range(4))


def _split(program: Program, place: int) -> tuple[Program, Program]:
    """P and Q, of which the program is P; Q."""
    first, second = program.requirements[:place], program.requirements[place:]
    between = second[0].before if second else program.final_schema
    return replace(program, requirements=first), replace(program, schema=between, requirements=second)


def _then(before: Law, second: Program) -> Law:
    """The Kleisli composition: Σ_R P(R) · Q(R)."""
    after: Counter[object] = Counter()
    for table, probability in before.items():
        for left, conditional in law(second, table).items():
            after[left] += probability * conditional
    return dict(after)


@LAW
@given(small_cases())
def test_one_requirement_after_the_other_gives_the_law_of_whole_runs(case: SmallCase) -> None:
    program = case.program()
    assert law(program, case.records) == law_of_runs(program, case.records)


@LAW
@given(small_cases(most_records=3), st.data())
def test_any_split_composes(case: SmallCase, data: st.DataObject) -> None:
    program = case.program()
    first, second = _split(program, data.draw(st.integers(0, len(program.requirements))))
    whole = law(program, case.records)
    assert whole == _then(law(first, case.records), second)
    assert sum(whole.values()) == 1


@LAW
@given(small_cases(most_records=3), st.text(max_size=3), st.lists(st.sampled_from(QUARTERS), max_size=5))
def test_what_is_consumed_is_decided_by_what_was_consumed(
    case: SmallCase, seed: str, others: list[Fraction]
) -> None:
    """A stopping time: a trace with the same first values leads to the same run, whatever comes after."""
    program = case.program()
    outcome = run_program(program, case.records, trace_of_seed(seed))
    consumed = pref(outcome.trace_used, trace_of_seed(seed))
    assert run_program(program, case.records, trace_of_values([*consumed, *others])) == outcome


@given(small_cases(most=1))
def test_the_next_value_is_fresh(case: SmallCase) -> None:
    """On all traces of two bits: whatever a run leaves, each value may come next, and equally often."""
    program = case.program()
    length = 2 * len(case.records)
    seen: Counter[tuple[object, Fraction]] = Counter()
    for trace in product(QUARTERS, repeat=length + 1):
        outcome = run_program(program, case.records, trace_of_values(trace))
        left = as_table(program.final_schema, outcome.records)
        seen[left, trace[outcome.trace_used]] += 1
    tables = {left for left, _ in seen}
    assert all(len({seen[left, rho] for rho in QUARTERS}) == 1 for left in tables)
