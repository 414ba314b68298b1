"""Sets of cells: one region for each of some columns. A set is a decision diagram over masks.

A node asks one level (a column of one type, or an aggregate's value) and follows the edge whose mask
holds the region. Diagrams are shared and canonical: two nodes are the same object exactly when they are
the same set. What follows no edge is not in the set; a level that does not matter is not asked.
"""

from collections.abc import Callable, Iterable, Iterator

from acompass.prove.regions import Mask


class Cells:
    """A node. `level` of the two leaves is past every other."""

    __slots__ = ("edges", "level")

    def __init__(self, level: int, edges: tuple[tuple[Mask, "Cells"], ...]):
        self.level = level
        self.edges = edges


_LEAF = 1 << 60
NONE = Cells(_LEAF, ())
ALL = Cells(_LEAF, ())


class Diagrams:
    """Makes and combines the sets over one list of levels; `full[level]` is the mask of its regions."""

    def __init__(self, full: list[Mask]):
        self.full = full
        self._nodes: dict[tuple[int, tuple[tuple[Mask, Cells], ...]], Cells] = {}
        self._both: dict[tuple[Cells, Cells], Cells] = {}
        self._either: dict[tuple[Cells, Cells], Cells] = {}
        self._minus: dict[tuple[Cells, Cells], Cells] = {}
        self._support: dict[Cells, frozenset[int]] = {}
        self._some: dict[tuple[Cells, frozenset[int]], Cells] = {}

    def node(self, level: int, edges: Iterable[tuple[Mask, Cells]]) -> Cells:
        masks: dict[Cells, Mask] = {}
        for mask, child in edges:
            if mask and child is not NONE:
                masks[child] = masks.get(child, 0) | mask
        if not masks:
            return NONE
        if len(masks) == 1:
            ((child, mask),) = masks.items()
            if mask == self.full[level]:
                return child
        key = (level, tuple(sorted(((mask, child) for child, mask in masks.items()), key=_by_mask)))
        found = self._nodes.get(key)
        if found is None:
            found = self._nodes[key] = Cells(level, key[1])
        return found

    def literal(self, level: int, mask: Mask) -> Cells:
        return self.node(level, ((mask & self.full[level], ALL),))

    def both(self, one: Cells, other: Cells) -> Cells:
        if one is other or other is ALL:
            return one
        if one is ALL:
            return other
        if one is NONE or other is NONE:
            return NONE
        found = self._both.get((one, other))
        if found is None:
            found = self._both[one, other] = self._both[other, one] = self._intersect(one, other)
        return found

    def _intersect(self, one: Cells, other: Cells) -> Cells:
        if one.level == other.level:
            pairs = ((m & n, self.both(c, d)) for m, c in one.edges for n, d in other.edges if m & n)
            return self.node(one.level, pairs)
        if one.level > other.level:
            one, other = other, one
        return self.node(one.level, ((mask, self.both(child, other)) for mask, child in one.edges))

    def minus(self, one: Cells, other: Cells) -> Cells:
        if one is NONE or other is ALL or one is other:
            return NONE
        if other is NONE:
            return one
        found = self._minus.get((one, other))
        if found is None:
            found = self._minus[one, other] = self._subtract(one, other)
        return found

    def _subtract(self, one: Cells, other: Cells) -> Cells:
        if one.level < other.level:
            return self.node(one.level, ((mask, self.minus(child, other)) for mask, child in one.edges))
        if other.level < one.level:
            edges = ((mask, self.minus(one, child)) for mask, child in other.edges)
            return self.node(other.level, (*edges, (self._rest(other), one)))
        common = ((m & n, self.minus(c, d)) for m, c in one.edges for n, d in other.edges if m & n)
        rest = self._rest(other)
        return self.node(one.level, (*common, *((mask & rest, child) for mask, child in one.edges)))

    def _rest(self, node: Cells) -> Mask:
        """The regions that follow no edge."""
        rest = self.full[node.level]
        for mask, _ in node.edges:
            rest &= ~mask
        return rest

    def complement(self, node: Cells) -> Cells:
        return self.minus(ALL, node)

    def either(self, one: Cells, other: Cells) -> Cells:
        if one is NONE or other is ALL or one is other:
            return other
        if other is NONE or one is ALL:
            return one
        found = self._either.get((one, other))
        if found is None:
            found = self._either[one, other] = self._either[other, one] = self._join(one, other)
        return found

    def _join(self, one: Cells, other: Cells) -> Cells:
        if one.level == other.level:
            return self.node(one.level, self._joined_edges(one, other))
        if one.level > other.level:
            one, other = other, one
        edges = ((mask, self.either(child, other)) for mask, child in one.edges)
        return self.node(one.level, (*edges, (self._rest(one), other)))

    def _joined_edges(self, one: Cells, other: Cells) -> Iterator[tuple[Mask, Cells]]:
        rest_of_one, rest_of_other = self._rest(one), self._rest(other)
        for mask, child in one.edges:
            yield mask & rest_of_other, child
            yield from ((mask & m, self.either(child, c)) for m, c in other.edges if mask & m)
        for mask, child in other.edges:
            yield mask & rest_of_one, child

    def union(self, nodes: Iterable[Cells]) -> Cells:
        result = NONE
        for node in nodes:
            result = self.either(result, node)
        return result

    def some(self, node: Cells, levels: frozenset[int]) -> Cells:
        """Without those levels: the cells that some region of each completes to one of the set."""
        if node.level == _LEAF or not levels:
            return node
        found = self._some.get((node, levels))
        if found is None:
            edges = [(mask, self.some(child, levels)) for mask, child in node.edges]
            if node.level in levels:
                found = self.union(child for _, child in edges)
            else:
                found = self.node(node.level, edges)
            self._some[node, levels] = found
        return found

    def only(self, node: Cells, levels: Iterable[int]) -> Cells:
        """`some` over every other level."""
        return self.some(node, self.support(node) - frozenset(levels))

    def assigned(self, node: Cells, level: int, mask: Mask) -> Cells:
        """The set after the level has been given any region of the mask."""
        return self.both(self.some(node, frozenset((level,))), self.literal(level, mask))

    def support(self, node: Cells) -> frozenset[int]:
        """The levels that matter."""
        found = self._support.get(node)
        if found is None:
            below = (self.support(child) for _, child in node.edges)
            found = frozenset((node.level,)).union(*below) if node.edges else frozenset()
            self._support[node] = found
        return found

    def relevel(self, node: Cells, level: int, change: Callable[[Mask], Cells]) -> Cells:
        """The set with what it says of `level` put in other words: `change` of the mask of each way."""
        memo: dict[Cells, Cells] = {}

        def rewritten(current: Cells) -> Cells:
            if current.level > level:
                return self.both(current, change(self.full[level])) if current is not NONE else NONE
            if current not in memo:
                memo[current] = self.union(
                    self.both(change(mask), child)
                    if current.level == level
                    else self.both(self.literal(current.level, mask), rewritten(child))
                    for mask, child in current.edges
                )
            return memo[current]

        return rewritten(node)

    def mask_of(self, node: Cells, level: int) -> Mask:
        """The regions of one level that the set has cells in."""
        alone = self.only(node, (level,))
        if alone is ALL:
            return self.full[level]
        return alone.edges[0][0] if alone is not NONE else 0


def _by_mask(edge: tuple[Mask, Cells]) -> Mask:
    return edge[0]


def cells_in(node: Cells) -> Iterator[dict[int, Mask]]:
    """The set as disjoint boxes, a mask for each level asked on the way."""
    if node is ALL:
        yield {}
    for mask, child in node.edges:
        for rest in cells_in(child):
            yield {node.level: mask, **rest}
