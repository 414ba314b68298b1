"""A policy prepared for proofs of any assertion at any step."""

from collections.abc import Sequence

from acompass.checked.program import Assertion, Program, Quantifier
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.facts import fact_of
from acompass.prove.proof_search import ProofAttempt, ProofSearch
from acompass.prove.reachability import Reachability, record_condition
from acompass.prove.variables import Variables


class Prover:
    """Steps are those of `variables`: the requirement at a step is the one performed next."""

    def __init__(self, program: Program, claims: Sequence[Assertion]):
        self.program = program
        self.claims = tuple(claims)
        self.variables = Variables(program, claims)
        self.diagrams = self.variables.diagrams
        self.reachability = Reachability(program, self.variables)
        self._search = ProofSearch(self.reachability)

    @property
    def last(self) -> int:
        return len(self.program.requirements)

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
            return ProofAttempt(False)
        fact = fact_of(self.variables, step, assertion)
        if fact is not None:
            return self._search.prove(fact)
        return ProofAttempt(self.violating(step, assertion) is EMPTY)
