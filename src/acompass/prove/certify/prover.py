"""A prover that uses only the laws and rules that the certificate checker supports.

They are simpler than those in `prove.rules`: at most one rule leads back through each requirement.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from acompass.dataclasses import dataclass, replace
from acompass.language.program.aggregates import counts_distinct, facts_about
from acompass.language.program.effects import process_in
from acompass.language.program.kernels import Uniform
from acompass.language.program.program import Assertion, Program, Requirement
from acompass.language.program.types import Kind, Type
from acompass.prove.certify.encoding import Json, has_one_text, step_types
from acompass.prove.diagrams.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.diagrams.regions import INFINITE, Mask, Regions
from acompass.prove.diagrams.variables import Mapping, Variables
from acompass.prove.rules.backward_rules import BackwardRules
from acompass.prove.rules.facts import ClassAssertion, Fact, class_assertion
from acompass.prove.rules.laws import KnownFacts, Laws
from acompass.prove.rules.reachability import Reachability, Standing, Transition, record_condition
from acompass.prove.rules.write_rules import Blocked, Branch, ChanceRules, Preimages, WriteRules


class CertifyingVariables(Variables):
    """The checker does not follow labels and conversions to text: any text is possible."""

    def image(self, region: int, before: Variable, after: Variable) -> Mask:
        if self.type(after).kind is Kind.TEXT:
            return self.regions(after).full
        return super().image(region, before, after)

    def written(self, kernel: Mapping, region: int, before: Variable, after: Variable) -> Mask:
        return self.regions(after).full


class CertifyingLaws(Laws):
    def records_with(self, fact: Fact, allowed: Diagram, care: Diagram) -> Diagram:
        """The checker does not distinguish a column's values by key."""
        values = self.values(fact, care)

        def records_for(mask: Mask) -> Diagram:
            if fact.column is None:
                return ALL if mask else EMPTY
            with_them = self.aggregates.values_with(fact, mask, values)
            return self.diagrams.literal(self.variables.column(fact.step, fact.column), with_them)

        within = self.diagrams.substitute(allowed, self.aggregates.variable(fact), records_for)
        return self.diagrams.intersection(fact.where, within)

    def in_one_class(self, facts: Sequence[Fact], care: Diagram) -> Diagram:
        """The checker does not relate the aggregates of a class."""
        records = (self.records_with(fact, fact.allowed, care) for fact in facts)
        return reduce(self.diagrams.intersection, records, ALL)

    def kept_facts(self, classes: ClassAssertion, care: Diagram) -> tuple[Fact, ...]:
        return classes.facts

    def is_kept_without(self, fact: Fact, lost: Diagram, care: Diagram) -> bool:
        """The checker does not distinguish the keys at which a class can lose records."""
        records = self.diagrams.intersection(care, self.diagrams.intersection(fact.where, lost))
        return records is EMPTY or self.is_kept_by_parts(fact, care)

    def without_single(self, fact: Fact, care: Diagram) -> Fact:
        """Law of the single value: the same fact without the groups that have a single value."""
        for variable, mask in single_values(self, fact, care).items():
            column = self.variables.column_of(variable)
            if column in fact.groups:
                fixed = self.diagrams.intersection(fact.allowed, self.diagrams.literal(variable, mask))
                allowed = self.diagrams.exists(fixed, frozenset((variable,)))
                fact = replace(fact, groups=fact.groups - {column}, allowed=allowed)
        return fact


def single_values(laws: Laws, fact: Fact, care: Diagram) -> dict[Variable, Mask]:
    """The columns that have one value in all records of the fact, each with the region of this value."""
    records = laws.diagrams.intersection(care, fact.where)
    masks = ((variable, laws.diagrams.mask_of(records, variable)) for variable in laws.diagrams.support(records))
    return {variable: mask for variable, mask in sorted(masks) if laws.variables.is_single(variable, mask)}


