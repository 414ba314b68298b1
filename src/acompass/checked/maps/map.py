"""What every map has."""

from typing import Protocol

#: the coarsest label of every map
SUPPRESSED = "*"


class Map(Protocol):
    @property
    def help(self) -> str:
        """What to do about values that the map has no label for."""

    def label(self, text: str) -> str | None:
        """The label of a value or of a finer map's label. `*` and labels of this map or a coarser one stay.

        None if the map has no label for the text. `label(label(text)) == label(text)`.
        """

    def follows(self, earlier: "Map") -> bool:
        """Whether this map can be cut from an earlier one of the same column: it is the same or coarser."""

    def labels(self) -> tuple[str, ...] | None:
        """The labels that plain values get; None if they are infinitely many or too many to list."""


class Unlabelled(Exception):
    """A map has no label for values of `count` affected records. `requirement` is an index."""

    def __init__(self, requirement: int, count: int):
        self.requirement = requirement
        self.count = count
        super().__init__(f"{count} values without a label")
