"""What every map has."""

from typing import Protocol

#: the coarsest label of every map
SUPPRESSED = "*"


class Map(Protocol):
    def label(self, text: str) -> str | None:
        """The label of a value, or of a label of a finer map. A label of this map or a coarser one, and `*`, stay.

        None if the map has no label for the text. `label(label(text)) == label(text)`.
        """

    def follows(self, earlier: "Map") -> bool:
        """Whether this map can be cut from an earlier one of the same column: it is the same or coarser."""


class Unlabelled(Exception):
    """A map has no label for values of affected records. `requirement` is the index, `count` how many records."""

    def __init__(self, requirement: int, count: int):
        self.requirement = requirement
        self.count = count
        super().__init__(f"{count} values without a label")
