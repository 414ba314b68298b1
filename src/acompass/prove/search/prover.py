"""Provers: a policy prepared to prove any assertion at any step, for all tables on which the known checks hold.

Where lines for one column read many others, the exact set of reachable records can be too large. `Provers` then creates
a prover for the columns of each claim, which forgets the other columns after each line. It over-approximates the
reachable records, so its proofs are sound.
"""

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeVar, assert_never

from acompass.dataclasses import dataclass, field, replace
from acompass.language.program import effects
from acompass.language.program.aggregates import facts_about
from acompass.language.program.program import Assertion, Program, Project, Remove, Write
from acompass.language.program.types import Kind
from acompass.language.text.tree import Function, Quantifier
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram
from acompass.prove.diagrams.variables import Variables
from acompass.prove.proof import MOST_OPERATIONS, Budget, Exhausted, recursion_limit, require_time
from acompass.prove.rules.backward_rules import BackwardRules, Rule
from acompass.prove.rules.facts import Alternatives, Fact, class_assertion
from acompass.prove.rules.laws import KnownFacts, SumsAndCounts
from acompass.prove.rules.reachability import Reachability, Transition, record_condition
from acompass.prove.rules.write_rules import Blocked, Preimages
from acompass.prove.search.claims import assertion_columns
from acompass.prove.search.origins import Origins

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


#: operations on diagrams for a prover of all columns, about half a second
FEW_OPERATIONS = 60_000

Key = TypeVar("Key")


