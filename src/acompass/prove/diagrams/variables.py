"""The variables of the decision diagrams, and the order in which the diagrams test them.

A column has one variable for each type that it takes on; the variables of the aggregates follow.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias, assert_never

from acompass.language.program.effects import filter_in, process_in, split_equalities
from acompass.language.program.kernels import AddRandom, Labels, Nearest, Pseudonym, Shift
from acompass.language.program.program import And, Assertion, Comparison, Condition, Not, Or, Program
from acompass.language.program.types import SHARE, Kind, Schema, Type
from acompass.language.text.tree import Function
from acompass.prove.diagrams.cuts import ColumnVersion, Constants, maps_of_numbers, zero_value
from acompass.prove.diagrams.decision_diagram import Diagram, DiagramManager, Variable
from acompass.prove.diagrams.images import LabelImages, image, image_of_any_scale, image_of_write
from acompass.prove.diagrams.regions import (
    AnyScaleOrder,
    Mask,
    Regions,
    ValueOrder,
    count_order,
    regions_in,
    unite_masks,
    value_order,
)
from acompass.prove.proof import Budget

#: all counts share a variable, and so do all shares; minima, maxima and sums belong to a column
AggregateKey: TypeAlias = tuple[str, ColumnVersion | None]

COUNTS: AggregateKey = ("count", None)
SHARES: AggregateKey = ("share", None)

#: the kernels that make something of each value
Mapping: TypeAlias = Labels | Nearest | Pseudonym | Shift | AddRandom

_INTEGER = Type(Kind.INTEGER)
_UNNAMEABLE = (Kind.OPAQUE, Kind.DROPPED)

#: columns that one condition compares
Together: TypeAlias = frozenset[int]

#: an order is good enough if at most this many conditions cross any place in it
FEW_CROSSING = 8
#: how often `column_order` moves the columns
ROUNDS = 20


class Variables:
    """Every comparison in the program and the claims cuts the regions of its variable.

    The columns in `any_scale` are numbers that may have more decimal places than their types.
    """

    def __init__(
        self,
        program: Program,
        claims: Sequence[Assertion],
        any_scale: frozenset[int] = frozenset(),
        budget: Budget | None = None,
    ):
        self._any_scale = any_scale
        self.schemas: list[Schema] = [r.before for r in program.requirements] + [program.final_schema]
        self._versions = _versions(self.schemas)
        constants = Constants(self)
        constants.add_program(program)
        for claim in claims:
            constants.add_assertion(len(program.requirements), claim)
        constants.add_maps(program)
        self._regions: list[Regions] = []
        self._types: list[Type] = []
        self._images: dict[tuple[int, Variable, Variable], Mask] = {}
        self._label_images: dict[tuple[int, Variable], LabelImages] = {}
        self._written: dict[tuple[int, int, Variable, Variable], Mask] = {}
        self._maps_of_numbers = frozenset(map(id, maps_of_numbers(program)))
        self._columns = self._add_columns(column_order(program, claims), constants)
        self._aggregates = self._add_aggregates(constants)
        self.diagrams = DiagramManager([regions.full for regions in self._regions], budget)

    def _add_columns(self, order: Sequence[int], constants: Constants) -> dict[ColumnVersion, Variable]:
        variables = {}
        for column in order:
            for version, type_ in self.versions_of(column):
                cuts = constants.column_constants(column, version, type_)
                variables[version] = self._add(Regions(self._order(column, type_), cuts), type_)
        return variables

    def _add_aggregates(self, constants: Constants) -> dict[AggregateKey, Variable]:
        variables = {
            COUNTS: self._add(Regions(count_order(), [1, *constants.counts]), _INTEGER),
            SHARES: self._add(Regions(value_order(SHARE), [0, 1, *constants.shares]), SHARE),
        }
        for version, own in self._columns.items():
            if version[0] not in constants.aggregated:
                continue
            type_ = self._types[own]
            variables["value", version] = self._add(self._regions[own], type_)
            if type_.is_number:
                cuts = [zero_value(type_), *constants.sums[version]]
                variables["sum", version] = self._add(Regions(self._order(version[0], type_), cuts), type_)
        return variables

    def _order(self, column: int, type_: Type) -> ValueOrder:
        return AnyScaleOrder(type_) if self.has_any_scale(column, type_) else value_order(type_)

    def has_any_scale(self, column: int, type_: Type) -> bool:
        return column in self._any_scale and type_.kind is Kind.DECIMAL

    def versions_of(self, column: int) -> Iterator[tuple[ColumnVersion, Type]]:
        seen: set[ColumnVersion] = set()
        for step, schema in enumerate(self.schemas):
            version = self.version(step, column)
            if version not in seen and schema[column].type.kind not in _UNNAMEABLE:
                seen.add(version)
                yield version, schema[column].type

    def _add(self, regions: Regions, type_: Type) -> Variable:
        self._regions.append(regions)
        self._types.append(type_)
        return len(self._regions) - 1

    def version(self, step: int, column: int) -> ColumnVersion:
        return column, self._versions[step][column]

    def first_step(self, step: int, column: int) -> int:
        """The earliest step from which the column keeps its type up to `step`."""
        while step > 0 and self._versions[step - 1][column] == self._versions[step][column]:
            step -= 1
        return step

    def column(self, step: int, column: int) -> Variable:
        return self._columns[self.version(step, column)]

    def columns(self, step: int, columns: Iterable[int]) -> frozenset[Variable]:
        """The variables of the columns, except those that policies cannot name."""
        versions = (self.version(step, column) for column in columns)
        return frozenset(self._columns[version] for version in versions if version in self._columns)

    def aggregate(self, step: int, function: Function, column: int | None) -> Variable:
        match function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self._aggregates[COUNTS]
            case Function.MIN | Function.MAX:
                return self.aggregated_values(step, column)
            case Function.SUM:
                assert column is not None
                return self._aggregates["sum", self.version(step, column)]
            case Function.SHARE_OF_LARGEST | Function.SHARE_OF_MODE:
                return self._aggregates[SHARES]
            case _:
                assert_never(function)

    def aggregated_values(self, step: int, column: int | None) -> Variable:
        """The second variable of an aggregated column, tested after those of all columns: its values in a class."""
        assert column is not None
        return self._aggregates["value", self.version(step, column)]

    @property
    def counts(self) -> Regions:
        return self._regions[self._aggregates[COUNTS]]

    def sums(self, step: int, column: int) -> Variable | None:
        """The variable of the column's sums; None if no aggregate reads the column."""
        return self._aggregates.get(("sum", self.version(step, column)))

    def regions(self, variable: Variable) -> Regions:
        return self._regions[variable]

    def image(self, region: int, before: Variable, after: Variable) -> Mask:
        """The regions that the values of a region reach when their column changes type."""
        key = (region, before, after)
        if key not in self._images:
            self._images[key] = self._image(region, before, after)
        return self._images[key]

    def _image(self, region: int, before: Variable, after: Variable) -> Mask:
        source, target = self._regions[before], self._regions[after]
        becomes_text = self._types[after].kind is Kind.TEXT
        if becomes_text and self.has_any_scale(self.column_of(before), self._types[before]):
            return image_of_any_scale(region, source, target)
        return image(region, source, self._types[before], target, self._types[after])

    def preimage(self, mask: Mask, before: Variable, after: Variable) -> Mask:
        """The regions with a value that reaches the mask when its column changes type."""
        regions = regions_in(self._regions[before].full)
        return sum(1 << region for region in regions if self.image(region, before, after) & mask)

    def convert(self, diagram: Diagram, step: int, column: int) -> Diagram:
        """The records of the diagram with the column in its type at the next step (D12, retyping)."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if before == after:
            return diagram
        return self._map_regions(diagram, before, after, lambda region: self.image(region, before, after))

    def written(self, kernel: Mapping, region: int, before: Variable, after: Variable) -> Mask:
        """The regions that the kernel can turn the values of a region into."""
        key = (id(kernel), region, before, after)
        if key not in self._written:
            self._written[key] = self._image_of_write(kernel, region, before, after)
        return self._written[key]

    def _image_of_write(self, kernel: Mapping, region: int, before: Variable, after: Variable) -> Mask:
        source, target, type_ = self._regions[before], self._regions[after], self._types[before]
        map_ = kernel.label_map()
        if map_ is None:
            return image_of_write(kernel, region, source, type_, target, self._types[after])
        images = self._label_images.setdefault(
            (id(kernel), after), LabelImages(map_, target, id(map_) in self._maps_of_numbers)
        )
        return images.image(region, source, type_, lambda: self.image(region, before, after))

    def write(self, diagram: Diagram, step: int, column: int, kernel: Mapping) -> Diagram:
        """The records of the diagram with the column as the kernel leaves it."""
        before, after = self.column(step, column), self.column(step + 1, column)
        return self._map_regions(diagram, before, after, lambda region: self.written(kernel, region, before, after))

    def _map_regions(
        self, diagram: Diagram, before: Variable, after: Variable, image: Callable[[int], Mask]
    ) -> Diagram:
        return self.rename(
            diagram, before, after, lambda mask: unite_masks(image(region) for region in regions_in(mask))
        )

    def before_write(self, diagram: Diagram, step: int, column: int, kernel: Mapping) -> Diagram:
        """The records that the kernel can turn into records of the diagram."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if after not in self.diagrams.support(diagram):
            return diagram

        def preimage(mask: Mask) -> Mask:
            regions = regions_in(self._regions[before].full)
            return sum(1 << region for region in regions if self.written(kernel, region, before, after) & mask)

        return self.rename(diagram, after, before, preimage)

    def before_conversion(
        self, diagram: Diagram, step: int, column: int, preimage: Callable[[Mask, Variable, Variable], Mask]
    ) -> Diagram:
        """The inverse of `convert`: the records that become those of the diagram, computed by `preimage`."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if before == after or after not in self.diagrams.support(diagram):
            return diagram
        return self.rename(diagram, after, before, lambda mask: preimage(mask, before, after))

    def rename(self, diagram: Diagram, old: Variable, new: Variable, translate: Callable[[Mask], Mask]) -> Diagram:
        """The diagram with the variable `new` in place of `old`; `translate` maps the masks."""
        return self.diagrams.substitute(diagram, old, lambda mask: self.diagrams.literal(new, translate(mask)))

    def type(self, variable: Variable) -> Type:
        return self._types[variable]

    def column_of(self, variable: Variable) -> int:
        return next(column for (column, _), own in self._columns.items() if own == variable)

    def condition(self, condition: Condition, variable_at: Callable[[int], Variable]) -> Diagram:
        """The cells where the condition holds; `variable_at` maps positions in the condition to variables."""
        match condition:
            case Comparison(position, operator, value):
                variable = variable_at(position)
                return self.diagrams.literal(variable, self._regions[variable].satisfying(operator, value))
            case Not(operand):
                return self.diagrams.complement(self.condition(operand, variable_at))
            case And(operands):
                violating = (self.diagrams.complement(self.condition(operand, variable_at)) for operand in operands)
                return self.diagrams.complement(self.diagrams.union_of(violating))
            case Or(operands):
                return self.diagrams.union_of(self._alternatives(operands, variable_at))
            case _:
                assert_never(condition)

    def _alternatives(self, operands: Iterable[Condition], variable_at: Callable[[int], Variable]) -> Iterator[Diagram]:
        """The operands of an OR, with one diagram for all equalities on a column."""
        others, equal = split_equalities(operands)
        yield from (self.condition(operand, variable_at) for operand in others)
        for position, values in equal.items():
            variable = variable_at(position)
            yield self.diagrams.literal(variable, self._regions[variable].equal_to(values))

    def is_single(self, variable: Variable, mask: Mask) -> bool:
        return self._regions[variable].is_single(mask)


def _versions(schemas: Sequence[Schema]) -> list[tuple[int, ...]]:
    """For each step and column, how many times the column's type has changed."""
    versions = [tuple(0 for _ in schemas[0])]
    for before, after in pairwise(schemas):
        changes = (old.type != new.type for old, new in zip(before, after, strict=True))
        versions.append(tuple(old + change for old, change in zip(versions[-1], changes, strict=True)))
    return versions


