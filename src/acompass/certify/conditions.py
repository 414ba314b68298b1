"""Sets of cells as conditions of a certificate."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import TypeAlias

from acompass.certify.constants import Json, constant, exact
from acompass.certify.uncertified import NotCertified
from acompass.checked.types import Kind
from acompass.prove.decision_diagram import ALL, EMPTY, Diagram, Variable
from acompass.prove.regions import Mask
from acompass.prove.variables import Variables

#: the position of the aggregate in a condition on the key and the aggregate of a class
COUNT = "count"
EVERYTHING: Json = ["and"]
NOTHING: Json = ["or"]

#: comparisons in one condition: a diagram shares what a condition repeats
LARGEST = 3_000

_Positions: TypeAlias = Callable[[Variable], int | str]


class Conditions:
    def __init__(self, variables: Variables):
        self._variables = variables

    def of_records(self, diagram: Diagram) -> Json:
        return self._written(diagram, self._variables.column_of)

    def of_classes(self, diagram: Diagram, aggregate: Variable) -> Json:
        """Over the columns of the key and the aggregate."""

        def position(variable: Variable) -> int | str:
            return COUNT if variable == aggregate else self._variables.column_of(variable)

        return self._written(diagram, position)

    def _written(self, diagram: Diagram, position: _Positions) -> Json:
        if _comparisons(diagram, {}) > LARGEST:
            raise NotCertified("a condition of the proof is too large to write down")
        return self._condition(diagram, position)

    def _condition(self, diagram: Diagram, position: _Positions) -> Json:
        if diagram is ALL:
            return EVERYTHING
        if diagram is EMPTY:
            return NOTHING
        return _any(self._edge(diagram.variable, mask, child, position) for mask, child in diagram.edges)

    def _edge(self, variable: Variable, mask: Mask, child: Diagram, position: _Positions) -> Json:
        literal = self.literal(variable, mask, position(variable))
        if child is ALL:
            return literal
        below = self._condition(child, position)
        return below if literal == EVERYTHING else ["and", literal, below]

    def literal(self, variable: Variable, mask: Mask, position: int | str) -> Json:
        """The variable's value is in a region of the mask."""
        return _any(
            self._between(variable, first, last, position) for first, last in self._runs(variable, mask)
        )

    def _runs(self, variable: Variable, mask: Mask) -> Iterator[tuple[int, int]]:
        """The regions of the mask as runs of neighbours. Regions without values separate nothing."""
        full = self._variables.regions(variable).full
        run: list[int] = []
        for region in range(full.bit_length()):
            if mask >> region & 1:
                run.append(region)
            elif full >> region & 1 and run:
                yield run[0], run[-1]
                run = []
        if run:
            yield run[0], run[-1]

    def _between(self, variable: Variable, first: int, last: int, position: int | str) -> Json:
        full = self._variables.regions(variable).full
        if first == last and first % 2:
            return ["=", position, self._cut(variable, first // 2)]
        bounds = []
        if full & ((1 << first) - 1):
            low = first // 2 if first % 2 else first // 2 - 1
            bounds.append([">=" if first % 2 else ">", position, self._cut(variable, low)])
        if full >> (last + 1):
            bounds.append(["<=" if last % 2 else "<", position, self._cut(variable, last // 2)])
        return bounds[0] if len(bounds) == 1 else ["and", *bounds]

    def _cut(self, variable: Variable, at: int) -> Json:
        regions, type_ = self._variables.regions(variable), self._variables.type(variable)
        if type_.kind in (Kind.INTEGER, Kind.DECIMAL):
            # a number that the policy compares with may lie between two values of the type
            return exact(Fraction(regions.cuts[at]) / 10**type_.scale)
        return constant(regions.constant(2 * at + 1))


def _any(conditions: Iterator[Json]) -> Json:
    found = list(conditions)
    return found[0] if len(found) == 1 else ["or", *found]


def _comparisons(diagram: Diagram, memo: dict[Diagram, int]) -> int:
    """How many edges the diagram has if nothing is shared."""
    if diagram not in memo:
        memo[diagram] = sum(1 + _comparisons(child, memo) for _, child in diagram.edges)
    return memo[diagram]
