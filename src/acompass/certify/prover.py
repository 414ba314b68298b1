"""A prover that uses only what the checker of certificates can follow.

The checker knows counts, and neither the labels of maps nor the texts that values become. So every label and
every text of another type may be any text here, and an assertion about a MIN, a MAX or a SUM may affect all
records or none.
"""

from collections.abc import Sequence
from typing import assert_never

from acompass.certify.column_types import types_of_steps
from acompass.certify.laws import CertifyingLaws
from acompass.certify.rules import CertifyingRules
from acompass.checked.effects import process_in, random_of
from acompass.checked.maps.map import Map
from acompass.checked.program import Assertion, Draw, Program, Random, Requirement
from acompass.checked.types import Kind
from acompass.prove.decision_diagram import EMPTY, Diagram, Variable
from acompass.prove.facts import ClassAssertion, Fact, class_assertion
from acompass.prove.reachability import Reachability, Transition, record_condition
from acompass.prove.regions import Mask
from acompass.prove.standing_facts import Standing
from acompass.prove.value_order import INFINITE
from acompass.prove.variables import Variables
from acompass.syntax.tree import Function

COUNTS = (Function.COUNT, Function.COUNT_DISTINCT)


class CertifyingVariables(Variables):
    def image(self, region: int, before: Variable, after: Variable) -> Mask:
        if self.type(after).kind is Kind.TEXT:
            return self.regions(after).full
        return super().image(region, before, after)

    def labels(self, map_: Map, region: int, before: Variable, after: Variable) -> Mask:
        return self.regions(after).full


class CertifyingReachability(Reachability):
    def _laws_of(self, variables: Variables) -> CertifyingLaws:
        return CertifyingLaws(variables)

    def _standing_after(self, transition: Transition) -> Standing:
        """What earlier lines say of classes decides nothing about the records that a line affects."""
        return ()

    def _left_by_checks(self, records: Diagram) -> Diagram:
        """The checker asks what each check excludes, and not what several exclude together."""
        return records

    def _each_class(
        self, step: int, requirement: Requirement, classes: ClassAssertion, care: Diagram
    ) -> Transition:
        if self._is_counted(classes, care) and not _has_equal_aggregates(requirement.assertion):
            return super()._each_class(step, requirement, classes, care)
        may = self._diagrams.intersection(care, classes.where)
        facts = classes.facts if _are_counts(requirement.assertion) else ()
        return Transition(step, requirement, classes.where, may, EMPTY, classes.groups, facts, care)

    def _is_counted(self, classes: ClassAssertion, care: Diagram) -> bool:
        """Whether any class can have any count, or 1 where it counts a column that it is grouped by."""
        facts = [fact for part in classes.parts for fact in part or ()]
        return None not in classes.parts and all(self._has_any_count(fact, care) for fact in facts)

    def _has_any_count(self, fact: Fact, care: Diagram) -> bool:
        if fact.column is None or fact.column in fact.groups:
            return fact.function in COUNTS
        regions = self._variables.regions(self._variables.column(fact.step, fact.column))
        is_infinite = regions.cardinality(self.laws.values(fact, care)) == INFINITE
        return fact.function is Function.COUNT_DISTINCT and is_infinite

    def _values_written(self, transition: Transition) -> Mask:
        found = random_of(transition.requirement.action)
        match found:
            case Random(column, lower, upper):
                return self._drawn(transition, column, lower, upper)
            case None | Draw():
                return super()._values_written(transition)
            case _:
                assert_never(found)

    def _drawn(self, transition: Transition, column: int, lower: int, upper: int) -> Mask:
        """Drawn integers among other numbers lie between the bounds. Their texts are not followed."""
        regions = self._regions_after(transition, column)
        match transition.requirement.after[column].type.kind:
            case Kind.INTEGER | Kind.DECIMAL:
                first, last = regions.region_of(lower), regions.region_of(upper)
                return regions.full & ((2 << last) - (1 << first))
            case _:
                return regions.full

    def _violating_tables(self, step: int, assertion: Assertion, care: Diagram) -> tuple[Diagram, bool]:
        if class_assertion(self._variables, step, assertion) is not None:
            return care, False
        return super()._violating_tables(step, assertion, care)


def _has_equal_aggregates(assertion: Assertion) -> bool:
    """The checker does not know that two names of one aggregate have the same value."""
    process = process_in(assertion)
    asked = [(each.function, each.column) for each in process.aggregates] if process is not None else []
    return len(set(asked)) < len(asked)


def _are_counts(assertion: Assertion) -> bool:
    process = process_in(assertion)
    return process is not None and all(each.function in COUNTS for each in process.aggregates)


class CertifyingProver:
    """Numbers of the columns `any_scale` may have any scale. The checks at the steps `known` hold (D31)."""

    def __init__(
        self, program: Program, claims: Sequence[Assertion], known: frozenset[int], any_scale: frozenset[int]
    ):
        self.last = len(program.requirements)
        self.variables = CertifyingVariables(program, claims, any_scale)
        self.diagrams = self.variables.diagrams
        self.reachability = CertifyingReachability(program, self.variables, known)
        self.laws = CertifyingLaws(self.variables)
        self.types = types_of_steps(program, any_scale)
        self.rules = CertifyingRules(self.reachability, self.types)

    def is_satisfied(self, assertion: Assertion) -> bool:
        """Whether no record that an EACH about records forbids can be left by the policy."""
        scope, condition = record_condition(self.variables, self.last, assertion)
        refused = self.diagrams.difference(scope, condition)
        return self.diagrams.intersection(self.reachability.reach[self.last], refused) is EMPTY
