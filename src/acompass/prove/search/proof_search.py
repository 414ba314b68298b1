"""Search for the proof of a fact: trace each goal back to goals at an earlier step, until none is left."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from acompass.dataclasses import dataclass, field
from acompass.prove.effort import require_time
from acompass.prove.rules.backward_rules import BackwardRules, Rule
from acompass.prove.rules.facts import Fact
from acompass.prove.rules.reachability import Reachability
from acompass.prove.rules.write_rules import Blocked

#: the most goals in the search for a proof of one claim
MAX_GOALS = 4_000
#: how often the search for one claim may try another rule after a failure
MAX_RETRIES = 100


@dataclass(slots=True)
class ProofAttempt:
    is_proof: bool
    #: maps each requirement that the claim was traced through to the number of goals left before it
    passed: dict[int, int] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)  # the steps at which a goal follows from the values
    #: after a failure, the requirement that no rule leads back through; None if a goal was left at the start
    blocked: int | None = None
    why: str = ""

    def and_then(self, other: "ProofAttempt") -> "ProofAttempt":
        """The attempt to prove both; the first failure gives the reason."""
        if not self.is_proof or not other.is_proof:
            return other if self.is_proof else self
        steps = self.passed.keys() | other.passed.keys()
        passed = {step: max(self.passed.get(step, 0), other.passed.get(step, 0)) for step in steps}
        return ProofAttempt(True, passed, self.settled | other.settled)


@dataclass(frozen=True, slots=True)
class _Way:
    """Goals before the requirement at the step `at` that together imply another goal; none if that goal is settled."""

    at: int
    goals: tuple[Fact, ...]
    is_settled: bool = False


@dataclass(slots=True)
class _Frame:
    goal: Fact
    ways: Iterator[_Way]  # the ways that are left
    way: _Way | None = None  # the way being tried
    failure: ProofAttempt | None = None  # of the first way


class ProofSearch:
    """Caches the outcome of every goal: the claims of one policy mostly lead to the same goals."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._rules = BackwardRules(reachability)
        self._proofs: dict[Fact, _Way] = {}
        self._failures: dict[Fact, ProofAttempt] = {}
        self._retries = 0
        self._writing: defaultdict[int, list[int]] = defaultdict(list)
        for transition in reachability.transitions:
            for column in transition.columns:
                self._writing[column].append(transition.step)

    def carry_back(self, fact: Fact) -> Fact:
        return self._rules.carry_back(fact)

    def prove(self, claim: Fact) -> ProofAttempt:
        if claim not in self._proofs and claim not in self._failures:
            self._explore(claim)
        return self._failures.get(claim) or self._course(claim)

    def _explore(self, claim: Fact) -> None:
        self._retries = 0
        frames = [self._frame(claim)]
        goals = 1
        while frames:
            require_time()
            goal = self._next_goal(frames[-1])
            if goal is None:
                frames.pop()
                continue
            frames.append(self._frame(goal))
            goals += 1
            if goals > MAX_GOALS:
                self._failures.update({frame.goal: ProofAttempt(False) for frame in frames})
                return

    def _frame(self, goal: Fact) -> _Frame:
        frame = _Frame(goal, iter(()))
        frame.ways = self._ways(frame)
        return frame

    def _next_goal(self, frame: _Frame) -> Fact | None:
        """A goal that the frame's goal still needs; None once the latter is proved or has failed."""
        while True:
            frame.way = frame.way or next(frame.ways, None)
            if frame.way is None:
                self._failures[frame.goal] = frame.failure or ProofAttempt(False)
                return None
            failed = next((goal for goal in frame.way.goals if goal in self._failures), None)
            if failed is not None:
                frame.failure = frame.failure or self._failures[failed]
                frame.way = None
                continue
            pending = next((goal for goal in reversed(frame.way.goals) if goal not in self._proofs), None)
            if pending is None:
                self._proofs[frame.goal] = frame.way
            return pending

    def _ways(self, frame: _Frame) -> Iterator[_Way]:
        """The ways to prove the goal, each an application of a rule."""
        laws, care = self._reachability.laws, self._reachability.care
        goal = frame.goal
        for candidate in (goal, self._rules.carry_back(goal)):
            goal = self._reachability.without_excluded(candidate)
            if laws.follows(goal, care[goal.step]):
                yield _Way(goal.step, (), is_settled=True)
                return
        if goal.step > 0:
            newest_first = sorted(goal.groups, key=lambda column: self._last_write(goal.step, column))
            fewer = laws.without_determined(goal, care[goal.step], newest_first)
            yield from self._before_requirement(fewer, frame)

    def _last_write(self, step: int, column: int) -> int:
        """A sort key: the later the column was last written before the step, the smaller."""
        writing = self._writing[column]
        at = bisect_left(writing, step)
        return -writing[at - 1] if at else 1

    def _before_requirement(self, goal: Fact, frame: _Frame) -> Iterator[_Way]:
        at = goal.step - 1
        first, *others = self._rules.rules(self._reachability.transitions[at])
        for rule in chain((first,), self._as_retries(others)):
            try:
                goals = rule(goal, self._reachability.transitions[at])
            except Blocked as blocked:
                frame.failure = frame.failure or ProofAttempt(False, blocked=at, why=str(blocked))
            else:
                yield _Way(at, tuple(goals))

    def _as_retries(self, rules: Iterable[Rule]) -> Iterator[Rule]:
        for rule in rules:
            self._retries += 1
            if self._retries <= MAX_RETRIES:
                yield rule

    def _course(self, claim: Fact) -> ProofAttempt:
        """The requirements and steps that a proof uses."""
        attempt = ProofAttempt(True)
        pending, seen = [claim], {claim}
        while pending:
            way = self._proofs[pending.pop()]
            if way.is_settled:
                attempt.settled.add(way.at)
            else:
                attempt.passed[way.at] = max(attempt.passed.get(way.at, 0), len(way.goals))
            pending += [goal for goal in way.goals if goal not in seen]
            seen.update(way.goals)
        return attempt
