"""What a run promises about the table that it writes: the assertions hold for it (D33, what is written is verified).

A promise is proved for every table if that costs little compared with a run. The others become checks after the last
requirement, so that a run evaluates them on its final table.
"""

from collections.abc import Iterator, Mapping, Sequence

from acompass.dataclasses import dataclass, replace
from acompass.language.program import effects
from acompass.language.program.constants import ParamValue
from acompass.language.program.program import Assertion, Program, Requirement
from acompass.language.text import tree
from acompass.language.text.parser import allowed_codes
from acompass.language.text.tree import Quantifier
from acompass.language.text.walk import assertion_of, steps_of

#: the code of a promise that the output breaks, which a policy can accept (X9, allowances)
BROKEN = "AC330"
#: operations on decision diagrams that the proofs for a run may take. They are counted, not timed, so that a call has
#: the same answer on every machine.
MOST_OPERATIONS = 2_000


@dataclass(frozen=True, slots=True)
class Promise:
    """An assertion of the policy, checked against the final table."""

    steps: range  # of its requirement, from 0: the steps of a THEN share one answer
    assertion: Assertion
    is_accepted: bool  # whether the policy accepts that the output breaks it


@dataclass(frozen=True, slots=True)
class Promises:
    proved: tuple[Promise, ...] = ()
    #: for each promise that is not proved, the requirement that evaluates it after the policy
    checks: tuple[tuple[Promise, Requirement], ...] = ()

    def with_checks(self, program: Program) -> Program:
        own = tuple(requirement for _, requirement in self.checks)
        return replace(program, requirements=(*program.requirements, *own)) if own else program


def prove_promises(policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]) -> Promises:
    """The promises of a policy, with a check for each that is not proved."""
    promises = list(find_promises(policy, source, program, params))
    established = [each for each in promises if _is_established(program, each)]
    others = [each for each in promises if each not in established]
    proved = [*established, *_provable(program, others)] if others else established
    checks = [(each, _check(program, each)) for each in others if each not in proved]
    return Promises(tuple(proved), tuple(checks))


def find_promises(
    policy: tree.Program, source: str, program: Program, params: Mapping[str, ParamValue]
) -> Iterator[Promise]:
    """The assertions that the policy promises and that can be evaluated on the final table.

    ALWAYS asserts nothing. An action that neither removes records nor writes a column of its assertion uses it to
    select records, and one WITH PROBABILITY leaves it to chance.
    """
    start, allowed = 0, allowed_codes(policy) if policy.comments else {}
    for requirement in policy.requirements:
        steps = range(start, start + sum(1 for _ in steps_of(requirement)))
        start = steps.stop
        asserted = assertion_of(requirement)
        if asserted is None or not any(effects.is_promise(program.requirements[step]) for step in steps):
            continue
        assertion = _final_assertion(asserted, policy, source, program.requirements[steps[-1]], program, params)
        if assertion is not None:
            yield Promise(steps, assertion, any(BROKEN in allowed.get(step, ()) for step in steps))


def _final_assertion(
    asserted: tree.Assertion,
    policy: tree.Program,
    source: str,
    last: Requirement,
    program: Program,
    params: Mapping[str, ParamValue],
) -> Assertion | None:
    """The assertion about the final table; None if a column of it was dropped, or one that it compares was turned into
    labels, pseudonyms or a type that it does not fit (D32). `last` is the last step of its requirement."""
    final = program.final_schema
    if _has_other_values(last, program):
        return None
    if all(last.before[column].type == final[column].type for column in effects.columns_read(last)):
        return last.assertion
    from acompass.prove.search.claims import ParsedClaim, fit_assertion

    return fit_assertion(ParsedClaim(source, asserted, policy=policy), final, params)


def _has_other_values(requirement: Requirement, program: Program) -> bool:
    """Whether a later GENERALIZE turns values that the assertion compares into labels, or the final table has
    pseudonyms in their place, about which nothing is known (X15)."""
    later = program.requirements[requirement.index :]
    labeled = effects.columns_written(each for each in later if effects.map_of(each.action) is not None)
    replaced = labeled.union(effects.columns_with_pseudonyms(program.requirements))
    return bool(replaced) and not replaced.isdisjoint(effects.columns_compared(requirement.assertion))


def _is_established(program: Program, promise: Promise) -> bool:
    """Whether the requirement rejects all records that violate its EACH, and no later line can break it: a proof that
    needs no prover, whose modules take longer to import than a small table to anonymize."""
    last, *later = program.requirements[promise.steps[-1] :]
    if promise.assertion.quantifier is not Quantifier.EACH or not effects.removes_all(last.action):
        return False
    read, is_about_records = effects.columns_read(last), effects.process_of(last) is None
    return not any(
        not read.isdisjoint(effects.written_by(each.action))
        or (effects.removes_records(each.action) and not is_about_records)
        for each in later
    )


def _provable(program: Program, promises: Sequence[Promise]) -> Iterator[Promise]:
    """The promises that a prover proves for every table within the budget.

    It assumes no check of the policy, so that its proofs also hold for a table that is written in spite of one.
    """
    from acompass.prove.proof import Exhausted, recursion_limit
    from acompass.prove.search.prover import Provers

    provers = Provers(program, [each.assertion for each in promises], operations=MOST_OPERATIONS)
    for promise in promises:
        try:
            with recursion_limit():
                prover = provers.for_assertion(promise.assertion)
                is_proved = prover.attempt(promise.assertion, prover.last).is_proof
        except Exhausted:
            return
        if is_proved:
            yield promise


def _check(program: Program, promise: Promise) -> Requirement:
    """The promise as a check of the final table. Its index is that of its requirement, counted from the last one."""
    first, final = program.requirements[promise.steps.start], program.final_schema
    index = len(program.requirements) + first.index
    return Requirement(index, first.line, first.text, promise.assertion, None, final, final, first.span)
