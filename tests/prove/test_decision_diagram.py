"""Decision diagrams against plain sets of tuples."""

from collections.abc import Iterator
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from acompass.prove.decision_diagram import ALL, Diagram, DiagramManager, Variable
from acompass.prove.regions import Mask, regions_in

FULL = [0b1011, 0b111, 0b11]
EVERY = frozenset(product(*(tuple(regions_in(mask)) for mask in FULL)))

Plain = frozenset[tuple[int, ...]]
plain_sets = st.frozensets(st.sampled_from(sorted(EVERY)))


def diagram_of(diagrams: DiagramManager, cells: Plain) -> Diagram:
    def one(cell: tuple[int, ...]) -> Diagram:
        found = ALL
        for variable, region in enumerate(cell):
            found = diagrams.intersection(found, diagrams.literal(variable, 1 << region))
        return found

    return diagrams.union_of(map(one, sorted(cells)))


def plain(diagrams: DiagramManager, diagram: Diagram) -> Plain:
    found: set[tuple[int, ...]] = set()
    for box in boxes(diagram):
        masks = [box.get(variable, diagrams.full[variable]) for variable in range(len(FULL))]
        found.update(product(*(tuple(regions_in(mask)) for mask in masks)))
    return frozenset(found)


def boxes(diagram: Diagram) -> Iterator[dict[Variable, Mask]]:
    """The paths to ALL, each as the masks of the variables that it tests."""
    if diagram is ALL:
        yield {}
    for mask, child in diagram.edges:
        for rest in boxes(child):
            yield {diagram.variable: mask, **rest}


@given(plain_sets, plain_sets)
def test_operations_are_those_of_sets(one: Plain, other: Plain) -> None:
    diagrams = DiagramManager(FULL)
    left, right = diagram_of(diagrams, one), diagram_of(diagrams, other)
    assert plain(diagrams, left) == one
    assert plain(diagrams, diagrams.intersection(left, right)) == one & other
    assert plain(diagrams, diagrams.union(left, right)) == one | other
    assert plain(diagrams, diagrams.difference(left, right)) == one - other
    assert plain(diagrams, diagrams.complement(left)) == EVERY - one


@given(plain_sets, plain_sets)
def test_equal_sets_are_the_same_object(one: Plain, other: Plain) -> None:
    diagrams = DiagramManager(FULL)
    left, right = diagram_of(diagrams, one), diagram_of(diagrams, other)
    again = diagrams.union(diagrams.difference(left, right), diagrams.intersection(left, right))
    assert again is left
    assert (left is right) == (one == other)


@given(plain_sets, st.integers(0, 2), st.integers(1, 7))
def test_a_variable_is_quantified_and_assigned(cells: Plain, variable: int, mask: int) -> None:
    diagrams = DiagramManager(FULL)
    diagram = diagram_of(diagrams, cells)
    quantified = plain(diagrams, diagrams.exists(diagram, frozenset((variable,))))
    without = {cell[:variable] + cell[variable + 1 :] for cell in cells}
    assert quantified == {cell for cell in EVERY if cell[:variable] + cell[variable + 1 :] in without}
    assigned = plain(diagrams, diagrams.assign(diagram, variable, mask))
    assert assigned == {cell for cell in quantified if mask >> cell[variable] & 1}
    expected = {cell[variable] for cell in cells}
    assert set(regions_in(diagrams.mask_of(diagram, variable))) == expected


@given(plain_sets, st.integers(0, 2))
def test_the_support_has_the_variables_that_make_a_difference(cells: Plain, variable: int) -> None:
    diagrams = DiagramManager(FULL)
    diagram = diagram_of(diagrams, cells)
    is_free = diagrams.exists(diagram, frozenset((variable,))) is diagram
    assert (variable in diagrams.support(diagram)) == (not is_free)
