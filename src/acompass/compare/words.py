"""Kinds of values and sets of records, in words."""

from collections.abc import Iterator, Sequence

from acompass.checked.convert import to_text
from acompass.checked.types import Column, Schema
from acompass.compare.symbols import Symbols
from acompass.privacy.representatives import Alike
from acompass.prove.decision_diagram import ALL, Diagram, Variable
from acompass.prove.regions import Mask, Regions, regions_in

#: texts that are named one by one
MOST_TEXTS = 5


class Words:
    def __init__(self, symbols: Symbols, schema: Schema):
        self._symbols = symbols
        self._schema = schema

    def values(self, column: int, mask: Mask) -> str:
        """The values of the kinds; empty if these are all."""
        if mask == self._symbols.diagrams.full[column]:
            return ""
        regions = self._symbols.columns[column].regions()
        samples = [self._symbols.kinds[column][kind][0] for kind in regions_in(mask)]
        if regions is None:
            return self._texts(column, mask)
        found = {regions.region_of(value) for value in samples}
        return ", ".join(_intervals(regions, sorted(found), self._schema[column]))

    def _texts(self, column: int, mask: Mask) -> str:
        """Single texts by name and examples of the others, or the single texts that are left out."""
        kinds = list(enumerate(self._symbols.kinds[column]))
        left_out = [alike for kind, alike in kinds if not mask >> kind & 1]
        if all(len(alike) == 1 for alike in left_out):
            return f"all texts but {_listed(left_out)}"
        named = [alike for kind, alike in kinds if mask >> kind & 1 and len(alike) == 1]
        others = [alike for kind, alike in kinds if mask >> kind & 1 and len(alike) > 1]
        return ", ".join([_listed(named)] * bool(named) + [f"texts such as {_listed(others)}"] * bool(others))

    def records(self, diagram: Diagram) -> Iterator[str]:
        """What the records of a set have in common, part by part."""
        for path in _paths(diagram):
            parts = [f"`{self._schema[column].name}` {self.values(column, mask)}" for column, mask in path]
            yield " and ".join(parts) or "all records"


def _listed(kinds: Sequence[Alike]) -> str:
    more = [] if len(kinds) <= MOST_TEXTS else ["…"]
    return ", ".join([*(f"'{alike[0]}'" for alike in kinds[:MOST_TEXTS]), *more])


def _paths(
    diagram: Diagram, path: tuple[tuple[Variable, Mask], ...] = ()
) -> Iterator[tuple[tuple[Variable, Mask], ...]]:
    if diagram is ALL:
        yield path
    for mask, child in diagram.edges:
        yield from _paths(child, (*path, (diagram.variable, mask)))


def _intervals(regions: Regions, found: Sequence[int], column: Column) -> Iterator[str]:
    """Runs of regions between which no value lies."""
    runs: list[list[int]] = []
    for region in found:
        if runs and not any(regions.full >> between & 1 for between in range(runs[-1][-1] + 1, region)):
            runs[-1].append(region)
        else:
            runs.append([region])
    for run in runs:
        yield _interval(regions, run[0], run[-1], column)


def _interval(regions: Regions, first: int, last: int, column: Column) -> str:
    low, high = _lower_end(regions, first, column), _upper_end(regions, last, column)
    if low and high:
        return _point(regions, first, column) if first == last and first % 2 else _between(low, high)
    if low:
        return f"{low} up" if low.startswith("from") else low
    return f"up {high}" if high.startswith("to") else high or "any value"


def _between(low: str, high: str) -> str:
    if high.startswith("below"):
        return f"{low} and {high}"
    return f"{low} {high}" if low.startswith("from") else f"{low} up {high}"


def _lower_end(regions: Regions, region: int, column: Column) -> str:
    """A gap begins above the point before it; empty if there is none."""
    point = _point(regions, region, column)
    if point:
        return f"from {point}"
    bound, _ = regions.bounds(region)
    return "" if bound is None else f"above {_point(regions, region - 1, column)}"


def _upper_end(regions: Regions, region: int, column: Column) -> str:
    point = _point(regions, region, column)
    if point:
        return f"to {point}"
    _, bound = regions.bounds(region)
    return "" if bound is None else f"below {_point(regions, region + 1, column)}"


def _point(regions: Regions, region: int, column: Column) -> str:
    """The constant of a point; empty for a gap."""
    constant = regions.constant(region)
    return "" if constant is None else to_text(constant, column.type)
