"""The records before a requirement that are records of a given set after it, or may become such records."""

from typing import assert_never

from acompass.checked.effects import plain_of
from acompass.checked.program import Draw, Drop, Generalize, Random, Reject, Replace
from acompass.checked.types import Kind, Type
from acompass.prove.blocked import Blocked
from acompass.prove.decision_diagram import Diagram, Variable
from acompass.prove.facts import Fact
from acompass.prove.reachability import Reachability, Transition
from acompass.prove.regions import Mask, regions_in
from acompass.syntax.tree import Function


class Preimages:
    """All methods are about a requirement that writes `column`."""

    def __init__(self, reachability: Reachability):
        self._reachability = reachability
        self._variables = reachability.laws.variables
        self._diagrams = reachability.laws.diagrams

    def unwritten(self, diagram: Diagram, transition: Transition, column: int) -> Diagram:
        """The records that are in the diagram if they keep their value, in the column's new type (D12).
        Raises Blocked where the regions cannot tell."""
        return self._variables.before_conversion(diagram, transition.step, column, self._exact_preimage)

    def _exact_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        found = 0
        for region in regions_in(self._variables.regions(before).full):
            reached = self._variables.image(region, before, after)
            if not reached & ~mask:
                found |= 1 << region
            elif reached & mask:
                raise Blocked("the change of type mixes values that the condition distinguishes")
        return found

    def surely_unwritten(self, diagram: Diagram, transition: Transition, column: int) -> Diagram:
        """The records that are certainly in the diagram if they keep their value."""
        return self._variables.before_conversion(diagram, transition.step, column, self._inner_preimage)

    def _inner_preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        regions = regions_in(self._variables.regions(before).full)
        return sum(
            1 << region for region in regions if not self._variables.image(region, before, after) & ~mask
        )

    def written(self, diagram: Diagram, transition: Transition) -> Diagram:
        """The records that the action can turn into records of the diagram."""
        plain = plain_of(transition.requirement.action)
        match plain:
            case Replace(column) | Random(column) | Draw(column):
                variable = self._variables.column(transition.step + 1, column)
                literal = self._diagrams.literal(variable, self._reachability.written(transition))
                reached = self._diagrams.intersection(diagram, literal)
                return self._diagrams.exists(reached, frozenset((variable,)))
            case Generalize(column, map_):
                return self._variables.before_labels(diagram, transition.step, column, map_)
            case None | Reject() | Drop():
                raise AssertionError("the requirement writes nothing")
            case _:
                assert_never(plain)

    def refuse_conversion(self, fact: Fact, transition: Transition, column: int) -> None:
        """Rule of the change of type. Raises Blocked where the values that stay do not remain as different as
        they were."""
        before = transition.requirement.before[column].type
        after = transition.requirement.after[column].type
        if before == after:
            return
        is_counted = column == fact.column and fact.function is Function.COUNT_DISTINCT
        if column == fact.column and not is_counted:
            raise Blocked("changes the type of the aggregated column")
        if (is_counted or column in fact.groups) and not self._is_injective(column, before, after):
            raise Blocked("the change of type can merge or split the values of the column")

    def _is_injective(self, column: int, before: Type, after: Type) -> bool:
        """Whether the conversion keeps equal values equal and different values different."""
        if after.kind is Kind.TEXT:
            return self.has_one_text(column, before) and before.kind in _OF_ONE_VALUE
        return _is_exact(before) and after.kind is Kind.DECIMAL

    def has_one_text(self, column: int, type_: Type) -> bool:
        """Whether equal values of the column become the same text. The decimals of a CSV keep their spelling,
        `2` and `2.0`, unless the policy makes classes of them (D26); those of a fixed scale have one (D12).
        `0.0` and `-0.0` are equal floats."""
        match type_.kind:
            case Kind.DECIMAL:
                is_fixed = not type_.spelled and not self._variables.has_any_scale(column, type_)
                return is_fixed or column in self._reachability.columns_of_classes
            case kind:
                return kind is not Kind.FLOAT


#: kinds whose texts belong to one value each
_OF_ONE_VALUE = (Kind.INTEGER, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)


def _is_exact(type_: Type) -> bool:
    return type_.kind in (Kind.INTEGER, Kind.DECIMAL)
