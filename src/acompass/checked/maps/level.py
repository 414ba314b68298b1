"""LEVEL: the labels of a hierarchy (X2)."""

from dataclasses import dataclass
from functools import cached_property

from acompass.checked.maps.map import SUPPRESSED, Map
from acompass.hierarchies.hierarchy import Hierarchy


@dataclass(frozen=True)
class Level:
    """Values and labels of lower levels become labels of level `level`; those of higher levels stay.

    A text in no column of the hierarchy becomes `otherwise`, if that is given.
    """

    hierarchy: Hierarchy
    level: int
    otherwise: str | None = None

    @property
    def help(self) -> str:
        return "add the values to the hierarchy, or say what they become: `ELSE 'other'`"

    def label(self, text: str) -> str | None:
        return self._labels.get(text, self.otherwise)

    def follows(self, earlier: Map) -> bool:
        """After another kind of map or another hierarchy, the values decide when it runs."""
        if not isinstance(earlier, Level) or earlier.hierarchy != self.hierarchy:
            return True
        return self.level >= earlier.level

    def labels(self) -> tuple[str, ...]:
        """Every label that it can give, `*` and `otherwise` included."""
        found = dict.fromkeys(self._labels.values())
        return tuple(found if self.otherwise is None else found | {self.otherwise: None})

    @cached_property
    def _labels(self) -> dict[str, str]:
        found = {SUPPRESSED: SUPPRESSED}
        lowest = self.hierarchy.lowest_level
        for row in self.hierarchy.rows:
            for level, text in enumerate(row):
                if lowest[text] == level and text != SUPPRESSED:
                    found[text] = row[max(level, self.level)]
        return found


def problem(hierarchy: Hierarchy, level: int, otherwise: str | None) -> str | None:
    """What is wrong with a level of a hierarchy; None if nothing is."""
    if not 1 <= level <= hierarchy.levels:
        return f"the hierarchy has {_levels(hierarchy)}, not {level}"
    if otherwise is None:
        return None
    label = Level(hierarchy, level).label(otherwise)
    if label in (None, otherwise):
        return None
    return f"`{otherwise}` after ELSE is a label of the hierarchy that becomes `{label}` at level {level}"


def _levels(hierarchy: Hierarchy) -> str:
    return "level 1" if hierarchy.levels == 1 else f"levels 1 to {hierarchy.levels}"
