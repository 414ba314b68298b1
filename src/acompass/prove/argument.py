"""The argument for a fact: goals, each traced back to goals of the step before, until none is left."""

from dataclasses import dataclass, field

from acompass.prove.backward import Backward, Blocked
from acompass.prove.effects import Effects
from acompass.prove.facts import Fact

#: goals a claim may lead to before it is given up
PATIENCE = 4_000


@dataclass(slots=True)
class Argument:
    """How a claim was argued.

    `passed` are the requirements that it had to be traced through, with how many facts were left to show
    before each; `settled` the steps at which nothing was left to show. Where that failed, `blocked` is the
    requirement no rule leads through, None at the start of the policy, and `why`.
    """

    is_proof: bool
    passed: dict[int, int] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    blocked: int | None = None
    why: str = ""


class Arguer:
    """Remembers what became of every goal: claims of one policy mostly lead to the same."""

    def __init__(self, effects: Effects):
        self._effects = effects
        self._backward = Backward(effects)
        self._argued: dict[Fact, Argument] = {}

    def argue(self, claim: Fact) -> Argument:
        argument = Argument(True)
        came_from: dict[Fact, Fact | None] = {claim: None}
        pending = [claim]
        while pending and argument.is_proof:
            goal = pending.pop()
            earlier = self._earlier(goal, argument)
            fresh = [fact for fact in earlier if fact not in came_from]
            came_from.update(dict.fromkeys(fresh, goal))
            pending += fresh
            if len(came_from) > PATIENCE:
                argument.is_proof = False
            if not argument.is_proof:
                self._remember_failure(argument, goal, came_from)
        if argument.is_proof:
            self._argued.update(dict.fromkeys(came_from, argument))
        return argument

    def _remember_failure(self, argument: Argument, goal: Fact, came_from: dict[Fact, Fact | None]) -> None:
        """A goal fails with everything that needs it."""
        failing: Fact | None = goal
        while failing is not None:
            self._argued[failing] = argument
            failing = came_from[failing]

    def _earlier(self, goal: Fact, argument: Argument) -> list[Fact]:
        """What is left to show for the goal; the argument says where it was settled, or why it is not."""
        if goal in self._argued:
            _adopt(self._argued[goal], argument, goal.step)
            return []
        goal = self._backward.carried(goal)
        care = self._effects.reach[goal.step]
        laws = self._effects.laws
        if laws.follows(goal, care):
            argument.settled.add(goal.step)
            return []
        if goal.step == 0:
            argument.is_proof = False
            return []
        return self._through(laws.without_single(goal, care), argument)

    def _through(self, goal: Fact, argument: Argument) -> list[Fact]:
        at = goal.step - 1
        try:
            earlier = self._backward.before(goal, self._effects.effects[at])
        except Blocked as blocked:
            argument.is_proof, argument.blocked, argument.why = False, at, str(blocked)
            return []
        argument.passed[at] = len(earlier)
        return earlier


def _adopt(earlier: Argument, argument: Argument, step: int) -> None:
    """Goes on as an argument did that came to the same goal."""
    argument.passed.update({at: left for at, left in earlier.passed.items() if at < step})
    argument.settled.update(at for at in earlier.settled if at <= step)
    argument.is_proof, argument.blocked, argument.why = earlier.is_proof, earlier.blocked, earlier.why
