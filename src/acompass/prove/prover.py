"""A policy prepared for proofs of any assertion at any step, on all tables on which the known checks hold."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import assert_never

from acompass.checked.effects import drops_records, is_certain, process_in
from acompass.checked.program import Assertion, Program, Quantifier
from acompass.checked.types import Kind
from acompass.prove.columns import columns_of, columns_with_type
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.excluded_records import ExcludedRecords
from acompass.prove.facts import Alternatives, Fact, class_assertion
from acompass.prove.origins import Origins
from acompass.prove.proof_search import ProofAttempt, ProofSearch
from acompass.prove.reachability import Reachability, record_condition
from acompass.prove.some_claims import SomeClaims
from acompass.prove.sums_and_counts import SumsAndCounts
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function


class Prover:
    """Steps are those of `variables`: the requirement at a step is the one performed next.

    `known` are the steps of checks that hold where they stand, because nothing is written otherwise (D31).
    `reach` has the records that can reach each step, whatever the later checks say; `reachability` leaves out
    those that they exclude. Provers may share their `variables`. With a `focus`, the records that can reach a
    step are known only by these columns.
    """

    def __init__(
        self,
        program: Program,
        claims: Sequence[Assertion],
        known: frozenset[int] = frozenset(),
        any_scale: frozenset[int] = frozenset(),
        variables: Variables | None = None,
        focus: frozenset[int] | None = None,
    ):
        self.program = program
        self.claims = tuple(claims)
        self.known = known
        self.is_focused = focus is not None
        self.variables = variables or Variables(program, claims, any_scale)
        self.diagrams = self.variables.diagrams
        plain = Reachability(program, self.variables, known, focus=focus)
        self.reach = plain.reach
        self.reachability = self._with_checks(plain, focus)
        self._search = ProofSearch(self.reachability)
        self._sums_and_counts = SumsAndCounts(self.reachability.laws)

    def _with_checks(self, reachability: Reachability, focus: frozenset[int] | None) -> Reachability:
        """Without the records that known checks exclude from earlier steps."""
        excluded = ExcludedRecords(reachability).by_step() if self.known else [EMPTY]
        if all(records is EMPTY for records in excluded):
            return reachability
        return Reachability(self.program, self.variables, self.known, excluded, focus)

    @property
    def last(self) -> int:
        return len(self.program.requirements)

    def fits(self, assertion: Assertion, own: int, other: int) -> bool:
        """Whether an assertion that is checked for one step can be asked at another.

        It must read no dropped column, and the columns that it compares or aggregates must have the same
        types.
        """
        version = self.variables.version
        kinds = (self.variables.schemas[other][column].type.kind for column in columns_of(assertion))
        return Kind.DROPPED not in kinds and all(
            version(own, column) == version(other, column) for column in columns_with_type(assertion)
        )

    def fits_since(self, assertion: Assertion, own: int) -> int:
        """The first step at which an assertion that is checked for a step can be asked."""
        columns = columns_with_type(assertion)
        return max((self.variables.first_step(own, column) for column in columns), default=0)

    def refused(self, step: int, assertion: Assertion) -> Diagram:
        """The records that an EACH about records forbids."""
        scope, condition = record_condition(self.variables, step, assertion)
        return self.diagrams.difference(scope, condition)

    def violating(self, step: int, assertion: Assertion) -> Diagram:
        """The records that an EACH about records forbids and that can reach the step."""
        return self.diagrams.intersection(self.reachability.reach[step], self.refused(step, assertion))

    def attempt(self, assertion: Assertion, step: int) -> ProofAttempt:
        """Try to prove that the assertion holds of every table at the step."""
        if assertion.quantifier is Quantifier.SOME:
            found = SomeClaims(self.program, self.known, self.reachability, self._attempt_fact)
            return found.attempt(assertion, step)
        classes = class_assertion(self.variables, step, assertion)
        if classes is None:
            return ProofAttempt(self.violating(step, assertion) is EMPTY)
        attempt = ProofAttempt(True)
        for part in classes.parts:
            attempt = attempt.and_then(self._attempt_one_of(part))
        return attempt

    def trace_back(self, assertion: Assertion) -> ProofAttempt:
        """Try to prove an assertion about records of the final table: no way leads back from a violating
        record to the start. That is of use with a `focus`, which makes records possible that are not."""
        if assertion.quantifier is Quantifier.SOME or process_in(assertion) is not None:
            return ProofAttempt(False)
        origins = Origins(self.reachability, random.Random(0))
        is_proof = origins.has_none(self.violating(self.last, assertion))
        return ProofAttempt(is_proof, why="no record that violates it can be traced back to the start")

    def _attempt_one_of(self, part: Alternatives) -> ProofAttempt:
        """Every class satisfies one of the facts if every class satisfies the same one."""
        attempt = ProofAttempt(False)
        for fact in part or ():
            attempt = self._attempt_fact(fact)
            if attempt.is_proof:
                return attempt
        return attempt if part is None else self._attempt_together(part) or attempt

    def _attempt_fact(self, fact: Fact) -> ProofAttempt:
        """Its bounds may have different proofs."""
        attempt = self._attempt_related(fact)
        halves = None if attempt.is_proof else self.reachability.laws.halves(fact)
        if halves is None:
            return attempt
        below, above = map(self._attempt_related, halves)
        both = below.and_then(above)
        return both if both.is_proof else attempt

    def _attempt_related(self, fact: Fact) -> ProofAttempt:
        """Prove the fact, or one about counts or sums that implies it."""
        attempt = self._search.prove(fact)
        for other in () if attempt.is_proof else self._related(fact):
            found = self._search.prove(other)
            if found.is_proof:
                return found
        return attempt

    def _related(self, fact: Fact) -> Iterator[Fact]:
        care = self.reachability.care[fact.step]
        match fact.function:
            case Function.SUM:
                yield self._sums_and_counts.counts_for(fact, care)
            case Function.COUNT:
                for column in self._summed(fact.step):
                    yield self._sums_and_counts.sums_for(fact, column, care)
            case Function.COUNT_DISTINCT | Function.MIN | Function.MAX:
                pass
            case _:
                assert_never(fact.function)

    def _summed(self, step: int) -> list[int]:
        """The columns whose sums the policy compares, as far as they have the same type at the step."""
        kept = [fact for transition in self.reachability.transitions for fact in transition.kept]
        sums = [fact for fact in kept if fact.function is Function.SUM and fact.column is not None]
        version = self.variables.version
        return sorted(
            {
                s.column
                for s in sums
                if s.column is not None and version(s.step, s.column) == version(step, s.column)
            }
        )

    def _attempt_together(self, part: tuple[Fact, ...]) -> ProofAttempt | None:
        """No class can violate all alternatives, or none is left that does."""
        step = part[0].step
        care = self.diagrams.intersection(self.reachability.care[step], part[0].where)
        refused = self.reachability.laws.can_refuse(part, care)
        if self.diagrams.intersection(care, refused) is EMPTY:
            return ProofAttempt(True, settled={step})
        return self._attempt_established(part)

    def _attempt_established(self, part: tuple[Fact, ...]) -> ProofAttempt | None:
        """The line before removes or excludes every class that violates all alternatives."""
        earlier = [self._search.carried_back(fact) for fact in part]
        at = max(fact.step for fact in earlier) - 1
        if at < 0:
            return None
        requirement = self.program.requirements[at]
        action = requirement.action
        is_established = (drops_records(action) and is_certain(action)) or at in self.known
        if not is_established or requirement.assertion.quantifier is Quantifier.SOME:
            return None
        classes = class_assertion(self.variables, at, requirement.assertion)
        wanted = tuple(replace(fact, step=at) for fact in part)
        return ProofAttempt(True, passed={at: 0}) if classes and wanted in classes.parts else None
