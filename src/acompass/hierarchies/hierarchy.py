"""The model of a hierarchy."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

#: a value, its label at level 1, its label at level 2, …
Row: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Hierarchy:
    """Rows of one length, one for each value, without any of the problems that `problems` finds.

    `digest` is the SHA-256 of the file, in hexadecimal digits. It does not take part in equality.
    """

    rows: tuple[Row, ...]
    digest: str = field(compare=False)

    @property
    def width(self) -> int:
        """The number of columns: the value and its levels."""
        return len(self.rows[0])

    @property
    def levels(self) -> int:
        return self.width - 1

    def rows_with(self, label: str, level: int) -> int:
        """The number of rows that have a label at a level; level 0 is the value."""
        return self._counts[level][label]

    @cached_property
    def _counts(self) -> tuple[Counter[str], ...]:
        return tuple(Counter(column) for column in zip(*self.rows, strict=True))

    @cached_property
    def lowest_level(self) -> dict[str, int]:
        """The lowest level of each text: a label at several levels counts at the lowest."""
        found: dict[str, int] = {}
        for row in self.rows:
            for level, label in enumerate(row):
                found[label] = min(level, found.get(label, level))
        return found