class CertifyingReachability(Reachability):
    def _make_laws(self, variables: Variables) -> CertifyingLaws:
        return CertifyingLaws(variables)

    def _standing_after(self, transition: Transition) -> Standing:
        """The checker does not use facts of earlier lines to decide which records a line affects."""
        return ()

    def _apply_checks(self, records: Diagram) -> Diagram:
        """The checker considers what each check excludes, but not what several exclude together."""
        return records

    def _class_transition(
        self, step: int, requirement: Requirement, classes: ClassAssertion, care: Diagram
    ) -> Transition:
        if self._is_counted(classes, care) and not _has_equal_aggregates(requirement.assertion):
            return super()._class_transition(step, requirement, classes, care)
        may = self._diagrams.intersection(care, classes.where)
        facts = classes.facts if _are_counts(requirement.assertion) else ()
        return Transition(step, requirement, classes.where, may, EMPTY, classes.groups, facts, care)

    def _is_counted(self, classes: ClassAssertion, care: Diagram) -> bool:
        """Whether any class can have any count, or 1 if it counts a column of its key."""
        facts = [fact for part in classes.parts for fact in part or ()]
        return None not in classes.parts and all(self._has_any_count(fact, care) for fact in facts)

    def _has_any_count(self, fact: Fact, care: Diagram) -> bool:
        if fact.column is None or fact.column in fact.groups:
            return facts_about(fact.function).is_count
        regions = self._variables.regions(self._variables.column(fact.step, fact.column))
        is_infinite = regions.cardinality(self.laws.values(fact, care)) == INFINITE
        return counts_distinct(fact.function) and is_infinite

    def _drawn_regions(self, drawn: Uniform, regions: Regions, type_: Type) -> Mask:
        """Integers drawn into a column of numbers lie between the bounds. The checker does not follow their texts."""
        match type_.kind:
            case Kind.INTEGER | Kind.DECIMAL:
                first, last = regions.region_of(drawn.lower), regions.region_of(drawn.upper)
                return regions.full & ((2 << last) - (1 << first))
            case _:
                return regions.full

    def _violating_tables(self, step: int, assertion: Assertion, care: Diagram) -> tuple[Diagram, bool]:
        if class_assertion(self._variables, step, assertion) is not None:
            return care, False
        return super()._violating_tables(step, assertion, care)


def _has_equal_aggregates(assertion: Assertion) -> bool:
    """Whether two aliases name one aggregate: the checker does not know that their values are equal."""
    process = process_in(assertion)
    asked = [(each.function, each.column) for each in process.aggregates] if process is not None else []
    return len(set(asked)) < len(asked)


def _are_counts(assertion: Assertion) -> bool:
    process = process_in(assertion)
    return process is not None and all(facts_about(each.function).is_count for each in process.aggregates)


class CertifyingProver:
    """Numbers of the columns `any_scale` have any scale; checks at the steps `known` hold (D31, `prove`)."""

    def __init__(self, program: Program, claims: Sequence[Assertion], known: frozenset[int], any_scale: frozenset[int]):
        self.last = len(program.requirements)
        self.variables = CertifyingVariables(program, claims, any_scale)
        self.diagrams = self.variables.diagrams
        self.reachability = CertifyingReachability(program, self.variables, known)
        self.laws = CertifyingLaws(self.variables)
        self.types = step_types(program, any_scale)
        self.rules = CertifyingRules(self.reachability, self.types)

    def is_satisfied(self, assertion: Assertion) -> bool:
        """Whether the policy can leave no record that an EACH about records forbids."""
        scope, condition = record_condition(self.variables, self.last, assertion)
        refused = self.diagrams.difference(scope, condition)
        return self.diagrams.intersection(self.reachability.reach[self.last], refused) is EMPTY


@dataclass(frozen=True, slots=True)
class BranchGoal:
    """The goal that a fact leads to in a branch."""

    goal: Fact | None  # None if the branch has no records (`is_void`), or the written values settle it
    kept: Fact | None = None  # the requirement's own fact that settles the goal
    is_void: bool = False


class _Preimages(Preimages):
    """`types` are the certificate's types at each step."""

    def __init__(self, reachability: Reachability, types: Sequence[Sequence[Json]]):
        super().__init__(reachability)
        self._types = types

    def has_one_text(self, column: int, type_: Type) -> bool:
        steps = zip(self._variables.schemas, self._types, strict=True)
        return all(has_one_text(own[column]) for schema, own in steps if schema[column].type == type_)


class _ChanceRules(ChanceRules):
    def before_scattering(self, fact: Fact, transition: Transition, affected: Diagram) -> Fact:
        raise Blocked("chance decides which class a record joins")


class _WriteRules(WriteRules):
    def _without_written(self, fact: Fact, transition: Transition, column: int) -> Fact:
        """The checker does not know which columns determine others."""
        return fact


