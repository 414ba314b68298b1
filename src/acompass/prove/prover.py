"""A policy ready for proofs: its levels, its effects, and the argument for any assertion at any step."""

from collections.abc import Sequence

from acompass.checked.program import Assertion, Process, Program, Quantifier
from acompass.prove.argument import Arguer, Argument
from acompass.prove.cells import NONE, Cells
from acompass.prove.effects import Effects, record_condition
from acompass.prove.facts import fact_of
from acompass.prove.levels import Levels


class Prover:
    """Steps are those of `levels`; the requirement at a step is the one performed next."""

    def __init__(self, program: Program, claims: Sequence[Assertion]):
        self.program = program
        self.claims = tuple(claims)
        self.levels = Levels(program, claims)
        self.effects = Effects(program, self.levels)
        self._arguer = Arguer(self.effects)

    @property
    def last(self) -> int:
        return len(self.program.requirements)

    def refused(self, step: int, assertion: Assertion) -> Cells:
        """Of an EACH about records: what no record may be."""
        scope, condition = record_condition(self.levels, step, assertion)
        return self.levels.diagrams.minus(scope, condition)

    def violating(self, step: int, assertion: Assertion) -> Cells:
        """Of an EACH about records: what a record can be at the step and must not be."""
        return self.levels.diagrams.both(self.effects.reach[step], self.refused(step, assertion))

    def argue(self, assertion: Assertion, step: int) -> Argument:
        """Whether the assertion holds of every table at the step."""
        if assertion.quantifier is Quantifier.SOME:
            return Argument(False)
        if isinstance(assertion.result, Process):
            return self._arguer.argue(fact_of(self.levels, step, assertion))
        return Argument(self.violating(step, assertion) is NONE)