class Prover:
    """Proves assertions about one program. The requirement at a step is the one performed next.

    `known` are the steps of checks that hold when they run, because nothing is written otherwise (D31, `prove`).
    `reach` contains the records that can reach each step, ignoring later checks; `reachability` leaves out those that
    later checks exclude. Provers may share their `variables`. With a `focus`, only these columns of the reachable
    records are tracked.
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
        """The reachability without the records that known checks exclude from earlier steps."""
        excluded = ExcludedRecords(reachability).by_step() if self.known else [EMPTY]
        if all(records is EMPTY for records in excluded):
            return reachability
        return Reachability(self.program, self.variables, self.known, excluded, focus)

    @property
    def last(self) -> int:
        return len(self.program.requirements)

    def fits(self, assertion: Assertion, own: int, other: int) -> bool:
        """Whether an assertion that was checked for one step also makes sense at another: it reads no dropped column,
        and the columns that it compares or aggregates have the same types."""
        version = self.variables.version
        kinds = (self.variables.schemas[other][column].type.kind for column in assertion_columns(assertion))
        return Kind.DROPPED not in kinds and all(
            version(own, column) == version(other, column) for column in effects.columns_compared(assertion)
        )

    def fits_since(self, assertion: Assertion, own: int) -> int:
        """The first step at which an assertion that was checked for the step `own` makes sense."""
        columns = effects.columns_compared(assertion)
        return max((self.variables.first_step(own, column) for column in columns), default=0)

    def forbidden_records(self, step: int, assertion: Assertion) -> Diagram:
        """The records that an EACH about records forbids."""
        scope, condition = record_condition(self.variables, step, assertion)
        return self.diagrams.difference(scope, condition)

    def violating_records(self, step: int, assertion: Assertion) -> Diagram:
        """The records that an EACH about records forbids and that can reach the step."""
        return self.diagrams.intersection(self.reachability.reach[step], self.forbidden_records(step, assertion))

    def attempt(self, assertion: Assertion, step: int) -> ProofAttempt:
        """Try to prove that the assertion holds for every table at the step."""
        if assertion.quantifier is Quantifier.SOME:
            return SomeClaims(self.program, self.known, self.reachability, self._attempt_fact).attempt(assertion, step)
        classes = class_assertion(self.variables, step, assertion)
        if classes is None:
            return ProofAttempt(self.violating_records(step, assertion) is EMPTY)
        attempt = ProofAttempt(True)
        for part in classes.parts:
            attempt = attempt.and_then(self._attempt_alternatives(part))
        return attempt

    def trace_back(self, assertion: Assertion) -> ProofAttempt:
        """Try to prove an assertion about records of the final table by showing that no violating record has an origin.
        Useful with a `focus`, which over-approximates the reachable records."""
        if assertion.quantifier is Quantifier.SOME or effects.process_in(assertion) is not None:
            return ProofAttempt(False)
        origins = Origins(self.reachability, random.Random(0))
        is_proof = origins.has_none(self.violating_records(self.last, assertion))
        return ProofAttempt(is_proof, why="no record that violates it can be traced back to the start")

    def _attempt_alternatives(self, part: Alternatives) -> ProofAttempt:
        """Try to prove one fact for every class; if that fails, that every class satisfies at least one of them."""
        attempt = ProofAttempt(False)
        for fact in part or ():
            attempt = self._attempt_fact(fact)
            if attempt.is_proof:
                return attempt
        return attempt if part is None else self._attempt_together(part) or attempt

    def _attempt_fact(self, fact: Fact) -> ProofAttempt:
        """The lower and the upper bound may need separate proofs."""
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
        for other in () if attempt.is_proof else self._related_facts(fact):
            found = self._search.prove(other)
            if found.is_proof:
                return found
        return attempt

    def _related_facts(self, fact: Fact) -> Iterator[Fact]:
        care = self.reachability.care[fact.step]
        match fact.function:
            case Function.SUM:
                yield self._sums_and_counts.counts_for(fact, care)
            case Function.COUNT:
                for column in self._summed_columns(fact.step):
                    yield self._sums_and_counts.sums_for(fact, column, care)
            case (
                Function.COUNT_DISTINCT
                | Function.MIN
                | Function.MAX
                | Function.SHARE_OF_LARGEST
                | Function.SHARE_OF_MODE
            ):
                pass
            case _:
                assert_never(fact.function)

    def _summed_columns(self, step: int) -> list[int]:
        """The columns whose sums the policy compares and that have the same type at the step."""
        kept = [fact for transition in self.reachability.transitions for fact in transition.kept]
        sums = [fact for fact in kept if facts_about(fact.function).adds and fact.column is not None]
        version = self.variables.version
        return sorted(
            {s.column for s in sums if s.column is not None and version(s.step, s.column) == version(step, s.column)}
        )

    def _attempt_together(self, part: tuple[Fact, ...]) -> ProofAttempt | None:
        """Try to prove that no class can violate all alternatives, or that no such class is left."""
        step = part[0].step
        care = self.diagrams.intersection(self.reachability.care[step], part[0].where)
        refused = self.reachability.laws.can_refuse(part, care)
        if self.diagrams.intersection(care, refused) is EMPTY:
            return ProofAttempt(True, settled={step})
        return self._attempt_established(part)

    def _attempt_established(self, part: tuple[Fact, ...]) -> ProofAttempt | None:
        """Check whether the previous line removes or excludes every class that violates all alternatives. A check
        changes nothing, so the line may also come before it."""
        at = max(self._search.carry_back(fact).step for fact in part) - 1
        if at < 0:
            return None
        requirement = self.program.requirements[at]
        action = requirement.action
        is_established = (effects.removes_records(action) and effects.is_certain(action)) or at in self.known
        wanted = tuple(replace(fact, step=at) for fact in part)
        if is_established and requirement.assertion.quantifier is Quantifier.EACH:
            classes = class_assertion(self.variables, at, requirement.assertion)
            if classes and wanted in classes.parts:
                return ProofAttempt(True, passed={at: 0})
        return self._attempt_established(wanted) if action is None else None


@dataclass(frozen=True, slots=True)
class SomeClaims:
    """Proves SOME claims from a SOME that is known to hold."""

    program: Program
    known: frozenset[int]  # the steps of checks that hold when they run
    reachability: Reachability
    attempt_fact: Callable[[Fact], ProofAttempt]

    def attempt(self, assertion: Assertion, step: int) -> ProofAttempt:
        for at in self._steps_known_to_hold(step):
            if self._is_same(assertion, at, step) or self._has_witness(assertion, at, step):
                return ProofAttempt(True, passed={at: 0})
        return ProofAttempt(False)

    def _steps_known_to_hold(self, step: int) -> Iterator[int]:
        """The steps of each SOME that is known to hold when it runs, latest first. If a later one holds, the table is
        not empty, so a REJECT has not removed all records."""
        is_nonempty = False
        for at in range(step - 1, -1, -1):
            requirement = self.program.requirements[at]
            if requirement.assertion.quantifier is Quantifier.SOME:
                action = requirement.action
                is_survived = is_nonempty and effects.removes_records(action) and effects.is_certain(action)
                if at in self.known or is_survived:
                    yield at
                    is_nonempty = True

    def _is_same(self, assertion: Assertion, at: int, step: int) -> bool:
        """Whether the SOME at a step is the same assertion, or implies it for the same classes, and no later line
        changes the columns that it reads."""
        read = effects.columns_read(self.program.requirements[at])
        later = [requirement.action for requirement in self.program.requirements[at + 1 : step]]
        if any(effects.changes(action, read) for action in later):
            return False
        known = self.program.requirements[at].assertion
        return assertion == known or (self._fits(known, step) and self._is_implied(assertion, known, step))

    def _fits(self, assertion: Assertion, step: int) -> bool:
        """Whether no column that the assertion reads is dropped before the step."""
        schema = self.reachability.laws.variables.schemas[step]
        return all(schema[column].type.kind is not Kind.DROPPED for column in assertion_columns(assertion))

    def _is_implied(self, assertion: Assertion, known: Assertion, step: int) -> bool:
        """Whether every class that satisfies the known assertion satisfies the other."""
        variables = self.reachability.laws.variables
        one, other = (class_assertion(variables, step, each) for each in (known, assertion))
        if one is None or other is None or (one.where, one.groups) != (other.where, other.groups):
            return False
        unsettled_keys, care = KnownFacts(self.reachability.laws).unsettled_keys, self.reachability.care[step]
        return all(any(unsettled_keys(fact, one.facts, care) is EMPTY for fact in part or ()) for part in other.parts)

    def _has_witness(self, assertion: Assertion, at: int, step: int) -> bool:
        """Rule of the witness: a record that satisfies a known SOME ends up satisfying this one, or its class does."""
        witness = self._witness(at, step)
        if witness is None or witness is EMPTY:
            return witness is EMPTY
        variables, diagrams = self.reachability.laws.variables, self.reachability.laws.diagrams
        classes = class_assertion(variables, step, assertion)
        if classes is None:
            scope, condition = record_condition(variables, step, assertion)
            return diagrams.difference(witness, diagrams.intersection(scope, condition)) is EMPTY
        is_selected = diagrams.difference(witness, classes.where) is EMPTY
        return is_selected and all(self._is_satisfied_with(part, witness) for part in classes.parts)

    def _witness(self, at: int, step: int) -> Diagram | None:
        """The records that a record satisfying a known SOME can become; EMPTY if no record satisfies it, so that
        nothing is written; None if the record may be removed."""
        reachability, diagrams = self.reachability, self.reachability.laws.diagrams
        assertion = self.program.requirements[at].assertion
        witness = reachability.satisfying(at, assertion, reachability.care[at])
        for transition in reachability.transitions[at + 1 : step]:
            removed = diagrams.intersection(witness, transition.may)
            if effects.removes_records(transition.requirement.action) and removed is not EMPTY:
                return None
            witness = reachability.after(transition, witness)
        return diagrams.intersection(witness, reachability.care[step])

    def _is_satisfied_with(self, part: Alternatives, witness: Diagram) -> bool:
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


class ExcludedRecords:
    """Records that later checks exclude, whatever happens to them before."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._preimages = Preimages(reachability)
        self._diagrams = reachability.laws.diagrams

    def by_step(self) -> list[Diagram]:
        """For each step, records that no table can contain if the run writes anything."""
        excluded = [EMPTY]
        for transition in reversed(self._reachability.transitions):
            excluded.append(self._before(excluded[-1], transition))
        return excluded[::-1]

    def _before(self, excluded: Diagram, transition: Transition) -> Diagram:
        effect = effects.effect_of(transition.requirement.action)
        match effect:
            case None if transition.is_known:
                return self._diagrams.union(excluded, transition.must)
            case None | Project():
                return excluded
            case Remove():
                return self._diagrams.difference(excluded, transition.may)
            case Write():
                return self._before_write(excluded, transition)
            case _:
                assert_never(effect)

    def _before_write(self, excluded: Diagram, transition: Transition) -> Diagram:
        """The records that are excluded either way: unchanged, unless they must be affected, and rewritten, unless they
        cannot be affected."""
        diagrams = self._diagrams
        kept = self._preimages.surely_before_keeping(excluded, transition)
        if effects.is_certain(transition.requirement.action):
            kept = diagrams.union(kept, transition.must)
        saved = self._reachability.before_rewriting(transition, diagrams.complement(excluded))
        return diagrams.difference(kept, diagrams.intersection(saved, transition.may))


