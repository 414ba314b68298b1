"""The proof of a claim: from the table the policy leaves back to a table of which nothing is known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acompass.checked.program import Assertion, Process, Program, Quantifier, Reject
from acompass.prove.backward import Backward, Blocked
from acompass.prove.cells import NONE, Cells
from acompass.prove.effects import Effect, Effects, record_condition
from acompass.prove.facts import Fact, fact_of
from acompass.prove.levels import Levels

#: goals a claim may lead to before it is given up
PATIENCE = 2_000


@dataclass(frozen=True, slots=True)
class Step:
    """What a requirement has to do with a claim; no line for what holds by itself."""

    line: int | None
    why: str


@dataclass(frozen=True, slots=True)
class Argument:
    """`steps` from first to last line; where nothing was proved, the last is the one that could break it."""

    is_proof: bool
    steps: tuple[Step, ...]


class Prover:
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

    def violating(self, step: int, assertion: Assertion) -> Cells:
        """Of an EACH about records: what a record can be at the step and must not be."""
        scope, condition = record_condition(self.levels, step, assertion)
        diagrams = self.levels.diagrams
        return diagrams.both(self.effects.reach[step], diagrams.minus(scope, condition))

    def argue(self, assertion: Assertion, step: int, known: Iterable[Fact] = ()) -> Argument:
        """Whether the assertion holds of every table at the step, given facts of earlier steps."""
        if assertion.quantifier is Quantifier.SOME:
            return Argument(False, (Step(None, "no record satisfies anything in an empty table"),))
        if isinstance(assertion.result, Process):
            return self._argue_classes(fact_of(self.levels, step, assertion), tuple(known))
        if self.violating(step, assertion) is NONE:
            return Argument(True, self._writers(assertion, step))
        return Argument(False, self._writers(assertion, step)[-1:])

    def _writers(self, assertion: Assertion, step: int) -> tuple[Step, ...]:
        """The requirements that shape the records an assertion speaks of."""
        scope, condition = record_condition(self.levels, step, assertion)
        diagrams = self.levels.diagrams
        read = diagrams.support(diagrams.minus(scope, condition))
        columns = {self.levels.column_of(level) for level in read}
        steps = [
            Step(effect.requirement.line, _what_it_does(effect))
            for effect in self.effects.effects[:step]
            if effect.may is not NONE and _shapes(effect, columns)
        ]
        return tuple(steps) or (Step(None, "no value can violate it"),)

    def _argue_classes(self, claim: Fact, known: Sequence[Fact]) -> Argument:
        trail: dict[int, str] = {}
        seen = {claim}
        pending = [claim]
        while pending:
            goal = pending.pop()
            if self._holds_already(goal, known, trail):
                continue
            if goal.step == 0 or len(seen) > PATIENCE:
                return _given_up(trail, Step(None, "nothing before it makes it so"), self.program)
            effect = self.effects.effects[goal.step - 1]
            try:
                earlier = self._backward.before(goal, effect)
            except Blocked as blocked:
                return _given_up(trail, Step(effect.requirement.line, str(blocked)), self.program)
            if effect.requirement.action is not None and earlier != [_at(goal, effect.step)]:
                trail[effect.step] = _passage(effect, earlier)
            fresh = [fact for fact in earlier if fact not in seen]
            seen.update(fresh)
            pending += fresh
        steps = [Step(self.program.requirements[step].line, why) for step, why in sorted(trail.items())]
        return Argument(True, tuple(steps) or (Step(None, "no class can violate it"),))

    def _holds_already(self, goal: Fact, known: Sequence[Fact], trail: dict[int, str]) -> bool:
        care = self.effects.reach[goal.step]
        if self._laws.follows(goal, care):
            return True
        return any(fact.step == goal.step and self._laws.implies(fact, goal, care) for fact in known)


def _at(fact: Fact, step: int) -> Fact:
    return Fact(step, fact.function, fact.column, fact.where, fact.groups, fact.allowed)


def _shapes(effect: Effect, columns: set[int]) -> bool:
    action = effect.requirement.action
    return action is not None and (isinstance(action, Reject) or action.column in columns)


def _what_it_does(effect: Effect) -> str:
    action = effect.requirement.action
    return (
        "removes what violates its assertion"
        if isinstance(action, Reject)
        else "rewrites what violates its assertion"
    )


def _passage(effect: Effect, earlier: list[Fact]) -> str:
    is_reject = isinstance(effect.requirement.action, Reject)
    if not earlier:
        return "removes every class that violates it" if is_reject else "leaves only classes that satisfy it"
    return (
        "removes whole classes or what is not counted"
        if is_reject
        else "merges whole classes or rewrites what does not matter"
    )


def _given_up(trail: dict[int, str], last: Step, program: Program) -> Argument:
    steps = [Step(program.requirements[step].line, why) for step, why in sorted(trail.items())]
    return Argument(False, (*steps, last))
