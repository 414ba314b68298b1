"""The law of a program's output: the push-forward of the uniform law of the trace, in exact fractions.

A draw depends only on the cell between two cuts that its trace value falls into. So the law is a finite sum:
one run of `semantics` for each box of cells, on a trace from this box. The number of runs is exponential in the number
of affected records, so tables must be small.

    law(program, records)              the law for ρ uniform on [0, 1), as in the paper
    law(program, records, bits=52)     the law for ρ = h / 2⁵² with uniform h, as drawn from a seed (D19)

`law` performs one requirement after the other and merges equal tables in between, which is fast. `law_of_runs` is the
definition: it runs the whole program on each box of the whole trace. tests/laws/test_composition.py tests that they
agree."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, prod
from typing import NamedTuple, TypeAlias, assert_never

from acompass.language.program.effects import kernel_of
from acompass.language.program.kernels import (
    AddRandom,
    Constant,
    Kernel,
    Labels,
    Microaggregate,
    Nearest,
    Pseudonym,
    Shift,
    Uniform,
    Weighted,
)
from acompass.language.program.program import Action, Program, Requirement
from acompass.language.program.types import Schema
from acompass.semantics.core import (
    Bag,
    Record,
    affected_bag,
    canonical_order,
    perform_requirement,
    run_program,
    trace_of_values,
)

#: a bag as its records in canonical order
Table: TypeAlias = tuple[Record, ...]
Law: TypeAlias = dict[Table, Fraction]


class Cell(NamedTuple):
    """The trace values between two cuts: the smallest of them, and their probability."""

    value: Fraction
    probability: Fraction


class Box(NamedTuple):
    """A prefix of the trace, up to cells: one value from each cell, and the probability of the product."""

    values: tuple[Fraction, ...]
    probability: Fraction


def law(program: Program, records: Iterable[Record], bits: int | None = None) -> Law:
    """The probability of each possible output. Raises UnlabeledValueError like `semantics`."""
    reached = {as_table(program.schema, records): Fraction(1)}
    for requirement in program.requirements:
        reached = bind(reached, requirement, bits)
    return reached


def bind(reached: Mapping[Table, Fraction], requirement: Requirement, bits: int | None = None) -> Law:
    """The law after a requirement, where `reached` is the law before it."""
    after: Law = defaultdict(Fraction)
    for table, probability in reached.items():
        for box in boxes(requirement, list(table), bits):
            after[perform_box(requirement, table, box)] += probability * box.probability
    return dict(after)


def perform_box(requirement: Requirement, table: Table, box: Box) -> Table:
    bag, rest, _ = perform_requirement(requirement, list(table), trace_of_values(box.values))
    assert rest.used == len(box.values)
    return as_table(requirement.after, bag)


def law_of_runs(program: Program, records: Iterable[Record], bits: int | None = None) -> Law:
    """The same law by definition: one run of the whole program for each box of the whole trace."""
    total: Law = defaultdict(Fraction)
    given = list(records)
    for box in _boxes_of_program(program, given, bits):
        outcome = run_program(program, given, trace_of_values(box.values))
        assert outcome.trace_used == len(box.values)
        total[as_table(program.final_schema, outcome.records)] += box.probability
    return dict(total)


def as_table(schema: Schema, records: Iterable[Record]) -> Table:
    return tuple(canonical_order(schema, records))


def _boxes_of_program(program: Program, records: Bag, bits: int | None) -> Iterator[Box]:
    """Each box is as long as the trace that its run consumes."""
    if not program.requirements:
        yield Box((), Fraction(1))
        return
    first, *others = program.requirements
    following = replace(program, schema=first.after, requirements=tuple(others))
    for head in boxes(first, records, bits):
        bag, _, _ = perform_requirement(first, records, trace_of_values(head.values))
        for rest in _boxes_of_program(following, bag, bits):
            yield Box(head.values + rest.values, head.probability * rest.probability)


def boxes(requirement: Requirement, bag: Bag, bits: int | None) -> Iterator[Box]:
    """The boxes of the trace values that the requirement consumes on this table."""
    affected = affected_bag(bag, requirement.assertion)
    return _boxes_of_action(requirement.action, len(affected), bits)


def _boxes_of_action(action: Action | None, affected: int, bits: int | None) -> Iterator[Box]:
    kernel = kernel_of(action)
    if action is None or action.probability == 1:
        yield from _boxes_of_kernel(kernel, affected, bits)
        return
    for coins in _products(cells((action.probability, Fraction(1)), bits), affected):
        hits = sum(value < action.probability for value in coins.values)
        for drawn in _boxes_of_kernel(kernel, hits, bits):
            yield Box(coins.values + drawn.values, coins.probability * drawn.probability)


def _boxes_of_kernel(kernel: Kernel | None, affected: int, bits: int | None) -> Iterator[Box]:
    match kernel:
        case None | Constant() | Labels() | Nearest() | Pseudonym() | Shift() | Microaggregate():
            yield Box((), Fraction(1))
        case Uniform() | Weighted() | AddRandom():
            yield from _products(cells(_cuts(kernel), bits), affected)
        case _:
            assert_never(kernel)


def _products(each: list[Cell], count: int) -> Iterator[Box]:
    for chosen in product(each, repeat=count):
        values = tuple(cell.value for cell in chosen)
        yield Box(values, prod((cell.probability for cell in chosen), start=Fraction(1)))


def _cuts(kernel: Uniform | Weighted | AddRandom) -> tuple[Fraction, ...]:
    match kernel:
        case Uniform(lower, upper) | AddRandom(lower, upper):
            size = upper - lower + 1
            return tuple(Fraction(j, size) for j in range(1, size + 1))
        case Weighted():
            return kernel.trace_cuts()
        case _:
            assert_never(kernel)


def cells(cuts: Iterable[Fraction], bits: int | None = None) -> list[Cell]:
    """The nonempty cells between 0 and the cuts. The last cut is 1."""
    ends = [Fraction(0), *(_round_up(cut, bits) for cut in cuts)]
    return [Cell(low, high - low) for low, high in pairwise(ends) if low < high]


def _round_up(cut: Fraction, bits: int | None) -> Fraction:
    """h / 2ᵇ < c if and only if h < ⌈2ᵇ c⌉ (X6), so ⌈2ᵇ c⌉ of the 2ᵇ values are below the cut."""
    return cut if bits is None else Fraction(ceil(cut * 2**bits), 2**bits)
