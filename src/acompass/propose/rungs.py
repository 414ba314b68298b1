"""One level of a column, as a map of GENERALIZE and as the policy writes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from acompass.checked.maps import numerals
from acompass.checked.maps.bands import Bands
from acompass.checked.maps.cuts import Steps
from acompass.checked.maps.dates import Dates
from acompass.checked.maps.level import Level
from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.checked.maps.prefix import Prefix
from acompass.hierarchies.hierarchy import Hierarchy
from acompass.syntax import tree


@dataclass(frozen=True, slots=True)
class Suppress:
    """`REPLACE column WITH '*'` as a map."""

    @property
    def help(self) -> str:
        return "every text can become `*`"

    def label(self, text: str) -> str:
        return SUPPRESSED

    def follows(self, earlier: Map) -> bool:
        return True

    def labels(self) -> tuple[str, ...]:
        return (SUPPRESSED,)


@dataclass(frozen=True, slots=True)
class Rung:
    """`tree` is what stands after GENERALIZE … TO. None: the line is `REPLACE column WITH '*'`."""

    map: Map
    tree: tree.Map | None


TOP = Rung(Suppress(), None)


def rung_of(map_: Map) -> Rung:
    """Of bands of one width, a prefix or a unit of dates."""
    match map_:
        case Bands(Steps(width), _, scale):
            return Rung(map_, tree.BandsOf(tree.Number(Decimal(numerals.numeral(width, scale)))))
        case Prefix(length):
            return Rung(map_, tree.PrefixOf(tree.Number(Decimal(length))))
        case Dates(unit):
            return Rung(map_, tree.DatePart(unit))
        case _:
            raise AssertionError(f"no line of a policy for {map_}")


def rungs_of_file(hierarchy: Hierarchy, path: str) -> tuple[Rung, ...]:
    """A value of another table that the file lacks becomes `*`, so that a policy can run on that table."""
    return tuple(_level(hierarchy, number, path) for number in range(1, hierarchy.width))


def _level(hierarchy: Hierarchy, number: int, path: str) -> Rung:
    node = tree.LevelOf(tree.Number(Decimal(number)), tree.String(path), tree.String(SUPPRESSED))
    return Rung(Level(hierarchy, number, SUPPRESSED), node)


def words_of(rungs: Sequence[Rung]) -> str:
    """The levels, for people; empty without a level below `*`."""
    nodes = [rung.tree for rung in rungs if rung.tree is not None]
    match nodes:
        case [tree.BandsOf(), *_]:
            return f"numbers, bands of {listed([_constant(node) for node in nodes])}"
        case [tree.PrefixOf(), *_]:
            return f"codes, prefixes of {listed([_constant(node) for node in nodes])}"
        case [tree.DatePart(), *_]:
            return f"dates, {listed([_constant(node) for node in nodes])}"
        case [tree.LevelOf(_, file), *_]:
            levels = "level" if len(nodes) == 1 else "levels"
            return f"{levels} {listed([_constant(node) for node in nodes])} of {file.value}"
        case _:
            return ""


def _constant(node: tree.Map) -> str:
    match node:
        case tree.BandsOf(number) | tree.PrefixOf(number) | tree.LevelOf(number):
            return f"{number.value:f}"
        case tree.DatePart(unit):
            return unit.lower()
        case tree.BandsAt():
            raise AssertionError("no ladder has bands at cuts")


def listed(items: Sequence[object]) -> str:
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last