def column_order(program: Program, claims: Iterable[Assertion]) -> list[int]:
    """The order in which diagrams test the columns: the table's own, or one that keeps compared columns closer
    together.

    At each variable, a diagram stores what earlier tests decided about the conditions that also test a later variable.
    `(A1 = 1 AND B1 = 1) OR (A2 = 1 AND B2 = 1)` and so on has a small diagram if each A is next to its B, and an
    exponential one if all A precede all B.
    """
    order = list(range(len(program.schema)))
    assertions = (*(requirement.assertion for requirement in program.requirements), *claims)
    conditions = sorted({each for assertion in assertions for each in _compared_columns(assertion)}, key=sorted)
    if _most_crossing(order, conditions) <= FEW_CROSSING:
        return order
    best = order
    for _ in range(ROUNDS):
        order = _move_columns(order, conditions)
        if _total_span(order, conditions) >= _total_span(best, conditions):
            break
        best = order
    return best


def _compared_columns(assertion: Assertion) -> Iterator[Together]:
    """The columns of each part of the assertion's conditions, and of FILTER and the condition together."""
    process, selected = process_in(assertion), filter_in(assertion)
    own = [set(each) for each in _columns_by_part(assertion.condition)]
    if process is not None:
        keys = process.group_by
        own = [{keys[at] for at in each if at < len(keys)} for each in own]
    filters = [] if selected is None else list(_columns_by_part(selected))
    everything = own[:1] + [set(each) for each in filters[:1]]
    for each in (*own, *filters, set[int]().union(*everything)):
        if len(each) > 1:
            yield frozenset(each)


