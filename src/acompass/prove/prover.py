"""The proof of a claim: from the table the policy leaves back to a table of which nothing is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from acompass.checked.program import Assertion, Process, Program, Quantifier
from acompass.prove.backward import Backward, Blocked
from acompass.prove.cells import NONE, Cells
from acompass.prove.effects import Effects, record_condition
from acompass.prove.facts import Fact, fact_of
from acompass.prove.levels import Levels

#: goals a claim may lead to before it is given up
PATIENCE = 4_000


@dataclass(slots=True)
class Argument:
    """How a claim was argued.

    `passed` are the requirements it was carried through in other words, with how many facts were left to show
    before each; `settled` the steps at which nothing was left to show. Where that failed, `blocked` is the
    requirement no rule leads through, None at the start of the policy, and `why`.
    """

    is_proof: bool
    passed: dict[int, int] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    blocked: int | None = None
    why: str = ""


class Prover:
    """Steps are those of `levels`; the requirement at a step is the one performed next."""

    def __init__(self, program: Program, claims: Sequence[Assertion]):
        self.program = program
        self.claims = tuple(claims)
        self.levels = Levels(program, claims)
        self.effects = Effects(program, self.levels)
        self._backward = Backward(self.effects)
        self._laws = self.effects.laws

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

    def argue(self, assertion: Assertion, step: int, known: Iterable[Fact] = ()) -> Argument:
        """Whether the assertion holds of every table at the step, given facts of earlier steps."""
        if assertion.quantifier is Quantifier.SOME:
            return Argument(False)
        if isinstance(assertion.result, Process):
            return self.argue_classes(fact_of(self.levels, step, assertion), tuple(known))
        return Argument(self.violating(step, assertion) is NONE)

    def argue_classes(self, claim: Fact, known: Sequence[Fact] = ()) -> Argument:
        argument = Argument(True)
        seen = {claim}
        pending = [claim]
        while pending:
            goal = pending.pop()
            if self._holds_already(goal, known):
                argument.settled.add(goal.step)
                continue
            if goal.step == 0 or len(seen) > PATIENCE:
                return replace(argument, is_proof=False)
            at = goal.step - 1
            goal = self._laws.without_single(goal, self.effects.reach[goal.step])
            try:
                earlier = self._backward.before(goal, self.effects.effects[at])
            except Blocked as blocked:
                return replace(argument, is_proof=False, blocked=at, why=str(blocked))
            if earlier != [replace(goal, step=at)]:
                argument.passed[at] = len(earlier)
            fresh = [fact for fact in earlier if fact not in seen]
            seen.update(fresh)
            pending += fresh
        return argument

    def _holds_already(self, goal: Fact, known: Sequence[Fact]) -> bool:
        care = self.effects.reach[goal.step]
        if self._laws.follows(goal, care):
            return True
        return any(fact.step == goal.step and self._laws.implies(fact, goal, care) for fact in known)
