"""The search for a proof of a fact: trace each goal back to goals of an earlier step, until none is left."""

from dataclasses import dataclass, field

from acompass.prove.backward_rules import BackwardRules
from acompass.prove.blocked import Blocked
from acompass.prove.effort import require_time
from acompass.prove.facts import Fact
from acompass.prove.reachability import Reachability

#: goals that a claim may lead to before the search gives up
MAX_GOALS = 4_000


@dataclass(slots=True)
class ProofAttempt:
    """The course of a search.

    `passed` maps each requirement that the claim was traced through to the number of goals left before it;
    `settled` has the steps at which a goal needed nothing more. After a failure, `blocked` is the requirement
    that no rule leads back through, with the reason in `why`; it is None if a goal was left at the start of
    the policy.
    """

    is_proof: bool
    passed: dict[int, int] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    blocked: int | None = None
    why: str = ""

    def and_then(self, other: "ProofAttempt") -> "ProofAttempt":
        """The attempt to prove both; the first that fails tells why."""
        if not self.is_proof or not other.is_proof:
            return other if self.is_proof else self
        steps = self.passed.keys() | other.passed.keys()
        passed = {step: max(self.passed.get(step, 0), other.passed.get(step, 0)) for step in steps}
        return ProofAttempt(True, passed, self.settled | other.settled)


class ProofSearch:
    """Remembers the outcome of every goal: the claims of one policy mostly lead to the same goals."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._rules = BackwardRules(reachability)
        self._attempts: dict[Fact, ProofAttempt] = {}

    def carried_back(self, fact: Fact) -> Fact:
        return self._rules.carried_back(fact)

    def prove(self, claim: Fact) -> ProofAttempt:
        attempt = ProofAttempt(True)
        came_from: dict[Fact, Fact | None] = {claim: None}
        pending = [claim]
        while pending and attempt.is_proof:
            require_time()
            goal = pending.pop()
            earlier = self._earlier_goals(goal, attempt)
            fresh = [fact for fact in earlier if fact not in came_from]
            came_from.update(dict.fromkeys(fresh, goal))
            pending += fresh
            if len(came_from) > MAX_GOALS:
                attempt.is_proof = False
            if not attempt.is_proof:
                self._remember_failure(attempt, goal, came_from)
        if attempt.is_proof:
            self._attempts.update(dict.fromkeys(came_from, attempt))
        return attempt

    def _remember_failure(
        self, attempt: ProofAttempt, goal: Fact, came_from: dict[Fact, Fact | None]
    ) -> None:
        """A goal fails together with every goal that needs it."""
        failing: Fact | None = goal
        while failing is not None:
            self._attempts[failing] = attempt
            failing = came_from[failing]

    def _earlier_goals(self, goal: Fact, attempt: ProofAttempt) -> list[Fact]:
        """The goals that remain for this one; the attempt records where it was settled, or why it failed."""
        if goal in self._attempts:
            _continue_as(self._attempts[goal], attempt, goal.step)
            return []
        goal = self._rules.carried_back(goal)
        care = self._reachability.care[goal.step]
        laws = self._reachability.laws
        if laws.follows(goal, care):
            attempt.settled.add(goal.step)
            return []
        if goal.step == 0:
            attempt.is_proof = False
            return []
        return self._before_requirement(laws.without_single(goal, care), attempt)

    def _before_requirement(self, goal: Fact, attempt: ProofAttempt) -> list[Fact]:
        at = goal.step - 1
        try:
            earlier = self._rules.before(goal, self._reachability.transitions[at])
        except Blocked as blocked:
            attempt.is_proof, attempt.blocked, attempt.why = False, at, str(blocked)
            return []
        attempt.passed[at] = len(earlier)
        return earlier


def _continue_as(earlier: ProofAttempt, attempt: ProofAttempt, step: int) -> None:
    """Continue the attempt as an earlier one continued from the same goal."""
    attempt.passed.update({at: left for at, left in earlier.passed.items() if at < step})
    attempt.settled.update(at for at in earlier.settled if at <= step)
    attempt.is_proof, attempt.blocked, attempt.why = earlier.is_proof, earlier.blocked, earlier.why
