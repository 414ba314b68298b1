"""The lines of a certificate: facts at each step, each with the reason why it holds."""

from contextlib import suppress
from dataclasses import dataclass, replace

from acompass.certify.conditions import EVERYTHING, NOTHING, Conditions
from acompass.certify.constants import Json, constant
from acompass.certify.program import function
from acompass.certify.prover import CertifyingProver
from acompass.certify.rules import BranchGoal
from acompass.certify.uncertified import NotCertified
from acompass.checked.effects import generalize_of, is_certain, process_in
from acompass.checked.program import Assertion
from acompass.checked.types import Value
from acompass.prove.blocked import Blocked
from acompass.prove.decision_diagram import EMPTY, Diagram
from acompass.prove.effort import require_time
from acompass.prove.facts import Fact
from acompass.prove.proof_search import MAX_GOALS
from acompass.prove.reachability import Transition
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.prove.value_order import INFINITE

#: requirements of a policy with a certificate: it says something of each step
MOST_STEPS = 200
#: values that a column is listed to have
MOST_VALUES = 64


@dataclass(slots=True)
class Line:
    fact: Json
    because: Json

    def as_json(self) -> Json:
        return {"fact": self.fact, "because": self.because}


class Outline:
    def __init__(self, prover: CertifyingProver):
        self._prover = prover
        self._reachability = prover.reachability
        self._laws = prover.laws
        self._rules = prover.rules
        self._diagrams = prover.diagrams
        self._conditions = Conditions(prover.variables)
        self.lines: list[list[Line]] = [[] for _ in self._reachability.reach]
        self._index: dict[Fact, int] = {}
        self._asked: set[Fact] | None = None

    def add(self, fact: Fact) -> None:
        """Add the lines of all facts that a fact rests on, step by step. Raises NotCertified."""
        found, pending = {fact}, [fact]
        while pending:
            require_time()
            fresh = self._needed(pending.pop()) - found
            found |= fresh
            pending += fresh
            if len(found) > MAX_GOALS:
                raise NotCertified(f"the proof needs more than {MAX_GOALS:,} facts")
        for each in sorted(found, key=lambda each: each.step):
            self.reason(each)

    def _needed(self, fact: Fact) -> set[Fact]:
        """The facts whose lines the fact's own line refers to."""
        needed: set[Fact] = set()
        self._asked = needed
        try:
            if self._by_values(fact) is None:
                self._because(fact)
        finally:
            self._asked = None
        return needed

    def line(self, fact: Fact) -> int:
        """The number of the fact's line at its step."""
        if self._asked is not None:
            self._asked.add(fact)
            return 0
        if fact not in self._index:
            because = self._because(fact)
            self._index[fact] = len(self.lines[fact.step])
            self.lines[fact.step].append(Line(self.fact(fact), because))
        return self._index[fact]

    def reason(self, fact: Fact) -> Json:
        """Why a fact holds at its own step."""
        values = self._by_values(fact)
        return values if values is not None else ["line", self.line(fact), []]

    def fact(self, fact: Fact) -> Json:
        return {
            "function": function(fact.function, fact.column),
            "where": self._conditions.of_records(fact.where),
            "group by": sorted(fact.groups),
            "allowed": self.allowed(fact),
        }

    def allowed(self, fact: Fact) -> Json:
        return self._conditions.of_classes(fact.allowed, self._laws.aggregates.variable(fact))

    def _by_values(self, fact: Fact) -> Json | None:
        care = self._reachability.reach[fact.step]
        return ["values", self._counted_values(fact, care)] if self._laws.follows(fact, care) else None

    def _counted_values(self, fact: Fact, care: Diagram) -> Json:
        """The values of the counted column, if they are few."""
        if fact.column is None:
            return []
        variable = self._prover.variables.column(fact.step, fact.column)
        regions = self._prover.variables.regions(variable)
        mask = self._laws.values(fact, care)
        size = regions.cardinality(mask)
        if size == INFINITE or size > MOST_VALUES:
            return []
        return [constant(value) for value in _all_values(regions, mask)]

    def _because(self, fact: Fact) -> Json:
        values = self._by_values(fact)
        if values is not None:
            return ["here", values]
        if fact.step == 0:
            raise NotCertified("nothing is known of the table at the start")
        if self._rules.passes(fact):
            return self._carried(fact)
        transition = self._reachability.transitions[fact.step - 1]
        if transition.requirement.action is None:
            return self._through_check(fact, transition)
        care = self._reachability.reach[fact.step]
        reduced = self._laws.without_single(fact, care)
        if reduced != fact:
            return ["here", ["line", self.line(reduced), self._singles(fact, care)]]
        return self._back(fact, transition)

    def _carried(self, fact: Fact) -> Json:
        return ["through", self._before(replace(fact, step=fact.step - 1))]

    def _before(self, fact: Fact) -> Json:
        return ["before", self.fact(fact), self.reason(fact)]

    def _back(self, fact: Fact, transition: Transition) -> Json:
        action = transition.requirement.action
        if transition.column is not None and transition.column == fact.column and generalize_of(action):
            raise NotCertified("a line generalizes the column whose values are counted")
        if transition.column in fact.groups and not self._laws.is_kept_by_merging(fact):
            raise NotCertified("a line writes a column of the classes, and unions do not keep the fact")
        try:
            if not is_certain(action):
                return ["through", self._before(self._rules.before_coin(fact, transition))]
            goals = list(self._rules.branch_goals(fact, transition))
        except Blocked as blocked:
            raise NotCertified(str(blocked)) from blocked
        premises = [self._premise(goal, transition) for goal in goals]
        return ["through", *premises] if transition.together is None else ["back", *premises]

    def _through_check(self, fact: Fact, transition: Transition) -> Json:
        same = replace(fact, step=transition.step)
        with suppress(Blocked):
            finer = self._rules.finer(same, transition)
            kept = self._rules.kept_by(finer, transition, self._left_alone(transition))
            if transition.is_known and kept is not None:
                return ["back", ["before", self.fact(finer), self._own(kept, transition)], "void"]
        return ["through", self._before(same)]

    def _left_alone(self, transition: Transition) -> Diagram:
        return self._diagrams.difference(transition.care, transition.must)

    def _premise(self, each: BranchGoal, transition: Transition) -> Json:
        if each.goal is None:
            return "void" if each.is_void else "fresh"
        if each.kept is not None:
            return ["before", self.fact(each.goal), self._own(each.kept, transition)]
        return self._before(each.goal)

    def _own(self, kept: Fact, transition: Transition) -> Json:
        """What the requirement's own assertion says of one of its aggregates."""
        position = self.position(kept, transition.requirement.assertion)
        return ["own", position, self.allowed(kept), self._singles(kept, self._left_alone(transition))]

    def position(self, fact: Fact, assertion: Assertion) -> int:
        """The position of the assertion's aggregate that the fact is about. Raises NotCertified."""
        process = process_in(assertion)
        assert process is not None
        asked = [(each.function, each.column) for each in process.aggregates]
        if asked.count((fact.function, fact.column)) > 1:
            raise NotCertified("an assertion has the same aggregate twice")
        return asked.index((fact.function, fact.column))

    def _singles(self, fact: Fact, care: Diagram) -> Json:
        """The columns that have one value in all records of the fact, with this value."""
        variables = self._prover.variables
        records = self._diagrams.intersection(care, fact.where)
        found = []
        for variable in sorted(self._diagrams.support(records)):
            mask = self._diagrams.mask_of(records, variable)
            if variables.is_single(variable, mask):
                value = _all_values(variables.regions(variable), mask)[0]
                found.append([variables.column_of(variable), constant(value)])
        return found

    def may(self, transition: Transition) -> Json:
        return self._conditions.of_records(transition.affects)

    def must(self, transition: Transition) -> Json:
        """Where the records that may be affected must be, it is the simpler condition that says so."""
        must = transition.affects if transition.may is transition.must else transition.must
        return NOTHING if transition.must is EMPTY else self._conditions.of_records(must)

    def invariant(self, step: int) -> Json:
        return self._conditions.of_records(self._reachability.reach[step])

    def annotations(self, types: list[list[Json]]) -> Json:
        transitions = self._reachability.transitions
        return [
            {
                "types": types[step],
                "invariant": self.invariant(step),
                "may": self.may(transitions[step]) if step < len(transitions) else EVERYTHING,
                "must": self.must(transitions[step]) if step < len(transitions) else NOTHING,
                "facts": [line.as_json() for line in self.lines[step]],
            }
            for step in range(len(self.lines))
        ]


def _all_values(regions: Regions, mask: Mask) -> list[Value]:
    """All values of a finite set of regions."""
    sizes = {region: int(regions.cardinality(1 << region)) for region in regions_in(mask)}
    return [value for region, size in sizes.items() for value in regions.values(region, size)]
