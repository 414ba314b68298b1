"""Freshness and composition (docs/randomness.md): the law of P; Q is the composition of the laws of P and Q.

The number of trace values that a run consumes is a stopping time, so Q starts with a trace as fresh as that of P."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from acompass.language.program.program import Program
from acompass.semantics.core import Record, pref, run_program, tail, trace_of_seed, trace_of_values
from acompass.testing.conformance.cases import Case
from tests.generators.strategies import RECORD_LEVEL, SmallCase, cases, small_cases
from tests.laws.cases import LAW, as_bag
from tests.laws.pushforward import Law, as_table, law, law_of_runs

#: all values of a two-bit trace
QUARTERS = tuple(Fraction(h, 4) for h in range(4))


def _split(program: Program, place: int) -> tuple[Program, Program]:
    """P and Q, where the program is P; Q."""
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
def test_the_number_of_values_consumed_is_a_stopping_time(case: SmallCase, seed: str, others: list[Fraction]) -> None:
    """A trace that begins with the consumed values leads to the same run, whatever follows."""
    program = case.program()
    outcome = run_program(program, case.records, trace_of_seed(seed))
    consumed = pref(outcome.trace_used, trace_of_seed(seed))
    assert run_program(program, case.records, trace_of_values([*consumed, *others])) == outcome


@given(small_cases(most=1))
def test_the_next_value_is_fresh(case: SmallCase) -> None:
    """Over all two-bit traces, each value follows each output equally often."""
    program = case.program()
    length = 2 * len(case.records)
    seen: Counter[tuple[object, Fraction]] = Counter()
    for trace in product(QUARTERS, repeat=length + 1):
        outcome = run_program(program, case.records, trace_of_values(trace))
        left = as_table(program.final_schema, outcome.records)
        seen[left, trace[outcome.trace_used]] += 1
    tables = {left for left, _ in seen}
    assert all(len({seen[left, rho] for rho in QUARTERS}) == 1 for left in tables)


@LAW
@given(cases())
def test_a_program_is_its_requirements_one_after_the_other(case: Case) -> None:
    """Theorem 2, sequential composition: ⟦r₁; …; rₙ⟧ = ⟦rₙ⟧ ∘ … ∘ ⟦r₁⟧."""
    program = case.program()
    rho = trace_of_values(case.trace)
    whole = run_program(program, case.records, rho)
    records, rest, verdicts = case.records, rho, []
    for requirement in program.requirements:
        step = run_program(_alone(program, requirement.index), records, rest)
        records, rest = step.records, tail(step.trace_used, rest)
        verdicts += step.requirements
    assert as_bag(program.final_schema, records) == as_bag(program.final_schema, whole.records)
    assert tuple(verdicts) == whole.requirements
    assert rest == tail(whole.trace_used, rho)


def _alone(program: Program, index: int) -> Program:
    (requirement,) = [r for r in program.requirements if r.index == index]
    return replace(program, schema=requirement.before, requirements=(requirement,))


@LAW
@given(cases())
def test_a_program_maps_a_state_to_one_state(case: Case) -> None:
    """Theorem 1, determinism. The input does not change."""
    program = case.program()
    before = list(case.records)
    first = run_program(program, case.records, trace_of_values(case.trace))
    second = run_program(program, case.records, trace_of_values(case.trace))
    assert as_bag(program.final_schema, first.records) == as_bag(program.final_schema, second.records)
    assert (first.requirements, first.trace_used) == (second.requirements, second.trace_used)
    assert all(old is new for old, new in zip(before, case.records, strict=True))


# Product (docs/randomness.md): a record-level program treats each record independently of the others.
#
# In a record-level program, every assertion is ALWAYS, EACH RESULT or EACH FILTER, so a record alone
# decides whether it is affected. Then the law of the output is that of a bag of independent results, one
# for each record.


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


def test_a_class_level_program_does_not_treat_records_independently() -> None:
    """Whether a record of a small class stays depends on the draw for the other record."""
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
