"""Blocks of similar records. Their sizes are relative to the numbers that counts are compared with, so that a
table of blocks is one for small numbers and one for the real ones."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from acompass.checked.types import Value
from acompass.prove.small_counts import ONE, Size, Sizing
from acompass.prove.witness import Record


@dataclass(frozen=True, slots=True)
class Variation:
    """The values of a column within a block, one after the other and then again: the first `used` of them."""

    values: Sequence[Value]
    used: Size

    def value(self, at: int, sizing: Sizing) -> Value:
        return self.values[at % min(len(self.values), sizing(self.used))]


@dataclass(frozen=True, slots=True)
class Block:
    """`size` records, which differ from `base` in the columns that vary, and `copies` of each."""

    base: Record
    size: Size = ONE
    varying: Mapping[int, Variation] = field(default_factory=dict)
    copies: Size = ONE

    def records(self, sizing: Sizing) -> list[Record]:
        different = [self._record(at, sizing) for at in range(sizing(self.size))]
        return [record for record in different for _ in range(sizing(self.copies))]

    def count(self, sizing: Sizing) -> int:
        return sizing(self.size) * sizing(self.copies)

    def _record(self, at: int, sizing: Sizing) -> Record:
        if not self.varying:
            return self.base
        return tuple(
            self.varying[column].value(at, sizing) if column in self.varying else value
            for column, value in enumerate(self.base)
        )


def real_size(size: Size) -> int:
    return size.real


def records_of(blocks: Iterable[Block], sizing: Sizing) -> list[Record]:
    return [record for block in blocks for record in block.records(sizing)]
