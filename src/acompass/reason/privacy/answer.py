"""The answer of `prove --privacy`: privacy by column and for the whole table, and stability.

The displayed numbers, ε = ln E and δ, are rounded up here."""

from decimal import ROUND_CEILING, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from math import ceil
from typing import assert_never

from acompass.dataclasses import dataclass
from acompass.language.program.types import Schema
from acompass.prove.proof import Proof
from acompass.semantics.core import Record

UNIT = "one record's value of the columns named"
NEIGHBORS = "two tables of the same size that differ only in this value of one record"
#: what the numbers of the answer do not cover
NOT_COVERED = (
    "several records of one person",
    "constants of the policy that were chosen from the data",
    "the report of a run, and anything else that is published about it",
    "a seed that can be guessed, and a file of the trace",
    "`--missing`, and a run with `--force`",
)

#: the bits of a seed's numbers: ρ = h / 2⁵² (D19, seeds)
BITS = 52
#: the decimal places of ε and the significant digits of δ that are shown, rounded up
EPSILON_DIGITS = 3
_DELTA_DIGITS = 3
#: far more digits than are shown, so that rounding up twice rarely makes a difference
_EXACT = Context(prec=60, rounding=ROUND_CEILING)


class ColumnVerdict(StrEnum):
    EXACT = "exact"
    AT_MOST = "at most"
    NONE = "none"
    UNDECIDED = "undecided"


class Weights(StrEnum):
    #: ρ is uniform on [0, 1)
    UNIFORM = "uniform"
    #: ρ = h / 2⁵², where h is uniform
    SEED = "52 bits"


@dataclass(frozen=True, slots=True)
class Witness:
    """Two neighboring tables, and an output that is more probable from the first than from the second."""

    schema: Schema
    records: tuple[Record, ...]
    neighbour: tuple[Record, ...]
    left_schema: Schema
    left: tuple[Record, ...] | None  # the output; None if nothing is written: a check fails, or a map has no label
    probabilities: tuple[Fraction, Fraction]  # of the output, from each table
    traces: tuple[tuple[str, ...], tuple[str, ...] | None]  # None if the output is impossible from the second table
    weights: Weights

    @property
    def ratio(self) -> Fraction | None:
        """None if it is infinite."""
        more, less = self.probabilities
        return more / less if less else None


@dataclass(frozen=True, slots=True)
class ColumnPrivacy:
    """No output is more than E times as probable from a table as from a neighboring one."""

    columns: tuple[str, ...]
    verdict: ColumnVerdict
    #: E for the paper's trace, and for a seed, which has 52 bits; None if the verdict is `none` or `undecided`
    ratio: Fraction | None = None
    seed_ratio: Fraction | None = None
    witness: Witness | None = None
    line: int | None = None  # the line that `reason` refers to
    reason: str = ""

    @property
    def epsilon(self) -> Decimal | None:
        """For the larger ratio, rounded up."""
        if self.ratio is None or self.seed_ratio is None:
            return None
        return epsilon_from_ratio(max(self.ratio, self.seed_ratio))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why nothing is claimed."""

    line: int | None  # None if no line of the policy is the cause
    reason: str


class Direction(StrEnum):
    """Which of two neighboring tables makes the worst outcome more probable."""

    WITH = "with the record"
    WITHOUT = "without the record"


@dataclass(frozen=True, slots=True)
class TablePrivacy:
    """Pr[output of R in S] ≤ E · Pr[output of R' in S] + δ for all sets S of outputs, and all tables R and R' such that
    one has one record more than the other. The output is a bag, so it has to be written in canonical order."""

    epsilon: Fraction
    ratio: Fraction  # E, a rational just below e^ε
    delta: Fraction
    k: int
    beta: Fraction  # an upper bound on the probability that sampling keeps a record
    class_size: int  # δ is worst for a class of this many records against one fewer
    direction: Direction  # the worst outcome: some record is kept (WITH), or none is (WITHOUT)
    sampled: tuple[int, ...]  # the lines that sample
    rejects: int  # the line that rejects classes of fewer than k records
    is_exact: bool  # whether no smaller δ holds
    witness: Record | None  # a record; `class_size` copies of it attain δ

    @property
    def delta_shown(self) -> str:
        return round_up_delta(self.delta)


@dataclass(frozen=True, slots=True)
class LineStability:
    index: int
    line: int
    records: int | None  # None if unbounded
    reason: str


@dataclass(frozen=True, slots=True)
class Stability:
    """The number of records in which two outputs can differ (the symmetric difference of bags) if the inputs differ in
    one record."""

    requirements: tuple[LineStability, ...]
    policy: int | None  # None if unbounded


@dataclass(frozen=True, slots=True)
class Privacy:
    columns: tuple[ColumnPrivacy, ...]
    table: TablePrivacy | Refusal
    stability: Stability


@dataclass(frozen=True, slots=True)
class PrivacyProof(Proof):
    privacy: Privacy | None = None  # None if it was not requested


def round_up_delta(delta: Fraction) -> str:
    up = Context(prec=_DELTA_DIGITS, rounding=ROUND_CEILING)
    return format(up.divide(delta.numerator, delta.denominator), "g")


def epsilon_from_ratio(ratio: Fraction) -> Decimal:
    """The least number with three decimal places that is not below ln E.

    The quotient is rounded up, and Python's logarithm is the nearest number of 60 digits, so the next number is not
    below ln E.
    """
    if ratio == 1:
        return Decimal(0)
    above = _EXACT.next_plus(_EXACT.ln(_EXACT.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))))
    return above.quantize(Decimal(1).scaleb(-EPSILON_DIGITS), ROUND_CEILING)


def probability(weights: Weights, low: Fraction, high: Fraction) -> Fraction:
    """The probability that low ≤ ρ < high."""
    match weights:
        case Weights.UNIFORM:
            return high - low
        case Weights.SEED:
            return Fraction(ceil(high * 2**BITS) - ceil(low * 2**BITS), 2**BITS)
        case _:
            assert_never(weights)
