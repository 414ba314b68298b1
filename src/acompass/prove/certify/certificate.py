"""The certificate of a policy's proved claims: facts at each step, each with the reason why it holds.

The prover that writes a certificate uses only what the checker supports, so a claim may be proved but not certified.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import facts_about
from acompass.language.program.effects import is_certain, map_of, process_in
from acompass.language.program.program import Assertion, Process
from acompass.language.program.types import Value
from acompass.language.text.tree import Quantifier
from acompass.prove.certify import encoding
from acompass.prove.certify.encoding import EVERYTHING, NOTHING, Conditions, Json, NotCertified
from acompass.prove.certify.prover import BranchGoal, CertifyingProver, single_values
from acompass.prove.diagrams.decision_diagram import EMPTY, Diagram
from acompass.prove.diagrams.regions import INFINITE, Mask, Regions, regions_in
from acompass.prove.proof import Exhausted, recursion_limit, require_time
from acompass.prove.rules.facts import Alternatives, Fact, class_assertion
from acompass.prove.rules.reachability import Transition
from acompass.prove.rules.write_rules import Blocked
from acompass.prove.search.claims import is_assumed
from acompass.prove.search.prover import MAX_GOALS
from acompass.prove.search.verdicts import ProvedClaim

VERSION = 2
#: the most requirements of a policy with a certificate, which describes each step
MOST_STEPS = 200
#: the most values of a column that a certificate lists
MOST_VALUES = 64


@dataclass(frozen=True, slots=True)
class Certified:
    claim: ProvedClaim
    proof: Json  # the part of the certificate about this claim


@dataclass(frozen=True, slots=True)
class Uncertified:
    claim: ProvedClaim
    reason: str


def certify(claim: ProvedClaim) -> Certified | Uncertified:
    try:
        with recursion_limit():
            return Certified(claim, _encode_proof(claim))
    except (NotCertified, Exhausted) as problem:
        return Uncertified(claim, str(problem))


def build_certificate(text: str, proved: Sequence[ProvedClaim], certified: Sequence[Certified]) -> Json:
    """The whole certificate: what the checker reads, and the hash of the policy. All claims are about one policy."""
    return {
        "acompass": "certificate",
        "version": VERSION,
        "policy": {"sha256": hashlib.sha256(text.encode()).hexdigest()},
        **_encode_program(proved[0] if proved and encoding.is_known(proved[0].program) else None),
        "claims": [each.proof for each in certified],
    }


def _encode_program(claim: ProvedClaim | None) -> Json:
    if claim is None:
        return {"columns": [], "types": [], "program": []}
    return {
        "columns": [column.name for column in claim.program.schema],
        "types": encoding.step_types(claim.program, claim.any_scale)[0],
        "program": [encoding.encode_requirement(each) for each in claim.program.requirements],
    }


def _encode_proof(claim: ProvedClaim) -> Json:
    if claim.assertion.quantifier is Quantifier.SOME:
        raise NotCertified("certificates are for EACH, not for SOME")
    if any(is_assumed(each) for each in claim.program.requirements):
        raise NotCertified("the claim depends on an assumption")
    if len(claim.program.requirements) > MOST_STEPS:
        raise NotCertified(f"the policy has more than {MOST_STEPS} requirements")
    encoding.require_known(claim.program, claim.assertion)
    prover = CertifyingProver(claim.program, [claim.assertion], claim.known, claim.any_scale)
    outline = Outline(prover)
    parts = _encode_parts(prover, outline, claim.assertion)
    proof = {
        "assertion": encoding.encode_assertion(claim.assertion),
        "known": sorted(claim.known),
        "steps": outline.encode_steps(prover.types),
        "parts": parts,
    }
    encoding.require_visible([proof, _encode_program(claim)])
    return proof


class Outline:
    """The facts of a proof at each step, each with a reason that refers to facts at the same or the previous step."""

    def __init__(self, prover: CertifyingProver):
        self._prover = prover
        self._reachability = prover.reachability
        self._laws = prover.laws
        self._rules = prover.rules
        self._diagrams = prover.diagrams
        self._conditions = Conditions(prover.variables)
        self.lines: list[list[Json]] = [[] for _ in self._reachability.reach]
        self._index: dict[Fact, int] = {}
        self._asked: set[Fact] | None = None

    def add(self, fact: Fact) -> None:
        """Add the fact and all facts that it rests on, step by step. Raises NotCertified."""
        found, pending = {fact}, [fact]
        while pending:
            require_time()
            fresh = self._facts_needed(pending.pop()) - found
            found |= fresh
            pending += fresh
            if len(found) > MAX_GOALS:
                raise NotCertified(f"the proof needs more than {MAX_GOALS:,} facts")
        for each in sorted(found, key=lambda each: each.step):
            self.encode_reason(each)

    def _facts_needed(self, fact: Fact) -> set[Fact]:
        """The facts that the reason for a fact refers to."""
        needed: set[Fact] = set()
        self._asked = needed
        try:
            if self._by_values(fact) is None:
                self._encode_because(fact)
        finally:
            self._asked = None
        return needed

    def line_number(self, fact: Fact) -> int:
        """The number of the fact's line at its step."""
        if self._asked is not None:
            self._asked.add(fact)
            return 0
        if fact not in self._index:
            because = self._encode_because(fact)
            self._index[fact] = len(self.lines[fact.step])
            self.lines[fact.step].append({"fact": self.encode_fact(fact), "because": because})
        return self._index[fact]

    def encode_reason(self, fact: Fact) -> Json:
        """The reason why a fact holds at its step."""
        values = self._by_values(fact)
        return values if values is not None else ["line", self.line_number(fact), []]

    def encode_fact(self, fact: Fact) -> Json:
        return {
            "function": encoding.encode_function(fact.function, fact.column),
            "where": self._conditions.of_records(fact.where),
            "group by": sorted(fact.groups),
            "allowed": self.encode_allowed(fact),
        }

    def encode_allowed(self, fact: Fact) -> Json:
        return self._conditions.of_classes(fact.allowed, self._laws.aggregates.variable(fact))

    def _by_values(self, fact: Fact) -> Json | None:
        care = self._reachability.reach[fact.step]
        return ["values", self._counted_values(fact, care)] if self._laws.follows(fact, care) else None

    def _counted_values(self, fact: Fact, care: Diagram) -> Json:
        """The values of the counted column if there are few of them, otherwise an empty list."""
        if fact.column is None:
            return []
        variable = self._prover.variables.column(fact.step, fact.column)
        regions = self._prover.variables.regions(variable)
        mask = self._laws.values(fact, care)
        size = regions.cardinality(mask)
        if size == INFINITE or size > MOST_VALUES:
            return []
        return [encoding.encode_constant(value) for value in _all_values(regions, mask)]

    def _encode_because(self, fact: Fact) -> Json:
        values = self._by_values(fact)
        if values is not None:
            return ["here", values]
        if fact.step == 0:
            raise NotCertified("nothing is known about the input table")
        if self._rules.passes(fact):
            return ["through", self._encode_before(replace(fact, step=fact.step - 1))]
        transition = self._reachability.transitions[fact.step - 1]
        if transition.requirement.action is None:
            return self._encode_through_check(fact, transition)
        care = self._reachability.reach[fact.step]
        reduced = self._laws.without_single(fact, care)
        if reduced != fact:
            return ["here", ["line", self.line_number(reduced), self._singles(fact, care)]]
        return self._encode_back(fact, transition)

    def _encode_before(self, fact: Fact) -> Json:
        return ["before", self.encode_fact(fact), self.encode_reason(fact)]

    def _encode_back(self, fact: Fact, transition: Transition) -> Json:
        action = transition.requirement.action
        if fact.column is not None and fact.column in transition.columns and map_of(action) is not None:
            raise NotCertified("a line generalizes the column whose values are counted")
        if not fact.groups.isdisjoint(transition.columns) and not self._laws.is_kept_by_merging(fact):
            raise NotCertified("a line writes a column of the classes, and unions do not keep the fact")
        try:
            if not is_certain(action):
                return ["through", self._encode_before(self._rules.before_coin(fact, transition))]
            goals = list(self._rules.branch_goals(fact, transition))
        except Blocked as blocked:
            raise NotCertified(str(blocked)) from blocked
        premises = [self._encode_premise(goal, transition) for goal in goals]
        return ["through", *premises] if transition.together is None else ["back", *premises]

    def _encode_through_check(self, fact: Fact, transition: Transition) -> Json:
        same = replace(fact, step=transition.step)
        with suppress(Blocked):
            finer = self._rules.finer(same, transition)
            kept = self._rules.own_fact_implying(finer, transition, self._unaffected_records(transition))
            if transition.is_known and kept is not None:
                return ["back", ["before", self.encode_fact(finer), self._encode_own(kept, transition)], "void"]
        return ["through", self._encode_before(same)]

    def _unaffected_records(self, transition: Transition) -> Diagram:
        return self._diagrams.difference(transition.care, transition.must)

    def _encode_premise(self, each: BranchGoal, transition: Transition) -> Json:
        if each.goal is None:
            return "void" if each.is_void else "fresh"
        if each.kept is not None:
            return ["before", self.encode_fact(each.goal), self._encode_own(each.kept, transition)]
        return self._encode_before(each.goal)

    def _encode_own(self, kept: Fact, transition: Transition) -> Json:
        """The reason that the requirement's own assertion implies a fact about one of its aggregates."""
        position = self.position(kept, transition.requirement.assertion)
        return ["own", position, self.encode_allowed(kept), self._singles(kept, self._unaffected_records(transition))]

    def position(self, fact: Fact, assertion: Assertion) -> int:
        """The position of the assertion's aggregate that the fact is about. Raises NotCertified."""
        process = process_in(assertion)
        assert process is not None
        asked = [(each.function, each.column) for each in process.aggregates]
        if asked.count((fact.function, fact.column)) > 1:
            raise NotCertified("an assertion has a duplicate aggregate")
        return asked.index((fact.function, fact.column))

    def _singles(self, fact: Fact, care: Diagram) -> Json:
        """The columns that have one value in all records of the fact, with this value."""
        variables = self._prover.variables
        return [
            [variables.column_of(variable), encoding.encode_constant(_all_values(variables.regions(variable), mask)[0])]
            for variable, mask in single_values(self._laws, fact, care).items()
        ]

    def encode_steps(self, types: list[list[Json]]) -> Json:
        affected = [*map(self._encode_affected, self._reachability.transitions), (EVERYTHING, NOTHING)]
        return [
            {
                "types": types[step],
                "invariant": self._conditions.of_records(self._reachability.reach[step]),
                "may": may,
                "must": must,
                "facts": self.lines[step],
            }
            for step, (may, must) in enumerate(affected)
        ]

    def _encode_affected(self, transition: Transition) -> tuple[Json, Json]:
        """The records that may and that must be affected; if these are the same, both are the simpler condition."""
        may = self._conditions.of_records(transition.affects)
        if transition.must is EMPTY:
            return may, NOTHING
        return may, may if transition.may is transition.must else self._conditions.of_records(transition.must)


