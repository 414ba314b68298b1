"""Multi-valued decision diagrams: sets of cells. A cell assigns a region to each of several variables."""

from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import TypeAlias

from acompass.prove.diagrams.regions import Mask
from acompass.prove.proof import Budget

#: an index into the manager's variables; nodes test lower indices first
Variable: TypeAlias = int


class Diagram:
    """A set of cells, represented by its root node. The leaves EMPTY and ALL rank after every variable."""

    __slots__ = ("edges", "variable")

    def __init__(self, variable: Variable, edges: tuple[tuple[Mask, "Diagram"], ...]):
        self.variable = variable
        self.edges = edges


_LEAF = 1 << 60
EMPTY = Diagram(_LEAF, ())
ALL = Diagram(_LEAF, ())

_Memo: TypeAlias = dict[tuple[Diagram, Diagram], Diagram]


class DiagramManager:
    """Builds and combines diagrams over one list of variables. Raises Exhausted once the budget is spent."""

    def __init__(self, full: list[Mask], budget: Budget | None = None):
        self.full = full  # for each variable, the mask of all its regions
        self._budget = budget or Budget()
        self._granted = 0
        self._nodes: dict[tuple[Variable, tuple[tuple[Mask, Diagram], ...]], Diagram] = {}
        self._intersections: _Memo = {}
        self._unions: _Memo = {}
        self._differences: _Memo = {}
        self._supports: dict[Diagram, frozenset[Variable]] = {}
        self._quantified: dict[tuple[Diagram, frozenset[Variable]], Diagram] = {}

    def _spend(self) -> None:
        """Charge the budget for one stored node or result."""
        if not self._granted:
            self._granted = self._budget.grant()
        self._granted -= 1

    def node(self, variable: Variable, edges: Iterable[tuple[Mask, Diagram]]) -> Diagram:
        masks: dict[Diagram, Mask] = {}
        for mask, child in edges:
            if mask and child is not EMPTY:
                masks[child] = masks.get(child, 0) | mask
        if not masks:
            return EMPTY
        if len(masks) == 1:
            ((child, mask),) = masks.items()
            if mask == self.full[variable]:
                return child
        key = (variable, tuple(sorted(((mask, child) for child, mask in masks.items()), key=itemgetter(0))))
        found = self._nodes.get(key)
        if found is None:
            self._spend()
            found = self._nodes[key] = Diagram(variable, key[1])
        return found

    def literal(self, variable: Variable, mask: Mask) -> Diagram:
        return self.node(variable, ((mask & self.full[variable], ALL),))

    def intersection(self, one: Diagram, other: Diagram) -> Diagram:
        if one is other or other is ALL:
            return one
        if one is ALL:
            return other
        if one is EMPTY or other is EMPTY:
            return EMPTY
        return self._commutative(self._intersections, one, other, self._intersect)

    def _intersect(self, one: Diagram, other: Diagram) -> Diagram:
        if one.variable < other.variable:
            edges = ((mask, self.intersection(child, other)) for mask, child in one.edges)
        else:
            edges = ((m & n, self.intersection(c, d)) for m, c in one.edges for n, d in other.edges if m & n)
        return self.node(one.variable, edges)

    def _commutative(
        self, memo: _Memo, one: Diagram, other: Diagram, combine: Callable[[Diagram, Diagram], Diagram]
    ) -> Diagram:
        """Memoize `combine`, with the arguments ordered so that the first one tests the lower variable."""
        if (other.variable, id(other)) < (one.variable, id(one)):
            one, other = other, one
        found = memo.get((one, other))
        if found is None:
            self._spend()
            found = memo[one, other] = combine(one, other)
        return found

    def union(self, one: Diagram, other: Diagram) -> Diagram:
        if one is EMPTY or other is ALL or one is other:
            return other
        if other is EMPTY or one is ALL:
            return one
        return self._commutative(self._unions, one, other, self._unite)

    def _unite(self, one: Diagram, other: Diagram) -> Diagram:
        if one.variable == other.variable:
            return self.node(one.variable, self._union_edges(one, other))
        edges = ((mask, self.union(child, other)) for mask, child in one.edges)
        return self.node(one.variable, (*edges, (self._untaken(one), other)))

    def _union_edges(self, one: Diagram, other: Diagram) -> Iterator[tuple[Mask, Diagram]]:
        untaken_by_one, untaken_by_other = self._untaken(one), self._untaken(other)
        for mask, child in one.edges:
            yield mask & untaken_by_other, child
            yield from ((mask & m, self.union(child, c)) for m, c in other.edges if mask & m)
        for mask, child in other.edges:
            yield mask & untaken_by_one, child

    def union_of(self, diagrams: Iterable[Diagram]) -> Diagram:
        result = EMPTY
        for diagram in diagrams:
            result = self.union(result, diagram)
        return result

    def difference(self, one: Diagram, other: Diagram) -> Diagram:
        if one is EMPTY or other is ALL or one is other:
            return EMPTY
        if other is EMPTY:
            return one
        found = self._differences.get((one, other))
        if found is None:
            self._spend()
            found = self._differences[one, other] = self._subtract(one, other)
        return found

    def _subtract(self, one: Diagram, other: Diagram) -> Diagram:
        if one.variable < other.variable:
            return self.node(one.variable, ((mask, self.difference(child, other)) for mask, child in one.edges))
        untaken = self._untaken(other)
        if other.variable < one.variable:
            edges = ((mask, self.difference(one, child)) for mask, child in other.edges)
            return self.node(other.variable, (*edges, (untaken, one)))
        common = ((m & n, self.difference(c, d)) for m, c in one.edges for n, d in other.edges if m & n)
        return self.node(one.variable, (*common, *((mask & untaken, child) for mask, child in one.edges)))

    def _untaken(self, diagram: Diagram) -> Mask:
        """The regions of the root's variable that no edge covers."""
        untaken = self.full[diagram.variable]
        for mask, _ in diagram.edges:
            untaken &= ~mask
        return untaken

    def complement(self, diagram: Diagram) -> Diagram:
        return self.difference(ALL, diagram)

    def exists(self, diagram: Diagram, variables: frozenset[Variable]) -> Diagram:
        """Existential quantification over `variables`: the cells that some of their regions complete to a member."""
        if diagram.variable == _LEAF or not variables:
            return diagram
        found = self._quantified.get((diagram, variables))
        if found is None:
            self._spend()
            edges = [(mask, self.exists(child, variables)) for mask, child in diagram.edges]
            if diagram.variable in variables:
                found = self.union_of(child for _, child in edges)
            else:
                found = self.node(diagram.variable, edges)
            self._quantified[diagram, variables] = found
        return found

    def project(self, diagram: Diagram, variables: Iterable[Variable]) -> Diagram:
        """The diagram over `variables` alone: every other variable is quantified existentially."""
        return self.exists(diagram, self.support(diagram) - frozenset(variables))

    def assign(self, diagram: Diagram, variable: Variable, mask: Mask) -> Diagram:
        """The cells of the diagram, with the variable's region replaced by each region of the mask."""
        return self.intersection(self.exists(diagram, frozenset((variable,))), self.literal(variable, mask))

    def support(self, diagram: Diagram) -> frozenset[Variable]:
        """The variables that the diagram tests."""
        found = self._supports.get(diagram)
        if found is None:
            below = (self.support(child) for _, child in diagram.edges)
            found = frozenset((diagram.variable,)).union(*below) if diagram.edges else frozenset()
            self._supports[diagram] = found
        return found

    def substitute(self, diagram: Diagram, variable: Variable, replacement: Callable[[Mask], Diagram]) -> Diagram:
        """Replace every test of the variable against a mask by the diagram `replacement(mask)`."""
        memo: dict[Diagram, Diagram] = {}

        def replace_tests(current: Diagram) -> Diagram:
            if current is EMPTY:
                return EMPTY
            if current.variable > variable:
                return self.intersection(current, replacement(self.full[variable]))
            if current not in memo:
                memo[current] = self.union_of(
                    self.intersection(replacement(mask), child)
                    if current.variable == variable
                    else self.intersection(self.literal(current.variable, mask), replace_tests(child))
                    for mask, child in current.edges
                )
            return memo[current]

        return replace_tests(diagram)

    def mask_of(self, diagram: Diagram, variable: Variable) -> Mask:
        """The regions that the variable has in the cells of the diagram."""
        projected = self.project(diagram, (variable,))
        if projected is ALL:
            return self.full[variable]
        return projected.edges[0][0] if projected is not EMPTY else 0
