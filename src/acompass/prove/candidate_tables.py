"""Tables on which a claim could fail: blocks of similar records, in sizes that matter to the policy."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from acompass.checked.types import Value
from acompass.prove.blocks import Block, Variation, real_size
from acompass.prove.chances import Chances, RandomChances
from acompass.prove.column_values import ColumnValues
from acompass.prove.loadable import LoadableTables
from acompass.prove.origins import Origin, Origins, Target
from acompass.prove.prover import Prover
from acompass.prove.small_counts import ONE, Size, SmallCounts
from acompass.prove.witness import Record

#: the most records of a counterexample
MOST_RECORDS = 10_000
#: the most blocks of a table
MOST_BLOCKS = 12
#: how often the records of a block have copies
COPIED = 0.15


@dataclass(frozen=True, slots=True)
class Candidate:
    """A table, and what the coins and the draws show."""

    blocks: tuple[Block, ...]
    chances: Chances

    @property
    def size(self) -> int:
        return sum(block.count(real_size) for block in self.blocks)


class CandidateTables:
    """`counts` are the numbers to which the sizes of blocks are relative."""

    def __init__(self, prover: Prover, rng: random.Random):
        self._prover = prover
        self._rng = rng
        self._origins = Origins(prover.reachability, rng)
        self.loadable = LoadableTables(prover.program)
        self.counts = SmallCounts((*(r.assertion for r in prover.program.requirements), *prover.claims))
        self._sizes = self.counts.sizes
        largest = max(size.real for size in self._sizes)
        self._values = ColumnValues(prover, self.loadable.dated, rng, min(2 * largest, MOST_RECORDS))
        self._chances = RandomChances(prover.program, rng)

    def simpler(self, column: int, value: Value) -> list[Value]:
        """Values of the column that are easier to read, the easiest first."""
        return self._values.simpler(column, value)

    def single(self, target: Target) -> Candidate | None:
        """A table of one record that can end in the target; None where no record can."""
        origin = self._origins.find(target)
        if origin is None:
            return None
        return Candidate((Block(self._record(origin)),), self._chances.toward(origin, aimed=1))

    def repeated(self, single: Candidate) -> Candidate:
        """The same record so many times that it passes the lines that demand large classes."""
        (block,) = single.blocks
        return replace(single, blocks=(replace(block, size=max(self._sizes, key=real_size)),))

    def some(self, target: Target) -> Candidate:
        """A table of one or more blocks, most of them of records that can end in the target."""
        origin = self._origins.find(target) if self._rng.random() < 0.85 else None
        origin = origin or Origin({})
        first = self._block(self._record(origin))
        blocks = [first]
        while self._rng.random() < 0.4 and len(blocks) < MOST_BLOCKS:
            blocks.append(self._block(self._neighbour(target, first.base)))
        return Candidate(tuple(blocks), self._chances.toward(origin))

    def like(self, candidate: Candidate, target: Target) -> Candidate:
        """A table that differs a little from another one."""
        if self._rng.random() < 0.2:
            return replace(candidate, chances=self._chances.toward(Origin({})))
        at = self._rng.randrange(len(candidate.blocks))
        before, block, after = candidate.blocks[:at], candidate.blocks[at], candidate.blocks[at + 1 :]
        added = self._block(self._neighbour(target, block.base))
        changed = (
            (),
            (replace(block, size=self._rng.choice(self._sizes)),),
            (replace(block, base=added.base),),
            (self._block(block.base),),
            (block, added),
            (block, self._twin(block)),
        )
        blocks = (*before, *self._rng.choice(changed), *after)
        return replace(candidate, blocks=blocks[:MOST_BLOCKS] or candidate.blocks)

    def _twin(self, block: Block) -> Block:
        """A block of the same shape, with other values of the same regions."""
        base = tuple(
            self._values.similar(column, value)[0] if self._rng.random() < 0.5 else value
            for column, value in enumerate(block.base)
        )
        varying = {
            column: replace(variation, values=self._values.similar(column, variation.values[0]))
            for column, variation in block.varying.items()
        }
        return replace(block, base=base, varying=varying)

    def with_smaller_block(self, candidate: Candidate, at: int) -> Iterator[Candidate]:
        """The table without a block, and with smaller sizes of the block, the smallest first."""
        before, block, after = candidate.blocks[:at], candidate.blocks[at], candidate.blocks[at + 1 :]
        yield replace(candidate, blocks=(*before, *after))
        for size in sorted(self._sizes, key=real_size):
            if size.real < block.size.real:
                yield replace(candidate, blocks=(*before, replace(block, size=size), *after))
            if size.real < block.copies.real:
                yield replace(candidate, blocks=(*before, replace(block, copies=size), *after))

    def _record(self, origin: Origin) -> Record:
        variables = self._prover.variables
        chosen = {variables.column_of(variable): region for variable, region in origin.cell.items()}
        return tuple(
            self._rng.choice(
                self._values.inside(column, chosen[column]) if column in chosen else self._values.any(column)
            )
            for column in range(len(self._prover.program.schema))
        )

    def _neighbour(self, target: Target, record: Record) -> Record:
        """A mix of the record with another one, which may be one that can end in the target."""
        if self._rng.random() < 0.4:
            origin = self._origins.find(target)
            if origin is not None:
                return self._mixed(self._record(origin), record, 0.5)
        return self._mixed(self._record(Origin({})), record, 0.7)

    def _mixed(self, other: Record, record: Record, kept: float) -> Record:
        return tuple(
            old if self._rng.random() < kept else new for old, new in zip(record, other, strict=True)
        )

    def _block(self, base: Record) -> Block:
        size = self._rng.choice(self._sizes)
        copies = self._rng.choice(self._sizes) if self._rng.random() < COPIED else ONE
        varying = {
            column: self._variation(column, value)
            for column, value in enumerate(base)
            if size.real > 1 and self._rng.random() < 0.35
        }
        return Block(base, size, varying, copies)

    def _variation(self, column: int, value: Value) -> Variation:
        """Values for a column that varies within a block: from the value's own region, or from any."""
        if self._rng.random() < 0.6:
            near = self._values.similar(column, value)
            if len(near) > 1:
                used = self._rng.choice((Size(2), self._sizes[-1], self._rng.choice(self._sizes)))
                return Variation(near, used)
        values = self._values.different(column)
        return Variation(values, Size(len(values)))
