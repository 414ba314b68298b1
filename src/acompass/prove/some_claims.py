"""Claims with SOME: they follow from a SOME that is known to hold (docs/prove.md, section 2)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from acompass.checked.effects import column_written, columns_read, drops_records, is_certain
from acompass.checked.program import Assertion, Program, Quantifier
from acompass.checked.types import Kind
from acompass.prove.columns import columns_of
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import Alternatives, Fact, class_assertion
from acompass.prove.known_facts import KnownFacts
from acompass.prove.proof_search import ProofAttempt
from acompass.prove.reachability import Reachability, record_condition


@dataclass(frozen=True, slots=True)
class SomeClaims:
    """`known` are the steps of checks that hold where they stand; `attempt_fact` tries to prove a fact."""

    program: Program
    known: frozenset[int]
    reachability: Reachability
    attempt_fact: Callable[[Fact], ProofAttempt]

    def attempt(self, assertion: Assertion, step: int) -> ProofAttempt:
        for at in self._known_to_hold(step):
            if self._is_same(assertion, at, step) or self._has_witness(assertion, at, step):
                return ProofAttempt(True, passed={at: 0})
        return ProofAttempt(False)

    def _known_to_hold(self, step: int) -> Iterator[int]:
        """The steps of each SOME that holds where it stands, the last first. If a later one is true of a
        record, a REJECT has not removed them all."""
        is_nonempty = False
        for at in range(step - 1, -1, -1):
            requirement = self.program.requirements[at]
            if requirement.assertion.quantifier is Quantifier.SOME:
                action = requirement.action
                is_survived = is_nonempty and drops_records(action) and is_certain(action)
                if at in self.known or is_survived:
                    yield at
                    is_nonempty = True

    def _is_same(self, assertion: Assertion, at: int, step: int) -> bool:
        """Whether no later line changes what a SOME reads that is the same, or about the same classes."""
        read = columns_read(self.program.requirements[at])
        later = [requirement.action for requirement in self.program.requirements[at + 1 : step]]
        if any(drops_records(action) or column_written(action) in read for action in later):
            return False
        known = self.program.requirements[at].assertion
        return assertion == known or (self._fits(known, step) and self._is_implied(assertion, known, step))

    def _fits(self, assertion: Assertion, step: int) -> bool:
        """Whether no column that the assertion reads is dropped before the step."""
        schema = self.reachability.laws.variables.schemas[step]
        return all(schema[column].type.kind is not Kind.DROPPED for column in columns_of(assertion))

    def _is_implied(self, assertion: Assertion, known: Assertion, step: int) -> bool:
        """Whether every class that satisfies the known assertion satisfies the other."""
        variables = self.reachability.laws.variables
        one, other = (class_assertion(variables, step, each) for each in (known, assertion))
        if one is None or other is None or (one.where, one.groups) != (other.where, other.groups):
            return False
        unsettled, care = KnownFacts(self.reachability.laws).unsettled, self.reachability.care[step]
        return all(
            any(unsettled(fact, one.facts, care) is EMPTY for fact in part or ()) for part in other.parts
        )

    def _has_witness(self, assertion: Assertion, at: int, step: int) -> bool:
        """Rule of the witness: whatever becomes of a record that a known SOME is true of, it satisfies this
        one, or its class does."""
        witness = self._witness(at, step)
        if witness is None or witness is EMPTY:
            return witness is EMPTY
        variables, diagrams = self.reachability.laws.variables, self.reachability.laws.diagrams
        classes = class_assertion(variables, step, assertion)
        if classes is None:
            scope, condition = record_condition(variables, step, assertion)
            return diagrams.difference(witness, diagrams.intersection(scope, condition)) is EMPTY
        is_selected = diagrams.difference(witness, classes.where) is EMPTY
        return is_selected and all(self._is_true_of(part, witness) for part in classes.parts)

    def _witness(self, at: int, step: int) -> Diagram | None:
        """What can become of a record that a known SOME is true of; EMPTY if there is none, so that nothing
        is written, and None if it may be removed."""
        reachability, diagrams = self.reachability, self.reachability.laws.diagrams
        assertion = self.program.requirements[at].assertion
        witness = reachability.satisfying(at, assertion, reachability.care[at])
        for transition in reachability.transitions[at + 1 : step]:
            removed = diagrams.intersection(witness, transition.may)
            if drops_records(transition.requirement.action) and removed is not EMPTY:
                return None
            witness = reachability.after(transition, witness)
        return diagrams.intersection(witness, reachability.care[step])

    def _is_true_of(self, part: Alternatives, witness: Diagram) -> bool:
        """Whether the class of the witness satisfies one of the facts."""
        laws = self.reachability.laws
        for fact in part or ():
            keys = laws.diagrams.project(witness, laws.key_variables(fact))
            own = replace(fact, where=laws.diagrams.intersection(fact.where, keys))
            if laws.follows_with(own, witness, self.reachability.care[fact.step]):
                return True
            if self.attempt_fact(own).is_proof:
                return True
        return False