class Provers:
    """The provers of a policy: a single one if it costs little, otherwise one for the columns of each claim.

    The arguments are those of `Prover`. Every method raises Exhausted if it costs too much: more than `operations` on
    diagrams for the reachable records, or for all proofs.
    """

    def __init__(
        self,
        program: Program,
        claims: Sequence[Assertion],
        known: frozenset[int] = frozenset(),
        any_scale: frozenset[int] = frozenset(),
        operations: int | None = None,
    ):
        self._program = program
        self._claims = tuple(claims)
        self._known = known
        self._any_scale = any_scale
        self._few, self._most = operations or FEW_OPERATIONS, operations or MOST_OPERATIONS
        self._focused: dict[frozenset[int], Prover] = {}

    def for_assertion(self, assertion: Assertion) -> Prover:
        return self.for_columns(assertion_columns(assertion))

    def for_columns(self, columns: frozenset[int]) -> Prover:
        if self._whole is not None:
            return self._whole
        if columns not in self._focused:
            self._focused[columns] = self._prover(self._variables, columns)
        return self._focused[columns]

    def by_prover(self, assertions: Mapping[Key, Assertion]) -> dict[Prover, dict[Key, Assertion]]:
        """The assertions, grouped by the prover for each."""
        found: defaultdict[Prover, dict[Key, Assertion]] = defaultdict(dict)
        for key, assertion in assertions.items():
            found[self.for_assertion(assertion)][key] = assertion
        return found

    @cached_property
    def _whole(self) -> Prover | None:
        return self._of_all_columns(self._few)

    @cached_property
    def exact(self) -> Prover | None:
        """A prover with the exact reachable records, for claims that no other proves; None if it costs too much."""
        return self._of_all_columns(self._most)

    def _of_all_columns(self, operations: int) -> Prover | None:
        budget = Budget(operations)
        try:
            prover = self._prover(self._new_variables(budget), None)
        except Exhausted:
            require_time()
            return None
        budget.add(self._most)
        return prover

    @cached_property
    def _variables(self) -> Variables:
        return self._new_variables(Budget(self._most))

    def _new_variables(self, budget: Budget) -> Variables:
        return Variables(self._program, self._claims, self._any_scale, budget)

    def _prover(self, variables: Variables, focus: frozenset[int] | None) -> Prover:
        with recursion_limit():
            return Prover(self._program, self._claims, self._known, self._any_scale, variables, focus)
