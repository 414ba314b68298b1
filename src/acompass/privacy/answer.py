"""The answer of `prove --privacy`."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from acompass.checked.types import Schema
from acompass.privacy.epsilon import epsilon_of
from acompass.privacy.table_answer import Refusal, Stability, TablePrivacy
from acompass.privacy.weights import Weights
from acompass.prove.proof import Proof
from acompass.semantics import Record

UNIT = "one record's value of the columns named"
NEIGHBOURS = "two tables of the same size that differ in nothing but this value of one record"
#: what no number of the answer speaks of
NOT_COVERED = (
    "several records of one person",
    "constants of the policy that were chosen from the data",
    "the report of a run, and whatever else is told about it",
    "a seed that can be guessed, and a file of the trace",
    "`--missing`, and a run with `--force`",
)


class ColumnVerdict(StrEnum):
    EXACT = "exact"
    AT_MOST = "at most"
    NONE = "none"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Witness:
    """Two neighbouring tables, and an output that is more probable from `records` than from `neighbour`.

    `left` is None where nothing is written: a check fails, or a map has no label. The first probability and
    trace belong to `records`. There is no second trace where the output is impossible from `neighbour`.
    """

    schema: Schema
    records: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    left_schema: Schema
    left: tuple[Record, ...] | None
    probabilities: tuple[Fraction, Fraction]
    traces: tuple[tuple[str, ...], tuple[str, ...] | None]
    weights: Weights

    @property
    def ratio(self) -> Fraction | None:
        """None where it has no bound."""
        more, less = self.probabilities
        return more / less if less else None


@dataclass(frozen=True, slots=True)
class ColumnPrivacy:
    """No output is more than E times as probable from a table as from a neighbour.

    `ratio` is E for the trace of the paper, `seed_ratio` for that of a seed, which has 52 bits. Both are None
    where the verdict is `none` or `undecided`. `line` is the line that `reason` speaks of.
    """

    columns: tuple[str, ...]
    verdict: ColumnVerdict
    ratio: Fraction | None = None
    seed_ratio: Fraction | None = None
    witness: Witness | None = None
    line: int | None = None
    reason: str = ""

    @property
    def epsilon(self) -> Decimal | None:
        """Of the larger of the two, rounded up."""
        if self.ratio is None or self.seed_ratio is None:
            return None
        return epsilon_of(max(self.ratio, self.seed_ratio))


@dataclass(frozen=True, slots=True)
class Privacy:
    columns: tuple[ColumnPrivacy, ...]
    table: TablePrivacy | Refusal
    stability: Stability


@dataclass(frozen=True, slots=True)
class PrivacyProof(Proof):
    """`privacy` is None where it was not asked for."""

    privacy: Privacy | None = None
