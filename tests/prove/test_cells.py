"""Sets of cells against plain sets of tuples."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from acompass.prove.cells import ALL, Cells, Diagrams, cells_in
from acompass.prove.regions import regions_in

FULL = [0b1011, 0b111, 0b11]
EVERY = frozenset(product(*(tuple(regions_in(mask)) for mask in FULL)))

Plain = frozenset[tuple[int, ...]]
plain_sets = st.frozensets(st.sampled_from(sorted(EVERY)))


def diagram_of(diagrams: Diagrams, cells: Plain) -> Cells:
    def one(cell: tuple[int, ...]) -> Cells:
        found = ALL
        for level, region in enumerate(cell):
            found = diagrams.both(found, diagrams.literal(level, 1 << region))
        return found

    return diagrams.union(map(one, sorted(cells)))


def plain(diagrams: Diagrams, node: Cells) -> Plain:
    found: set[tuple[int, ...]] = set()
    for box in cells_in(node):
        masks = [box.get(level, diagrams.full[level]) for level in range(len(FULL))]
        found.update(product(*(tuple(regions_in(mask)) for mask in masks)))
    return frozenset(found)


@given(plain_sets, plain_sets)
def test_operations_are_those_of_sets(one: Plain, other: Plain) -> None:
    diagrams = Diagrams(FULL)
    left, right = diagram_of(diagrams, one), diagram_of(diagrams, other)
    assert plain(diagrams, left) == one
    assert plain(diagrams, diagrams.both(left, right)) == one & other
    assert plain(diagrams, diagrams.either(left, right)) == one | other
    assert plain(diagrams, diagrams.minus(left, right)) == one - other
    assert plain(diagrams, diagrams.complement(left)) == EVERY - one


@given(plain_sets, plain_sets)
def test_equal_sets_are_the_same_object(one: Plain, other: Plain) -> None:
    diagrams = Diagrams(FULL)
    left, right = diagram_of(diagrams, one), diagram_of(diagrams, other)
    again = diagrams.either(diagrams.minus(left, right), diagrams.both(left, right))
    assert again is left
    assert (left is right) == (one == other)


@given(plain_sets, st.integers(0, 2), st.integers(1, 7))
def test_a_level_is_forgotten_and_assigned(cells: Plain, level: int, mask: int) -> None:
    diagrams = Diagrams(FULL)
    node = diagram_of(diagrams, cells)
    forgotten = plain(diagrams, diagrams.some(node, frozenset((level,))))
    without = {cell[:level] + cell[level + 1 :] for cell in cells}
    assert forgotten == {cell for cell in EVERY if cell[:level] + cell[level + 1 :] in without}
    assigned = plain(diagrams, diagrams.assigned(node, level, mask))
    assert assigned == {cell for cell in forgotten if mask >> cell[level] & 1}
    expected = {cell[level] for cell in cells}
    assert set(regions_in(diagrams.mask_of(node, level))) == expected


@given(plain_sets, st.integers(0, 2))
def test_the_support_is_what_matters(cells: Plain, level: int) -> None:
    diagrams = Diagrams(FULL)
    node = diagram_of(diagrams, cells)
    is_free = diagrams.some(node, frozenset((level,))) is node
    assert (level in diagrams.support(node)) == (not is_free)
