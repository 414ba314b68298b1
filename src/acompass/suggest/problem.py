"""What the search is asked and what it answers: arrays and numbers only, no engine and no text."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from acompass.propose.ladder import Ladder

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sensitive:
    """Each distinct pair of a combination and a sensitive value once, with its records."""

    rows: IntArray
    values: IntArray
    counts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A row of `combinations` for each distinct combination of quasi-identifiers, as positions in labels.

    `named` are the columns whose labels a WHERE may name: not those that the policy reads as numbers.
    """

    ladders: tuple[Ladder, ...]
    combinations: IntArray
    counts: IntArray
    sensitive: tuple[Sensitive, ...]
    k: int
    l: int | None  # noqa: E741
    most_dropped: int
    keep: frozenset[int] = field(default_factory=frozenset)
    t: Fraction | None = None
    named: frozenset[int] = field(default_factory=frozenset)

    @property
    def records(self) -> int:
        return int(self.counts.sum())


class Step(NamedTuple):
    """GENERALIZE of a column (a position in the ladders) to a level of its ladder, from 1.

    Cells with a label of `but` stay: WHERE column != label AND …
    """

    column: int
    level: int
    but: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of the steps does, by the meaning of the language's cascade."""

    affected: tuple[int, ...]  # records in violating classes before each step, and last before REJECT
    dropped: int
    per_column: tuple[float, ...]
    loss: float


@dataclass(frozen=True, slots=True)
class Found:
    always: tuple[Step, ...]  # ALWAYS : GENERALIZE; empty for a cascade
    steps: tuple[Step, ...]  # of the THEN chain, before the final REJECT
    outcome: Outcome
    finished: bool  # False if stopped early, by time or by hand
    k: int  # of the policy's assertion: at least the one that was asked for

    @property
    def lines(self) -> int:
        """The steps of the policy, the final REJECT included."""
        return len(self.always) + len(self.steps) + 1