class CertifyingRules(BackwardRules):
    def __init__(self, reachability: Reachability, types: Sequence[Sequence[Json]]):
        super().__init__(reachability)
        self._law = ClassLaw(reachability.laws)
        self._preimages = _Preimages(reachability, types)
        self._chance = _ChanceRules(reachability, self._preimages)
        self._writes = _WriteRules(reachability, self._preimages, self._chance)

    def passes(self, fact: Fact) -> bool:
        """Whether the line before the fact's step changes nothing that the fact reads."""
        return self._is_irrelevant(self._reachability.transitions[fact.step - 1], self._laws.columns_read(fact))

    def before_coin(self, fact: Fact, transition: Transition) -> Fact:
        """The fact before an action WITH PROBABILITY. Raises Blocked."""
        if fact.column is not None and fact.column in transition.columns:
            raise Blocked("a coin decides which values of a class are rewritten")
        return self._chance.before_coin(fact, transition)

    def branch_goals(self, fact: Fact, transition: Transition) -> Iterator[BranchGoal]:
        """The goal in each branch of a certain action. Raises Blocked."""
        for branch in self._branches(transition):
            earlier = self._before_action(fact, transition, branch)
            if earlier is None:
                self._refuse_fresh(fact, transition)
                yield BranchGoal(None)
            elif self._laws.is_empty(earlier, branch.care):
                yield BranchGoal(None, is_void=True)
            else:
                self._refuse_counted(fact, transition, branch)
                finer = self.finer(earlier, transition)
                kept = self.own_fact_implying(finer, transition, branch.care) if branch.is_left_alone else None
                yield BranchGoal(finer, kept)

    def own_fact_implying(self, fact: Fact, transition: Transition, care: Diagram) -> Fact | None:
        """Rule of the requirement's own assertion: the fact of the assertion that implies the given one."""
        return next((kept for kept in transition.kept if self._law.implies(kept, fact, care)), None)

    def _refuse_fresh(self, fact: Fact, transition: Transition) -> None:
        """The checker counts values that are listed, in classes that are rewritten as a whole."""
        if transition.write.kernel.integers() is not None:
            raise Blocked("the checker does not count drawn numbers")
        together = transition.together or frozenset()
        if not together <= fact.groups.difference(transition.columns):
            raise Blocked("treats parts of a class differently")

    def _refuse_counted(self, fact: Fact, transition: Transition, branch: Branch) -> None:
        """The checker knows that numbers stay distinct as decimals, but nothing about other changes of type."""
        column = fact.column
        if column is None or column not in transition.columns:
            return
        before, after = (
            schema[column].type for schema in (transition.requirement.before, transition.requirement.after)
        )
        if before != after and after.kind is not Kind.DECIMAL:
            raise Blocked("changes the type of the counted column")
        selected = self._reachability.before_rewriting(transition, fact.where)
        affected = self._diagrams.intersection(branch.affected, transition.care)
        if self._diagrams.intersection(affected, selected) is not EMPTY:
            raise Blocked("rewrites the aggregated values of only part of a class")

    def finer(self, fact: Fact, transition: Transition) -> Fact:
        """Rule of the finer class: a class that is also grouped by `together` is affected as a whole or not at all."""
        together = transition.together or frozenset()
        if together <= fact.groups:
            return fact
        if not self._laws.is_kept_by_merging(fact):
            raise Blocked("treats parts of a class differently")
        return replace(fact, groups=fact.groups | together)


class ClassLaw(KnownFacts):
    """Law of the classes, for one known fact. The checker only knows that a single value splits no class."""

    def implies(self, known: Fact, wanted: Fact, care: Diagram) -> bool:
        """Whether the wanted classes, which consist of known classes or of parts of them, are allowed."""
        assert known.step == wanted.step
        diagrams, records = self._diagrams, self._diagrams.intersection(care, wanted.where)
        aggregates = self._laws.in_terms_of(known, wanted)
        if aggregates is None or diagrams.difference(records, known.where) is not EMPTY:
            return False
        single = frozenset(map(self._laws.variables.column_of, single_values(self._laws, known, care)))
        is_union = self._is_union(known, wanted, care, single)
        is_part = known.groups <= wanted.groups | single
        if not _are_comparable(known, wanted, is_union, is_part):
            return False
        if not is_union:
            part = self._of_part(known, wanted, self._laws.values(known, care))
            aggregates = self._laws.map_aggregates(wanted, aggregates, part)
        known_keys, keys = self._laws.key_variables(known), self._laws.key_variables(wanted)
        occurring = diagrams.intersection(aggregates, diagrams.project(records, known_keys))
        found = diagrams.exists(occurring, known_keys - keys)
        if not is_part:
            found = self._laws.map_aggregates(wanted, found, lambda mask: self._laws.aggregates.of_merged(wanted, mask))
        possible = diagrams.intersection(found, diagrams.project(records, keys))
        return diagrams.difference(possible, wanted.allowed) is EMPTY

    def _is_union(self, known: Fact, wanted: Fact, care: Diagram, single: frozenset[int]) -> bool:
        """Whether a wanted class contains every known class that it shares a record with."""
        records = self._diagrams.intersection(care, known.where)
        return wanted.groups <= known.groups | single and self._laws.is_decided_by(
            self._laws.key_variables(known), wanted.where, records
        )


def _are_comparable(known: Fact, wanted: Fact, is_union: bool, is_part: bool) -> bool:
    """Whether one of two counts is at most the other: the count of a class is at most that of a union, and the number
    of distinct values is at most the number of records, which is counted without a column."""
    if known.function is wanted.function:
        return is_union or is_part
    return is_union if wanted.column is None else is_part
