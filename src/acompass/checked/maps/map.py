"""What every map has."""

from typing import Protocol

#: the coarsest label of every map
SUPPRESSED = "*"


class Map(Protocol):
    def label(self, text: str) -> str | None:
        """The label of a value or of a finer map's label. `*` and labels of this map or a coarser one stay.

        None if the map has no label for the text. `label(label(text)) == label(text)`.
        """

    def follows(self, earlier: "Map") -> bool:
        """Whether this map can be cut from an earlier one of the same column: it is the same or coarser."""

    def labels(self) -> tuple[str, ...] | None:
        """The labels that plain values get; None if they are infinitely many or too many to list."""