def _columns_by_part(condition: Condition) -> Iterator[Together]:
    """The columns that the condition compares, then those of each part of it."""
    match condition:
        case Comparison(column):
            yield frozenset((column,))
        case Not(operand):
            yield from _columns_by_part(operand)
        case And(operands) | Or(operands):
            parts = [list(_columns_by_part(operand)) for operand in operands]
            yield frozenset[int]().union(*(part[0] for part in parts))
            for part in parts:
                yield from part
        case _:
            assert_never(condition)


def _move_columns(order: Sequence[int], conditions: Sequence[Together]) -> list[int]:
    """Move each column to the middle of the conditions that compare it; conditions with few columns weigh more."""
    place = {column: float(at) for at, column in enumerate(order)}
    pulls: dict[int, list[tuple[float, float]]] = {}
    for columns in conditions:
        middle, weight = sum(place[column] for column in columns) / len(columns), 1 / (len(columns) - 1) ** 2
        for column in columns:
            pulls.setdefault(column, []).append((weight, middle))
    for column, pulled in pulls.items():
        total = sum(weight for weight, _ in pulled)
        place[column] = sum(weight * middle for weight, middle in pulled) / total
    return sorted(order, key=lambda column: (place[column], column))


def _spans(order: Sequence[int], conditions: Sequence[Together]) -> Iterator[tuple[int, int]]:
    place = {column: at for at, column in enumerate(order)}
    for columns in conditions:
        places = [place[column] for column in columns]
        yield min(places), max(places)


def _total_span(order: Sequence[int], conditions: Sequence[Together]) -> int:
    return sum(last - first for first, last in _spans(order, conditions))


def _most_crossing(order: Sequence[int], conditions: Sequence[Together]) -> int:
    """The most conditions that compare columns on both sides of one place in the order."""
    change = [0] * (len(order) + 1)
    for first, last in _spans(order, conditions):
        change[first] += 1
        change[last] -= 1
    return max(accumulate(change))