def _encode_parts(prover: CertifyingProver, outline: Outline, assertion: Assertion) -> Json:
    classes, process = class_assertion(prover.variables, prover.last, assertion), process_in(assertion)
    if classes is not None and process is not None:
        _require_counts(process)
        return [_encode_part(outline, assertion, part) for part in classes.parts]
    if not prover.is_satisfied(assertion):
        raise NotCertified("the proof depends on labels, on texts of other types or on a MIN, MAX or SUM")
    return []


def _require_counts(process: Process) -> None:
    other = next((each.function for each in process.aggregates if not facts_about(each.function).is_count), None)
    if other is not None:
        raise NotCertified(f"certificates are for records, COUNT and COUNT DISTINCT, not for {other}")


def _encode_part(outline: Outline, assertion: Assertion, part: Alternatives) -> Json:
    problem = NotCertified("a condition of the claim is about several aggregates")
    for fact in part or ():
        try:
            outline.add(fact)
        except NotCertified as found:
            problem = found
        else:
            return [outline.position(fact, assertion), outline.encode_allowed(fact), outline.encode_reason(fact)]
    raise problem


def _all_values(regions: Regions, mask: Mask) -> list[Value]:
    """All values of a finite set of regions."""
    sizes = {region: int(regions.cardinality(1 << region)) for region in regions_in(mask)}
    return [value for region, size in sizes.items() for value in regions.values(region, size)]
