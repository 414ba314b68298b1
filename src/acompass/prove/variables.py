"""The variables of the decision diagrams: one for each column in each type that it has in turn, then those of
the aggregates.

A step is a point in the policy: step i is the table before requirement i + 1, the last step the final table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias, assert_never

from acompass.checked.maps.map import Map
from acompass.checked.program import (
    And,
    Assertion,
    Comparison,
    Condition,
    Not,
    Or,
    Program,
)
from acompass.checked.types import Kind, Schema, Type
from acompass.prove.constants import ColumnVersion, Constants, zero_of
from acompass.prove.conversion import image, image_of_any_scale
from acompass.prove.decision_diagram import Diagram, DiagramManager, Variable
from acompass.prove.effort import Budget
from acompass.prove.label_cuts import maps_of_numbers
from acompass.prove.label_images import LabelImages
from acompass.prove.regions import Mask, Regions, regions_in
from acompass.prove.value_order import AnyScaleOrder, ValueOrder, order_of, order_of_counts
from acompass.prove.variable_order import column_order
from acompass.syntax.tree import Function

#: all counts share a variable; minima, maxima and sums belong to a column
AggregateKey: TypeAlias = tuple[str, ColumnVersion | None]

COUNTS: AggregateKey = ("count", None)


class Variables:
    """The regions of a variable are cut by every comparison of the program and the claims with it.

    The columns `any_scale` are numbers that may have more digits after the point than their types.
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
        self._labels: dict[tuple[int, int, Variable, Variable], Mask] = {}
        self._maps_of_numbers = frozenset(map(id, maps_of_numbers(program)))
        self._columns = self._add_columns(column_order(program, claims), constants)
        self._aggregates = self._add_aggregates(constants)
        self.diagrams = DiagramManager([regions.full for regions in self._regions], budget)

    def _add_columns(self, order: Sequence[int], constants: Constants) -> dict[ColumnVersion, Variable]:
        variables = {}
        for column in order:
            for version, type_ in self.versions_of(column):
                cuts = constants.of_column(column, version, type_)
                variables[version] = self._add(Regions(self._order(column, type_), cuts), type_)
        return variables

    def _add_aggregates(self, constants: Constants) -> dict[AggregateKey, Variable]:
        variables = {COUNTS: self._add(Regions(order_of_counts(), [1, *constants.counts]), _INTEGER)}
        for version, own in self._columns.items():
            if version[0] not in constants.aggregated:
                continue
            type_ = self._types[own]
            variables["value", version] = self._add(self._regions[own], type_)
            if type_.is_number:
                cuts = [zero_of(type_), *constants.sums[version]]
                variables["sum", version] = self._add(Regions(self._order(version[0], type_), cuts), type_)
        return variables

    def _order(self, column: int, type_: Type) -> ValueOrder:
        return AnyScaleOrder(type_) if self.has_any_scale(column, type_) else order_of(type_)

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
        """The first step at which the column has the type that it has at the step."""
        while step > 0 and self._versions[step - 1][column] == self._versions[step][column]:
            step -= 1
        return step

    def column(self, step: int, column: int) -> Variable:
        return self._columns[self.version(step, column)]

    def columns(self, step: int, columns: Iterable[int]) -> frozenset[Variable]:
        """The variables of the columns, without those that no policy can name."""
        versions = (self.version(step, column) for column in columns)
        return frozenset(self._columns[version] for version in versions if version in self._columns)

    def aggregate(self, step: int, function: Function, column: int | None) -> Variable:
        """The variable of the aggregate's value."""
        match function:
            case Function.COUNT | Function.COUNT_DISTINCT:
                return self._aggregates[COUNTS]
            case Function.MIN | Function.MAX:
                return self.aggregated_values(step, column)
            case Function.SUM:
                assert column is not None
                return self._aggregates["sum", self.version(step, column)]
            case _:
                assert_never(function)

    def aggregated_values(self, step: int, column: int | None) -> Variable:
        """A second variable for an aggregated column, after those of all columns: its values in a class."""
        assert column is not None
        return self._aggregates["value", self.version(step, column)]

    @property
    def counts(self) -> Regions:
        return self._regions[self._aggregates[COUNTS]]

    def sums(self, step: int, column: int) -> Variable | None:
        """The variable of the column's sums; None where no aggregate reads the column."""
        return self._aggregates.get(("sum", self.version(step, column)))

    def regions(self, variable: Variable) -> Regions:
        return self._regions[variable]

    def image(self, region: int, before: Variable, after: Variable) -> Mask:
        """The regions that the values of a region reach when their column changes its type."""
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

    def convert(self, diagram: Diagram, step: int, column: int) -> Diagram:
        """The records of the diagram with the column in the type that it has at the next step (D12)."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if before == after:
            return diagram
        return self.rename(
            diagram, before, after, _image_of(lambda region: self.image(region, before, after))
        )

    def labels(self, map_: Map, region: int, before: Variable, after: Variable) -> Mask:
        """The regions that the labels of a region's values reach."""
        key = (id(map_), region, before, after)
        if key not in self._labels:
            images = self._label_images.setdefault(
                (id(map_), after),
                LabelImages(map_, self._regions[after], id(map_) in self._maps_of_numbers),
            )
            self._labels[key] = images.image(
                region,
                self._regions[before],
                self._types[before],
                lambda: self.image(region, before, after),
            )
        return self._labels[key]

    def label(self, diagram: Diagram, step: int, column: int, map_: Map) -> Diagram:
        """The records of the diagram with the labels of the column's values (X2)."""
        before, after = self.column(step, column), self.column(step + 1, column)
        return self.rename(
            diagram, before, after, _image_of(lambda region: self.labels(map_, region, before, after))
        )

    def before_labels(self, diagram: Diagram, step: int, column: int, map_: Map) -> Diagram:
        """The records that the map can turn into records of the diagram."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if after not in self.diagrams.support(diagram):
            return diagram

        def preimage(mask: Mask) -> Mask:
            regions = regions_in(self._regions[before].full)
            return sum(1 << region for region in regions if self.labels(map_, region, before, after) & mask)

        return self.rename(diagram, after, before, preimage)

    def before_conversion(
        self,
        diagram: Diagram,
        step: int,
        column: int,
        preimage: Callable[[Mask, Variable, Variable], Mask],
    ) -> Diagram:
        """The inverse of `convert`: the records that become those of the diagram, found by `preimage`."""
        before, after = self.column(step, column), self.column(step + 1, column)
        if before == after or after not in self.diagrams.support(diagram):
            return diagram
        return self.rename(diagram, after, before, lambda mask: preimage(mask, before, after))

    def rename(
        self, diagram: Diagram, old: Variable, new: Variable, translate: Callable[[Mask], Mask]
    ) -> Diagram:
        """The diagram with the variable `new` in place of `old`; `translate` maps the masks."""
        return self.diagrams.substitute(
            diagram, old, lambda mask: self.diagrams.literal(new, translate(mask))
        )

    def type(self, variable: Variable) -> Type:
        return self._types[variable]

    def column_of(self, variable: Variable) -> int:
        return next(column for (column, _), own in self._columns.items() if own == variable)

    def condition(self, condition: Condition, variable_at: Callable[[int], Variable]) -> Diagram:
        """The cells where the condition holds; `variable_at` maps the positions that the condition sees."""
        match condition:
            case Comparison(position, operator, value):
                variable = variable_at(position)
                mask = self._regions[variable].satisfying(operator, value)
                return self.diagrams.literal(variable, mask)
            case Not(operand):
                return self.diagrams.complement(self.condition(operand, variable_at))
            case And(operands):
                return self._conjunction(operands, variable_at)
            case Or(operands):
                return self.diagrams.union_of(self.condition(operand, variable_at) for operand in operands)
            case _:
                assert_never(condition)

    def _conjunction(self, operands: Iterable[Condition], variable_at: Callable[[int], Variable]) -> Diagram:
        refused = (self.diagrams.complement(self.condition(operand, variable_at)) for operand in operands)
        return self.diagrams.complement(self.diagrams.union_of(refused))

    def is_single(self, variable: Variable, mask: Mask) -> bool:
        return self._regions[variable].is_single(mask)


_INTEGER = Type(Kind.INTEGER)
_UNNAMEABLE = (Kind.OPAQUE, Kind.DROPPED)


def _image_of(image: Callable[[int], Mask]) -> Callable[[Mask], Mask]:
    """The image of a set of regions, from that of each."""

    def image_of(mask: Mask) -> Mask:
        reached = 0
        for region in regions_in(mask):
            reached |= image(region)
        return reached

    return image_of


def _versions(schemas: Sequence[Schema]) -> list[tuple[int, ...]]:
    versions = [tuple(0 for _ in schemas[0])]
    for before, after in pairwise(schemas):
        changes = (old.type != new.type for old, new in zip(before, after, strict=True))
        versions.append(tuple(old + change for old, change in zip(versions[-1], changes, strict=True)))
    return versions
